// Motion of a glTF file: the channels of its first animation, as joints that move nodes and as
// weights of their meshes' morph targets.
#pragma once

#include <map>

#include "renderer/scene/loaders/gltf/gltf_file.h"
#include "renderer/scene/scene.h"

namespace tl {

class GltfAnimation {
  public:
    /// Warns of channels that cannot be played. Throws UserError naming the channel.
    GltfAnimation(Scene& scene, const GltfFile& file);

    /// The motion of a node in its parent, without a placement; null if the node does not move.
    [[nodiscard]] const Joint* joint_of(int node) const {
        auto found = joints_.find(node);
        return found == joints_.end() ? nullptr : &found->second;
    }
    /// Whether the weights of a node's morph targets are animated.
    [[nodiscard]] bool has_weights(int node) const { return weights_.contains(node); }
    /// The first `count` weights of a node with has_weights(), at a time in seconds. Weights that
    /// the file lacks are 0.
    [[nodiscard]] std::vector<float> weights_at(int node, double seconds, std::size_t count) const;

    /// The time of the last key, seconds.
    [[nodiscard]] float length() const { return length_; }

  private:
    void add_channel(const tinygltf::Animation& animation, std::size_t index);
    void add_weights(const tinygltf::AnimationSampler& sampler, int node, const std::string& name);
    [[nodiscard]] Joint& joint_at(int node);
    /// A channel's keys; checks them.
    template <class T>
    [[nodiscard]] Track<T> track(const tinygltf::AnimationSampler& sampler,
                                 const std::string& name);
    [[nodiscard]] std::vector<float> times(int accessor, const std::string& name);
    /// An accessor of a channel; refuses channels that repeat the same keys too often.
    [[nodiscard]] std::vector<float> numbers(int accessor, int per_row);
    void warn(const std::string& what);

    Scene& scene_;
    const GltfFile& file_;
    std::map<int, Joint> joints_;
    /// Weights of a node's morph targets, three in the translation of each motion.
    std::map<int, std::vector<RigidMotion>> weights_;
    float length_ = 0;
    std::size_t n_bytes_ = 0;  ///< bytes of all keys
};

}  // namespace tl

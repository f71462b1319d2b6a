#include "renderer/scene/loaders/gltf/gltf_animation.h"

#include <algorithm>
#include <cmath>

#include "renderer/scene/loaders/texture_files.h"

namespace tl {
namespace {

template <class T>
Track<T> one_key(const T& value) {
    return {{0}, {value}};
}

Interpolation interpolation_of(const tinygltf::AnimationSampler& sampler) {
    if (sampler.interpolation == "STEP") return Interpolation::step;
    return sampler.interpolation == "CUBICSPLINE" ? Interpolation::cubic : Interpolation::linear;
}

vec3 vector_of(const std::vector<double>& numbers, vec3 otherwise) {
    if (numbers.size() != 3) return otherwise;
    return {static_cast<float>(numbers[0]), static_cast<float>(numbers[1]),
            static_cast<float>(numbers[2])};
}

}  // namespace

GltfAnimation::GltfAnimation(Scene& scene, const GltfFile& file) : scene_(scene), file_(file) {
    auto& animations = file.model().animations;
    if (animations.empty()) return;
    if (animations.size() > 1)
        warn("the first of its " + std::to_string(animations.size()) + " animations is played");
    for (std::size_t i = 0; i < animations[0].channels.size(); ++i) add_channel(animations[0], i);
}

void GltfAnimation::add_channel(const tinygltf::Animation& animation, std::size_t index) {
    auto& channel = animation.channels[index];
    std::string name = "animation channel " + std::to_string(index);
    bool is_morph = channel.target_path == "weights";
    bool moves_node = channel.target_path == "translation" || channel.target_path == "rotation" ||
                      channel.target_path == "scale";
    if ((!moves_node && !is_morph) || channel.target_node < 0) {
        warn("only the animation of nodes and their morph targets is played");
        return;
    }
    auto& nodes = file_.model().nodes;
    if (static_cast<std::size_t>(channel.target_node) >= nodes.size())
        file_.fail(name + " names node " + std::to_string(channel.target_node) + " of " +
                   std::to_string(nodes.size()));
    if (channel.sampler < 0 ||
        static_cast<std::size_t>(channel.sampler) >= animation.samplers.size())
        file_.fail(name + " names sampler " + std::to_string(channel.sampler) + " of " +
                   std::to_string(animation.samplers.size()));
    auto& sampler = animation.samplers[static_cast<std::size_t>(channel.sampler)];
    if (is_morph) return add_weights(sampler, channel.target_node, name);
    if (!nodes[static_cast<std::size_t>(channel.target_node)].matrix.empty()) {
        warn("nodes with a matrix stand still");
        return;
    }
    Joint& joint = joint_at(channel.target_node);
    if (channel.target_path == "translation") joint.translation = track<vec3>(sampler, name);
    if (channel.target_path == "scale") joint.scale = track<vec3>(sampler, name);
    if (channel.target_path == "rotation") joint.rotation = track<glm::quat>(sampler, name);
}

/// The joint of a node; components without a channel keep the node's values.
Joint& GltfAnimation::joint_at(int node) {
    auto [found, is_new] = joints_.try_emplace(node);
    Joint& joint = found->second;
    if (!is_new) return joint;
    auto& source = file_.model().nodes[static_cast<std::size_t>(node)];
    joint.translation = one_key(vector_of(source.translation, vec3(0)));
    joint.scale = one_key(vector_of(source.scale, vec3(1)));
    if (auto& r = source.rotation; r.size() == 4)
        joint.rotation = one_key(glm::normalize(glm::quat(glm::dquat(r[3], r[0], r[1], r[2]))));
    return joint;
}

void GltfAnimation::add_weights(const tinygltf::AnimationSampler& sampler, int node,
                                const std::string& name) {
    Track<vec3> empty;
    empty.interpolation = interpolation_of(sampler);
    empty.times = times(sampler.input, name);
    std::vector<float> numbers = this->numbers(sampler.output, 1);
    std::size_t n_rows = empty.times.size() * (empty.interpolation == Interpolation::cubic ? 3 : 1);
    if (numbers.size() % n_rows != 0)
        file_.fail(name + " has " + std::to_string(numbers.size()) + " weights for " +
                   std::to_string(empty.times.size()) + " keys");
    for (float number : numbers)
        if (!std::isfinite(number)) file_.fail(name + " has a value that is not finite");
    std::size_t n_weights = numbers.size() / n_rows;
    auto& motions = weights_[node];
    motions.clear();
    for (std::size_t first = 0; first < n_weights; first += 3) {
        Joint joint{.translation = empty};
        for (std::size_t row = 0; row < n_rows; ++row) {
            vec3& value = joint.translation.values.emplace_back(0);
            for (std::size_t k = 0; k < 3 && first + k < n_weights; ++k)
                value[static_cast<int>(k)] = numbers[row * n_weights + first + k];
        }
        motions.push_back({{std::move(joint)}});
    }
}

std::vector<float> GltfAnimation::weights_at(int node, double seconds, std::size_t count) const {
    std::vector<float> weights;
    for (auto& motion : weights_.at(node)) {
        glm::dvec3 three(motion.at(seconds)[3]);
        for (int k = 0; k < 3; ++k) weights.push_back(static_cast<float>(three[k]));
    }
    weights.resize(count);
    return weights;
}

template <class T>
Track<T> GltfAnimation::track(const tinygltf::AnimationSampler& sampler, const std::string& name) {
    Track<T> track;
    track.interpolation = interpolation_of(sampler);
    bool cubic = track.interpolation == Interpolation::cubic;
    track.times = times(sampler.input, name);
    std::vector<float> numbers = this->numbers(sampler.output, T::length());
    auto row = static_cast<std::size_t>(T::length());
    std::size_t wanted = track.times.size() * (cubic ? 3 : 1);
    if (numbers.size() != wanted * row)
        file_.fail(name + " has " + std::to_string(numbers.size() / row) + " values for " +
                   std::to_string(track.times.size()) + " keys; it wants " +
                   std::to_string(wanted));
    for (float number : numbers)
        if (!std::isfinite(number)) file_.fail(name + " has a value that is not finite");
    for (std::size_t i = 0; i < wanted; ++i) {
        const float* n = &numbers[i * row];
        bool is_tangent = cubic && i % 3 != 1;
        if constexpr (std::is_same_v<T, vec3>) {
            track.values.emplace_back(n[0], n[1], n[2]);
        } else {
            // glTF stores the real part of a quaternion last.
            glm::quat value(n[3], n[0], n[1], n[2]);
            if (!is_tangent && !(glm::length(value) > 0))
                file_.fail(name + " has a rotation of no length");
            track.values.push_back(is_tangent ? value : glm::normalize(value));
        }
    }
    return track;
}

std::vector<float> GltfAnimation::numbers(int accessor, int per_row) {
    constexpr std::size_t kAlwaysTaken = std::size_t{64} << 20, kMostPerByte = 16;
    std::vector<float> numbers = file_.numbers(accessor, per_row);
    n_bytes_ += numbers.size() * sizeof(float);
    if (n_bytes_ > std::max(kAlwaysTaken, kMostPerByte * file_.n_bytes()))
        file_.fail(
            "the channels of its animation repeat the same keys too often: they take more "
            "than 64 MiB and " +
            std::to_string(kMostPerByte) + " times the file");
    return numbers;
}

std::vector<float> GltfAnimation::times(int accessor, const std::string& name) {
    std::vector<float> times = numbers(accessor, 1);
    if (times.empty()) file_.fail(name + " has no keys");
    for (std::size_t i = 0; i < times.size(); ++i)
        if (!(times[i] >= 0 && times[i] < 1e6f) || (i > 0 && !(times[i] > times[i - 1])))
            file_.fail(name + " has key times that do not rise from 0");
    length_ = std::max(length_, times.back());
    return times;
}

void GltfAnimation::warn(const std::string& what) {
    warn_once(scene_, file_.path() + ": " + what);
}

}  // namespace tl

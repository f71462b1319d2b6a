// A scene of triangles on a device, with a tree of any builder in any layout that is built as for a
// frame. Returns the hits of given rays.
#pragma once

#include "accel/bvh/traversal/trace_rays.h"
#include "core/device/parallel_for.h"
#include "renderer/scene/live/live_scene.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {

/// The builders in the table that run on this device.
inline std::vector<std::string> builders_of_device(const Device& device) {
    std::vector<std::string> ids;
    for (auto& row : tree_builders())
        if (device.kind() == DeviceKind::cpu || row.make_cuda) ids.push_back(row.id);
    return ids;
}

/// All layouts except "auto"; a layout that the device lacks is replaced by another.
inline std::vector<std::string> all_layouts() {
    auto ids = TreeConfig::declared_settings().find("layout")->choices;
    std::erase(ids, "auto");
    return ids;
}

inline std::shared_ptr<Scene> scene_of(const std::vector<vec3>& positions,
                                       const std::vector<glm::uvec3>& triangles) {
    auto scene = std::make_shared<Scene>();
    scene->materials.emplace_back();
    Mesh mesh;
    mesh.positions = positions;
    mesh.triangles = triangles;
    mesh.material_of_triangle.assign(triangles.size(), 0);
    scene->meshes.push_back(std::move(mesh));
    return scene;
}

struct Answers {
    std::vector<Hit> hits;
    std::vector<std::uint8_t> occluded;
    TreeHeader header;
};

class LiveTree {
  public:
    LiveTree(Stream& stream, Scratch& scratch, std::shared_ptr<const Scene> scene)
        : scratch_(scratch), timer_(stream), live_(stream, std::move(scene)) {
        timer_.enable(false);
    }
    SceneTreeConfig& config() { return live_.tree_config(); }
    void build(const std::string& builder) {
        live_.set_builder(make_tree_builder(builder, scratch_.stream().device()));
        live_.update(scratch_, timer_);
    }
    Answers trace(const DeviceArray<Ray>& rays) {
        auto& stream = scratch_.stream();
        DeviceArray<Hit> hits(stream, rays.size());
        DeviceArray<std::uint8_t> occluded(stream, rays.size());
        TreeView tree = live_.view().tree;
        trace_closest(scratch_, "closest", tree, rays.view(), {hits.view(), {}, {}});
        trace_any(scratch_, "any", tree, rays.view(), {{}, {}, occluded.view()});
        Answers answers{hits.download(stream), occluded.download(stream), {}};
        stream.device().download(stream, &answers.header, live_.tree().header().data,
                                 sizeof(TreeHeader));
        return answers;
    }

  private:
    Scratch& scratch_;
    StageTimer timer_;
    LiveScene live_;
};

/// Builds the tree for every builder and layout, robust or not, and calls visit(name) for each.
template <class Visit>
void for_every_tree(LiveTree& tree, const Device& device, Visit&& visit) {
    for (auto& builder : builders_of_device(device))
        for (auto& layout : all_layouts())
            for (bool robust : {false, true}) {
                tree.config() = {};
                auto settings = tree.config().settings();
                find_setting(settings, "layout", "tree").set(layout);
                tree.config().robust = robust;
                tree.build(builder);
                visit(builder + " " + layout + (robust ? " robust" : ""));
            }
}

}  // namespace tl::TL_DEVICE_NAME

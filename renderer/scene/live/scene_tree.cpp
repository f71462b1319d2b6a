#include "renderer/scene/live/scene_tree.h"

namespace tl {
namespace {

void copy(Stream& stream, DeviceArray<vec3>& to, const DeviceArray<vec3>& from) {
    to.resize_discard(stream, from.size());
    if (from.empty()) return;
    stream.device().copy(stream, to.data(), from.data(), from.size() * sizeof(vec3));
}

}  // namespace

const SettingsOf<SceneTreeConfig>& SceneTreeConfig::declared_settings() {
    static const auto all = SettingsOf<SceneTreeConfig>{}
                                .with(TreeConfig::declared_settings())
                                .with({
                                    {"build-ahead", &SceneTreeConfig::build_ahead,
                                     "on a GPU with rebuild: build the next frame's tree during "
                                     "the tracing of the last "
                                     "one, for the memory of a second tree; not with instances, "
                                     "patches, moving lights or "
                                     "a comparison",
                                     kAdvanced},
                                });
    return all;
}

void SceneTrees::take_turn(Stream& stream) {
    if (!taking_turns()) {
        SceneTree other;
        copy(stream, other.positions, newest().positions);
        copy(stream, other.normals, newest().normals);
        copies_.push_back(std::move(other));
    }
    newest_ = 1 - newest_;
}

void SceneTrees::end_turns() {
    if (!taking_turns()) return;
    if (newest_ == 1) std::swap(copies_[0], copies_[1]);
    copies_.pop_back();
    newest_ = 0;
}

void SceneTrees::invalidate() {
    for (auto& copy : copies_) copy.tree.invalidate();
}

std::size_t SceneTrees::bytes() const {
    std::size_t bytes = 0;
    for (auto& copy : copies_) bytes += copy.bytes();
    return bytes;
}

}  // namespace tl

#include "renderer/unshown_content.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace tl {
namespace {

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& names) {
    if (names.size() < 2) return joined(names);
    std::vector<std::string> first(names.begin(), names.end() - 1);
    return joined(first) + " and " + names.back();
}

}  // namespace

const char* words_of(SceneContent content) {
    constexpr std::array kWords{"triangles", "instances of meshes", "spheres", "splats", "patches",
                                "Gaussians"};
    return kWords.at(static_cast<std::size_t>(content));
}

bool holds(const Scene& scene, SceneContent content) {
    switch (content) {
        case SceneContent::triangles:
            return std::ranges::any_of(scene.meshes, [](const Mesh& mesh) {
                return !mesh.instanced && !mesh.triangles.empty();
            });
        case SceneContent::instances:
            return !scene.instances.empty();
        case SceneContent::spheres:
            return !scene.spheres.empty();
        case SceneContent::splats:
            return !scene.splats.empty();
        case SceneContent::patches:
            return scene.patch_count() > 0;
        case SceneContent::gaussians:
            return scene.gaussian_count() > 0;
    }
    return false;
}

UnshownContent unshown_content(const Scene& scene, const std::string& renderer) {
    std::vector<SceneContent> lacking;
    for (auto content : kSceneContents)
        if (holds(scene, content) && leaves_out(renderer, content)) lacking.push_back(content);
    if (lacking.empty()) return {};
    UnshownContent unshown;
    std::vector<std::string> names;
    for (auto content : lacking) names.emplace_back(words_of(content));
    unshown.what = listed(names);
    for (auto& row : renderers()) {
        auto is_lacking = [&](SceneContent content) { return leaves_out(row.id, content); };
        if (row.output == RendererOutput::picture && std::ranges::none_of(lacking, is_lacking))
            unshown.show.push_back(&row);
    }
    return unshown;
}

std::string unshown_warning(const Scene& scene, const std::string& renderer) {
    auto unshown = unshown_content(scene, renderer);
    if (unshown.what.empty()) return "";
    std::string text = "the renderer '" + renderer + "' does not show the scene's " + unshown.what;
    std::vector<std::string> ids;
    for (auto* row : unshown.show) ids.push_back(row->id);
    if (ids.empty()) return text;
    return text + "; " +
           (ids.size() == 1 ? "the renderer " + ids[0] + " does"
                            : "the renderers " + listed(ids) + " do");
}

}  // namespace tl

// Scene content that a renderer leaves out of its pictures.
#pragma once

#include <string>
#include <vector>

#include "renderer/renderer.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Kinds of geometry that a scene may hold.
enum class SceneContent : int { triangles, instances, spheres, splats, patches, gaussians };
inline constexpr SceneContent kSceneContents[] = {SceneContent::triangles, SceneContent::instances,
                                                  SceneContent::spheres,   SceneContent::splats,
                                                  SceneContent::patches,   SceneContent::gaussians};

/// Name of the kind in the plural: "Gaussians", "instances of meshes".
[[nodiscard]] const char* words_of(SceneContent content);
/// Whether the scene has content of a kind. Triangles of instanced meshes count as instances only.
[[nodiscard]] bool holds(const Scene& scene, SceneContent content);

/// Whether a renderer, given by its id, leaves all content of a kind out of its pictures. Defined
/// in renderers.cpp, next to the table of renderers.
[[nodiscard]] bool leaves_out(const std::string& renderer, SceneContent content);

/// Content of the scene that the renderer leaves out, and renderers that show it.
struct UnshownContent {
    std::string what{};  ///< kinds left out: "patches and Gaussians"; "" if there are none
    /// Renderers that show all of these kinds, in pictures and not in false colours.
    std::vector<const RendererRow*> show{};
};
[[nodiscard]] UnshownContent unshown_content(const Scene& scene, const std::string& renderer);

/// A warning of one line: "the renderer 'points' does not show the scene's Gaussians; the renderers
/// path, photon and radiosity do". "" if the renderer shows all kinds that the scene has.
[[nodiscard]] std::string unshown_warning(const Scene& scene, const std::string& renderer);

}  // namespace tl

// Content of a scene that a renderer leaves out of its pictures.
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

/// "Gaussians", "instances of meshes".
[[nodiscard]] const char* words_of(SceneContent content);
/// Whether the scene holds some; the triangles of instanced meshes count as instances.
[[nodiscard]] bool holds(const Scene& scene, SceneContent content);

/// Whether the pictures of the renderer leave out all content of a kind; a row of the table of
/// renderers.cpp.
[[nodiscard]] bool leaves_out(const std::string& renderer, SceneContent content);

/// Content of the scene that the renderer leaves out, and renderers that show it.
struct UnshownContent {
    std::string what{};                      ///< "patches and Gaussians"; "" if it shows all
    std::vector<const RendererRow*> show{};  ///< renderers of pictures that show all of it
};
[[nodiscard]] UnshownContent unshown_content(const Scene& scene, const std::string& renderer);

/// A warning of one line: "the renderer 'points' does not show the scene's Gaussians; the renderers
/// path, photon do". "" if it shows all.
[[nodiscard]] std::string unshown_warning(const Scene& scene, const std::string& renderer);

}  // namespace tl

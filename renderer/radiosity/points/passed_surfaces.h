// Surfaces that do not occlude light between points: lamps and smooth glass.
//
// Lamps: visibility between points then does not depend on them, and lamps move without new links.
// They occlude direct lighting only, which tests all surfaces.
//
// Smooth glass: light passes straight on and without loss. A pane does so except for a few percent,
// and so does a body in the mean over directions.
#pragma once

#include "renderer/path/path_rays.h"
#include "renderer/path/surface_interaction.h"
#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

/// Maximum number of such surfaces that a ray passes one behind the other.
inline constexpr int kMostPassed = 8;

/// Factor of the hit distance from which a ray continues behind a surface that it passes.
inline constexpr float kBehind = 1 + 0x1p-20f;

enum class Passed : std::uint32_t { lamps = 1, glass = 2, all = 3 };

/// Whether a hit is on the surface of one of the scene's lamps.
TL_D inline bool is_lamp(const SceneView& scene, const Hit& hit) {
    return scene.material_lights[&material_at(scene, hit) - scene.materials] >= 0;
}
TL_D inline bool is_smooth_glass(const SceneView& scene, const Hit& hit) {
    const MaterialData& m = material_at(scene, hit);
    return m.kind == MaterialKind::dielectric && is_smooth_specular(scene, m);
}
/// Whether light between points passes the surface at a hit, as one of the given kind.
TL_D inline bool is_passed(const SceneView& scene, const Hit& hit, Passed kind) {
    auto kinds = static_cast<std::uint32_t>(kind);
    return (kinds & 1 && is_lamp(scene, hit)) || (kinds & 2 && is_smooth_glass(scene, hit));
}

/// Continues a queue's rays behind hits on surfaces of the given kind, at most `n_times` each.
/// Other rays keep their hits. `count`: the queue's length, on the device. Never waits.
void pass_surfaces(Scratch& scratch, const SceneView& scene, Passed kind, int n_times,
                   View<PathRay> rays, const std::uint32_t* count, View<Hit> hits);

TL_DEVICE_END

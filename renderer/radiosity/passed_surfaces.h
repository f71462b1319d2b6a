// Surfaces that light between points passes. Those of lamps: what points see of each other then
// depends on no lamp, and lamps are moved without new links; what a lamp hides is missing from
// direct light alone, which knows of all surfaces. And smooth glass, straight on and without loss:
// what a pane does, but for a few percent, and in the mean over directions a body too.
#pragma once

#include "renderer/paths/path_place.h"
#include "renderer/paths/path_rays.h"
#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

/// Most surfaces behind each other that a ray passes.
inline constexpr int kMostPassed = 8;

/// Where a ray goes on behind a surface that it passes, as a factor of the distance.
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
/// Whether light between points passes the surface at a hit, if it is one of these.
TL_D inline bool is_passed(const SceneView& scene, const Hit& hit, Passed kind) {
    auto kinds = static_cast<std::uint32_t>(kind);
    return (kinds & 1 && is_lamp(scene, hit)) || (kinds & 2 && is_smooth_glass(scene, hit));
}

/// Traces those of a queue's rays anew, from behind the surface, that have met one which is passed,
/// up to `n_times`; the others keep their hits. `count`, on the device, is the queue's length.
/// Never waits.
void pass_surfaces(Scratch& scratch, const SceneView& scene, Passed kind, int n_times,
                   View<PathRay> rays, const std::uint32_t* count, View<Hit> hits);

TL_DEVICE_END

// Surfaces of lamps, which light between points passes: what points see of each other then depends
// on no lamp, and lamps are moved without new links. What a lamp hides is missing from direct light
// alone, which knows of all surfaces.
#pragma once

#include "renderer/paths/path_rays.h"
#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

/// Most lamps behind each other that a ray passes.
inline constexpr int kMostLamps = 8;

/// Where a ray goes on behind a surface that it passes, as a factor of the distance.
inline constexpr float kBehind = 1 + 0x1p-20f;

/// Whether a hit is on the surface of one of the scene's lamps.
TL_D inline bool is_lamp(const SceneView& scene, const Hit& hit) {
    return scene.material_lights[&material_at(scene, hit) - scene.materials] >= 0;
}

/// Traces those of a queue's rays anew, from behind the lamp, that have met one; the others keep
/// their hits. `count`, on the device, is the queue's length. Never waits.
void pass_lamps(Scratch& scratch, const SceneView& scene, View<PathRay> rays,
                const std::uint32_t* count, View<Hit> hits);

TL_DEVICE_END

// Moves lights and refits the light tree above them. One thread for each light climbs from its
// leaf. Where lights move on both sides, the second to arrive continues (as in Karras 2012,
// "Maximizing parallelism in the construction of BVHs, octrees, and k-d trees").
#include "core/device/atomics.h"
#include "core/device/parallel_for.h"
#include "renderer/scene/live/lights/moving_lights.h"
#include "renderer/scene/live/lights/surface_lights.h"

TL_DEVICE_BEGIN

namespace {

/// Moves a triangle light to its triangle's current position.
TL_HD void follow_triangle(const SceneView& scene, std::uint32_t instance, LightData& light) {
    glm::uvec3 t = scene.triangles[light.surface];
    vec3 corners[3] = {scene.positions[t.x], scene.positions[t.y], scene.positions[t.z]};
    vec3 outside = scene.normals[t.x] + scene.normals[t.y] + scene.normals[t.z];
    if (outside == vec3(0)) outside = glm::cross(corners[1] - corners[0], corners[2] - corners[0]);
    if (instance != MovingLight::kNoInstance) {
        for (vec3& corner : corners)
            corner = scene.instances[instance].object_to_world.point(corner);
        outside = scene.tree.instances[instance].world_to_object.transposed_direction(outside);
    }
    place_triangle_light(light, corners, outside);
}

/// Bounds of a patch light at its patch's current position.
TL_HD LightBounds bounds_of_patch(const PatchesView& patches, std::uint32_t patch, float mean) {
    vec3 points[PatchPoints::kCount];
    for (int k = 0; k < PatchPoints::kCount; ++k) {
        for (int axis = 0; axis < 3; ++axis)
            points[k][axis] = patches.points[patch].of_axis[axis][k];
        if (patches.weights) points[k] /= patches.weights[patch].at[k];
    }
    return bounds_of_patch_light(points, patches.weights, mean);
}

/// Stores the bounds of a split and of its ancestors.
TL_D void refit_from(const LightRefit& refit, std::uint32_t split, LightBounds bounds) {
    for (;;) {
        refit.bounds[split] = bounds;
        LightAscent ascent = refit.ascents[split];
        if (ascent.lane != LightSplit::kNoLane) refit.tree.set_bounds(ascent.lane, bounds);
        if (ascent.is_root()) return;
        std::uint32_t above = ascent.parent();
        if (ascent.both_move()) {
            if (!atomic_exchange(&refit.arrived[above], 1)) return;
            refit.arrived[above] = 0;
        }
        // The root comes first and pairs of children after it, so that the first of two has an odd
        // index. The order of the union is fixed: the bits do not depend on which thread is second.
        bounds = split % 2 ? LightBounds::united(bounds, load_fresh(&refit.bounds[split + 1]))
                           : LightBounds::united(load_fresh(&refit.bounds[split - 1]), bounds);
        split = above;
    }
}

}  // namespace

void move_lights(Stream& stream, const SceneView& scene, const LightRefit& refit) {
    SceneView now = scene;
    LightRefit r = refit;
    parallel_for(
        stream, "move lights", static_cast<std::uint32_t>(r.moving.size),
        TL_LAMBDA(std::uint32_t i) {
            const MovingLight moving = r.moving[i];
            LightData light = r.lights[moving.light];
            if (light.kind == LightKind::patch) {
                // Shading reads the position from the scene's control points.
                refit_from(r, moving.split,
                           bounds_of_patch(now.tree.patches, light.surface, moving.mean));
                return;
            }
            follow_triangle(now, moving.instance, light);
            r.lights[moving.light] = light;
            refit_from(r, moving.split, bounds_of_triangle_light(light, moving.mean));
        });
}

TL_DEVICE_END

// Places lights that move and refits the light tree above them: one thread for each light climbs
// from its leaf; where lights move on both sides, the second to arrive goes on (as in Karras 2012,
// "Maximizing parallelism in the construction of BVHs, octrees, and k-d trees").
#include "accel/parallel/atomics.h"
#include "accel/parallel/parallel_for.h"
#include "renderer/scene/live/moving_lights.h"
#include "renderer/scene/live/surface_lights.h"

TL_DEVICE_BEGIN

namespace {

/// Puts a triangle light where its triangle is now.
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

/// The bounds of a patch light where its patch is now.
TL_HD LightBounds bounds_of_patch(const PatchesView& patches, std::uint32_t patch, float mean) {
    vec3 points[PatchPoints::kCount];
    for (int k = 0; k < PatchPoints::kCount; ++k) {
        for (int axis = 0; axis < 3; ++axis)
            points[k][axis] = patches.points[patch].of_axis[axis][k];
        if (patches.weights) points[k] /= patches.weights[patch].at[k];
    }
    return bounds_of_patch_light(points, patches.weights, mean);
}

/// Stores the bounds of a leaf and of the nodes above it.
TL_D void refit_from(const LightRefit& refit, std::uint32_t node, LightBounds bounds) {
    for (;;) {
        refit.bounds[node] = bounds;
        refit.nodes[node] = LightNode::of(bounds, refit.nodes[node].child);
        LightNodeParent parent = refit.parents[node];
        if (parent.is_root()) return;
        std::uint32_t above = parent.node(), first = refit.nodes[above].child;
        if (parent.both_move()) {
            if (!atomic_exchange(&refit.arrived[above], 1)) return;
            refit.arrived[above] = 0;
        }
        // Always in the same order, so that the bits do not depend on who is second.
        bounds = node == first ? LightBounds::united(bounds, load_fresh(&refit.bounds[first + 1]))
                               : LightBounds::united(load_fresh(&refit.bounds[first]), bounds);
        node = above;
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
                // Where it is the scene's control points tell.
                refit_from(r, moving.node,
                           bounds_of_patch(now.tree.patches, light.surface, moving.mean));
                return;
            }
            follow_triangle(now, moving.instance, light);
            r.lights[moving.light] = light;
            refit_from(r, moving.node, bounds_of_triangle_light(light, moving.mean));
        });
}

TL_DEVICE_END

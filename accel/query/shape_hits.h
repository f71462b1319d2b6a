// Hits of rays on shapes, as queries write them.
#pragma once

#include "accel/bvh/traversal/traversal.h"
#include "accel/query/ray_queries.h"

TL_DEVICE_BEGIN

/// Intersects boxes, whose lower corner is the vertex and whose upper one is edge1: with their
/// nearer side in range, from outside or within.
struct BoxRay {
    TL_HD explicit BoxRay(const Ray&) {}
    TL_HD bool meets(const Primitive& p, const Ray& ray, float t_max, Hit& hit) const {
        float enter = -kInfinity, leave = kInfinity;
        for (int axis = 0; axis < 3; ++axis) {
            float to_lo = p.vertex[axis] - ray.origin[axis];
            float to_hi = p.edge1[axis] - ray.origin[axis], d = ray.direction[axis];
            if (d == 0) {
                if (to_lo > 0 || to_hi < 0) return false;
                continue;
            }
            float a = to_lo / d, b = to_hi / d;
            enter = maximum(enter, minimum(a, b));
            leave = minimum(leave, maximum(a, b));
        }
        if (!(enter <= leave)) return false;
        float t = enter > ray.t_min ? enter : leave;
        if (!(t > ray.t_min && t < t_max)) return false;
        hit = {t, 0, 0, p.id};
        return true;
    }
};

/// Makes the ray testers of trees of boxes (accel/primitives.h, PlainTests).
struct BoxTests {
    static constexpr bool kPatches = false;
    template <bool kAnyHit>
    [[nodiscard]] TL_HD BoxRay tester(const Ray& ray) const {
        return BoxRay(ray);
    }
};

/// Returns the unit normal of a shape where a ray has hit it.
TL_HD inline vec3 normal_of_hit(ShapeKind kind, const Primitive& shape, vec3 at) {
    vec3 normal;
    if (kind == ShapeKind::triangles) {
        TriangleEdges t(shape);
        normal = fused_cross(t.edge1, t.edge2);
    } else if (kind == ShapeKind::spheres) {
        normal = at - shape.vertex;
    } else {
        // The side that is closest to the point.
        normal = vec3(0);
        float least = kInfinity;
        int axis = 0;
        float sign = 1;
        for (int k = 0; k < 6; ++k) {
            float distance = fabsf(at[k % 3] - (k < 3 ? shape.vertex : shape.edge1)[k % 3]);
            if (!(distance < least)) continue;
            least = distance;
            axis = k % 3;
            sign = k < 3 ? -1.0f : 1.0f;
        }
        normal[axis] = sign;
    }
    float length = fused_length(normal);
    return length > 0 ? normal * (1 / length) : vec3(0);
}

/// Computes the unit normals of hits on triangles, boxes and spheres, in instances too.
struct ShapeNormals {
    RayTree tree;

    TL_D vec3 operator()(const Ray& ray, const Hit& hit) const {
        vec3 at = ray.origin + hit.t * ray.direction;
        if (hit.instance == Hit::kNone || !tree.instances) {
            const Primitive& shape =
                tree.shapes.tree.primitives[tree.shapes.place_of[hit.primitive]];
            return normal_of_hit(tree.shapes.kind, shape, at);
        }
        const InstancedShapes& instance = tree.instances[hit.instance];
        const Primitive& shape = instance.primitives[instance.place_of[hit.primitive]];
        vec3 inside = instance.world_to_object.point(at);
        vec3 normal = instance.world_to_object.transposed_direction(
            normal_of_hit(static_cast<ShapeKind>(instance.kind), shape, inside));
        float length = fused_length(normal);
        return length > 0 ? normal * (1 / length) : vec3(0);
    }
};

/// Writes hits, one at a time, with the normals that normal_of(ray, hit) returns.
template <class Normals>
struct HitWriter {
    Normals normal_of;
    StridedRays rays;
    HitsOut out;

    /// Writes the hit of ray `ray` as element `at` of the output.
    TL_D void write(std::size_t at, std::uint32_t ray, const Hit& hit) const {
        if (out.t) out.t[at] = hit.t;
        if (out.primitives) out.primitives[at] = hit.primitive;
        if (out.instances) out.instances[at] = hit.instance;
        if (out.uv) {
            out.uv[2 * at] = hit.u;
            out.uv[2 * at + 1] = hit.v;
        }
        if (out.normals) {
            vec3 normal = hit.found() ? normal_of(rays.ray(ray), hit) : vec3(0);
            for (int c = 0; c < 3; ++c) out.normals[3 * at + c] = normal[c];
        }
    }
    TL_D void operator()(std::uint32_t i, const Hit& hit) const { write(i, i, hit); }
};

/// Writes whether rays hit.
struct OccludedWriter {
    std::uint8_t* occluded;
    TL_D void operator()(std::uint32_t i, const Hit& hit) const { occluded[i] = hit.found(); }
};

/// Reads rays.
struct StridedRaySource {
    StridedRays rays;
    TL_D Ray operator()(std::uint32_t i) const { return rays.ray(i); }
};

TL_DEVICE_END

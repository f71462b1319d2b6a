// Instances as primitives of the top-level BVH: a mesh's own BVH under an affine transform. A mesh
// and its tree are stored once for all of its instances.
#pragma once

#include "accel/bvh/layouts/bvh2.h"
#include "accel/primitives.h"
#include "core/base/fused.h"

namespace tl {

/// Three rows of an affine matrix whose fourth is (0, 0, 0, 1).
struct alignas(16) AffineRows {
    vec4 rows[3];

    static AffineRows of(const mat4& m) {
        AffineRows a;
        for (int r = 0; r < 3; ++r) a.rows[r] = vec4(m[0][r], m[1][r], m[2][r], m[3][r]);
        return a;
    }
    [[nodiscard]] TL_HD vec3 point(vec3 p) const {
        vec3 q;
        for (int r = 0; r < 3; ++r)
            q[r] = fmaf(rows[r].x, p.x, fmaf(rows[r].y, p.y, fmaf(rows[r].z, p.z, rows[r].w)));
        return q;
    }
    [[nodiscard]] TL_HD vec3 direction(vec3 d) const {
        vec3 q;
        for (int r = 0; r < 3; ++r) q[r] = fused_dot(vec3(rows[r]), d);
        return q;
    }
    /// Returns the transpose of the linear part times n. Transforms a normal from the target space
    /// of this matrix to its source space, up to its length.
    [[nodiscard]] TL_HD vec3 transposed_direction(vec3 n) const {
        return fused_mean(n.x, vec3(rows[0]), n.y, vec3(rows[1]), n.z, vec3(rows[2]));
    }
    /// The product that applies `first`, then this matrix.
    [[nodiscard]] TL_HD AffineRows after(const AffineRows& first) const {
        AffineRows product;
        for (int r = 0; r < 3; ++r) {
            product.rows[r] =
                rows[r].x * first.rows[0] + rows[r].y * first.rows[1] + rows[r].z * first.rows[2];
            product.rows[r].w += rows[r].w;
        }
        return product;
    }
    /// Returns a box that contains the transformed box despite rounding (Arvo 1990, "Transforming
    /// axis-aligned bounding boxes", with centre and extent).
    [[nodiscard]] TL_HD Box box(const Box& b) const {
        vec3 center = b.center(), extent = 0.5f * (b.hi - b.lo);
        Box result;
        for (int r = 0; r < 3; ++r) {
            vec3 row(rows[r]), size = glm::abs(row);
            float at = glm::dot(row, center) + rows[r].w;
            float reach = glm::dot(size, extent);
            // Bounds the rounding error: a few ulps of every term.
            reach += 1e-6f * (glm::dot(size, glm::abs(center) + extent) + fabsf(rows[r].w));
            result.lo[r] = at - reach;
            result.hi[r] = at + reach;
        }
        return result;
    }
};

/// Transform and mesh tree of an instance, for traversal. The mesh's tree is a bvh2 of triangles,
/// whatever the layout of the top-level tree.
struct alignas(16) InstanceData {
    AffineRows world_to_object;
    const BvhNode* nodes;
    const Primitive* primitives;
    std::uint32_t root;
    std::uint32_t is_identity;  ///< 1 if world_to_object is the identity
    std::uint32_t unused[2];

    /// Transforms the ray to the mesh's space. Its direction is not normalised, so t is the same in
    /// both spaces.
    [[nodiscard]] TL_HD Ray enter(const Ray& world) const {
        Ray ray = world;
        if (is_identity) return ray;
        ray.origin = world_to_object.point(world.origin);
        ray.direction = world_to_object.direction(world.direction);
        return ray;
    }
};
static_assert(sizeof(InstanceData) == 80 && offsetof(InstanceData, nodes) == 48 &&
              offsetof(InstanceData, root) == 64);

}  // namespace tl

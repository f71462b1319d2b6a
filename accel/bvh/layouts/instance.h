// Instances as the top-level tree's leaves name them: a mesh's own tree, seen through an affine
// transform. The mesh is stored and its tree is built once for all of its instances.
#pragma once

#include "accel/bvh/layouts/bvh2.h"
#include "accel/parallel/fused.h"
#include "accel/primitives.h"

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
    /// The transpose of the linear part times n: what a normal of the space that this matrix leads
    /// to is in the space that it comes from, but for its length.
    [[nodiscard]] TL_HD vec3 transposed_direction(vec3 n) const {
        return fused_mean(n.x, vec3(rows[0]), n.y, vec3(rows[1]), n.z, vec3(rows[2]));
    }
    /// This after `first`.
    [[nodiscard]] TL_HD AffineRows after(const AffineRows& first) const {
        AffineRows product;
        for (int r = 0; r < 3; ++r) {
            product.rows[r] =
                rows[r].x * first.rows[0] + rows[r].y * first.rows[1] + rows[r].z * first.rows[2];
            product.rows[r].w += rows[r].w;
        }
        return product;
    }
    /// A box that holds the transformed box, rounding included (Arvo 1990, "Transforming
    /// axis-aligned bounding boxes", with centre and extent).
    [[nodiscard]] TL_HD Box box(const Box& b) const {
        vec3 center = b.center(), extent = 0.5f * (b.hi - b.lo);
        Box result;
        for (int r = 0; r < 3; ++r) {
            vec3 row(rows[r]), size = glm::abs(row);
            float at = glm::dot(row, center) + rows[r].w;
            float reach = glm::dot(size, extent);
            // A few units in the last place of every term.
            reach += 1e-6f * (glm::dot(size, glm::abs(center) + extent) + fabsf(rows[r].w));
            result.lo[r] = at - reach;
            result.hi[r] = at + reach;
        }
        return result;
    }
};

/// What a ray needs to enter an instance. Its tree is a bvh2 of triangles, whatever the layout of
/// the tree above it.
struct alignas(16) InstanceData {
    AffineRows world_to_object;
    const BvhNode* nodes;
    const Primitive* primitives;
    std::uint32_t root;
    std::uint32_t is_identity;  ///< 1 where world_to_object changes nothing
    std::uint32_t unused[2];

    /// The ray in the mesh's space. Its direction is not normalised, so that t stays the same.
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

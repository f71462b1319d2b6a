// Packet traversal of the CPU's 8-wide BVH, eight rays at a time. A node's eight boxes are first
// tested against the whole packet by interval arithmetic. Each remaining box is then tested against
// all eight rays at once. A packet of coherent rays thus costs about as much per node as a single
// ray (Boulos, Wald & Benthin 2008, "Adaptive ray packet reordering"; Wald et al. 2014). In leaves
// eight rays are tested against one triangle, by the arithmetic of TriangleRay4. Packets whose ray
// directions differ in sign are traced ray by ray.
#pragma once

#include "accel/bvh/traversal/bvh8_tracer.h"
#include "core/base/fused8.h"

TL_DEVICE_BEGIN

/// Eight rays as a structure of arrays; members as in Ray.
struct Ray8 {
    Vec3x8 origin;
    Vec3x8 direction;
    Float8 t_min{0.0f}, t_max{kInfinity};

    [[nodiscard]] Ray lane(int i) const {
        Ray ray;
        ray.origin = origin.lane(i);
        ray.t_min = t_min.lane(i);
        ray.direction = direction.lane(i);
        ray.t_max = t_max.lane(i);
        return ray;
    }
};

/// Eight hits as a structure of arrays; members as in Hit, without instances. Lanes without a hit
/// have infinite t.
struct Hit8 {
    Float8 t{kInfinity}, u{0.0f}, v{0.0f};
    Int8 primitive{Hit::kNone};

    [[nodiscard]] Mask8 found() const {
        return without(all_lanes(), primitive == Int8(Hit::kNone));
    }
    [[nodiscard]] Hit lane(int i) const {
        return {t.lane(i), u.lane(i), v.lane(i), primitive.lane(i)};
    }
    void set_lane(int i, const Hit& hit) {
        t.set_lane(i, hit.t);
        u.set_lane(i, hit.u);
        v.set_lane(i, hit.v);
        primitive.set_lane(i, hit.primitive);
    }

  private:
    static Mask8 all_lanes() { return Mask8::first(8); }
};

/// Bounds of the origins and inverse directions of a packet's rays.
struct PacketBounds {
    bool same_sides;             ///< whether all directions have the same sign on each axis
    __m256 near_origin[3];       ///< bound of the origins that makes entries earliest
    __m256 far_origin[3];        ///< bound of the origins that makes exits latest
    __m256 inverse[2][3];        ///< least and largest inverse directions
    std::uint32_t near_side[3];  ///< as Bvh8Slabs::near_side
    __m256 t_min;

    /// Bounds the active lanes, at least one. `inverse_direction` must be finite.
    TL_ALWAYS_INLINE PacketBounds(const Ray8& rays, Vec3x8 inverse_direction, Mask8 active) {
        Float8 first = broadcast_lane(active);
        auto filled = [&](Float8 a) {
            return select(active, a,
                          Float8(_mm256_permutevar8x32_ps(a.v, _mm256_castps_si256(first.v))));
        };
        Float8 values[8] = {filled(rays.origin.x),       filled(rays.origin.y),
                            filled(rays.origin.z),       filled(inverse_direction.x),
                            filled(inverse_direction.y), filled(inverse_direction.z),
                            filled(rays.t_min),          Float8(0.0f)};
        Float8 lo = least_of_each(values);
        for (Float8& value : values) value = -value;
        Float8 hi = -least_of_each(values);
        alignas(32) float los[8], his[8];
        _mm256_store_ps(los, lo.v);
        _mm256_store_ps(his, hi.v);
        same_sides = true;
        t_min = _mm256_set1_ps(los[6]);
        for (int axis = 0; axis < 3; ++axis) {
            bool backwards = his[3 + axis] < 0;
            same_sides &= backwards || los[3 + axis] > 0;
            near_origin[axis] = _mm256_set1_ps(backwards ? los[axis] : his[axis]);
            far_origin[axis] = _mm256_set1_ps(backwards ? his[axis] : los[axis]);
            inverse[0][axis] = _mm256_set1_ps(los[3 + axis]);
            inverse[1][axis] = _mm256_set1_ps(his[3 + axis]);
            near_side[axis] = static_cast<std::uint32_t>(axis) * 2 * Bvh8Slabs<false>::kSide +
                              (backwards ? Bvh8Slabs<false>::kSide : 0);
        }
    }

    static TL_ALWAYS_INLINE __m256 planes(const Bvh8Node& node, std::uint32_t offset) {
        return _mm256_load_ps(
            reinterpret_cast<const float*>(reinterpret_cast<const std::byte*>(&node) + offset));
    }
    /// Returns a mask: bit i is set if a ray may intersect child i's box before `t_max`. `entry`
    /// receives the earliest such distances. Conservative.
    TL_ALWAYS_INLINE unsigned may_meet(const Bvh8Node& node, float t_max, __m256& entry) const {
        entry = t_min;
        __m256 exit = _mm256_set1_ps(t_max);
        for (int axis = 0; axis < 3; ++axis) {
            __m256 near = planes(node, near_side[axis]) - near_origin[axis];
            __m256 far = planes(node, near_side[axis] ^ Bvh8Slabs<false>::kSide) - far_origin[axis];
            entry = _mm256_max_ps(entry,
                                  _mm256_min_ps(near * inverse[0][axis], near * inverse[1][axis]));
            exit =
                _mm256_min_ps(exit, _mm256_max_ps(far * inverse[0][axis], far * inverse[1][axis]));
        }
        return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(entry, exit, _CMP_LE_OQ)));
    }

  private:
    /// Returns the index of the first active lane, in all lanes.
    static Float8 broadcast_lane(Mask8 active) {
        return _mm256_castsi256_ps(_mm256_set1_epi32(std::countr_zero(active.lanes())));
    }
    /// Returns the minimum over the lanes of values[i] in lane i.
    static TL_ALWAYS_INLINE Float8 least_of_each(const Float8 (&values)[8]) {
        __m256 pairs[4], fours[2];
        for (int i = 0; i < 4; ++i) {
            __m256 a = values[2 * i].v, b = values[2 * i + 1].v;
            pairs[i] = _mm256_min_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        }
        for (int i = 0; i < 2; ++i) {
            __m256d a = _mm256_castps_pd(pairs[2 * i]), b = _mm256_castps_pd(pairs[2 * i + 1]);
            fours[i] = _mm256_min_ps(_mm256_castpd_ps(_mm256_unpacklo_pd(a, b)),
                                     _mm256_castpd_ps(_mm256_unpackhi_pd(a, b)));
        }
        return _mm256_min_ps(_mm256_permute2f128_ps(fours[0], fours[1], 0x20),
                             _mm256_permute2f128_ps(fours[0], fours[1], 0x31));
    }
};

/// Tracer of packets through a tree that is not robust and has no instances.
struct Bvh8PacketTracer {
    Bvh8View tree;
    const Primitive* primitives;

    /// Returns the closest hits of the active lanes.
    [[nodiscard]] Hit8 closest(const Ray8& rays, Mask8 active) const {
        Hit8 hit;
        active = active & finite_lanes(rays);
        if (!active.any()) return hit;
        Packet packet(rays, active);
        if (packet.bounds.same_sides) {
            traverse<false>(packet, hit);
        } else {
            Bvh8Tracer<false> single{tree, primitives};
            for_lanes(active, [&](int i) { hit.set_lane(i, single.closest(rays.lane(i))); });
        }
        return hit;
    }
    /// Returns the active lanes whose rays hit anything.
    [[nodiscard]] Mask8 occluded(const Ray8& rays, Mask8 active) const {
        Hit8 hit;
        active = active & finite_lanes(rays);
        if (!active.any()) return Mask8::none();
        Packet packet(rays, active);
        if (packet.bounds.same_sides) {
            traverse<true>(packet, hit);
        } else {
            Bvh8Tracer<false> single{tree, primitives};
            for_lanes(active, [&](int i) {
                if (single.occluded(rays.lane(i))) hit.primitive.set_lane(i, 0);
            });
        }
        return hit.found();
    }

  private:
    /// Traversal state of eight rays.
    struct Packet {
        Ray8 rays;
        Vec3x8 inverse_direction, moved_origin;  ///< as Bvh8Slabs<false>
        Float8 direction_norm;                   ///< one-norms of the directions
        Float8 t_max;  ///< distances of the closest hits so far; negative in finished lanes
        PacketBounds bounds;

        TL_ALWAYS_INLINE Packet(const Ray8& rays, Mask8 active)
            : rays(rays),
              inverse_direction(safe_inverses(rays.direction.x), safe_inverses(rays.direction.y),
                                safe_inverses(rays.direction.z)),
              moved_origin(-(rays.origin * inverse_direction)),
              direction_norm(one_norms(rays.direction)),
              t_max(select(active, minimum(rays.t_max, Float8(FLT_MAX)), Float8(-1.0f))),
              bounds(rays, inverse_direction, active) {}

        static Float8 safe_inverses(Float8 d) {
            constexpr float kSmallest = 1e-20f;
            Mask8 is_safe = absolute(d) > Float8(kSmallest);
            return Float8(1.0f) / select(is_safe, d, with_sign(Float8(kSmallest), d));
        }
        /// Whether any ray of the packet intersects the box of child `i`.
        [[nodiscard]] TL_ALWAYS_INLINE bool meets(const Bvh8Node& node, int i) const {
            Float8 near_x = plane(node, 0, 0, i),
                   far_x = plane(node, 0, Bvh8Slabs<false>::kSide, i);
            Float8 near_y = plane(node, 1, 0, i),
                   far_y = plane(node, 1, Bvh8Slabs<false>::kSide, i);
            Float8 near_z = plane(node, 2, 0, i),
                   far_z = plane(node, 2, Bvh8Slabs<false>::kSide, i);
            Float8 entry = maximum(maximum(near_x, near_y), maximum(near_z, rays.t_min));
            Float8 exit = minimum(minimum(far_x, far_y), minimum(far_z, t_max));
            return (entry <= exit).any();
        }

      private:
        [[nodiscard]] TL_ALWAYS_INLINE Float8 plane(const Bvh8Node& node, int axis,
                                                    std::uint32_t other_side, int i) const {
            auto at = reinterpret_cast<const std::byte*>(&node) +
                      (bounds.near_side[axis] ^ other_side) + static_cast<std::size_t>(i) * 4;
            Float8 p(_mm256_broadcast_ss(reinterpret_cast<const float*>(at)));
            const Float8* inverse = &inverse_direction.x;
            const Float8* origin = &moved_origin.x;
            return _mm256_fmadd_ps(p.v, inverse[axis].v, origin[axis].v);
        }
    };

    static TL_ALWAYS_INLINE Float8 one_norms(Vec3x8 a) {
        return absolute(a.x) + absolute(a.y) + absolute(a.z);
    }
    static Mask8 finite_lanes(const Ray8& rays) {
        return one_norms(rays.origin + rays.direction) < Float8(kInfinity);
    }

    /// Finds the closest hits or, with kAnyHit, any hits.
    template <bool kAnyHit>
    void traverse(Packet& packet, Hit8& hit) const {
        Bvh8Stack stack;
        float t_max = largest(packet.t_max);
        std::uint32_t ref = 0;
        for (;;) {
            bool is_leaf;
            while (!(is_leaf = ref & WideRef::kLeafBit)) {
                const Bvh8Node& node = tree.nodes[ref];
                __m256 entry;
                unsigned met = 0;
                for (unsigned rest = packet.bounds.may_meet(node, t_max, entry); rest;
                     rest &= rest - 1) {
                    int child = std::countr_zero(rest);
                    if (packet.meets(node, child)) met |= 1u << child;
                }
                if (met == 0) break;
                if (!stack.keep_all_but_one(node, met, entry, ref))
                    atomic_or(&tree.header->errors, kTraversalStackFull);
            }
            if (is_leaf &&
                test_block<kAnyHit>(tree.blocks[ref & ~WideRef::kLeafBit], packet, hit)) {
                t_max = largest(packet.t_max);
                if (kAnyHit && t_max < 0) return;
            }
            if (!stack.pop(t_max, ref)) return;
        }
    }

    /// Tests a leaf's primitives; returns whether any ray hit any of them.
    template <bool kAnyHit>
    TL_ALWAYS_INLINE bool test_block(const PrimitiveBlock& block, Packet& packet, Hit8& hit) const {
        bool found = false;
        for (std::uint32_t i = 0; i < block.count; ++i) {
            if (block.others >> i & 1u)
                found |= test_other<kAnyHit>(primitives[block.first + i], packet, hit);
            else
                found |= test_triangle<kAnyHit>(block, i, packet, hit);
        }
        return found;
    }
    template <bool kAnyHit>
    static TL_ALWAYS_INLINE bool keep(Mask8 met, Float8 t, Float8 u, Float8 v, std::uint32_t id,
                                      Packet& packet, Hit8& hit) {
        hit.primitive = select(met, Int8(id), hit.primitive);
        packet.t_max = select(met, kAnyHit ? Float8(-1.0f) : t, packet.t_max);
        if (!kAnyHit) {
            hit.t = select(met, t, hit.t);
            hit.u = select(met, u, hit.u);
            hit.v = select(met, v, hit.v);
        }
        return true;
    }
    template <bool kAnyHit>
    static TL_ALWAYS_INLINE bool test_triangle(const PrimitiveBlock& block, std::uint32_t i,
                                               Packet& packet, Hit8& hit) {
        auto load = [&](const float(&rows)[3][4]) {
            return Vec3x8(_mm256_broadcast_ss(&rows[0][i]), _mm256_broadcast_ss(&rows[1][i]),
                          _mm256_broadcast_ss(&rows[2][i]));
        };
        Vec3x8 edge1 = load(block.edge1), edge2 = load(block.edge2);
        Vec3x8 to_origin = packet.rays.origin - load(block.vertex);
        Vec3x8 q = fused_cross(packet.rays.direction, edge2), r = fused_cross(to_origin, edge1);
        Float8 determinant = fused_dot(edge1, q), sign = sign_bit(determinant);
        Float8 size = flip_sign(determinant, sign);
        Float8 u = flip_sign(fused_dot(to_origin, q), sign);
        Float8 v = flip_sign(fused_dot(packet.rays.direction, r), sign);
        Float8 t = flip_sign(fused_dot(edge2, r), sign);
        Float8 slack = Float8(_mm256_broadcast_ss(&block.slack[i])) * one_norms(to_origin) *
                       packet.direction_norm;
        Mask8 inside = (minimum(u, v) >= -slack) & (u + v <= size + slack);
        Mask8 met = inside & (t > size * packet.rays.t_min) & (t < size * packet.t_max) &
                    (size > Float8(0.0f));
        if (!met.any()) return false;
        Float8 inverse = Float8(1.0f) / size;
        return keep<kAnyHit>(met, t * inverse, u * inverse, v * inverse, block.id[i], packet, hit);
    }
    template <bool kAnyHit>
    static TL_ALWAYS_INLINE bool test_other(const Primitive& p, Packet& packet, Hit8& hit) {
        return p.kind == Primitive::kSplat ? test_splat<kAnyHit>(p, packet, hit)
                                           : test_sphere<kAnyHit>(p, packet, hit);
    }
    /// Intersects eight rays with a splat, by the arithmetic of intersect_splat.
    template <bool kAnyHit>
    static TL_ALWAYS_INLINE bool test_splat(const Primitive& p, Packet& packet, Hit8& hit) {
        Float8 radius(p.edge2.x);
        const Ray8& rays = packet.rays;
        Vec3x8 normal(p.edge1), f = rays.origin - Vec3x8(p.vertex);
        Float8 to_nearest =
            -fused_dot(f, rays.direction) / fused_dot(rays.direction, rays.direction);
        Vec3x8 nearest = fused(to_nearest, rays.direction, f);
        Float8 to_plane = -fused_dot(normal, nearest) / fused_dot(normal, rays.direction);
        Vec3x8 from_center = fused(to_plane, rays.direction, nearest);
        Float8 t = to_nearest + to_plane;
        Mask8 met = (fused_dot(from_center, from_center) <= radius * radius) & (t > rays.t_min) &
                    (t < packet.t_max);
        if (!met.any()) return false;
        return keep<kAnyHit>(met, t, Float8(0.0f), Float8(0.0f), p.id, packet, hit);
    }
    /// Intersects eight rays with a sphere, by the arithmetic of intersect_sphere.
    template <bool kAnyHit>
    static TL_ALWAYS_INLINE bool test_sphere(const Primitive& p, Packet& packet, Hit8& hit) {
        Float8 radius(p.edge1.x);
        const Ray8& rays = packet.rays;
        Vec3x8 f = rays.origin - Vec3x8(p.vertex);
        Float8 a = fused_dot(rays.direction, rays.direction), b = -fused_dot(f, rays.direction);
        Vec3x8 nearest = fused(b / a, rays.direction, f);
        Float8 discriminant = fused_minus(radius, radius, fused_dot(nearest, nearest));
        Mask8 met = discriminant >= Float8(0.0f);
        if (!met.any()) return false;
        Float8 c = fused(-radius, radius, fused_dot(f, f));
        Float8 root = square_root(a * maximum(discriminant, Float8(0.0f)));
        Float8 q = b + flip_sign(root, sign_bit(b));
        Float8 t0 = c / q, t1 = q / a;
        Float8 near = minimum(t0, t1), far = maximum(t0, t1);
        Float8 t = select(near > rays.t_min, near, far);
        met = met & (t > rays.t_min) & (t < packet.t_max);
        if (!met.any()) return false;
        return keep<kAnyHit>(met, t, Float8(0.0f), Float8(0.0f), p.id, packet, hit);
    }
};

TL_DEVICE_END

// All hits of rays on the shapes of a tree, by a traversal loop of its own. A class `Shapes` tests
// a ray with the primitives of leaves. It is constructed from the tree and the ray, and has:
//   std::uint32_t shape_of(const Primitive&)   the index of the primitive's shape
//   bool visit(primitive, ray, t_max, found)   calls found(hit) for hits before t_max(). Returns
//                                              false if found() has, after which there is no call
//   kFindsTwice                                whether a hit may be found once more
// Kernels over all hits take a class `Hits`: that of one tree is TreeHits.
#pragma once

#include "accel/query/shape_hits.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

/// Calls found(hit) for the hits of a ray before t_max() on shapes whose mask fits, in no order;
/// t_max() may fall meanwhile. Ends early when found() returns false.
template <class Shapes, class TMax, class Found>
TL_D void for_each_hit(const ShapeTreeView& tree, const Ray& ray, std::uint32_t mask, TMax&& t_max,
                       Found&& found) {
    const TreeView& view = tree.tree;
    if (!is_finite(ray) || mask == 0 || view.bvh2.header->n_valid == 0) return;
    const SlabRay<true> slabs(ray);
    const Shapes shapes(tree, ray);
    TraversalStack stack;
    Traversal way(NodeRef::inner(view.bvh2.header->root), stack);
    while (!way.done()) {
        NodeRef next = NodeRef::missing();
        if (way.ref.is_leaf()) {
            for (std::uint32_t k = 0; k < way.ref.count(); ++k) {
                const Primitive p = load_words(view.primitives + way.ref.first() + k);
                if (tree.masks && !(tree.masks[shapes.shape_of(p)] & mask)) continue;
                if (!shapes.visit(p, ray, t_max, found)) return;
            }
        } else {
            const BvhNode node = load_words(view.bvh2.nodes + way.ref.bits);
            next = Bvh2Nodes<true>::template descend<false>(node, slabs, ray.t_min,
                                                            minimum(t_max(), FLT_MAX), way);
        }
        way.go_on(next);
    }
    way.report(view.bvh2.header);
}

TL_D inline std::uint32_t mask_of(const StridedRays& rays, std::uint32_t i) {
    return rays.masks ? rays.masks[i] : ~0u;
}

/// All hits on the shapes of a tree.
template <class Shapes>
struct TreeHits {
    static constexpr bool kFindsTwice = Shapes::kFindsTwice;
    ShapeTreeView tree;

    /// for_each_hit() for ray i, which is `ray`.
    template <class TMax, class Found>
    TL_D void visit(const StridedRays& rays, std::uint32_t i, const Ray& ray, TMax&& t_max,
                    Found&& found) const {
        for_each_hit<Shapes>(tree, ray, mask_of(rays, i), t_max, found);
    }
};

/// Keeps the first k hits of a ray in order of t, in the output itself.
template <class Hits, class Normals>
struct SortedHits {
    Hits hits;
    HitWriter<Normals> writer;
    int k;

    TL_D std::uint32_t find(std::uint32_t i) const {
        const Ray ray = writer.rays.ray(i);
        const std::size_t first = std::size_t(i) * static_cast<std::size_t>(k);
        std::uint32_t n = 0;
        float last = ray.t_max;
        hits.visit(
            writer.rays, i, ray, [&] { return last; },
            [&](const Hit& hit) {
                if (Hits::kFindsTwice && is_kept(first, n, hit)) return true;
                std::uint32_t at = n < static_cast<std::uint32_t>(k) ? n++ : n - 1;
                for (; at > 0 && writer.out.t[first + at - 1] > hit.t; --at) move(first + at);
                writer.write(first + at, i, hit);
                if (n == static_cast<std::uint32_t>(k)) last = writer.out.t[first + n - 1];
                return true;
            });
        for (std::uint32_t at = n; at < static_cast<std::uint32_t>(k); ++at)
            writer.write(first + at, i, Hit{});
        return n;
    }

  private:
    /// Whether one of n hits has the same primitive and the same parameters, up to rounding.
    TL_D bool is_kept(std::size_t first, std::uint32_t n, const Hit& hit) const {
        constexpr float kSame = 1e-6f;
        for (std::size_t at = first; at < first + n; ++at)
            if (writer.out.primitives[at] == hit.primitive &&
                fabsf(writer.out.uv[2 * at] - hit.u) < kSame &&
                fabsf(writer.out.uv[2 * at + 1] - hit.v) < kSame)
                return true;
        return false;
    }
    /// Moves the hit before element `at` to it.
    TL_D void move(std::size_t at) const {
        auto copy = [at](auto* values, std::size_t n) {
            if (values)
                for (std::size_t c = 0; c < n; ++c) values[n * at + c] = values[n * (at - 1) + c];
        };
        copy(writer.out.t, 1);
        copy(writer.out.primitives, 1);
        copy(writer.out.instances, 1);
        copy(writer.out.uv, 2);
        copy(writer.out.normals, 3);
    }
};

/// Finds the closest hits of rays on shapes whose masks fit.
template <class Shapes, class Normals>
void write_closest(Stream& stream, const ShapeTreeView& tree, const HitWriter<Normals>& writer) {
    parallel_for(
        stream, "closest masked hits", writer.rays.count,
        TL_LAMBDA(std::uint32_t i) {
            Ray ray = writer.rays.ray(i);
            Hit closest = hit_to_find(ray);
            for_each_hit<Shapes>(
                tree, ray, mask_of(writer.rays, i), [&] { return closest.t; },
                [&](const Hit& hit) {
                    closest = hit;
                    return true;
                });
            writer(i, found_hit(closest));
        },
        64);
}

/// Finds whether rays hit shapes whose masks fit.
template <class Shapes>
void write_occluded(Stream& stream, const ShapeTreeView& tree, const StridedRays& rays,
                    std::uint8_t* occluded) {
    parallel_for(
        stream, "occluded masked rays", rays.count,
        TL_LAMBDA(std::uint32_t i) {
            Ray ray = rays.ray(i);
            bool found = false;
            for_each_hit<Shapes>(
                tree, ray, mask_of(rays, i), [&] { return ray.t_max; },
                [&](const Hit&) {
                    found = true;
                    return false;
                });
            occluded[i] = found;
        },
        64);
}

/// Finds the first k hits of rays, as find_all_hits() does.
template <class Hits, class Normals>
void write_all_hits(Scratch& scratch, const Hits& hits, HitWriter<Normals> writer, int k,
                    std::uint32_t* counts) {
    Scratch::Scope scope(scratch);
    const std::size_t n = std::size_t(writer.rays.count) * static_cast<std::size_t>(k);
    // Hits are ordered and compared by these, whether the caller wants them or not.
    if (!writer.out.t) writer.out.t = scratch.take<float>(n).data;
    if (Hits::kFindsTwice && !writer.out.primitives)
        writer.out.primitives = scratch.take<std::uint32_t>(n).data;
    if (Hits::kFindsTwice && !writer.out.uv) writer.out.uv = scratch.take<float>(2 * n).data;
    SortedHits<Hits, Normals> sorted{hits, writer, k};
    parallel_for(
        scratch.stream(), "all hits", writer.rays.count,
        TL_LAMBDA(std::uint32_t i) {
            std::uint32_t found = sorted.find(i);
            if (counts) counts[i] = found;
        },
        64);
}

TL_DEVICE_END

#include "accel/query/listed_hits.h"

#include "accel/query/shape_hits.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

/// Tests a ray against shapes of any kind.
struct AnyShapeRay {
    ShapeKind kind;
    bool robust;
    PrimitiveRay<true> watertight;

    TL_D AnyShapeRay(const ShapeTreeView& tree, const Ray& ray)
        : kind(tree.kind), robust(tree.tree.robust), watertight(ray) {}
    TL_D bool meets(const Primitive& p, const Ray& ray, float t_max, Hit& hit) const {
        if (kind == ShapeKind::boxes) return BoxRay(ray).meets(p, ray, t_max, hit);
        return watertight.meets(p, ray, t_max, hit);
    }
};

/// Calls found(hit) for the shapes that the ray hits before t_max() and whose mask fits, in no
/// order; t_max() may fall meanwhile. Ends early when found() returns false.
template <class TMax, class Found>
TL_D void for_each_hit(const ShapeTreeView& tree, const Ray& ray, std::uint32_t mask, TMax&& t_max,
                       Found&& found) {
    const TreeView& view = tree.tree;
    if (!is_finite(ray) || mask == 0 || view.bvh2.header->n_valid == 0) return;
    const SlabRay<true> slabs(ray);
    const AnyShapeRay tester(tree, ray);
    TraversalStack stack;
    Traversal way(NodeRef::inner(view.bvh2.header->root), stack);
    while (!way.done()) {
        NodeRef next = NodeRef::missing();
        if (way.ref.is_leaf()) {
            for (std::uint32_t k = 0; k < way.ref.count(); ++k) {
                const Primitive p = load_words(view.primitives + way.ref.first() + k);
                if (tree.masks && !(tree.masks[p.id] & mask)) continue;
                Hit hit;
                if (tester.meets(p, ray, t_max(), hit) && !found(hit)) return;
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

TL_D std::uint32_t mask_of(const StridedRays& rays, std::uint32_t i) {
    return rays.masks ? rays.masks[i] : ~0u;
}

/// Keeps the first k hits of a ray in order of t, in the output itself.
struct SortedHits {
    HitWriter writer;
    int k;

    TL_D std::uint32_t find(std::uint32_t i) const {
        const Ray ray = writer.rays.ray(i);
        const std::size_t first = std::size_t(i) * static_cast<std::size_t>(k);
        std::uint32_t n = 0;
        float last = ray.t_max;
        for_each_hit(
            writer.tree.shapes, ray, mask_of(writer.rays, i), [&] { return last; },
            [&](const Hit& hit) {
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

}  // namespace

void find_closest_masked(Stream& stream, const ShapeTreeView& tree, const StridedRays& rays,
                         const HitsOut& out) {
    HitWriter writer{{tree}, rays, out};
    parallel_for(
        stream, "closest masked hits", rays.count,
        TL_LAMBDA(std::uint32_t i) {
            Ray ray = rays.ray(i);
            Hit closest = hit_to_find(ray);
            for_each_hit(
                tree, ray, mask_of(rays, i), [&] { return closest.t; },
                [&](const Hit& hit) {
                    closest = hit;
                    return true;
                });
            writer(i, found_hit(closest));
        },
        64);
}

void find_occluded_masked(Stream& stream, const ShapeTreeView& tree, const StridedRays& rays,
                          std::uint8_t* occluded) {
    parallel_for(
        stream, "occluded masked rays", rays.count,
        TL_LAMBDA(std::uint32_t i) {
            Ray ray = rays.ray(i);
            bool found = false;
            for_each_hit(
                tree, ray, mask_of(rays, i), [&] { return ray.t_max; },
                [&](const Hit&) {
                    found = true;
                    return false;
                });
            occluded[i] = found;
        },
        64);
}

void count_hits(Scratch& scratch, const ShapeTreeView& tree, const StridedRays& rays,
                std::uint32_t* counts) {
    parallel_for(
        scratch.stream(), "count hits", rays.count,
        TL_LAMBDA(std::uint32_t i) {
            Ray ray = rays.ray(i);
            std::uint32_t n = 0;
            for_each_hit(
                tree, ray, mask_of(rays, i), [&] { return ray.t_max; },
                [&](const Hit&) { return ++n > 0; });
            counts[i] = n;
        },
        64);
}

void find_all_hits(Scratch& scratch, const ShapeTreeView& tree, const StridedRays& rays, int k,
                   const HitsOut& out, std::uint32_t* counts) {
    Scratch::Scope scope(scratch);
    HitsOut kept = out;
    // Distances order the hits, whether the caller wants them or not.
    if (!kept.t)
        kept.t = scratch.take<float>(std::size_t(rays.count) * static_cast<std::size_t>(k)).data;
    SortedHits sorted{{{tree}, rays, kept}, k};
    parallel_for(
        scratch.stream(), "all hits", rays.count,
        TL_LAMBDA(std::uint32_t i) {
            std::uint32_t n = sorted.find(i);
            if (counts) counts[i] = n;
        },
        64);
}

TL_DEVICE_END

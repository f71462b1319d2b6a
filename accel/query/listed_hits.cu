#include "accel/query/listed_hits.h"

#include "accel/query/each_hit.h"
#include "accel/query/patch_hits.h"

TL_DEVICE_BEGIN

namespace {

/// Tests a ray with triangles, boxes or spheres.
struct PlainShapes {
    static constexpr bool kFindsTwice = false;
    ShapeKind kind;
    PrimitiveRay<true> watertight;

    TL_D PlainShapes(const ShapeTreeView& tree, const Ray& ray)
        : kind(tree.kind), watertight(ray) {}
    TL_D static std::uint32_t shape_of(const Primitive& p) { return p.id; }
    template <class TMax, class Found>
    TL_D bool visit(const Primitive& p, const Ray& ray, TMax&& t_max, Found&& found) const {
        Hit hit;
        return !meets(p, ray, t_max(), hit) || found(hit);
    }

  private:
    TL_D bool meets(const Primitive& p, const Ray& ray, float t_max, Hit& hit) const {
        if (kind == ShapeKind::boxes) return BoxRay(ray).meets(p, ray, t_max, hit);
        return watertight.meets(p, ray, t_max, hit);
    }
};

}  // namespace

void find_closest_masked(Stream& stream, const ShapeTreeView& tree, const StridedRays& rays,
                         const HitsOut& out) {
    write_closest<PlainShapes>(stream, tree, HitWriter<ShapeNormals>{{{tree}}, rays, out});
}

void find_occluded_masked(Stream& stream, const ShapeTreeView& tree, const StridedRays& rays,
                          std::uint8_t* occluded) {
    write_occluded<PlainShapes>(stream, tree, rays, occluded);
}

void count_hits(Scratch& scratch, const ShapeTreeView& tree, const StridedRays& rays,
                std::uint32_t* counts) {
    parallel_for(
        scratch.stream(), "count hits", rays.count,
        TL_LAMBDA(std::uint32_t i) {
            Ray ray = rays.ray(i);
            std::uint32_t n = 0;
            for_each_hit<PlainShapes>(
                tree, ray, mask_of(rays, i), [&] { return ray.t_max; },
                [&](const Hit&) { return ++n > 0; });
            counts[i] = n;
        },
        64);
}

void find_all_hits(Scratch& scratch, const ShapeTreeView& tree, const StridedRays& rays, int k,
                   const HitsOut& out, std::uint32_t* counts) {
    if (tree.kind == ShapeKind::patches)
        return find_all_on_patches(scratch, tree, rays, k, out, counts);
    write_all_hits<PlainShapes>(scratch, tree, HitWriter<ShapeNormals>{{{tree}}, rays, out}, k,
                                counts);
}

TL_DEVICE_END

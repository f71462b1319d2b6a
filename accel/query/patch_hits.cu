#include "accel/query/patch_hits.h"

#include "accel/patch/patch_surface.h"
#include "accel/patch/patch_tests.h"
#include "accel/query/each_hit.h"
#include "accel/query/trace_shapes.h"

TL_DEVICE_BEGIN

namespace {

/// Computes the unit normals of hits on patches.
struct PatchNormals {
    PatchesView patches;

    TL_D vec3 operator()(const Ray&, const Hit& hit) const {
        return patch_surface_at(patches.points[hit.primitive],
                                patches.weights ? patches.weights + hit.primitive : nullptr, hit.u,
                                hit.v)
            .normal;
    }
};

/// Tests a ray with the pieces of patches. A root on the border of two is found on both.
struct PatchShapes {
    static constexpr bool kFindsTwice = true;
    PatchesView patches;
    PatchRay patch_ray;

    TL_D PatchShapes(const ShapeTreeView& tree, const Ray& ray)
        : patches(tree.tree.patches), patch_ray{ray.origin, ray.t_min, ray.direction, {}} {}
    TL_D std::uint32_t shape_of(const Primitive& p) const { return patches.pieces[p.id].patch; }

    template <class TMax, class Found>
    struct EachRoot {
        TMax& limit;
        Found& found;
        std::uint32_t patch;

        [[nodiscard]] TL_D float t_max() const { return limit(); }
        TL_D bool add(const PatchRoot& root) const {
            return !found(Hit{static_cast<float>(root.t), static_cast<float>(root.u),
                              static_cast<float>(root.v), patch});
        }
        TL_D void count_steps(std::uint32_t) const {}
    };
    template <class TMax, class Found>
    TL_D bool visit(const Primitive& p, const Ray& ray, TMax&& t_max, Found&& found) const {
        if (patches.frames && passes_by(patches.frames[p.id], ray.origin, ray.direction))
            return true;
        EachRoot<TMax, Found> roots{t_max, found, shape_of(p)};
        return !search_piece(patches, p.id, patch_ray, roots);
    }
};

template <bool kAnyHit, class Sink>
void trace_patches(Scratch& scratch, const char* name, const TreeView& tree,
                   const StridedRays& rays, const Sink& sink) {
    const PatchTests tests{tree.patches};
    auto trace = [&](const auto& tracer) {
        trace_shapes_with<kAnyHit>(scratch, name, tracer, rays, sink);
    };
#if !defined(__CUDACC__)
    if (tree.layout == TreeLayout::simd8)
        return trace(tracer_of_layout<TreeLayout::simd8, true>(tree, tests));
#endif
    trace(tracer_of_layout<TreeLayout::bvh2, true>(tree, tests));
}

}  // namespace

void find_closest_on_patches(Scratch& scratch, const ShapeTreeView& tree, const StridedRays& rays,
                             const HitsOut& out) {
    const HitWriter<PatchNormals> writer{{tree.tree.patches}, rays, out};
    if (rays.masks) return write_closest<PatchShapes>(scratch.stream(), tree, writer);
    trace_patches<false>(scratch, "closest hits on patches", tree.tree, rays, writer);
}

void find_occluded_by_patches(Scratch& scratch, const ShapeTreeView& tree, const StridedRays& rays,
                              std::uint8_t* occluded) {
    if (rays.masks) return write_occluded<PatchShapes>(scratch.stream(), tree, rays, occluded);
    trace_patches<true>(scratch, "rays occluded by patches", tree.tree, rays,
                        OccludedWriter{occluded});
}

void find_all_on_patches(Scratch& scratch, const ShapeTreeView& tree, const StridedRays& rays,
                         int k, const HitsOut& out, std::uint32_t* counts) {
    write_all_hits(scratch, TreeHits<PatchShapes>{tree},
                   HitWriter<PatchNormals>{{tree.tree.patches}, rays, out}, k, counts);
}

TL_DEVICE_END

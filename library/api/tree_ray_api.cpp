// The C interface over rays through trees.
#include "accel/query/ray_queries.h"
#include "library/api/struct_size.h"
#include "library/api/tree_call.h"

namespace tl {
namespace {

/// Most hits of a ray that tl_tree_all_hits() lists.
constexpr int kMostHits = 1024;

StridedRays rays_in(CallArrays& arrays, const tl_rays& rays) {
    StridedRays in;
    in.count = arrays.count();
    in.origins = arrays.in(rays.origins, 3);
    in.directions = arrays.in(rays.directions, 3);
    in.t_min = arrays.in(rays.t_min, 1);
    in.t_max = arrays.in(rays.t_max, 1);
    in.masks = arrays.in(rays.masks);
    in.is_coherent = rays.coherent != 0;
    return in;
}

HitsOut hits_out(CallArrays& arrays, const tl_hits& hits) {
    return {arrays.out(hits.t), arrays.out(hits.primitives), arrays.out(hits.instances),
            arrays.out(hits.uv, 2), arrays.out(hits.normals, 3)};
}

/// k hits of each ray, which are sorted where they are.
HitsOut sorted_hits_out(CallArrays& arrays, const tl_hits& hits, std::size_t k) {
    return {arrays.out_and_in(hits.t, k), arrays.out_and_in(hits.primitives, k),
            arrays.out_and_in(hits.instances, k), arrays.out_and_in(hits.uv, 2 * k),
            arrays.out_and_in(hits.normals, 3 * k)};
}

RayTree ray_tree(const tl_tree& tree) {
    return tree.instances ? tree.instances->view() : RayTree{tree.shapes->view()};
}

bool has_rays(const tl_rays* rays) {
    return rays && rays->count > 0;
}

/// Calls work(tree, arrays, rays) for slices of the rays.
template <class Work>
tl_status with_rays(const tl_tree* tree, const tl_rays* rays, void* stream, const Work& work) {
    return guarded(
        [&] {
            if (!tree) return fail(TL_INVALID, "an argument is null");
            tl_rays own;
            if (auto status = read_struct(rays, own)) return status;
            if (own.count > 0 && (!own.origins.data || !own.directions.data))
                return fail(TL_INVALID, "origins or directions are null");
            TreeQuery query(*tree, stream);
            if (!tree->shapes && !tree->instances)
                return refuse_kind("triangles, boxes, spheres, patches or instances");
            if (tree->instances && own.masks)
                return fail(TL_INVALID, "rays through instances have no masks");
            query.for_slices(own.count, [&](CallArrays& arrays) {
                work(ray_tree(*tree), arrays, rays_in(arrays, own));
            });
            return TL_OK;
        },
        TL_INVALID);
}

/// Throws UserError for patches, which a ray may hit many times.
void require_single_hits(const tl_tree& tree) {
    if (tree.kind == TL_PATCHES)
        throw UserError(
            "hits of patches are not counted without being listed: take the counts of "
            "tl_tree_all_hits()");
}

/// Throws UserError where a tree stores shapes in several leaves, so that they would count twice.
void require_whole_shapes(const tl_tree& tree) {
    if (!(tree.instances ? tree.instances->has_whole_shapes() : tree.shapes->has_whole_shapes()))
        throw UserError(
            "builder " + tree.builder +
            " splits primitives: use another one, and no presplit, for lists and counts");
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

tl_status tl_tree_closest(const tl_tree* tree, const tl_rays* rays, const tl_hits* hits,
                          void* stream) {
    tl_hits own;
    if (auto status = read_struct(hits, own)) return status;
    return with_rays(
        tree, rays, stream, [&](const RayTree& of, CallArrays& arrays, const StridedRays& in) {
            TL_DISPATCH(arrays.stream().device(),
                        find_closest_hits(arrays.scratch(), of, in, hits_out(arrays, own)));
        });
}

tl_status tl_tree_occluded(const tl_tree* tree, const tl_rays* rays, std::uint8_t* occluded,
                           void* stream) {
    if (!occluded && has_rays(rays)) return fail(TL_INVALID, "the results are null");
    return with_rays(tree, rays, stream,
                     [&](const RayTree& of, CallArrays& arrays, const StridedRays& in) {
                         TL_DISPATCH(arrays.stream().device(),
                                     find_occluded(arrays.scratch(), of, in, arrays.out(occluded)));
                     });
}

tl_status tl_tree_count_hits(const tl_tree* tree, const tl_rays* rays, std::uint32_t* counts,
                             void* stream) {
    if (!counts && has_rays(rays)) return fail(TL_INVALID, "the counts are null");
    return with_rays(tree, rays, stream,
                     [&](const RayTree& of, CallArrays& arrays, const StridedRays& in) {
                         require_single_hits(*tree);
                         require_whole_shapes(*tree);
                         TL_DISPATCH(arrays.stream().device(),
                                     count_hits(arrays.scratch(), of, in, arrays.out(counts)));
                     });
}

tl_status tl_tree_all_hits(const tl_tree* tree, const tl_rays* rays, int k, const tl_hits* hits,
                           std::uint32_t* counts, void* stream) {
    tl_hits own;
    if (auto status = read_struct(hits, own)) return status;
    if (k < 1 || k > kMostHits)
        return fail(TL_INVALID,
                    "k is " + std::to_string(k) + ", not from 1 to " + std::to_string(kMostHits));
    return with_rays(
        tree, rays, stream, [&](const RayTree& of, CallArrays& arrays, const StridedRays& in) {
            require_whole_shapes(*tree);
            auto out = sorted_hits_out(arrays, own, static_cast<std::size_t>(k));
            TL_DISPATCH(arrays.stream().device(),
                        find_all_hits(arrays.scratch(), of, in, k, out, arrays.out(counts)));
        });
}

tl_status tl_tree_list_hits(const tl_tree* tree, const tl_rays* rays, const std::uint64_t* offsets,
                            const tl_hits* hits, void* stream) {
    tl_hits own;
    if (auto status = read_struct(hits, own)) return status;
    if (!offsets && has_rays(rays)) return fail(TL_INVALID, "the offsets are null");
    return with_rays(
        tree, rays, stream, [&](const RayTree& of, CallArrays& arrays, const StridedRays& in) {
            require_single_hits(*tree);
            require_whole_shapes(*tree);
            SliceLists lists(arrays, offsets, true);
            const HitsOut out{lists.out(own.t), lists.out(own.primitives), lists.out(own.instances),
                              lists.out(own.uv, 2), lists.out(own.normals, 3)};
            TL_DISPATCH(arrays.stream().device(),
                        list_hits(arrays.scratch(), of, in, {lists.offsets(), lists.size()}, out));
        });
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace tl

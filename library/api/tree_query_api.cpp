// The C interface over queries by points and boxes: closest points, signed distances, overlaps and
// neighbours.
#include "accel/points/find_nearest.h"
#include "accel/query/closest_point.h"
#include "accel/query/overlaps.h"
#include "accel/query/signed_distance.h"
#include "library/api/struct_size.h"
#include "library/api/tree_call.h"

namespace tl {
namespace {

/// Most points of a grid that one launch takes.
constexpr std::size_t kMostGridPoints = std::size_t{1} << 26;

bool has_data(const tl_floats* floats, std::size_t count) {
    return count == 0 || (floats && floats->data);
}

/// Runs work(query) under the locks of a call with a tree whose kind fits.
template <class Fits, class Work>
tl_status with_tree(const tl_tree* tree, void* stream, const char* wanted, const Fits& fits,
                    const Work& work) {
    return guarded(
        [&] {
            if (!tree) return fail(TL_INVALID, "the tree is null");
            TreeQuery query(*tree, stream);
            if (!fits(*tree)) return refuse_kind(wanted);
            work(query);
            return TL_OK;
        },
        TL_INVALID);
}

bool has_shapes(const tl_tree& tree) {
    return tree.shapes && tree.kind != TL_PATCHES;
}
bool has_triangles(const tl_tree& tree) {
    return tree.shapes && tree.kind == TL_TRIANGLES;
}
bool has_points(const tl_tree& tree) {
    return tree.points != nullptr;
}

/// A slice of queries, as kernels take them.
QueryPoints queries_in(CallArrays& arrays, const tl_floats& queries) {
    QueryPoints in;
    in.points = arrays.in(queries, 3);
    in.count = arrays.count();
    return in;
}

/// Computes the expansions of winding numbers and, for signs of grids, the mesh's boundary, unless
/// the tree has them.
tl_status prepare_winding(const tl_tree* tree, void* stream, bool for_signs) {
    const auto is_ready = [&](const ShapeTree& shapes) {
        return for_signs ? shapes.has_signs() : shapes.has_winding();
    };
    return guarded(
        [&] {
            if (!tree) return fail(TL_INVALID, "the tree is null");
            auto& own = const_cast<tl_tree&>(*tree);
            {
                std::shared_lock lock(own.lock);
                if (!has_triangles(own)) return refuse_kind("triangles");
                if (!own.shapes->has_whole_shapes())
                    return fail(TL_INVALID, "builder " + own.builder +
                                                " splits triangles: use "
                                                "another one for winding numbers");
                if (is_ready(*own.shapes)) return TL_OK;
            }
            std::unique_lock lock(own.lock);
            if (!has_triangles(own) || is_ready(*own.shapes)) return TL_OK;
            write_tree(own, stream, [&](Scratch& scratch, CallArrays&) {
                if (for_signs)
                    own.shapes->prepare_signs(scratch);
                else
                    own.shapes->prepare_winding(scratch);
            });
            return TL_OK;
        },
        TL_INVALID);
}

WindingTree winding_tree(const tl_tree& tree, float accuracy) {
    return {tree.shapes->view(), tree.shapes->winding_nodes(),
            accuracy > 0 ? accuracy : kWindingAccuracy, tree.shapes->boundary()};
}

/// Calls work(tree, arrays, queries) for slices of queries by winding numbers.
template <class Work>
tl_status with_winding(const tl_tree* tree, const tl_floats* queries, std::size_t count,
                       void* stream, const Work& work) {
    if (auto status = prepare_winding(tree, stream, false)) return status;
    if (!has_data(queries, count)) return fail(TL_INVALID, "the queries are null");
    return with_tree(tree, stream, "triangles", has_triangles, [&](TreeQuery& query) {
        query.for_slices(count,
                         [&](CallArrays& arrays) { work(arrays, queries_in(arrays, *queries)); });
    });
}

template <class Work>
tl_status with_boxes(const tl_tree* tree, const tl_floats* lower, const tl_floats* upper,
                     std::size_t count, void* stream, const Work& work) {
    if (!has_data(lower, count) || !has_data(upper, count))
        return fail(TL_INVALID, "corners of boxes are null");
    return with_tree(
        tree, stream, "triangles, boxes or spheres", has_shapes, [&](TreeQuery& query) {
            if (!tree->shapes->has_whole_shapes())
                throw UserError("builder " + tree->builder +
                                " splits primitives: use another one for lists and counts");
            query.for_slices(count, [&](CallArrays& arrays) {
                work(arrays,
                     StridedBoxes{arrays.count(), arrays.in(*lower, 3), arrays.in(*upper, 3)});
            });
        });
}

template <class Work>
tl_status with_neighbours(const tl_tree* tree, const tl_floats* queries, std::size_t count, int k,
                          void* stream, const Work& work) {
    if (k < 1 || k > NearestPoints::kMost)
        return fail(TL_INVALID, "k is " + std::to_string(k) + ", not from 1 to " +
                                    std::to_string(NearestPoints::kMost));
    if (!has_data(queries, count)) return fail(TL_INVALID, "the queries are null");
    return with_tree(tree, stream, "points", has_points, [&](TreeQuery& query) {
        query.for_slices(count, [&](CallArrays& arrays) {
            work(arrays, tree->points->view(), arrays.in(*queries, 3));
        });
    });
}

/// Finds the pairs of two trees. Waits for their number, which it returns.
std::size_t find_pairs_of(const tl_tree& a, const tl_tree& b, CallArrays& arrays,
                          std::size_t capacity, std::uint32_t* pairs) {
    auto& stream = arrays.stream();
    auto count = arrays.scratch().take<std::uint64_t>(1);
    stream.device().fill_zero(stream, count.data, sizeof(std::uint64_t));
    const PairsOut out{arrays.out_at(pairs, 2 * capacity), capacity, count.data};
    TL_DISPATCH(a.device, find_pairs(stream, a.shapes->view(), b.shapes->view(),
                                     b.shapes->tree().order().size, &a == &b, out));
    std::uint64_t found = 0;
    stream.device().download(stream, &found, count.data, sizeof found);
    return found;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

tl_status tl_tree_closest_point(const tl_tree* tree, const tl_floats* queries, std::size_t count,
                                float most_distance, const tl_closest_points* out, void* stream) {
    tl_closest_points own;
    if (auto status = read_struct(out, own)) return status;
    if (!has_data(queries, count)) return fail(TL_INVALID, "the queries are null");
    if (!(most_distance >= 0)) return fail(TL_INVALID, "the largest distance is below 0 or NaN");
    return with_tree(
        tree, stream, "triangles, boxes or spheres", has_shapes, [&](TreeQuery& query) {
            query.for_slices(count, [&](CallArrays& arrays) {
                const ClosestPointsOut to{arrays.out(own.distances), arrays.out(own.positions, 3),
                                          arrays.out(own.primitives), arrays.out(own.uv, 2)};
                TL_DISPATCH(tree->device,
                            find_closest_points(arrays.scratch(), tree->shapes->view(),
                                                queries_in(arrays, *queries), most_distance, to));
            });
        });
}

tl_status tl_tree_winding_number(const tl_tree* tree, const tl_floats* queries, std::size_t count,
                                 float accuracy, float* numbers, void* stream) {
    if (count > 0 && !numbers) return fail(TL_INVALID, "the results are null");
    return with_winding(
        tree, queries, count, stream, [&](CallArrays& arrays, const QueryPoints& points) {
            TL_DISPATCH(tree->device,
                        find_winding_numbers(arrays.scratch(), winding_tree(*tree, accuracy),
                                             points, {arrays.out(numbers), nullptr, nullptr}));
        });
}

tl_status tl_tree_signed_distance(const tl_tree* tree, const tl_floats* queries, std::size_t count,
                                  float* distances, void* stream) {
    if (count > 0 && !distances) return fail(TL_INVALID, "the results are null");
    return with_winding(
        tree, queries, count, stream, [&](CallArrays& arrays, const QueryPoints& points) {
            TL_DISPATCH(tree->device,
                        find_signed_distances(arrays.scratch(), winding_tree(*tree, kSignAccuracy),
                                              points, arrays.out(distances)));
        });
}

tl_status tl_tree_signed_distance_grid(const tl_tree* tree, const float origin[3],
                                       const float spacing[3], const int size[3], float* distances,
                                       void* stream) {
    if (!origin || !spacing || !size) return fail(TL_INVALID, "an argument is null");
    for (int axis = 0; axis < 3; ++axis)
        if (size[axis] < 0 || size[axis] > 4096)
            return fail(TL_INVALID, "a grid has 0 to 4096 points along each axis");
    auto columns = static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]);
    const std::size_t count = columns * static_cast<std::size_t>(size[2]);
    if (count > 0 && !distances) return fail(TL_INVALID, "the results are null");
    if (auto status = prepare_winding(tree, stream, true)) return status;
    return with_tree(tree, stream, "triangles", has_triangles, [&](TreeQuery& query) {
        // Slices of whole layers, an even number so that tiles are whole.
        std::size_t layers =
            std::max<std::size_t>(kMostGridPoints / std::max(columns, std::size_t{1}), 2);
        layers -= layers % 2;
        query.for_slices_of(layers * columns, count, [&](CallArrays& arrays) {
            auto first = static_cast<float>(arrays.first() / columns);
            vec3 at(origin[0], origin[1], origin[2]), step(spacing[0], spacing[1], spacing[2]);
            at.z += first * step.z;
            const glm::uvec3 extent(size[0], size[1], arrays.count() / columns);
            TL_DISPATCH(
                tree->device,
                find_signed_distances(arrays.scratch(), winding_tree(*tree, kSignAccuracy),
                                      QueryPoints::grid(extent, at, step), arrays.out(distances)));
        });
    });
}

tl_status tl_tree_inside(const tl_tree* tree, const tl_floats* queries, std::size_t count,
                         std::uint8_t* inside, void* stream) {
    if (count > 0 && !inside) return fail(TL_INVALID, "the results are null");
    return with_winding(
        tree, queries, count, stream, [&](CallArrays& arrays, const QueryPoints& points) {
            TL_DISPATCH(tree->device,
                        find_winding_numbers(arrays.scratch(), winding_tree(*tree, kSignAccuracy),
                                             points, {nullptr, arrays.out(inside), nullptr}));
        });
}

tl_status tl_tree_count_in_boxes(const tl_tree* tree, const tl_floats* lower,
                                 const tl_floats* upper, std::size_t count, std::uint32_t* counts,
                                 void* stream) {
    if (count > 0 && !counts) return fail(TL_INVALID, "the counts are null");
    return with_boxes(
        tree, lower, upper, count, stream, [&](CallArrays& arrays, const StridedBoxes& boxes) {
            TL_DISPATCH(tree->device, count_in_boxes(arrays.stream(), tree->shapes->view(), boxes,
                                                     arrays.out(counts)));
        });
}

tl_status tl_tree_list_in_boxes(const tl_tree* tree, const tl_floats* lower, const tl_floats* upper,
                                std::size_t count, const std::uint64_t* offsets,
                                std::uint32_t* primitives, void* stream) {
    if (count > 0 && (!offsets || !primitives))
        return fail(TL_INVALID, "offsets or lists are null");
    return with_boxes(
        tree, lower, upper, count, stream, [&](CallArrays& arrays, const StridedBoxes& boxes) {
            SliceLists lists(arrays, offsets, needs_copy(tree->device, primitives));
            std::uint32_t* out = lists.out(primitives);
            TL_DISPATCH(tree->device, list_in_boxes(arrays.stream(), tree->shapes->view(), boxes,
                                                    lists.offsets(), out));
        });
}

tl_status tl_tree_pairs(const tl_tree* a, const tl_tree* b, std::size_t capacity,
                        std::uint32_t* pairs, std::size_t* count, void* stream) {
    if (!a || !b || !count || (capacity > 0 && !pairs))
        return fail(TL_INVALID, "an argument is null");
    if (&a->device != &b->device) return fail(TL_INVALID, "the trees are on two devices");
    return guarded(
        [&] {
            // In the order of addresses: two calls then never wait for each other.
            TreeQuery query(*std::min(a, b), stream);
            std::optional<TreeQuery> other;
            if (a != b) other.emplace(*std::max(a, b), stream);
            if (!has_triangles(*a) || !has_triangles(*b)) return refuse_kind("triangles");
            if (!a->shapes->has_whole_shapes() || !b->shapes->has_whole_shapes())
                return fail(TL_INVALID, "a builder that splits triangles would find pairs twice");
            query.for_slices(1, [&](CallArrays& arrays) {
                *count = find_pairs_of(*a, *b, arrays, capacity, pairs);
            });
            return TL_OK;
        },
        TL_INVALID);
}

tl_status tl_tree_nearest(const tl_tree* tree, const tl_floats* queries, std::size_t count, int k,
                          float radius, std::uint32_t* indices, float* distances, void* stream) {
    if (!(radius >= 0)) return fail(TL_INVALID, "the radius is below 0 or NaN");
    const auto per = static_cast<std::size_t>(std::max(k, 1));
    return with_neighbours(
        tree, queries, count, k, stream,
        [&](CallArrays& arrays, const PointSetView& points, const StridedFloats& in) {
            TL_DISPATCH(tree->device,
                        find_neighbours(arrays.scratch(), points, in, arrays.count(), k, radius,
                                        {arrays.out(indices, per), arrays.out(distances, per)}));
        });
}

tl_status tl_tree_count_within(const tl_tree* tree, const tl_floats* queries, std::size_t count,
                               float radius, std::uint32_t* counts, void* stream) {
    if (count > 0 && !counts) return fail(TL_INVALID, "the counts are null");
    if (!(radius >= 0)) return fail(TL_INVALID, "the radius is below 0 or NaN");
    return with_neighbours(
        tree, queries, count, 1, stream,
        [&](CallArrays& arrays, const PointSetView& points, const StridedFloats& in) {
            TL_DISPATCH(tree->device, count_neighbours(arrays.scratch(), points, in, arrays.count(),
                                                       radius, arrays.out(counts)));
        });
}

tl_status tl_tree_list_within(const tl_tree* tree, const tl_floats* queries, std::size_t count,
                              float radius, const std::uint64_t* offsets, std::uint32_t* indices,
                              float* distances, void* stream) {
    if (count > 0 && !offsets) return fail(TL_INVALID, "the offsets are null");
    if (!(radius >= 0)) return fail(TL_INVALID, "the radius is below 0 or NaN");
    return with_neighbours(
        tree, queries, count, 1, stream,
        [&](CallArrays& arrays, const PointSetView& points, const StridedFloats& in) {
            SliceLists lists(arrays, offsets,
                             (indices && needs_copy(tree->device, indices)) ||
                                 (distances && needs_copy(tree->device, distances)));
            const NeighboursOut out{lists.out(indices), lists.out(distances)};
            TL_DISPATCH(tree->device, list_neighbours(arrays.scratch(), points, in, arrays.count(),
                                                      radius, lists.offsets(), out));
        });
}

tl_status tl_tree_density(const tl_tree* tree, const tl_floats* queries, std::size_t count, int k,
                          float* densities, void* stream) {
    if (count > 0 && !densities) return fail(TL_INVALID, "the results are null");
    return with_neighbours(
        tree, queries, count, k, stream,
        [&](CallArrays& arrays, const PointSetView& points, const StridedFloats& in) {
            TL_DISPATCH(tree->device, find_densities(arrays.scratch(), points, in, arrays.count(),
                                                     k, arrays.out(densities)));
        });
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace tl

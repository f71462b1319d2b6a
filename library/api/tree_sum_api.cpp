// The C interface over sums of kernels over the points of a tree.
#include "accel/query/sum_points.h"
#include "library/api/fmm_call.h"
#include "library/api/tree_call.h"

namespace tl {
namespace {

/// Points, weights and targets of sums in double precision, in the memory of the tree's device.
struct SumInput {
    DevicePairs pairs;
    View<const std::uint32_t> indices;  ///< of the query of each target
};

template <class T>
T number_at(Stream& stream, View<T> number) {
    T value{};
    stream.device().download(stream, &value, number.data, sizeof value);
    return value;
}

/// Takes the tree's points. Waits for their number and the check of their weights.
void take_points(const PointSet& points, CallArrays& arrays, const tl_floats* weights,
                 SumInput& in) {
    Scratch& scratch = arrays.scratch();
    Stream& stream = arrays.stream();
    const std::size_t n = points.read_n_valid(stream);
    const auto given = arrays.all_in(weights ? *weights : tl_floats{}, points.count(), 1);
    auto positions = scratch.take<double>(3 * n), of_each = scratch.take<double>(n);
    auto first_bad = scratch.take<std::uint64_t>(1);
    const View<const vec3> kept(points.positions().data, n);
    TL_DISPATCH(stream.device(),
                copy_sum_points(stream, kept, points.ids(), given, positions, of_each, first_bad));
    if (const auto bad = number_at(stream, first_bad); bad != ~std::uint64_t{0})
        throw UserError("weight " + std::to_string(bad) + ", counted from 0, is NaN or infinite");
    in.pairs.points = positions;
    in.pairs.weights = of_each;
    in.indices = {points.ids().data, n};
}

/// Takes the queries that are finite. Waits for their number.
void take_targets(CallArrays& arrays, const tl_floats& queries, std::uint32_t count, SumInput& in) {
    Scratch& scratch = arrays.scratch();
    Stream& stream = arrays.stream();
    if (count == 0) return;
    const auto given = arrays.all_in(queries, count, 3);
    auto indices = scratch.take<std::uint32_t>(count), n = scratch.take<std::uint32_t>(1);
    TL_DISPATCH(stream.device(), find_sum_targets(scratch, given, count, indices, n));
    in.indices = {indices.data, number_at(stream, n)};
    auto positions = scratch.take<double>(3 * in.indices.size);
    TL_DISPATCH(stream.device(), copy_sum_targets(stream, given, in.indices, positions));
    in.pairs.targets = positions;
}

/// Sums, and writes one sum, and three numbers of the gradient if they are wanted, for each query.
void sum_queries(const PointSet& points, CallArrays& arrays, const tl_floats* weights,
                 const tl_floats* queries, std::uint32_t count, const PairSumConfig& config,
                 float* sums, float* gradients, PairSumReport& report) {
    Scratch& scratch = arrays.scratch();
    Stream& stream = arrays.stream();
    SumInput in;
    take_points(points, arrays, weights, in);
    in.pairs.targets_are_points = !queries || !queries->data;
    if (!in.pairs.targets_are_points) take_targets(arrays, *queries, count, in);
    const std::size_t n = in.pairs.n_targets();
    in.pairs.sums = scratch.take<double>(n);
    in.pairs.gradients = scratch.take<double>(config.gradient ? 3 * n : 0);
    SolverRun run;
    report = sum_over_pairs(stream, in.pairs, config, run);
    if (count == 0) return;
    auto write = [&](View<const double> found, std::uint32_t per, float* to) {
        float* out = arrays.out_at(to, std::size_t(per) * count);
        TL_DISPATCH(stream.device(), write_sums(scratch, in.indices, found, per, count, out));
    };
    write(in.pairs.sums, 1, sums);
    if (gradients) write(in.pairs.gradients, 3, gradients);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

tl_status tl_tree_sum(const tl_tree* tree, const tl_floats* weights, const tl_floats* queries,
                      std::size_t count, const tl_fmm_options* options, float* sums,
                      float* gradients, tl_fmm_report* report, void* stream) {
    return guarded(
        [&] {
            if (!tree) return fail(TL_INVALID, "the tree is null");
            if (count > 0 && !sums) return fail(TL_INVALID, "the sums are null");
            if (count > UINT32_MAX) return fail(TL_INVALID, "there are 2^32 queries or more");
            PairSumConfig config;
            if (auto status = read_fmm_options(options, gradients != nullptr, config))
                return status;
            if (auto status = check_fmm_report(report)) return status;
            TreeQuery query(*tree, stream);
            if (!tree->points) return refuse_kind("points");
            if ((!queries || !queries->data) && count != tree->points->count())
                return fail(TL_INVALID, "the tree has " + std::to_string(tree->points->count()) +
                                            " points, and there are results for " +
                                            std::to_string(count));
            PairSumReport found;
            query.for_all([&](CallArrays& arrays) {
                sum_queries(*tree->points, arrays, weights, queries,
                            static_cast<std::uint32_t>(count), config, sums, gradients, found);
            });
            write_fmm_report(found, report);
            return TL_OK;
        },
        TL_INVALID);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace tl

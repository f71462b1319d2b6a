// The C interface over sums of kernels over the points of a tree.
#include <cmath>

#include "accel/query/shape_kernels.h"
#include "library/api/fmm_call.h"
#include "library/api/tree_call.h"

namespace tl {
namespace {

/// Vectors of a caller in host memory.
std::vector<vec3> vectors_on_host(CallArrays& arrays, const tl_floats& given, std::size_t n) {
    auto& stream = arrays.stream();
    std::vector<vec3> host(n);
    if (n == 0) return host;
    auto packed = arrays.scratch().take<vec3>(n);
    TL_DISPATCH(stream.device(), pack_vectors(stream, arrays.all_in(given, n, 3), packed));
    stream.device().download(stream, host.data(), packed.data, n * sizeof(vec3));
    return host;
}
std::vector<float> floats_on_host(CallArrays& arrays, const tl_floats& given, std::size_t n) {
    auto& stream = arrays.stream();
    std::vector<float> host(n);
    if (n == 0) return host;
    auto packed = arrays.scratch().take<float>(n);
    TL_DISPATCH(stream.device(), pack_floats(stream, arrays.all_in(given, n, 1), packed));
    stream.device().download(stream, host.data(), packed.data, n * sizeof(float));
    return host;
}

void append(std::vector<double>& to, const vec3& p) {
    for (int axis = 0; axis < 3; ++axis) to.push_back(static_cast<double>(p[axis]));
}

bool is_finite_point(const vec3& p) {
    return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

/// Points, weights and targets of sums in double precision. Sum k is that of query indices[k].
struct SumInput {
    std::vector<double> points, weights, targets;
    std::vector<std::size_t> indices;
    bool targets_are_points = false;

    [[nodiscard]] PairSumInput view() const {
        return {points, weights, targets, targets_are_points};
    }
};

SumInput sum_input(const tl_tree& tree, CallArrays& arrays, const tl_floats* weights,
                   const tl_floats* queries, std::size_t count) {
    SumInput in;
    const auto kept = tree.points->download(arrays.stream());
    const auto ids = tree.points->download_ids(arrays.stream());
    const bool weighted = weights && weights->data;
    const auto all =
        weighted ? floats_on_host(arrays, *weights, tree.points->count()) : std::vector<float>();
    for (std::size_t i = 0; i < kept.size(); ++i) {
        append(in.points, kept[i]);
        in.weights.push_back(weighted ? static_cast<double>(all[ids[i]]) : 1);
        if (!std::isfinite(in.weights.back()))
            throw UserError("weight " + std::to_string(ids[i]) +
                            ", counted from 0, is NaN or infinite");
    }
    in.targets_are_points = !queries || !queries->data;
    if (in.targets_are_points) {
        in.indices.assign(ids.begin(), ids.end());
        return in;
    }
    const auto points = vectors_on_host(arrays, *queries, count);
    for (std::size_t i = 0; i < count; ++i) {
        if (!is_finite_point(points[i])) continue;
        append(in.targets, points[i]);
        in.indices.push_back(i);
    }
    return in;
}

/// Writes sums, `per` for each query, to the caller's array; NaN where there is none.
void write_sums(CallArrays& arrays, const SumInput& in, const std::vector<double>& found,
                std::size_t per, std::size_t count, float* out) {
    if (!out || count == 0) return;
    std::vector<float> all(per * count, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t k = 0; k < in.indices.size(); ++k)
        for (std::size_t c = 0; c < per; ++c)
            all[per * in.indices[k] + c] = static_cast<float>(found[per * k + c]);
    auto& stream = arrays.stream();
    if (needs_copy(stream.device(), out)) {
        std::ranges::copy(all, out);
        return;
    }
    stream.device().upload(stream, out, all.data(), all.size() * sizeof(float));
    stream.synchronize();
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
            TreeQuery query(*tree, stream);
            if (!tree->points) return refuse_kind("points");
            if ((!queries || !queries->data) && count != tree->points->count())
                return fail(TL_INVALID, "the tree has " + std::to_string(tree->points->count()) +
                                            " points, and there are results for " +
                                            std::to_string(count));
            query.for_all([&](CallArrays& arrays) {
                const SumInput in = sum_input(*tree, arrays, weights, queries, count);
                const PairSums found = sum_by_options(arrays.stream(), in.view(), options,
                                                      gradients != nullptr, report);
                write_sums(arrays, in, found.sums, 1, count, sums);
                write_sums(arrays, in, found.gradients, 3, count, gradients);
            });
            return TL_OK;
        },
        TL_INVALID);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace tl

#include "accel/query/sum_points.h"

#include <limits>

#include "core/device/block.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

TL_D void write_position(View<double> positions, std::uint32_t k, vec3 p) {
    for (int axis = 0; axis < 3; ++axis)
        positions[std::size_t(3) * k + axis] = static_cast<double>(p[axis]);
}

}  // namespace

void copy_sum_points(Stream& stream, View<const vec3> points, View<const std::uint32_t> ids,
                     const StridedFloats& given, View<double> positions, View<double> weights,
                     View<std::uint64_t> first_bad) {
    fill(stream, first_bad, ~std::uint64_t{0});
    parallel_for(
        stream, "points of sums", static_cast<std::uint32_t>(points.size),
        TL_LAMBDA(std::uint32_t k) {
            write_position(positions, k, points[k]);
            const float weight = given.data ? given.at(ids[k]) : 1.0f;
            weights[k] = static_cast<double>(weight);
            if (!(fabsf(weight) < kInfinity)) atomic_min(first_bad.data, std::uint64_t(ids[k]));
        });
}

void find_sum_targets(Scratch& scratch, const StridedFloats& queries, std::uint32_t count,
                      View<std::uint32_t> targets, View<std::uint32_t> n_targets) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto flags = scratch.take<std::uint32_t>(count), all = scratch.take<std::uint32_t>(count);
    parallel_for(
        stream, "finite queries", count, TL_LAMBDA(std::uint32_t i) {
            const vec3 p = queries.vector(i);
            flags[i] = fabsf(p.x) < kInfinity && fabsf(p.y) < kInfinity && fabsf(p.z) < kInfinity;
            all[i] = i;
        });
    compact<std::uint32_t>(scratch, all, flags, targets, n_targets);
}

void copy_sum_targets(Stream& stream, const StridedFloats& queries,
                      View<const std::uint32_t> targets, View<double> positions) {
    parallel_for(
        stream, "targets of sums", static_cast<std::uint32_t>(targets.size),
        TL_LAMBDA(std::uint32_t k) { write_position(positions, k, queries.vector(targets[k])); });
}

void write_sums(Scratch& scratch, View<const std::uint32_t> targets, View<const double> found,
                std::uint32_t per, std::uint32_t count, float* out) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto place_of = scratch.take<std::uint32_t>(count);
    fill(stream, place_of, ~0u);
    parallel_for(
        stream, "places of targets", static_cast<std::uint32_t>(targets.size),
        TL_LAMBDA(std::uint32_t k) { place_of[targets[k]] = k; });
    constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
    parallel_for(
        stream, "sums of queries", count, TL_LAMBDA(std::uint32_t i) {
            const std::uint32_t k = place_of[i];
            for (std::uint32_t c = 0; c < per; ++c)
                out[std::size_t(per) * i + c] =
                    k == ~0u ? kNone : static_cast<float>(found[std::size_t(per) * k + c]);
        });
}

TL_DEVICE_END

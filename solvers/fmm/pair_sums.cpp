#include "solvers/fmm/pair_sums.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "core/base/near_match.h"
#include "core/base/text.h"
#include "solvers/fmm/pair_sums_device.h"

namespace tl {
namespace {

void require_finite(std::span<const double> numbers, int per_row, const char* what) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (std::isfinite(numbers[i])) continue;
        std::string text = std::string(what) + " " + std::to_string(i / per_row);
        if (per_row > 1) text += ", coordinate " + std::to_string(i % per_row);
        throw UserError(text + ", counted from 0, is " + number_text(numbers[i]) +
                        ": all numbers have to be finite");
    }
}

/// Refuses a number of points, or of targets, that is too large.
void require_few(std::size_t n) {
    constexpr std::size_t kMostPoints = 1'000'000'000;
    if (n > kMostPoints)
        throw UserError(std::to_string(n) + " points: at most " + std::to_string(kMostPoints) +
                        " can be summed at once");
}

void require_between(double value, double least, double most, const char* what) {
    if (value >= least && value <= most) return;
    throw UsageError(std::string(what) + " is " + number_text(value) + ": it has to be from " +
                     number_text(least) + " to " + number_text(most));
}

}  // namespace

PairKernel find_pair_kernel(const std::string& name) {
    std::vector<std::string> known;
    for (auto& row : names_of(PairKernel{})) {
        if (row.name == name) return row.value;
        known.emplace_back(row.name);
    }
    throw UsageError("unknown kernel '" + name + "'" + known_names(name, known));
}

bool has_length(PairKernel kernel) {
    return kernel == PairKernel::yukawa || kernel == PairKernel::gaussian ||
           kernel == PairKernel::multiquadric || kernel == PairKernel::inverse_multiquadric;
}

SumFrame::SumFrame(const std::array<double, 3>& lo, const std::array<double, 3>& hi) {
    double extent = 0;
    for (int axis = 0; axis < 3; ++axis) {
        extent = std::max(extent, hi[axis] - lo[axis]);
        origin[axis] = lo[axis] > 0 ? lo[axis] : hi[axis] < 0 ? hi[axis] : 0;
    }
    // A margin for the corner, which is rounded so that corners of all cells are exact in floats.
    constexpr double kSteps = 1 << 20, kMostExtent = 1e150, kLeastExtent = 1e-150;
    if (extent > kMostExtent)
        throw UserError("the points are " + number_text(extent) +
                        " apart: scale them, to at most " + number_text(kMostExtent));
    extent = std::max(extent, kLeastExtent);
    int exponent = std::ilogb(extent) + 1;
    if (extent > std::exp2(exponent) * (1 - 2 / kSteps)) ++exponent;
    scale = std::exp2(-exponent);
    for (int axis = 0; axis < 3; ++axis)
        corner[axis] = std::floor((lo[axis] - origin[axis]) * scale * kSteps) / kSteps;
}

int order_for(const PairSumConfig& config, double tolerance) {
    // Errors of orders from 4 on, measured: inverse distances of 20,000 points, uniform in a cube.
    constexpr int kOrders = PairSumConfig::kMostOrder - PairSumConfig::kLeastOrder + 1;
    constexpr std::array<double, kOrders> kOfSums{1.2e-3,  1.4e-4,  2.3e-5, 3e-6,    1e-6,
                                                  1.7e-7,  4e-8,    6e-9,   1.4e-9,  4e-10,
                                                  1.2e-10, 2.5e-11, 7e-12,  2.5e-12, 7e-13};
    constexpr std::array<double, kOrders> kOfGradients{3.2e-3, 5e-4,    8.5e-5, 1.5e-5, 4.5e-6,
                                                       8e-7,   2e-7,    4.5e-8, 9e-9,   4.5e-9,
                                                       1.1e-9, 2.8e-10, 8e-11,  8e-11,  6e-12};
    constexpr double kLarger = 2.5;  // errors of larger clouds, seen up to 100,000 points
    auto& errors = config.gradient ? kOfGradients : kOfSums;
    int order = PairSumConfig::kLeastOrder;
    const int most = config.single ? PairSumConfig::kMostOrderSingle : PairSumConfig::kMostOrder;
    while (order < most && kLarger * errors[order - PairSumConfig::kLeastOrder] > tolerance)
        ++order;
    return order;
}

int leaf_for(const PairSumConfig& config, int order) {
    // Near pairs then take as long as far ones in a uniform cloud, on a CPU.
    const double share = config.single ? 8 : 5.4;
    return static_cast<int>(share * std::pow(2.0 * order - 1, 1.5));
}

void check_pair_sums(const PairSumInput& input, const PairSumConfig& config) {
    if (input.points.size() % 3 != 0 || input.targets.size() % 3 != 0)
        throw UserError("points and targets have three coordinates each");
    if (input.weights.size() != input.n_points())
        throw UserError(std::to_string(input.n_points()) + " points, but " +
                        std::to_string(input.weights.size()) +
                        " weights: every point has one weight");
    require_few(input.n_points());
    require_few(input.n_targets());
    require_finite(input.points, 3, "point");
    require_finite(input.weights, 1, "weight");
    if (!input.targets_are_points) require_finite(input.targets, 3, "target");
    check_pair_settings(config);
}

void check_pair_settings(const PairSumConfig& config) {
    require_between(config.tolerance, PairSumConfig::kLeastTolerance, PairSumConfig::kMostTolerance,
                    "the tolerance");
    if (config.single && !config.direct && config.tolerance < PairSumConfig::kLeastSingle)
        throw UsageError("the tolerance is " + number_text(config.tolerance) +
                         ": single precision reaches " + number_text(PairSumConfig::kLeastSingle) +
                         "; sum in double precision");
    if (has_length(config.kernel)) {
        bool may_be_0 = config.kernel == PairKernel::multiquadric;
        if (!std::isfinite(config.length) || config.length < 0 || (config.length == 0 && !may_be_0))
            throw UsageError("the kernel's length is " + number_text(config.length) +
                             ": it has to be finite and " +
                             (may_be_0 ? "at least 0" : "more than 0"));
    }
    if (config.order != 0)
        require_between(config.order, PairSumConfig::kLeastOrder,
                        config.single ? PairSumConfig::kMostOrderSingle : PairSumConfig::kMostOrder,
                        "the order");
    if (config.leaf < 0) throw UsageError("the most points of a leaf are less than 0");
}

PairSumReport sum_over_pairs(Stream& stream, const DevicePairs& pairs, const PairSumConfig& config,
                             SolverRun& run) {
    check_pair_settings(config);
    require_few(pairs.n_points());
    require_few(pairs.n_targets());
    PairSumReport report;
    if (pairs.n_points() == 0 || pairs.n_targets() == 0) {
        for (const auto& sums : {pairs.sums, pairs.gradients})
            stream.device().fill_zero(stream, sums.data, sums.size * sizeof(double));
    } else if (config.single) {
        TL_DISPATCH(stream.device(),
                    sum_pairs_on_device<float>(stream, pairs, config, run, report));
    } else {
        TL_DISPATCH(stream.device(),
                    sum_pairs_on_device<double>(stream, pairs, config, run, report));
    }
    return report;
}

PairSums sum_over_pairs(Stream& stream, const PairSumInput& input, const PairSumConfig& config,
                        SolverRun& run) {
    check_pair_sums(input, config);
    const auto start = std::chrono::steady_clock::now();
    const DeviceArray<double> points(stream, input.points), weights(stream, input.weights);
    DeviceArray<double> targets;
    if (!input.targets_are_points) targets.assign(stream, input.targets);
    const std::size_t n = input.n_targets();
    DeviceArray<double> sums(stream, n), gradients(stream, config.gradient ? 3 * n : 0);
    PairSums out;
    static_cast<PairSumReport&>(out) =
        sum_over_pairs(stream,
                       DevicePairs{points.view(), weights.view(), targets.view(),
                                   input.targets_are_points, sums.view(), gradients.view()},
                       config, run);
    out.sums = sums.download(stream);
    out.gradients = gradients.download(stream);
    const std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
    out.seconds = all.count() - out.check_seconds;
    return out;
}

}  // namespace tl

// Sums over all pairs of points by the fast multipole method: the sum of w_j K(|x - y_j|) over
// sources y_j, at any number of targets x, with its gradient, to a requested error.
//
// The method of Greengard and Rokhlin (1987), adaptive (Carrier, Greengard & Rokhlin 1988), for any
// kernel that is smooth away from 0: nodes of an octree have strengths on a lattice of points
// (interpolation as of Fong & Darve 2009, but at equal spacing), which far nodes of equal size
// exchange by a convolution (docs/algorithms/fmm.md). accel/fmm, which sums radiosity, has other
// expansions: those of single precision, of few terms.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/enum_names.h"
#include "core/device/array.h"
#include "solvers/solver.h"

namespace tl {

/// K of a distance r; h is PairSumConfig::length.
enum class PairKernel : int {
    inverse_distance,      ///< 1 / r; 0 for r = 0, as for all that have no value there
    inverse_square,        ///< 1 / r^2
    log,                   ///< ln r
    yukawa,                ///< exp(-r / h) / r
    gaussian,              ///< exp(-(r / h)^2)
    multiquadric,          ///< sqrt(r^2 + h^2)
    inverse_multiquadric,  ///< 1 / sqrt(r^2 + h^2)
    thin_plate,            ///< r^2 ln r
};
[[nodiscard]] constexpr auto names_of(PairKernel) {
    return std::to_array<EnumName<PairKernel>>({
        {PairKernel::inverse_distance, "inverse-distance"},
        {PairKernel::inverse_square, "inverse-square"},
        {PairKernel::log, "log"},
        {PairKernel::yukawa, "yukawa"},
        {PairKernel::gaussian, "gaussian"},
        {PairKernel::multiquadric, "multiquadric"},
        {PairKernel::inverse_multiquadric, "inverse-multiquadric"},
        {PairKernel::thin_plate, "thin-plate"},
    });
}
/// The kernel of this name; throws UsageError with all names.
[[nodiscard]] PairKernel find_pair_kernel(const std::string& name);
/// Whether the kernel has a length h.
[[nodiscard]] bool has_length(PairKernel kernel);

struct PairSumConfig {
    static constexpr double kLeastTolerance = 1e-12, kMostTolerance = 0.1;
    /// Least tolerance of sums in single precision.
    static constexpr double kLeastSingle = 1e-5;
    static constexpr int kLeastOrder = 4, kMostOrder = 18, kMostOrderSingle = 9;

    PairKernel kernel = PairKernel::inverse_distance;
    double length = 1;  ///< h, in the unit of the points
    /// Largest root mean square of errors, as a part of that of the sums; likewise for gradients.
    double tolerance = 1e-6;
    bool gradient = false;        ///< also the gradients at the targets
    bool single = false;          ///< in single precision
    bool direct = false;          ///< all pairs one by one
    std::size_t n_checked = 100;  ///< targets whose sums are compared with direct ones
    int order = 0;                ///< lattice points along each axis; 0: by the tolerance
    int leaf = 0;                 ///< most points of a leaf; 0: by the order
};

/// Positions are three numbers a point.
struct PairSumInput {
    std::span<const double> points, weights;
    std::span<const double> targets;  ///< not read if the points are the targets
    bool targets_are_points = false;

    [[nodiscard]] std::size_t n_points() const { return points.size() / 3; }
    [[nodiscard]] std::size_t n_targets() const {
        return targets_are_points ? n_points() : targets.size() / 3;
    }
};

/// Input and sums in the memory of a device. All numbers of the input are finite.
struct DevicePairs {
    View<const double> points, weights;
    View<const double> targets;  ///< not read if the points are the targets
    bool targets_are_points = false;
    View<double> sums;       ///< written: one a target
    View<double> gradients;  ///< written: three a target; empty without PairSumConfig::gradient

    [[nodiscard]] std::size_t n_points() const { return points.size / 3; }
    [[nodiscard]] std::size_t n_targets() const {
        return targets_are_points ? n_points() : targets.size / 3;
    }
};

struct PairSumReport {
    double seconds = 0;  ///< from the input to the sums, where these are, without checks
    double check_seconds = 0;
    int order = 0, leaf = 0;  ///< as chosen; 0 for direct sums
    int n_levels = 0;
    std::size_t n_nodes = 0;
    std::size_t n_checked = 0;
    /// Measured as PairSumConfig::tolerance has it, at the targets checked.
    double error = 0, gradient_error = 0;
    std::vector<StageTime> stages;

    [[nodiscard]] bool reaches(double tolerance) const {
        return error <= tolerance && gradient_error <= tolerance;
    }
};

struct PairSums : PairSumReport {
    std::vector<double> sums;       ///< one a target
    std::vector<double> gradients;  ///< three a target; empty without PairSumConfig::gradient
};

/// Throws UserError for counts that do not fit, and for numbers that are not finite, with the first
/// of them; UsageError for settings out of range.
void check_pair_sums(const PairSumInput& input, const PairSumConfig& config);
/// The same for the settings alone.
void check_pair_settings(const PairSumConfig& config);

/// Sums on the device of the stream, and waits for them. Where the checked sums miss the tolerance,
/// the order is raised and all is summed again, up to the most order. Throws as check_pair_sums()
/// does, OutOfMemory, or Cancelled.
[[nodiscard]] PairSums sum_over_pairs(Stream& stream, const PairSumInput& input,
                                      const PairSumConfig& config, SolverRun& run);
/// The same for input and sums in the memory of the stream's device.
[[nodiscard]] PairSumReport sum_over_pairs(Stream& stream, const DevicePairs& pairs,
                                           const PairSumConfig& config, SolverRun& run);

}  // namespace tl

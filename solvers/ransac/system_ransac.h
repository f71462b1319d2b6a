// RANSAC with the generated solver of a system (Fischler and Bolles 1981; Cvrcek 2016, section 3.3
// and chapter 6): samples of measurements are parameters of instances, which are solved many at a
// time; all real solutions are models, tested by all measurements.
#pragma once

#include <span>

#include "solvers/minimal/table_route.h"

namespace tl::minimal {

struct SystemRansacConfig {
    double bound = 1;            ///< largest error of an inlier
    double confidence = 0.999;   ///< probability that one of the samples had no outlier
    int most_samples = 100'000;  ///< limit, however few inliers there are
    int seed = 0;                ///< seed of the samples; equal seeds give equal samples
};

/// The best model, and how it was found.
struct FittedModel {
    std::vector<double> unknowns;
    std::vector<std::uint8_t> inliers;  ///< 1 for each measurement that fits, in the order given
    std::size_t n_inliers = 0;
    double rms = 0;  ///< root mean square of the inliers' errors
    std::size_t n_samples = 0;
    std::size_t n_solved = 0;    ///< samples with a real solution
    std::size_t n_models = 0;    ///< solutions that were tested
    std::size_t n_left_out = 0;  ///< measurements that are not finite: neither drawn nor inliers
    bool is_refined = false;     ///< whether least squares over the inliers have improved it
    double seconds = 0;          ///< from the measurements to the result
    std::vector<StageSeconds> stages;  ///< draw, solve, test, refine
};

/// Fits a model of a system with lines `measurement` to `measurements`, row by row, by samples that
/// `route` solves and by tests on all threads of the CPU. Equal seeds give equal results, up to
/// the rounding of the route. Throws UserError for a system without such lines, for too few
/// measurements, if no model has more inliers than its sample, and if memory is insufficient; and
/// what `poll` throws. `poll` is called with the fraction of the samples that are needed.
[[nodiscard]] FittedModel fit_by_ransac(const PolynomialSystem& system, TableRoute& route,
                                        int n_solutions, std::span<const double> measurements,
                                        const SystemRansacConfig& config,
                                        const ProgressPoll& poll = {});

/// Instances that a route of fit_by_ransac() solves at a time at first, for make_table_route().
inline constexpr std::size_t kFirstSamples = 64;

}  // namespace tl::minimal

// The C interface over sums of all pairs of points.
#include <algorithm>

#include "library/api/guarded.h"
#include "solvers/fmm/pair_sums.h"

namespace tl {
namespace {

/// Reads options from C. Throws UsageError for an unknown kernel.
PairSumConfig config_from(const tl_fmm_options& options, bool gradient) {
    PairSumConfig config;
    if (options.kernel) config.kernel = find_pair_kernel(options.kernel);
    config.length = options.length;
    config.tolerance = options.tolerance;
    config.single = number_of(options.precision) == TL_FLOAT32;
    config.direct = options.direct != 0;
    config.n_checked = options.n_checked;
    config.gradient = gradient;
    return config;
}

}  // namespace

// In a namespace the functions do not have the visibility that the header gives them.
#pragma GCC visibility push(default)
extern "C" {

tl_fmm_options tl_fmm_defaults(void) {
    const PairSumConfig config;
    return {name_of(config.kernel), config.length, config.tolerance, TL_FLOAT64, 0,
            config.n_checked};
}

tl_status tl_fmm(const char* device, const double* points, const double* weights, size_t n_points,
                 const double* targets, size_t n_targets, const tl_fmm_options* options,
                 double* sums, double* gradients, tl_fmm_report* report) {
    return guarded([&] {
        auto given = options ? *options : tl_fmm_defaults();
        if (!device || (n_points > 0 && (!points || !weights)))
            return fail(TL_INVALID, "an argument is null");
        const PairSumInput input{{points, 3 * n_points},
                                 {weights, n_points},
                                 {targets, targets ? 3 * n_targets : 0},
                                 targets == nullptr};
        if (input.n_targets() > 0 && !sums) return fail(TL_INVALID, "the sums are null");
        if (!is_within(given.precision, TL_FLOAT32, TL_FLOAT64))
            return fail(TL_INVALID, "unknown type");
        auto config = config_from(given, gradients != nullptr);
        try {
            check_pair_sums(input, config);
        } catch (const UserError& error) {
            return fail(TL_INVALID, error.what());
        }
        auto stream = find_device(device).create_stream();
        SolverRun run;
        auto found = sum_over_pairs(*stream, input, config, run);
        std::ranges::copy(found.sums, sums);
        std::ranges::copy(found.gradients, gradients);
        if (report)
            *report = {found.seconds, found.n_checked, found.error, found.gradient_error,
                       found.order};
        return TL_OK;
    });
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace tl

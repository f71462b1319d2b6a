// The C interface over sums of all pairs of points.
#include <algorithm>

#include "library/api/fmm_call.h"

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

PairSums sum_by_options(Stream& stream, const PairSumInput& input, const tl_fmm_options* options,
                        bool gradient, tl_fmm_report* report) {
    const auto given = options ? *options : tl_fmm_defaults();
    if (!is_within(given.precision, TL_FLOAT32, TL_FLOAT64)) throw UserError("unknown type");
    const auto config = config_from(given, gradient);
    try {
        check_pair_sums(input, config);
    } catch (const UsageError& error) {  // numbers out of range are no unknown names
        throw UserError(error.what());
    }
    SolverRun run;
    auto found = sum_over_pairs(stream, input, config, run);
    if (report)
        *report = {found.seconds, found.n_checked, found.error, found.gradient_error, found.order};
    return found;
}

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
    return guarded(
        [&] {
            if (!device || (n_points > 0 && (!points || !weights)))
                return fail(TL_INVALID, "an argument is null");
            const PairSumInput input{{points, 3 * n_points},
                                     {weights, n_points},
                                     {targets, targets ? 3 * n_targets : 0},
                                     targets == nullptr};
            if (input.n_targets() > 0 && !sums) return fail(TL_INVALID, "the sums are null");
            auto stream = find_device(device).create_stream();
            const auto found =
                sum_by_options(*stream, input, options, gradients != nullptr, report);
            std::ranges::copy(found.sums, sums);
            std::ranges::copy(found.gradients, gradients);
            return TL_OK;
        },
        TL_INVALID);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace tl

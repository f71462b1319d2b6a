// The C interface over sums of all pairs of points.
#include <algorithm>

#include "library/api/fmm_call.h"
#include "library/api/struct_size.h"

namespace tl {

tl_status read_fmm_options(const tl_fmm_options* options, bool gradient, PairSumConfig& config) {
    auto given = tl_fmm_defaults();
    if (options)
        if (auto status = read_struct(options, given)) return status;
    if (!is_within(given.precision, TL_FLOAT32, TL_FLOAT64)) throw UserError("unknown type");
    if (given.kernel) config.kernel = find_pair_kernel(given.kernel);
    config.length = given.length;
    config.tolerance = given.tolerance;
    config.single = number_of(given.precision) == TL_FLOAT32;
    config.direct = given.direct != 0;
    config.n_checked = given.n_checked;
    config.gradient = gradient;
    try {
        check_pair_settings(config);
    } catch (const UsageError& error) {  // numbers out of range are no unknown names
        throw UserError(error.what());
    }
    return TL_OK;
}

tl_status check_fmm_report(const tl_fmm_report* report) {
    return report ? check_struct(report) : TL_OK;
}

void write_fmm_report(const PairSumReport& found, tl_fmm_report* report) {
    if (!report) return;
    tl_fmm_report own{};
    own.seconds = found.seconds;
    own.n_checked = found.n_checked;
    own.error = found.error;
    own.gradient_error = found.gradient_error;
    own.order = found.order;
    write_struct(own, report);
}

// In a namespace the functions do not have the visibility that the header gives them.
#pragma GCC visibility push(default)
extern "C" {

tl_fmm_options tl_fmm_defaults(void) {
    const PairSumConfig config;
    tl_fmm_options options{};
    options.kernel = name_of(config.kernel);
    options.length = config.length;
    options.tolerance = config.tolerance;
    options.precision = TL_FLOAT64;
    options.n_checked = config.n_checked;
    return options;
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
            PairSumConfig config;
            if (auto status = read_fmm_options(options, gradients != nullptr, config))
                return status;
            if (auto status = check_fmm_report(report)) return status;
            auto stream = find_device(device).create_stream();
            SolverRun run;
            const auto found = sum_over_pairs(*stream, input, config, run);
            std::ranges::copy(found.sums, sums);
            std::ranges::copy(found.gradients, gradients);
            write_fmm_report(found, report);
            return TL_OK;
        },
        TL_INVALID);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace tl

#include "app/solve/svd/svd_view_flags.h"

#include "app/commands/flag_groups.h"
#include "app/commands/value_option.h"
#include "app/solve/svd/svd_job.h"
#include "core/device/registry.h"
#include "solvers/dense/matrix_files.h"

namespace tl {
namespace {

void choose_source(const std::string& source, SvdTask& task) {
    if (source == "frame") {
        task.source = SvdSource::frame;
    } else if (source == "form-factors") {
        task.source = SvdSource::form_factors;
    } else if (is_matrix_file(source)) {
        task.source = SvdSource::file;
        task.input.file = source;
    } else {
        (void)find_row(matrix_kinds(), source,
                       "source for --svd (frame, form-factors, a .npy or .mtx file, or a kind "
                       "of matrix)");
        task.input.spec.kind = source;
    }
}

}  // namespace

void add_svd_view_flags(CLI::App& view, SvdViewFlags& flags) {
    view.add_option(
            "--svd", flags.source,
            "decompose this as soon as the frame rate has settled: frame, form-factors, a kind of "
            "matrix of solve svd, or a .npy or .mtx file; with --frames, the last one "
            "waits for it")
        ->type_name("SOURCE")
        ->group(kMoreFlags);
    add_value(view, "--svd-mode", flags.mode, "ID", "way to solve it, as in solve svd")
        ->group(kMoreFlags);
    add_value(view, "--svd-size", flags.size, "N",
              "rows and columns of a kind of matrix, samples of a cluster")
        ->check(between(1, 16384))
        ->group(kMoreFlags);
    add_value(view, "--svd-rank", flags.rank, "K", "triplets that the decomposed frame is shown by")
        ->check(between(1, 16384))
        ->group(kMoreFlags);
    for (auto& setting : flags.background.settings())
        add_value(view, "--svd-" + setting->id, *std::get<float*>(setting.variable()), "X",
                  setting->help)
            ->check(between(setting->minimum, setting->maximum))
            ->group(kMoreFlags);
}

SvdTask task_of(const SvdViewFlags& flags, const std::string& device) {
    SvdTask task;
    task.device = device;
    (void)make_svd_solver(flags.mode, find_device(device));
    task.mode = flags.mode;
    task.background = flags.background;
    task.input.spec.rows = task.input.spec.cols = task.form_factors.samples = flags.size;
    if (!flags.source.empty()) choose_source(flags.source, task);
    return task;
}

}  // namespace tl

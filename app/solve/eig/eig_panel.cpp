#include <imgui/imgui.h>

#include <algorithm>
#include <cmath>

#include "app/jobs/format.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/solve/accuracy_text.h"
#include "app/solve/eig/eig_actions.h"
#include "app/solve/eig/eig_row.h"
#include "app/solve/eig/eig_widgets.h"
#include "app/solve/solver_widgets.h"

namespace tl {
namespace {

void draw_batch_kind(ViewerModel& model) {
    choose_id("Kind", batch_kinds(), eig_of(model).task.batch.kind, DeviceKind::cpu);
}

void draw_batch_rows(ViewerModel& model) {
    auto& batch = eig_of(model).task.batch;
    next_width();
    ImGui::SliderInt("Rows, n", &batch.n, 1, EigTask::kMostRows, "%d",
                     ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_Logarithmic);
    tooltip("Larger matrices, up to 1024 rows: `treelight solve eig`");
}

void draw_batch_count(ViewerModel& model) {
    auto& batch = eig_of(model).task.batch;
    auto count = static_cast<int>(batch.count);
    next_width();
    if (ImGui::InputInt("Matrices", &count, 1000, 100'000))
        batch.count = static_cast<std::size_t>(std::clamp(count, 1, EigTask::kMostMatrices));
    tooltip("How many matrices are solved");
}

void draw_batch_seed(ViewerModel& model) {
    next_width();
    ImGui::InputScalar("Seed", ImGuiDataType_U64, &eig_of(model).task.batch.seed);
    tooltip("Another number gives other matrices");
}

void draw_eig_result(ViewerModel& model) {
    auto& task = eig_of(model).task;
    auto pairs = static_cast<int>(task.pairs);
    next_width(width_of_choice("eigenvectors of real ones"));
    if (ImGui::Combo("Result", &pairs,
                     "eigenvalues\0eigenvectors of real ones\0all eigenvectors\0"))
        task.pairs = static_cast<EigenPairs>(pairs);
    tooltip("What is found of each matrix, besides its eigenvalues");
}

void draw_eig_mode(ViewerModel& model) {
    auto& task = eig_of(model).task;
    choose_id("Mode", eigen_solvers(), task.mode, find_device(task.device).kind());
}

void draw_eig_device(ViewerModel& model) {
    choose_device("Device", eig_of(model).task.device);
}

void draw_eig_precision(ViewerModel& model) {
    choose_precision("Precision", eig_of(model).task.single);
}

bool eig_on_gpu(const ViewerModel& model) {
    return find_device(eig_of(model).task.device).kind() == DeviceKind::cuda;
}

void draw_eig_share(ViewerModel& model) {
    slide_gpu_share(eig_of(model).task.background);
}

void draw_eig_run(ViewerModel& model) {
    auto& view = eig_of(model);
    if (view.job.busy()) return draw_busy(view.job);
    if (run_button("Solves the batch")) start_eig(model);
    draw_history_buttons(model, eig_of(model));
}

/// The eigenvalues of one of the matrices that are kept, which the user chooses.
void draw_matrix(EigView& view, const EigOutcome& outcome) {
    if (outcome.n_kept() == 0) return;
    auto last = static_cast<int>(outcome.n_kept()) - 1;
    view.matrix = std::clamp(view.matrix, 0, last);
    next_width();
    ImGui::SliderInt("Matrix shown", &view.matrix, 0, last, "%d", ImGuiSliderFlags_AlwaysClamp);
    if (outcome.n_kept() < outcome.batch.count)
        tooltip("One of the first " + grouped(outcome.n_kept()) +
                " matrices of the batch, whose eigenvalues are kept");
    auto values = outcome.values_of(static_cast<std::size_t>(view.matrix));
    if (std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
        draw_complex_plane(values);
    else
        ImGui::TextDisabled("matrix %d did not converge: it has no eigenvalues", view.matrix);
}

void draw_eig_figures(const EigOutcome& outcome) {
    auto& s = outcome.summary;
    if (!begin_rows("eig")) return;
    row("matrices", formatted("%s of %d x %d, %s", grouped(s.count).c_str(), outcome.batch.n,
                              outcome.batch.n, outcome.batch.kind.c_str()));
    row("time", duration_of(s.seconds) + ", " + outcome.mode + ", " + outcome.precision + ", " +
                    outcome.device);
    auto per_second = static_cast<std::uint64_t>(std::llround(outcome.matrices_per_second()));
    row("a second", grouped(per_second) + (per_second == 1 ? " matrix" : " matrices"));
    row("not converged", s.n_not_converged == 0 ? "none" : grouped(s.n_not_converged),
        s.failed.empty() ? "matrices that reached the limit of sweeps"
                         : "the first of them is matrix " + std::to_string(s.failed.front()));
    auto measured = "of " + grouped(s.n_checked) + " matrices";
    if (s.accuracy.n_vectors > 0)
        row("residual",
            in_rounding_units(s.accuracy.residual) + ", balanced " +
                in_rounding_units(s.accuracy.balanced),
            "||A v - lambda v|| / ||A||, the largest " + measured +
                "; the same of the balanced matrix, which shows whether small elements were lost");
    row("trace error", in_rounding_units(s.accuracy.trace),
        "|sum of eigenvalues - trace| / ||B|| for A balanced, the largest " + measured);
    row("QR sweeps", formatted("%.1f for a matrix, %d at most", s.mean_sweeps(), s.most_sweeps));
    if (outcome.multiprocessors > 0)
        row("ran on", std::to_string(outcome.multiprocessors) + " multiprocessors");
    auto rates = rates_text(outcome.rates);
    if (!rates.empty()) row("frames", rates);
    end_rows();
}

void draw_newest(EigView& view) {
    auto& outcome = view.history.back();
    if (!outcome.error.empty()) return wrapped_text(error_color(), outcome.error);
    draw_eig_figures(outcome);
    draw_sweeps(outcome.summary.histogram);
    draw_matrix(view, outcome);
}

}  // namespace

std::vector<PanelWidget> eig_widgets() {
    return {{"Kind of batch", draw_batch_kind},
            {"Rows, n", draw_batch_rows},
            {"Matrices", draw_batch_count},
            {"Seed", draw_batch_seed},
            {"Result: eigenvalues, eigenvectors", draw_eig_result},
            {"Mode", draw_eig_mode},
            {"Device", draw_eig_device},
            {"Precision", draw_eig_precision},
            {"Share of the GPU", draw_eig_share, eig_on_gpu},
            {"Run", draw_eig_run}};
}

void draw_eig_panel(ViewerModel& model) {
    auto& view = eig_of(model);
    draw_purpose(
        "Finds the eigenvalues of many small matrices at once. Each dot of the plane is one: "
        "orange on the real axis, green in pairs beside it.");
    draw_widgets(model, eig_widgets());
    if (!view.history.empty()) draw_newest(view);
    draw_eig_history(view.history);
}

}  // namespace tl

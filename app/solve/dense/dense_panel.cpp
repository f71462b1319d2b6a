#include <imgui/imgui.h>

#include <algorithm>
#include <cmath>

#include "app/jobs/format.h"
#include "app/panels/widgets/file_field.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/solve/dense/dense_row.h"
#include "app/solve/dense/dense_text.h"
#include "app/solve/dense/dense_view.h"
#include "app/solve/solver_widgets.h"

namespace tl {
namespace {

constexpr int kMostDenseRows = 32768;

void draw_dense_problem(ViewerModel& model) {
    auto& task = dense_of(model).task.dense;
    auto problem = static_cast<int>(task.problem);
    next_width();
    if (ImGui::Combo("Problem", &problem,
                     "PLU factorisation\0row echelon form\0linear system\0inverse\0product\0"
                     "least squares\0pseudo-inverse\0"))
        task.problem = static_cast<DenseProblem>(problem);
    tooltip("What is done with the matrix");
}

void draw_dense_file(ViewerModel& model) {
    auto& task = dense_of(model).task.dense;
    const FileField field{.label = "File##dense",
                          .hint = ".npy or .mtx",
                          .title = "Matrix to solve with",
                          .extensions = {".npy", ".mtx"}};
    draw_file_field(model, field, task.input.file, [](ViewerModel& m, const std::string& path) {
        dense_of(m).task.dense.input.file = path;
    });
    tooltip("A matrix as .npy or .mtx; empty: one of the kind below is made");
}

/// Whether the matrix is made, not read from a file.
bool makes_dense_matrix(const ViewerModel& model) {
    return dense_of(model).task.dense.input.file.empty();
}

void draw_dense_kind(ViewerModel& model) {
    choose_id("Kind##dense", matrix_kinds(), dense_of(model).task.dense.input.spec.kind,
              DeviceKind::cpu);
}

void draw_dense_extents(ViewerModel& model) {
    auto& spec = dense_of(model).task.dense.input.spec;
    int extents[2] = {spec.rows, spec.cols};
    next_width();
    if (ImGui::InputInt2("Rows, columns##dense", extents)) {
        spec.rows = std::clamp(extents[0], 1, kMostDenseRows);
        spec.cols = std::clamp(extents[1], 1, kMostDenseRows);
    }
    tooltip("Of the matrix that is made");
}

void draw_dense_condition(ViewerModel& model) {
    auto& spec = dense_of(model).task.dense.input.spec;
    auto exponent = static_cast<float>(std::log10(spec.condition));
    next_width();
    if (ImGui::SliderFloat("Condition##dense", &exponent, 0, 16, "1e%.1f",
                           ImGuiSliderFlags_AlwaysClamp))
        spec.condition = std::pow(10.0, static_cast<double>(exponent));
    tooltip("Its largest singular value, divided by its smallest");
}

void draw_dense_mode(ViewerModel& model) {
    auto& task = dense_of(model).task;
    auto device = find_device(task.device).kind();
    auto modes = dense_modes(task.dense.problem, device);
    if (std::ranges::find(modes, task.dense.mode) == modes.end()) task.dense.mode = modes.front();
    next_width();
    if (ImGui::BeginCombo("Mode##dense", task.dense.mode.c_str())) {
        for (auto& mode : modes)
            if (ImGui::Selectable(mode.c_str(), mode == task.dense.mode)) task.dense.mode = mode;
        ImGui::EndCombo();
    }
    tooltip("How it is done");
}

void draw_dense_device(ViewerModel& model) {
    choose_device("Device##dense", dense_of(model).task.device);
}

void draw_dense_precision(ViewerModel& model) {
    choose_precision("Precision##dense", dense_of(model).task.single);
}

/// Whether the problem has right-hand sides.
bool has_right_sides(const ViewerModel& model) {
    auto problem = dense_of(model).task.dense.problem;
    return problem == DenseProblem::lstsq || problem == DenseProblem::solve;
}

void draw_right_sides(ViewerModel& model) {
    auto& task = dense_of(model).task.dense;
    next_width();
    if (ImGui::InputInt("Right sides", &task.n_right))
        task.n_right = std::clamp(task.n_right, 1, kMostDenseRows);
    tooltip("How many systems with this matrix are solved at once");
}

bool dense_on_gpu(const ViewerModel& model) {
    return find_device(dense_of(model).task.device).kind() == DeviceKind::cuda;
}

void draw_dense_share(ViewerModel& model) {
    slide_gpu_share(dense_of(model).task.background);
}

void draw_dense_run(ViewerModel& model) {
    auto& view = dense_of(model);
    if (view.job.busy()) return draw_busy(view.job);
    if (run_button("Does the chosen problem")) start_dense(model);
    draw_history_buttons(model, view);
}

/// An error of an outcome in the one unit of all of them: relative to the norms.
const char* accuracy_help(const std::string& name) {
    if (name == "backward error")
        return "What is left of the problem, over the norms of its parts; n is the larger extent "
               "and eps the rounding of the numbers: about 1 or less is as exact as they allow";
    if (name.starts_with("growth"))
        return "Largest element of U over that of A: below 100 is harmless";
    return "Relative error; eps is the rounding of the numbers";
}

void draw_dense_outcome(const DenseOutcome& outcome) {
    if (!outcome.error.empty()) return wrapped_text(error_color(), outcome.error);
    constexpr int kDigits = 4;
    if (!begin_rows("dense")) return;
    row("problem", outcome.problem + " of " + outcome.what);
    row("size", formatted("%d x %d, %s", outcome.rows, outcome.cols, outcome.precision.c_str()));
    row("time", duration_of(outcome.seconds()) + ", " + outcome.mode + ", " + outcome.device);
    bool is_float = outcome.precision == "float";
    for (auto& entry : dense_accuracy(outcome.problem, outcome.report, is_float))
        row(entry.name.c_str(), entry.value, accuracy_help(entry.name));
    for (auto& [key, value] : outcome.report["results"].items())
        row(dense_name(key).c_str(), dense_value(key, value, kDigits));
    for (auto& stage : outcome.report["stages"])
        row(stage["name"].get<std::string>().c_str(),
            formatted("%.3f ms", stage["ms"].get<double>()));
    if (outcome.multiprocessors > 0)
        row("ran on", std::to_string(outcome.multiprocessors) + " multiprocessors");
    auto rates = rates_text(outcome.rates);
    if (!rates.empty()) row("frames", rates);
    end_rows();
}

}  // namespace

std::vector<PanelWidget> dense_widgets() {
    return {{"Problem", draw_dense_problem},
            {"Matrix file", draw_dense_file},
            {"Kind of matrix", draw_dense_kind, makes_dense_matrix},
            {"Rows, columns", draw_dense_extents, makes_dense_matrix},
            {"Condition", draw_dense_condition, makes_dense_matrix},
            {"Mode", draw_dense_mode},
            {"Device", draw_dense_device},
            {"Precision", draw_dense_precision},
            {"Right sides", draw_right_sides, has_right_sides},
            {"Share of the GPU", draw_dense_share, dense_on_gpu},
            {"Run", draw_dense_run}};
}

void draw_dense_panel(ViewerModel& model) {
    auto& view = dense_of(model);
    draw_purpose(
        "Factorises, inverts and solves with a full matrix. Errors are relative: of a few eps, the "
        "rounding of the numbers, is as good as it gets.");
    draw_widgets(model, dense_widgets());
    if (!view.history.empty()) draw_dense_outcome(view.history.back());
}

}  // namespace tl

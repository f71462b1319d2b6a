#include <imgui/imgui.h>

#include <algorithm>

#include "app/jobs/format.h"
#include "app/panels/widgets/file_field.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/solve/solver_widgets.h"
#include "app/solve/sparse/sparse_row.h"
#include "app/solve/sparse/sparse_view.h"
#include "core/base/setting_words.h"

namespace tl {
namespace {

void draw_sparse_file(ViewerModel& model) {
    auto& task = sparse_of(model).task.system;
    const FileField field{.label = "File##sparse",
                          .hint = ".mtx",
                          .title = "Sparse matrix to solve with",
                          .extensions = {".mtx"}};
    draw_file_field(model, field, task.file, [](ViewerModel& m, const std::string& path) {
        sparse_of(m).task.system.file = path;
    });
    tooltip("A MatrixMarket file of coordinates; empty: a matrix of the kind below is made");
}

/// Whether the matrix is made, not read from a file.
bool makes_sparse_matrix(const ViewerModel& model) {
    return sparse_of(model).task.system.file.empty();
}

void draw_sparse_kind(ViewerModel& model) {
    choose_id("Kind##sparse", sparse_kinds(), sparse_of(model).task.system.spec.kind,
              DeviceKind::cpu);
}

void draw_sparse_rows(ViewerModel& model) {
    auto& task = sparse_of(model).task.system;
    next_width();
    if (ImGui::InputInt("Rows##sparse", &task.spec.rows, 1000, 100'000))
        task.spec.rows = std::clamp(task.spec.rows, 1, SparsePanelTask::kMostRows);
    tooltip("Of the matrix that is made; grids take the nearest square or cube");
}

/// Combo box of a setting that is one of several words.
void draw_sparse_choice(ViewerModel& model, const char* id) {
    auto& setting = *SparseConfig::declared_settings().find(id);
    auto label = label_of(setting) + "##sparse";
    auto& text = sparse_of(model).task.system.settings["sparse." + setting.id];
    if (text.empty()) text = "auto";
    next_width();
    if (ImGui::BeginCombo(label.c_str(), text.c_str())) {
        for (auto& choice : setting.choices)
            if (ImGui::Selectable(choice.c_str(), choice == text)) text = choice;
        ImGui::EndCombo();
    }
    tooltip(setting.help);
}

void draw_sparse_device(ViewerModel& model) {
    choose_device("Device##sparse", sparse_of(model).task.device);
}

void draw_sparse_precision(ViewerModel& model) {
    choose_precision("Precision##sparse", sparse_of(model).task.single);
}

void draw_known_solution(ViewerModel& model) {
    ImGui::Checkbox("Known solution##sparse", &sparse_of(model).task.system.known_solution);
    tooltip("The right side is that of the solution 1, and the errors are shown");
}

bool sparse_on_gpu(const ViewerModel& model) {
    return find_device(sparse_of(model).task.device).kind() == DeviceKind::cuda;
}

void draw_sparse_share(ViewerModel& model) {
    slide_gpu_share(sparse_of(model).task.background);
}

void draw_sparse_run(ViewerModel& model) {
    auto& view = sparse_of(model);
    if (view.job.busy()) return draw_busy(view.job);
    if (run_button("Solves the system")) start_sparse(model);
    draw_history_buttons(model, view);
}

void draw_sparse_figures(const SparseOutcome& outcome) {
    auto& report = outcome.report;
    auto text = [&](const char* key) { return report[key].get<std::string>(); };
    auto number = [](const nlohmann::ordered_json& part, const char* key) {
        return part[key].get<double>();
    };
    auto& results = report["results"];
    if (!begin_rows("sparse")) return;
    row("matrix", formatted("%s, %s rows, %s entries", outcome.what.c_str(),
                            grouped(report["rows"].get<std::uint64_t>()).c_str(),
                            grouped(report["entries"].get<std::uint64_t>()).c_str()));
    row("method", text("method") + ", " + text("preconditioner") + ", " + text("format"));
    if (results.contains("preconditioner"))
        row("preconditioner", results["preconditioner"].get<std::string>());
    if (results.contains("note")) row("note", results["note"].get<std::string>());
    row("iterations", std::to_string(results["iterations"][0].get<int>()));
    row("residual", three_digits(number(report["accuracy"], "residual")),
        "||b - A x|| / ||b||, computed again at the end");
    if (report["accuracy"].contains("largest_error"))
        row("largest error", formatted("%.3g", number(report["accuracy"], "largest_error")),
            "of the solution, which is 1");
    row("set-up", duration_of(number(report, "setup_seconds")));
    row("solve", duration_of(number(report, "solve_seconds")) + ", " + outcome.precision + ", " +
                     outcome.device);
    if (outcome.multiprocessors > 0)
        row("ran on", std::to_string(outcome.multiprocessors) + " multiprocessors");
    auto rates = rates_text(outcome.rates);
    if (!rates.empty()) row("frames", rates);
    end_rows();
}

}  // namespace

std::vector<PanelWidget> sparse_widgets() {
    return {{"Matrix file", draw_sparse_file},
            {"Kind of matrix", draw_sparse_kind, makes_sparse_matrix},
            {"Rows", draw_sparse_rows, makes_sparse_matrix},
            {"Method", [](ViewerModel& m) { draw_sparse_choice(m, "method"); }},
            {"Preconditioner", [](ViewerModel& m) { draw_sparse_choice(m, "preconditioner"); }},
            {"Format", [](ViewerModel& m) { draw_sparse_choice(m, "format"); }},
            {"Device", draw_sparse_device},
            {"Precision", draw_sparse_precision},
            {"Known solution", draw_known_solution},
            {"Share of the GPU", draw_sparse_share, sparse_on_gpu},
            {"Run", draw_sparse_run}};
}

void draw_sparse_panel(ViewerModel& model) {
    auto& view = sparse_of(model);
    draw_purpose(
        "Solves A x = b for a matrix of few entries by iterations. The residual says how well the "
        "solution fits: the tolerance or less is solved.");
    draw_widgets(model, sparse_widgets());
    if (view.history.empty()) return;
    auto& newest = view.history.back();
    if (!newest.error.empty()) wrapped_text(error_color(), newest.error);
    if (newest.report.contains("results")) draw_sparse_figures(newest);
}

}  // namespace tl

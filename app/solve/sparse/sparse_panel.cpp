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

void draw_sparse_matrix(ViewerModel& model) {
    auto& task = sparse_of(model).task.system;
    const FileField field{.label = "file##sparse",
                          .hint = ".mtx",
                          .title = "Sparse matrix to solve with",
                          .extensions = {".mtx"}};
    draw_file_field(model, field, task.file, [](ViewerModel& m, const std::string& path) {
        sparse_of(m).task.system.file = path;
    });
    tooltip("A MatrixMarket file of coordinates; empty: a matrix of the kind below is made");
    if (!task.file.empty()) return;
    choose_id("Kind##sparse", sparse_kinds(), task.spec.kind, DeviceKind::cpu);
    next_width();
    if (ImGui::InputInt("Rows##sparse", &task.spec.rows, 1000, 100'000))
        task.spec.rows = std::clamp(task.spec.rows, 1, SparsePanelTask::kMostRows);
    tooltip("Of the matrix that is made; grids take the nearest square or cube");
}

/// Combo box of a setting that is one of several words.
void draw_sparse_choice(SparseTask& task, const char* label, const SettingDeclaration& setting) {
    auto& text = task.settings["sparse." + setting.id];
    if (text.empty()) text = "auto";
    next_width();
    if (ImGui::BeginCombo(label, text.c_str())) {
        for (auto& choice : setting.choices)
            if (ImGui::Selectable(choice.c_str(), choice == text)) text = choice;
        ImGui::EndCombo();
    }
    tooltip(setting.help);
}

void draw_sparse_settings(ViewerModel& model) {
    auto& task = sparse_of(model).task;
    auto& all = SparseConfig::declared_settings().all();
    for (const char* name : {"method", "preconditioner", "format"})
        for (auto& setting : all)
            if (setting.id == name)
                draw_sparse_choice(task.system, (label_of(setting) + "##sparse").c_str(), setting);
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

void draw_sparse_share(ViewerModel& model) {
    auto& task = sparse_of(model).task;
    if (find_device(task.device).kind() == DeviceKind::cuda) slide_gpu_share(task.background);
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
    return {{"Matrix: file, kind, rows", draw_sparse_matrix},
            {"Method, preconditioner, format", draw_sparse_settings},
            {"Device", draw_sparse_device},
            {"Precision", draw_sparse_precision},
            {"Known solution", draw_known_solution},
            {"Run", draw_sparse_run}};
}

void draw_sparse_panel(ViewerModel& model) {
    auto& view = sparse_of(model);
    draw_purpose(
        "Solves A x = b for a matrix of few entries by iterations. The residual says how well the "
        "solution fits: the tolerance or less is solved.");
    draw_sparse_matrix(model);
    draw_sparse_settings(model);
    draw_sparse_device(model);
    draw_sparse_precision(model);
    draw_known_solution(model);
    draw_sparse_share(model);
    draw_sparse_run(model);
    if (view.history.empty()) return;
    auto& newest = view.history.back();
    if (!newest.error.empty()) wrapped_text(error_color(), newest.error);
    if (newest.report.contains("results")) draw_sparse_figures(newest);
}

}  // namespace tl

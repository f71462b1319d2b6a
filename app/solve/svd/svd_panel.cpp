#include <imgui/imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/jobs/format.h"
#include "app/panels/widgets/file_field.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/solve/solver_widgets.h"
#include "app/solve/svd/svd_actions.h"
#include "app/solve/svd/svd_error_plot.h"
#include "app/solve/svd/svd_row.h"
#include "app/solve/svd/svd_widgets.h"
#include "app/viewer/viewer_model.h"
#include "solvers/dense/matrix_kinds.h"

namespace tl {
namespace {

constexpr int kMostRows = 16384;

template <SvdSource source>
bool svd_is_of(const ViewerModel& model) {
    return svd_of(model).task.source == source;
}

void draw_kind(ViewerModel& model) {
    choose_id("Kind", matrix_kinds(), svd_of(model).task.input.spec.kind, DeviceKind::cpu);
}

void draw_extents(ViewerModel& model) {
    auto& spec = svd_of(model).task.input.spec;
    int extents[2] = {spec.rows, spec.cols};
    next_width();
    if (ImGui::InputInt2("Rows, columns", extents)) {
        spec.rows = std::clamp(extents[0], 1, kMostRows);
        spec.cols = std::clamp(extents[1], 1, kMostRows);
    }
    tooltip("Of the matrix that is made");
}

void draw_condition(ViewerModel& model) {
    auto& spec = svd_of(model).task.input.spec;
    auto exponent = static_cast<float>(std::log10(spec.condition));
    next_width();
    if (ImGui::SliderFloat("Condition", &exponent, 0, 16, "1e%.1f", ImGuiSliderFlags_AlwaysClamp))
        spec.condition = std::pow(10.0, static_cast<double>(exponent));
    tooltip("Its largest singular value, divided by its smallest");
}

void draw_file(ViewerModel& model) {
    const FileField field{.label = "File",
                          .hint = ".npy or .mtx",
                          .title = "Matrix to decompose",
                          .extensions = {".npy", ".mtx"}};
    draw_file_field(
        model, field, svd_of(model).task.input.file,
        [](ViewerModel& m, const std::string& path) { svd_of(m).task.input.file = path; });
}

void draw_form_factor_samples(ViewerModel& model) {
    auto& spec = svd_of(model).task.form_factors;
    next_width();
    ImGui::SliderInt("Samples", &spec.samples, 16, 4096, "%d",
                     ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_Logarithmic);
    tooltip("Points on each of the two clusters of surfaces: rows and columns of the matrix");
}

void draw_clusters(ViewerModel& model) {
    auto& spec = svd_of(model).task.form_factors;
    int level = 1;
    while ((2 << (level - 1)) < spec.n_clusters) ++level;
    next_width();
    auto text = std::to_string(spec.n_clusters);
    if (ImGui::SliderInt("Clusters", &level, 1, 8, text.c_str(), ImGuiSliderFlags_AlwaysClamp))
        spec.n_clusters = 1 << level;
    tooltip("Into which the scene's surfaces are divided");
}

void draw_cluster_distance(ViewerModel& model) {
    auto& spec = svd_of(model).task.form_factors;
    next_width();
    ImGui::SliderFloat("Distance", &spec.distance, 0.5f, 8, "%.1f radii",
                       ImGuiSliderFlags_AlwaysClamp);
    tooltip(
        "Desired distance between the two clusters, in sums of their radii; the nearest pair "
        "that sees at least half of each other is chosen");
}

void draw_source(ViewerModel& model) {
    auto& task = svd_of(model).task;
    constexpr const char* kSources[] = {"matrix", "file", "this frame", "form factors"};
    int source = static_cast<int>(task.source);
    next_width();
    if (ImGui::Combo("Input", &source, kSources, 4)) task.source = static_cast<SvdSource>(source);
    tooltip(
        "What is decomposed: a matrix that is made, or is in a file, this picture, or the light "
        "that two clusters of surfaces send each other");
    if (task.source == SvdSource::frame)
        ImGui::TextDisabled("luminance, %d x %d", model.session.extent().height,
                            model.session.extent().width);
}

void draw_mode(ViewerModel& model) {
    auto& task = svd_of(model).task;
    choose_id("Mode", svd_solvers(), task.mode, find_device(task.device).kind());
}

void draw_svd_device(ViewerModel& model) {
    choose_device("Device##svd", svd_of(model).task.device);
}

void draw_svd_precision(ViewerModel& model) {
    choose_precision("Precision", svd_of(model).task.single);
}

void draw_vectors(ViewerModel& model) {
    auto& task = svd_of(model).task;
    auto vectors = static_cast<int>(task.vectors);
    next_width();
    if (ImGui::Combo("Vectors", &vectors, "none\0thin\0full\0"))
        task.vectors = static_cast<SvdVectors>(vectors);
    tooltip("Singular vectors: none, as many as there are values, or whole bases");
}

void draw_rank(ViewerModel& model) {
    auto& task = svd_of(model).task;
    next_width();
    ImGui::DragInt("Rank", &task.rank, 1, 0, kMostRows, task.rank == 0 ? "all" : "%d",
                   ImGuiSliderFlags_AlwaysClamp);
    tooltip("How many of the largest singular values are found; drag, or double click to type");
}

bool svd_on_gpu(const ViewerModel& model) {
    return find_device(svd_of(model).task.device).kind() == DeviceKind::cuda;
}

void draw_svd_share(ViewerModel& model) {
    slide_gpu_share(svd_of(model).task.background);
}

void draw_run(ViewerModel& model) {
    auto& view = svd_of(model);
    if (!view.job.busy()) {
        if (run_button("Decomposes the matrix")) start_svd(model);
        draw_history_buttons(model, view);
        return;
    }
    draw_busy(view.job);
    if (auto note = cancel_note(view); !note.empty()) ImGui::TextWrapped("%s", note.c_str());
}

/// The kind of error that the plot shows.
void choose_error_kind(SvdView& view) {
    std::vector<const char*> titles;
    for (auto& kind : value_error_kinds()) titles.push_back(kind.title);
    next_width();
    ImGui::Combo("Errors", &view.error_kind, titles.data(), static_cast<int>(titles.size()));
    tooltip(
        "Of the values, over the exact ones or as they are, or of the entries of the vectors, "
        "which need vectors thin or full");
}

/// The measurement of errors over several matrices, and its newest result.
void draw_errors(ViewerModel& model) {
    auto& view = svd_of(model);
    if (std::exchange(view.reveal_errors, false)) ImGui::SetNextItemOpen(true);
    if (!ImGui::TreeNode("Errors of each value")) return;
    next_width();
    if (ImGui::InputInt("Matrices", &view.n_matrices))
        view.n_matrices = std::clamp(view.n_matrices, 1, 1000);
    tooltip("How many matrices of the kind above are made, with seeds one after the other");
    if (view.errors_job.busy()) {
        draw_busy(view.errors_job);
    } else {
        if (run_button("Decomposes each matrix by every mode of the device, and compares values "
                       "with those of a higher precision, vectors with LAPACK's in double,"))
            toggle_svd_errors(model);
        if (next_button("Copy CSV##errors", "Copies a row for each mode and value."))
            copy_svd_errors_csv(model);
        if (next_button("Copy JSON##errors", "Copies all errors, mode by mode."))
            copy_svd_errors_json(model);
    }
    if (!view.errors.values.empty()) {
        choose_error_kind(view);
        draw_value_errors(view.errors,
                          value_error_kinds()[static_cast<std::size_t>(view.error_kind)]);
    }
    ImGui::TreePop();
}

void draw_outcome(const SvdOutcome& outcome) {
    if (!outcome.error.empty()) return wrapped_text(error_color(), outcome.error);
    draw_spectrum(outcome.values);
    draw_stage_bars(outcome.stages);
    if (!begin_rows("svd")) return;
    row("matrix", outcome.what);
    row("size", formatted("%d x %d, %s", outcome.rows, outcome.cols, outcome.precision.c_str()));
    row("time", duration_of(outcome.seconds) + ", " + outcome.mode + ", " + outcome.device);
    int found = static_cast<int>(outcome.values.size());
    int rank = found < std::min(outcome.rows, outcome.cols) ? found : 0;
    double unit = rounding_unit(outcome.rows, outcome.cols, outcome.precision == "float");
    for (auto& [key, value] : outcome.accuracy.items()) {
        auto accuracy = svd_accuracy(key, value, unit, rank);
        row(accuracy.name.c_str(), accuracy.value,
            key == "residual" ? "||A - U S V^T|| / ||A||, in Frobenius norms"
                              : "Relative; eps is the rounding of the numbers");
    }
    if (outcome.multiprocessors > 0)
        row("ran on", std::to_string(outcome.multiprocessors) + " multiprocessors");
    auto rates = rates_text(outcome.rates);
    if (!rates.empty()) row("frames", rates);
    end_rows();
}

void draw_preview(ViewerModel& model) {
    auto& view = svd_of(model);
    if (!view.frame) return;
    int rank = view.rank;
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.8f);
    if (ImGui::SliderInt("Rank##preview", &rank, 1, view.most_rank(), "%d",
                         ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_Logarithmic))
        show_rank(model, rank);
    if (!view.preview.texture) return;
    auto& extent = view.preview.image.extent;
    float width = ImGui::GetContentRegionAvail().x;
    ImGui::Image(reinterpret_cast<ImTextureID>(view.preview.texture),
                 ImVec2(width, width * static_cast<float>(extent.height) /
                                   static_cast<float>(std::max(extent.width, 1))));
    ImGui::TextDisabled("%d triplets keep %.3f %% of the energy", view.picture.rank,
                        100 * view.picture.energy);
}

}  // namespace

std::vector<PanelWidget> svd_widgets() {
    return {{"Input: matrix, file, frame, form factors", draw_source},
            {"Kind of matrix", draw_kind, svd_is_of<SvdSource::kind>},
            {"Rows, columns", draw_extents, svd_is_of<SvdSource::kind>},
            {"Condition", draw_condition, svd_is_of<SvdSource::kind>},
            {"Matrix file", draw_file, svd_is_of<SvdSource::file>},
            {"Samples", draw_form_factor_samples, svd_is_of<SvdSource::form_factors>},
            {"Clusters", draw_clusters, svd_is_of<SvdSource::form_factors>},
            {"Distance", draw_cluster_distance, svd_is_of<SvdSource::form_factors>},
            {"Mode", draw_mode},
            {"Device", draw_svd_device},
            {"Precision", draw_svd_precision},
            {"Vectors", draw_vectors},
            {"Rank", draw_rank},
            {"Share of the GPU", draw_svd_share, svd_on_gpu},
            {"Run", draw_run}};
}

void draw_svd_panel(ViewerModel& model) {
    auto& view = svd_of(model);
    draw_purpose(
        "Decomposes a matrix into triplets, the strongest first. A plot that falls steeply means "
        "that few of them say nearly everything.");
    draw_widgets(model, svd_widgets());
    if (view.task.source == SvdSource::frame) draw_preview(model);
    if (!view.history.empty()) draw_outcome(view.history.back());
    draw_svd_history(view.history);
    if (view.task.source == SvdSource::kind) draw_errors(model);
}

}  // namespace tl

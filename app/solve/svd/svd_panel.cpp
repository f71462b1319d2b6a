#include <imgui/imgui.h>
#include <imgui/imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "app/jobs/format.h"
#include "app/panels/choice_list.h"
#include "app/panels/text.h"
#include "app/panels/widgets.h"
#include "app/solve/svd/svd_actions.h"
#include "app/solve/svd/svd_row.h"
#include "app/solve/svd/svd_widgets.h"
#include "solvers/dense/matrix_kinds.h"

namespace tl {
namespace {

constexpr int kMostRows = 16384;

template <class Rows>
void draw_list(const char* label, const Rows& rows, std::string& current, DeviceKind device) {
    auto chosen = choose_row(label, rows, current, device);
    if (!chosen.empty()) current = chosen;
}

void draw_kind(SvdTask& task) {
    auto& spec = task.input.spec;
    draw_list("kind", matrix_kinds(), spec.kind, DeviceKind::cpu);
    int extents[2] = {spec.rows, spec.cols};
    next_width();
    if (ImGui::InputInt2("rows, columns", extents)) {
        spec.rows = std::clamp(extents[0], 1, kMostRows);
        spec.cols = std::clamp(extents[1], 1, kMostRows);
    }
    auto exponent = static_cast<float>(std::log10(spec.condition));
    next_width();
    if (ImGui::SliderFloat("condition", &exponent, 0, 16, "1e%.1f", ImGuiSliderFlags_AlwaysClamp))
        spec.condition = std::pow(10.0, static_cast<double>(exponent));
}

void draw_file(SvdTask& task) {
    next_width();
    ImGui::InputText("file, .npy or .mtx", &task.input.file);
}

void draw_form_factors(SvdTask& task) {
    auto& spec = task.form_factors;
    next_width();
    ImGui::SliderInt("samples", &spec.samples, 16, 4096, "%d",
                     ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_Logarithmic);
    int level = 1;
    while ((2 << (level - 1)) < spec.n_clusters) ++level;
    next_width();
    auto text = std::to_string(spec.n_clusters);
    if (ImGui::SliderInt("clusters", &level, 1, 8, text.c_str(), ImGuiSliderFlags_AlwaysClamp))
        spec.n_clusters = 1 << level;
    next_width();
    ImGui::SliderFloat("distance", &spec.distance, 0.5f, 8, "%.1f radii",
                       ImGuiSliderFlags_AlwaysClamp);
    tooltip(
        "desired distance between the two clusters, in sums of their radii; the nearest pair "
        "that sees at least half of each other is chosen");
}

void draw_source(ViewerModel& model) {
    auto& task = svd_of(model).task;
    constexpr const char* kSources[] = {"matrix", "file", "this frame", "form factors"};
    int source = static_cast<int>(task.source);
    next_width();
    if (ImGui::Combo("decompose", &source, kSources, 4))
        task.source = static_cast<SvdSource>(source);
    if (task.source == SvdSource::kind) draw_kind(task);
    if (task.source == SvdSource::file) draw_file(task);
    if (task.source == SvdSource::form_factors) draw_form_factors(task);
    if (task.source == SvdSource::frame)
        ImGui::TextDisabled("luminance, %d x %d", model.session.film().extent().height,
                            model.session.film().extent().width);
}

void draw_method(SvdTask& task) {
    auto device = find_device(task.device).kind();
    draw_list("mode", svd_solvers(), task.mode, device);
    next_width();
    if (ImGui::BeginCombo("device##svd", task.device.c_str())) {
        if (ImGui::Selectable("auto", task.device == "auto")) task.device = "auto";
        for (auto* device : devices()) {
            const char* id = device_id(device->kind());
            if (ImGui::Selectable(id, task.device == id)) task.device = id;
        }
        ImGui::EndCombo();
    }
    int precision = task.single ? 1 : 0;
    next_width();
    if (ImGui::Combo("precision", &precision, "double\0float\0")) task.single = precision == 1;
    auto vectors = static_cast<int>(task.vectors);
    next_width();
    if (ImGui::Combo("vectors", &vectors, "none\0thin\0full\0"))
        task.vectors = static_cast<SvdVectors>(vectors);
    next_width();
    if (ImGui::InputInt("rank, 0: all", &task.rank)) task.rank = std::max(task.rank, 0);
    if (device != DeviceKind::cuda) return;
    for (auto& setting : task.background.settings()) {
        next_width();
        ImGui::SliderFloat("share of the GPU", *std::get_if<float*>(&setting.value),
                           static_cast<float>(setting.minimum), static_cast<float>(setting.maximum),
                           "%.2f", ImGuiSliderFlags_AlwaysClamp);
        tooltip(setting.help);
    }
}

/// Frame rates before, during and (if above 0) after the run; "" if no frames were rendered.
std::string frame_rates(const JobFrameRates& rates) {
    auto [before, now, after] = rates;
    if (!(before > 0 && now > 0)) return "";
    auto text = formatted("%.0f fps, meanwhile %.0f (%.0f %%)", before, now, 100 * now / before);
    return after > 0 ? text + formatted(", then %.0f", after) : text;
}

void draw_run(ViewerModel& model) {
    auto& view = svd_of(model);
    if (!view.job.busy()) {
        if (ImGui::Button("Decompose")) start_svd(model);
        tooltip(
            "Runs beside the frames: on a share of the GPU, or in one thread of low priority "
            "on the CPU. Either takes longer than `treelight solve svd`.");
        ImGui::SameLine();
        if (ImGui::Button("Copy CSV")) copy_svd_csv(model);
        ImGui::SameLine();
        if (ImGui::Button("Copy JSON")) copy_svd_json(model);
        return;
    }
    if (ImGui::Button("Cancel")) view.job.cancel();
    ImGui::SameLine();
    ImGui::ProgressBar(view.job.progress(), ImVec2(-1, 0), view.job.phase().c_str());
    auto now = model.statistics.rate().per_second();
    ImGui::TextDisabled("%s", frame_rates({view.job.rates().before, now, 0}).c_str());
    if (auto note = cancel_note(view); !note.empty()) ImGui::TextWrapped("%s", note.c_str());
}

void draw_outcome(const SvdOutcome& outcome) {
    if (!outcome.error.empty()) return wrapped_text(kErrorColor, outcome.error);
    draw_spectrum(outcome.values);
    draw_stage_bars(outcome.stages);
    if (!begin_rows("svd")) return;
    row("matrix", outcome.what);
    row("size", formatted("%d x %d, %s", outcome.rows, outcome.cols, outcome.precision.c_str()));
    row("time",
        formatted("%.4g s, %s, %s", outcome.seconds, outcome.mode.c_str(), outcome.device.c_str()));
    for (auto& [name, value] : outcome.accuracy.items())
        row(name == "orthogonality_u"   ? "U^T U - I"
            : name == "orthogonality_v" ? "V^T V - I"
            : name == "value_error"     ? "value error"
                                        : name.c_str(),
            formatted("%.2e", value.get<double>()));
    if (outcome.multiprocessors > 0)
        row("ran on", std::to_string(outcome.multiprocessors) + " multiprocessors");
    auto rates = frame_rates(outcome.rates);
    if (!rates.empty()) row("frames", rates);
    end_rows();
}

void draw_preview(ViewerModel& model) {
    auto& view = svd_of(model);
    if (!view.frame) return;
    int rank = view.rank;
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.8f);
    if (ImGui::SliderInt("rank##preview", &rank, 1, view.most_rank(), "%d",
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

void draw_svd_panel(ViewerModel& model) {
    auto& view = svd_of(model);
    draw_source(model);
    draw_method(view.task);
    draw_run(model);
    if (view.task.source == SvdSource::frame) draw_preview(model);
    if (!view.history.empty()) draw_outcome(view.history.back());
    draw_svd_history(view.history);
}

}  // namespace tl

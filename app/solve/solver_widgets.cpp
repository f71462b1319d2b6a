#include "app/solve/solver_widgets.h"

#include <imgui/imgui.h>

#include <limits>

#include "app/jobs/format.h"
#include "app/panels/widgets/widgets.h"

namespace tl {

void draw_purpose(const char* text) {
    wrapped_text(ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled), text);
    ImGui::Spacing();
}

void draw_widgets(ViewerModel& model, const std::vector<PanelWidget>& widgets) {
    for (auto& widget : widgets)
        if (!widget.present || widget.present(model)) widget.draw(model);
}

bool run_button(const std::string& what) {
    bool pressed = ImGui::Button("Run");
    tooltip(what +
            " in the background: on a fraction of the GPU, or in one thread of low priority on the "
            "CPU. Either takes longer than `treelight solve`.");
    return pressed;
}

void choose_device(const char* label, std::string& id) {
    next_width();
    bool open = ImGui::BeginCombo(label, id.c_str());
    if (!open) return tooltip("Where it is computed; auto: on a GPU where there is one");
    if (ImGui::Selectable("auto", id == "auto")) id = "auto";
    for (auto* device : devices()) {
        auto name = device->id();
        if (ImGui::Selectable(name.c_str(), id == name)) id = name;
    }
    draw_missing_device();
    ImGui::EndCombo();
}

void choose_precision(const char* label, bool& single) {
    int precision = single ? 1 : 0;
    next_width();
    if (ImGui::Combo(label, &precision, "double\0float\0")) single = precision == 1;
    tooltip("Of numbers: double has 16 decimal digits, float has 7 and is faster");
}

void slide_gpu_share(BackgroundConfig& background) {
    for (auto& setting : background.settings()) {
        next_width();
        ImGui::SliderFloat("Fraction of the GPU", std::get<float*>(setting.variable()),
                           static_cast<float>(setting->minimum),
                           static_cast<float>(setting->maximum), "%.2f",
                           ImGuiSliderFlags_AlwaysClamp);
        tooltip(setting->help);
    }
}

std::string rates_text(const JobFrameRates& rates) {
    auto [before, now, after] = rates;
    if (!(before > 0 && now > 0)) return "";
    auto text = frame_rate_text(before) + ", meanwhile " + frame_rate_text(now) +
                formatted(" (%.0f %%)", 100 * now / before);
    return after > 0 ? text + ", then " + frame_rate_text(after) : text;
}

bool next_button(const char* label, const char* text) {
    next_in_line(label);
    bool pressed = ImGui::Button(label);
    tooltip(text);
    return pressed;
}

void draw_busy(BackgroundWork& job) {
    if (ImGui::Button("Cancel")) job.cancel();
    ImGui::SameLine();
    ImGui::ProgressBar(job.progress(), ImVec2(-1, 0), job.phase().c_str());
    ImGui::TextDisabled("%s", rates_text(job.rates()).c_str());
}

}  // namespace tl

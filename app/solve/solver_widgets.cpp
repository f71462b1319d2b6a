#include "app/solve/solver_widgets.h"

#include <imgui/imgui.h>

#include "app/jobs/format.h"
#include "app/panels/widgets/widgets.h"

namespace tl {

void choose_device(const char* label, std::string& id) {
    next_width();
    bool open = ImGui::BeginCombo(label, id.c_str());
    if (!open) return tooltip("where it is computed; auto: on a GPU where there is one");
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
    tooltip("of numbers: double has 16 decimal digits, float has 7 and is faster");
}

void slide_gpu_share(BackgroundConfig& background) {
    for (auto& setting : background.settings()) {
        next_width();
        ImGui::SliderFloat("fraction of the GPU", std::get<float*>(setting.variable()),
                           static_cast<float>(setting->minimum),
                           static_cast<float>(setting->maximum), "%.2f",
                           ImGuiSliderFlags_AlwaysClamp);
        tooltip(setting->help);
    }
}

std::string rates_text(const JobFrameRates& rates) {
    auto [before, now, after] = rates;
    if (!(before > 0 && now > 0)) return "";
    auto text = formatted("%.3g fps, meanwhile %.3g (%.0f %%)", before, now, 100 * now / before);
    return after > 0 ? text + formatted(", then %.3g", after) : text;
}

bool next_button(const char* label, const char* text) {
    ImGui::SameLine();
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

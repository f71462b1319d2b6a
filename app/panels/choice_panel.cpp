#include <imgui/imgui.h>

#include "app/panels/panels.h"
#include "app/panels/settings_widgets.h"
#include "app/panels/text.h"
#include "app/viewer/viewer_actions.h"

namespace tl {
namespace {

/// A list of a registry's rows; those that the device cannot run are shown but not to be chosen.
template <class Rows>
void draw_registry(const char* label, const Rows& rows, const std::string& current,
                   ViewerModel& model, void (*choose)(ViewerModel&, const std::string&)) {
    bool cuda = model.session.device().kind() == DeviceKind::cuda;
    std::string title = current;
    for (auto& entry : rows)
        if (entry.id == current) title = entry.title;
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.7f);
    if (!ImGui::BeginCombo(label, title.c_str())) return;
    std::string chosen;
    for (auto& entry : rows) {
        bool possible = (cuda ? entry.make_cuda : entry.make_cpu) != nullptr;
        auto flags = possible ? ImGuiSelectableFlags_None : ImGuiSelectableFlags_Disabled;
        if (ImGui::Selectable(entry.title.c_str(), entry.id == current, flags)) chosen = entry.id;
        if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", entry.help.c_str());
    }
    ImGui::EndCombo();
    if (!chosen.empty() && chosen != current) choose(model, chosen);
}

void draw_device(ViewerModel& model) {
    auto& session = model.session;
    std::string chosen;
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.7f);
    if (ImGui::BeginCombo("device", session.device().name().c_str())) {
        for (auto* device : devices()) {
            bool current = device == &session.device();
            if (ImGui::Selectable(device->name().c_str(), current) && !current)
                chosen = device_id(device->kind());
        }
        if (!cuda_absence().empty()) {
            std::string text = "CUDA: " + cuda_absence();
            ImGui::Selectable(text.c_str(), false, ImGuiSelectableFlags_Disabled);
        }
        ImGui::EndCombo();
    }
    if (!chosen.empty()) choose_device(model, chosen);
    ImGui::TextDisabled("memory: %s used, %s free", byte_text(model.memory.bytes_in_use).c_str(),
                        byte_text(model.memory.bytes_free).c_str());
}

}  // namespace

void draw_renderer_panel(ViewerModel& model) {
    auto& session = model.session;
    draw_device(model);
    draw_registry("renderer", renderers(), session.renderer_id(), model, choose_renderer);
    draw_settings(model, session.renderer_id(), session.renderer_settings());
}

void draw_builder_panel(ViewerModel& model) {
    auto& session = model.session;
    draw_registry("tree", tree_builders(), session.builder_id(), model, choose_builder);
    draw_settings(model, session.builder_id(), session.builder_settings());
    draw_settings(model, "tree", session.tree_settings());
}

}  // namespace tl

#include <imgui/imgui.h>

#include "app/panels/panels.h"
#include "app/panels/widgets/choice_list.h"
#include "app/panels/widgets/settings_widgets.h"
#include "app/panels/widgets/text.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

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
        draw_missing_device();
        ImGui::EndCombo();
    }
    if (!chosen.empty()) choose_device(model, chosen);
    ImGui::TextDisabled("memory: %s used, %s free",
                        byte_text(model.status.memory.bytes_in_use).c_str(),
                        byte_text(model.status.memory.bytes_free).c_str());
}

}  // namespace

void draw_renderer_panel(ViewerModel& model) {
    auto& session = model.session;
    draw_device(model);
    auto chosen =
        choose_row("renderer", renderers(), session.renderer_id(), session.device().kind());
    if (!chosen.empty()) choose_renderer(model, chosen);
    draw_settings(model, session.settings().section(SectionKind::renderer));
}

void draw_builder_panel(ViewerModel& model) {
    auto& session = model.session;
    auto chosen =
        choose_row("tree", tree_builders(), session.builder_id(), session.device().kind());
    if (!chosen.empty()) choose_builder(model, chosen);
    draw_settings(model, session.settings().section(SectionKind::builder));
    draw_settings(model, session.settings().section(SectionKind::tree));
}

}  // namespace tl

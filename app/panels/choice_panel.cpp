#include <imgui/imgui.h>

#include "app/jobs/machine_report.h"
#include "app/panels/panels.h"
#include "app/panels/widgets/choice_list.h"
#include "app/panels/widgets/settings_widgets.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

std::string memory_text(const MemoryStats& memory) {
    return byte_text(memory.bytes_in_use) + " used, " + byte_text(memory.bytes_free) + " free";
}

void draw_device(ViewerModel& model) {
    auto& session = model.session;
    std::string chosen;
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.7f);
    if (ImGui::BeginCombo("Device", names_of(session.devices()).c_str())) {
        auto ids = ids_of(session.devices());
        for (auto& choice : device_choices()) {
            bool current = choice.ids == ids;
            auto label = choice.title + "##" + choice.ids;
            if (ImGui::Selectable(label.c_str(), current) && !current) chosen = choice.ids;
        }
        draw_missing_device();
        ImGui::EndCombo();
    }
    if (!chosen.empty()) choose_device(model, chosen);
    ImGui::TextDisabled("memory: %s", memory_text(model.status.memory).c_str());
    for (auto& [device, memory] : model.status.memory_of_others) {
        ImGui::TextDisabled("%s: %s", device->id().c_str(), memory_text(memory).c_str());
        tooltip(std::string("Pixels that it samples are copied ") +
                text_of(session.device().link_to(*device)) + ".");
    }
}

void draw_renderer_choice(ViewerModel& model) {
    auto& session = model.session;
    auto chosen =
        choose_row("Renderer", renderers(), session.renderer_id(), session.device().kind());
    if (!chosen.empty()) choose_renderer(model, chosen);
}

void draw_builder_choice(ViewerModel& model) {
    auto& session = model.session;
    auto chosen =
        choose_row("Tree", tree_builders(), session.builder_id(), session.device().kind());
    if (!chosen.empty()) choose_builder(model, chosen);
}

}  // namespace

std::vector<PanelWidget> renderer_widgets() {
    return {{"Device", draw_device}, {"Renderer", draw_renderer_choice}};
}

std::vector<PanelWidget> builder_widgets() {
    return {{"Tree builder", draw_builder_choice}};
}

void draw_renderer_panel(ViewerModel& model) {
    draw_device(model);
    draw_renderer_choice(model);
    draw_settings(model, model.session.settings().section(SectionKind::renderer));
}

void draw_builder_panel(ViewerModel& model) {
    auto& session = model.session;
    draw_builder_choice(model);
    draw_settings(model, session.settings().section(SectionKind::builder));
    draw_settings(model, session.settings().section(SectionKind::tree));
}

}  // namespace tl

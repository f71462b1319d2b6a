#include <imgui/imgui.h>

#include <filesystem>

#include "app/jobs/format.h"
#include "app/panels/panels.h"
#include "app/panels/widgets.h"

namespace tl {
namespace {

ImVec4 color_of(Messages::Level level) {
    if (level == Messages::Level::error) return kErrorColor;
    if (level == Messages::Level::warning) return kWarningColor;
    return kInfoColor;
}

/// The viewer's current activity.
std::string activity(const ViewerModel& model) {
    if (!model.stopped_by.empty()) return "stopped";
    if (model.paused) return "paused at " + std::to_string(model.session.samples()) + " spp";
    if (!model.accumulating()) return "done, " + std::to_string(model.session.samples()) + " spp";
    auto left = model.time_left.text();
    return formatted("%u spp, %.0f fps", model.session.samples(),
                     static_cast<double>(model.statistics.frames_per_second())) +
           (left.empty() ? "" : ", " + left);
}

void separator() {
    ImGui::SameLine();
    ImGui::TextDisabled("|");
    ImGui::SameLine();
}

}  // namespace

void draw_status_bar(ViewerModel& model) {
    auto& place = model.layout.status;
    if (place.width <= 0 || place.height <= 0) return;
    constexpr ImGuiWindowFlags kFlags =
        ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
        ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse;
    place_next_window(place);
    ImGui::PushStyleVar(
        ImGuiStyleVar_WindowPadding,
        ImVec2(ImGui::GetStyle().WindowPadding.x,
               (static_cast<float>(place.height) - ImGui::GetTextLineHeight()) / 2));
    if (ImGui::Begin("Status", nullptr, kFlags)) {
        auto& session = model.session;
        Extent picture = session.film().extent();
        ImGui::Text("%s", device_id(session.device().kind()));
        separator();
        ImGui::Text("%d x %d", picture.width, picture.height);
        separator();
        ImGui::TextUnformatted(activity(model).c_str());
        separator();
        ImGui::TextUnformatted(model.present.way.c_str());
        bool hovered = ImGui::IsItemHovered();
        if (!model.present.reason.empty()) {
            ImGui::SameLine();
            ImGui::TextDisabled("(%s)", model.present.reason.c_str());
            hovered |= ImGui::IsItemHovered();
        }
        if (hovered)
            ImGui::SetTooltip("How the picture is presented\n%s\n%s, %s",
                              session.device().name().c_str(), model.context.name().c_str(),
                              model.gl_renderer.c_str());
        if (model.loading.busy()) {
            separator();
            auto file = std::filesystem::path(model.loading.name()).filename().string();
            ImGui::TextColored(kInfoColor, "loading %s ... %.1f s", file.c_str(),
                               model.loading.seconds());
            ImGui::SameLine();
            if (ImGui::SmallButton("Cancel")) model.loading.cancel();
        } else if (!model.gate.title().empty()) {
            separator();
            ImGui::TextColored(kInfoColor, "%s ...", model.gate.title().c_str());
        } else if (!model.messages.current().empty()) {
            separator();
            ImGui::TextColored(color_of(model.messages.level()), "%s",
                               model.messages.current().c_str());
            tooltip(model.messages.current());
        }
    }
    ImGui::End();
    ImGui::PopStyleVar();
}

}  // namespace tl

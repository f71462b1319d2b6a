#include <imgui/imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "app/jobs/format.h"
#include "app/panels/panels.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/save_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

/// The viewer's current activity.
std::string activity(const ViewerModel& model) {
    if (!model.status.stopped_by.empty()) return "stopped";
    auto samples = model.session.samples();
    auto text = std::to_string(samples);
    if (auto most = model.options.stop_at; most > 0) text += " of " + std::to_string(most);
    text += " " + plural(model.options.stop_at > 0 ? model.options.stop_at : samples, "sample");
    if (model.view.paused) return "paused at " + text;
    if (!model.accumulating()) return "done, " + text;
    return text + ", " +
           frame_rate_text(static_cast<double>(model.status.statistics.frames_per_second()));
}

/// Draws a progress bar with a caption.
void draw_bar(float share, const std::string& text, float scale) {
    float width = std::max(ImGui::CalcTextSize(text.c_str()).x + 16 * scale, 110 * scale);
    float height = ImGui::GetTextLineHeight();
    ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::Dummy(ImVec2(width, height));
    auto& list = *ImGui::GetWindowDrawList();
    auto fill = [&](float part, ImGuiCol color) {
        list.AddRectFilled(at, ImVec2(at.x + part * width, at.y + height),
                           ImGui::GetColorU32(color), 3 * scale);
    };
    fill(1, ImGuiCol_FrameBg);
    fill(std::clamp(share, 0.0f, 1.0f), ImGuiCol_PlotHistogram);
    list.AddText(ImVec2(at.x + (width - ImGui::CalcTextSize(text.c_str()).x) / 2, at.y),
                 ImGui::GetColorU32(ImGuiCol_Text), text.c_str());
}

/// Draws the picture's progress, where its sampling has an end.
void draw_progress(const ViewerModel& model, float scale) {
    auto share = model.status.time_left.progress();
    if (!share || !model.accumulating() || model.view.paused || !model.status.stopped_by.empty())
        return;
    auto left = model.status.time_left.text();
    ImGui::SameLine();
    draw_bar(*share,
             formatted("%.0f %%", std::floor(100.0 * static_cast<double>(*share))) +
                 (left.empty() ? "" : ", " + left),
             scale);
    tooltip(
        "How much of the picture's samples is there, and how long the rest will take: until the "
        "'Max samples' (tab Film), or until every pixel has less noise than 'Noise threshold'.");
}

/// Draws a cancel button ahead of its description, so that it is never cut off; returns whether it
/// was pressed.
bool draw_cancel(const char* help) {
    bool pressed = ImGui::SmallButton("Cancel");
    tooltip(help);
    ImGui::SameLine();
    return pressed;
}

/// Draws the progress, if known, and its caption.
void draw_work(std::optional<double> share, const std::string& what, float scale) {
    if (share) {
        draw_bar(static_cast<float>(*share), formatted("%.0f %%", std::floor(100 * *share)), scale);
        ImGui::SameLine();
    }
    ImGui::TextColored(info_color(), "%s", what.c_str());
    tooltip(what);
}

/// Draws the scene being loaded, its progress, and a cancel button.
void draw_loading(SceneLoading& loading, float scale) {
    if (draw_cancel("Keeps the scene that is open.")) loading.cancel();
    auto progress = static_cast<double>(loading.progress());
    bool known = progress > 0 && progress < 1;
    auto file = std::filesystem::path(loading.name()).filename().string();
    draw_work(known ? std::optional(progress) : std::nullopt,
              formatted("%s: %s, %.1f s", file.c_str(), loading.phase().c_str(), loading.seconds()),
              scale);
}

/// Draws the work that is prepared in the background, its progress, and a cancel button.
void draw_preparation(ViewerModel& model, float scale) {
    auto& gate = model.gate;
    auto state = gate.share() ? gate.share()->state() : WorkShare::State{};
    auto title = gate.title();
    if (state.what) title += std::string(": ") + state.what;
    if (gate.can_cancel() && draw_cancel("Everything stays as it is.")) gate.cancel();
    draw_work(state.share, formatted("%s, %.1f s", title.c_str(), gate.seconds()), scale);
}

/// Draws the devices; the tooltip says how their pictures get to the screen.
void draw_devices(const ViewerModel& model) {
    ImGui::TextUnformatted(ids_of(model.session.devices()).c_str());
    if (!ImGui::IsItemHovered()) return;
    auto& present = model.status.present;
    auto way = present.way + (present.reason.empty() ? "" : " (" + present.reason + ")");
    show_tooltip("Device: " + names_of(model.session.devices()) +
                 "\nDisplay: " + model.context.name() + ", " + model.status.gl_renderer +
                 "\nPicture to display: " + way);
}

void separator() {
    ImGui::SameLine();
    ImGui::TextDisabled("|");
    ImGui::SameLine();
}

/// The newest message.
void draw_message(ViewerModel& model) {
    auto& text = model.status.messages.current();
    if (text.empty()) return;
    separator();
    auto& path = model.status.messages.path();
    if (!path.empty()) {
        bool opens = ImGui::SmallButton("Open folder");
        tooltip("Shows the folder of the file in the desktop's file manager.");
        if (opens) return open_folder(model, path);
        ImGui::SameLine();
    }
    ImGui::TextColored(color_of(model.status.messages.level()), "%s", text.c_str());
    bool clicked = ImGui::IsItemClicked();
    if (path.empty()) {
        if (clicked) model.view.log_open = true;
        return tooltip(text + "\nA click shows all messages (Ctrl+L).");
    }
    tooltip(text + "\nA click copies the path; Ctrl+L shows all messages.");
    if (clicked) copy_path(model.status.messages, path);
}

}  // namespace

void draw_status_bar(ViewerModel& model, float scale) {
    auto& place = model.view.layout.status;
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
        Extent picture = session.extent();
        draw_devices(model);
        separator();
        ImGui::Text("%d x %d", picture.width, picture.height);
        separator();
        ImGui::TextUnformatted(activity(model).c_str());
        tooltip("Samples per pixel so far, and how fast frames follow each other.");
        draw_progress(model, scale);
        if (model.document.loading.busy()) {
            separator();
            draw_loading(model.document.loading, scale);
        } else if (!model.gate.title().empty()) {
            separator();
            draw_preparation(model, scale);
        } else {
            draw_message(model);
        }
    }
    ImGui::End();
    ImGui::PopStyleVar();
}

}  // namespace tl

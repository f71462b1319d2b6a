// Notes over the picture: pictures that look broken, and the most useful keys at the first start.
#include <imgui/imgui.h>

#include <algorithm>
#include <utility>

#include "app/panels/panels.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/picture_notes.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

constexpr ImGuiWindowFlags kPlate =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
    ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoFocusOnAppearing |
    ImGuiWindowFlags_AlwaysAutoResize;

/// Places the next window in the middle of the picture's width; returns the width for its text.
float place_plate(const Rect& picture, float y, float pivot, float scale) {
    auto middle = static_cast<float>(picture.x) + 0.5f * static_cast<float>(picture.width);
    ImGui::SetNextWindowPos(ImVec2(middle, y), ImGuiCond_Always, ImVec2(0.5f, pivot));
    ImGui::SetNextWindowBgAlpha(0.88f);
    return std::min(560 * scale, static_cast<float>(picture.width) - 40 * scale);
}

}  // namespace

void draw_notes(ViewerModel& model, float scale) {
    model.status.notes = picture_notes(model);
    auto& picture = model.view.layout.picture;
    if (model.status.notes.empty() || picture.width < 160 * scale) return;
    // Below the labels of a comparison.
    float drop = model.view.compare.second ? 64 * scale : 12 * scale;
    float room = place_plate(picture, static_cast<float>(picture.y) + drop, 0, scale);
    if (ImGui::Begin("Notes", nullptr, kPlate)) {
        ImGui::PushTextWrapPos(room);
        for (auto& note : model.status.notes) {
            ImGui::TextColored(warning_color(), "%s", note.c_str());
            ImGui::PushID(note.c_str());
            if (ImGui::SmallButton("Close this note")) model.status.closed_notes.push_back(note);
            ImGui::PopID();
        }
        ImGui::PopTextWrapPos();
    }
    ImGui::End();
    auto& closed = model.status.closed_notes;
    std::erase_if(model.status.notes, [&](const std::string& note) {
        return std::ranges::find(closed, note) != closed.end();
    });
}

void draw_first_hint(ViewerModel& model, float scale) {
    auto& picture = model.view.layout.picture;
    // The hint would cover a small picture.
    bool room_for_it = picture.width >= 480 * scale && picture.height >= 320 * scale;
    if (!model.view.first_hint || !room_for_it) return;
    float lift = 16 * scale;
    float room =
        place_plate(picture, static_cast<float>(picture.y + picture.height) - lift, 1, scale);
    if (ImGui::Begin("First steps", nullptr, kPlate)) {
        constexpr std::pair<const char*, const char*> kKeys[] = {
            {"Drag, wheel", "turn about the scene, zoom; right drag moves across"},
            {"W A S D, Q E", "fly through the scene"},
            {"Click", "select an object, to move and edit it"},
            {"Ctrl+O", "open a scene or model"},
            {"Ctrl+F", "search settings and commands"},
            {"F1", "all keys; Tab hides the panel"}};
        ImGui::TextColored(info_color(), "First steps");
        ImGui::PushTextWrapPos(room);
        ImGui::TextUnformatted(
            "Treelight renders scenes by ray tracing, shows how their trees are built, and solves "
            "systems of equations on the same device.");
        ImGui::PopTextWrapPos();
        if (ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingFixedFit)) {
            for (auto& [key, what] : kKeys) {
                ImGui::TableNextRow();
                ImGui::TableNextColumn();
                ImGui::TextUnformatted(key);
                ImGui::TableNextColumn();
                ImGui::PushTextWrapPos(room);
                ImGui::TextDisabled("%s", what);
                ImGui::PopTextWrapPos();
            }
            ImGui::EndTable();
        }
        if (ImGui::Button("Got it")) {
            model.view.first_hint = false;
            model.preferences.knows_keys = true;
        }
        tooltip("Esc closes it, too. The menu Help shows this again; F1 has all keys.");
    }
    ImGui::End();
}

}  // namespace tl

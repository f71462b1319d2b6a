#include <imgui/imgui.h>
#include <imgui/imgui_stdlib.h>

#include <filesystem>

#include "app/panels/panels.h"
#include "app/panels/text.h"
#include "app/panels/widgets.h"
#include "app/viewer/viewer_actions.h"
#include "renderer/scene/loaders/loader.h"

namespace tl {
namespace {

namespace fs = std::filesystem;

/// Enters a typed folder; opens any other path as a scene.
void open_typed(ViewerModel& model, const std::string& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        browse(model, path);
        return;
    }
    model.browser.open = false;
    open_scene(model, path);
}

/// Draws the list; returns the entry that the user has chosen, or "".
std::string draw_entries(const FolderListing& listing) {
    std::string chosen;
    auto offer = [&](const char* label, const std::string& path) {
        if (ImGui::Selectable(label, false, ImGuiSelectableFlags_SpanAllColumns)) chosen = path;
    };
    fs::path folder(listing.path);
    if (!ImGui::BeginTable("entries", 2)) return chosen;
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("size", ImGuiTableColumnFlags_WidthFixed);
    if (folder.has_relative_path()) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        offer("../", folder.parent_path().string());
    }
    for (auto& entry : listing.entries) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        std::string label = entry.name + (entry.is_folder ? "/" : "");
        offer(label.c_str(), (folder / entry.name).string());
        ImGui::TableNextColumn();
        if (!entry.is_folder) ImGui::TextDisabled("%s", byte_text(entry.bytes).c_str());
    }
    ImGui::EndTable();
    return chosen;
}

void draw_recent(ViewerModel& model, std::string& chosen) {
    auto& recent = model.preferences.recent_files;
    ImGui::SetNextItemWidth(-1);
    if (recent.empty() || !ImGui::BeginCombo("##recent", "Recent files")) return;
    for (auto& path : recent)
        if (ImGui::Selectable(path.c_str())) chosen = path;
    ImGui::EndCombo();
}

}  // namespace

void draw_file_browser(ViewerModel& model, float scale) {
    constexpr const char* kId = "Open a scene";
    auto& browser = model.browser;
    // Only one dialog can be open: an error comes first.
    bool shown = browser.open && model.messages.dialog_title().empty(), stays = shown;
    bool appearing = shown && !ImGui::IsPopupOpen(kId);
    if (appearing) ImGui::OpenPopup(kId);
    center_next_window(620 * scale, 480 * scale);
    bool drawn =
        ImGui::BeginPopupModal(kId, &stays, ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove);
    if (shown && !stays) browser.open = false;
    if (!drawn) return;
    std::string chosen;
    if (appearing) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-ImGui::CalcTextSize("Open").x - 4 * ImGui::GetStyle().FramePadding.x);
    bool entered = ImGui::InputTextWithHint("##path", "path, or generate:NAME,key=value",
                                            &browser.typed, ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::SameLine();
    entered |= ImGui::Button("Open");
    if (entered && !browser.typed.empty()) chosen = browser.typed;
    draw_recent(model, chosen);

    ImGui::TextDisabled("%s", browser.listing.path.c_str());
    if (!browser.listing.error.empty())
        ImGui::TextColored(kErrorColor, "%s", browser.listing.error.c_str());
    if (ImGui::BeginChild("list", ImVec2(0, -ImGui::GetTextLineHeightWithSpacing()), true)) {
        auto clicked = draw_entries(browser.listing);
        if (!clicked.empty()) chosen = clicked;
    }
    ImGui::EndChild();
    std::string endings;
    for (auto& ending : scene_extensions()) endings += (endings.empty() ? "*" : " *") + ending;
    ImGui::TextDisabled("Shown: folders, scenes and models of %zu kinds",
                        scene_extensions().size());
    if (ImGui::IsItemHovered()) {
        ImGui::BeginTooltip();
        ImGui::PushTextWrapPos(30 * ImGui::GetFontSize());
        ImGui::TextUnformatted(endings.c_str());
        ImGui::PopTextWrapPos();
        ImGui::EndTooltip();
    }

    if (!chosen.empty()) open_typed(model, chosen);
    if (!browser.open) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

}  // namespace tl

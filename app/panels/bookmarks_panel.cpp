#include <imgui/imgui.h>
#include <imgui/imgui_stdlib.h>

#include <string>

#include "app/panels/panels.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/camera_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

void draw_keep_camera(ViewerModel& model) {
    int number = free_bookmark(model.document.scene.bookmarks);
    if (number > 0 && ImGui::Button("Keep this camera")) store_bookmark(model, number);
    tooltip(
        "Ctrl+1 to Ctrl+9 keep it under a number, Alt+1 to Alt+9 return to it; "
        "saving the scene saves them");
}

}  // namespace

std::vector<PanelWidget> bookmark_widgets() {
    return {{"Keep this camera", draw_keep_camera}};
}

void draw_bookmarks_panel(ViewerModel& model) {
    int shown = 0, replaced = 0, deleted = 0, renamed = 0;
    std::string name;
    for (auto& bookmark : model.document.scene.bookmarks) {
        ImGui::PushID(bookmark.number);
        ImGui::Text("%2d", bookmark.number);
        next_in_line("Go to");
        if (ImGui::SmallButton("Go to")) shown = bookmark.number;
        tooltip("Return to this camera" +
                (bookmark.number <= 9 ? " (Alt+" + std::to_string(bookmark.number) + ")" : ""));
        next_in_line("Replace");
        if (ImGui::SmallButton("Replace")) replaced = bookmark.number;
        tooltip("Replace it by the current camera");
        next_in_line("Delete");
        if (ImGui::SmallButton("Delete")) deleted = bookmark.number;
        tooltip("Forget this camera");
        ImGui::SameLine();
        ImGui::SetNextItemWidth(-1);
        std::string text = bookmark.name;
        if (ImGui::InputTextWithHint("##name", "name", &text)) {
            renamed = bookmark.number;
            name = text;
        }
        ImGui::PopID();
    }
    draw_keep_camera(model);
    if (shown > 0) go_to_bookmark(model, shown);
    if (replaced > 0) store_bookmark(model, replaced);
    if (deleted > 0) delete_bookmark(model, deleted);
    if (renamed > 0) rename_bookmark(model, renamed, name);
}

}  // namespace tl

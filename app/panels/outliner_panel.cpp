// The outliner: all parts of the scene as a tree, with their names, marks and menus.
#include <imgui/imgui.h>
#include <imgui/imgui_stdlib.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "app/panels/panels.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/camera_actions.h"
#include "app/viewer/actions/part_actions.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/imgui/keyboard.h"
#include "app/viewer/viewer_model.h"
#include "core/base/one_line.h"

namespace tl {
namespace {

constexpr std::size_t kMostSearched = 20'000;  ///< parts of a group
constexpr std::size_t kMostRowsOfGroup = 300;  ///< of a group; the search finds the others
constexpr int kFewRows = 30;                   ///< larger groups are closed at first

/// A row of the outliner. Actions that are null are not offered.
struct OutlinerRow {
    std::string id;  ///< "sphere 3"
    std::string title;
    bool selected = false;
    bool shown = true;
    std::function<void()> select{}, duplicate{}, remove{}, start_renaming{};
    std::function<void(bool shown)> show{};
    std::function<void(const std::string&)> rename{};
};

void draw_row_menu(const OutlinerRow& row) {
    if (!ImGui::BeginPopupContextItem("menu")) return;
    if (row.start_renaming && ImGui::MenuItem("Rename", "F2")) row.start_renaming();
    if (row.duplicate && ImGui::MenuItem("Duplicate", "Alt+D")) row.duplicate();
    if (row.show && ImGui::MenuItem(row.shown ? "Hide" : "Show", "Alt+H")) row.show(!row.shown);
    if (row.remove && ImGui::MenuItem("Delete", "Del")) row.remove();
    ImGui::EndPopup();
}

/// The field in which a name is typed, instead of the row.
void draw_name_field(const OutlinerRow& row, OutlinerView& view) {
    ImGui::SetNextItemWidth(-1);
    bool starts = view.takes_focus;
    if (starts) ImGui::SetKeyboardFocusHere();
    view.takes_focus = false;
    bool entered =
        ImGui::InputText("##name", &view.typed,
                         ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    bool left = ImGui::IsItemDeactivated();
    if (!entered && !left) return;
    view.renamed.clear();
    if (view.typed != row.title) row.rename(view.typed);  // Esc has brought the old one back
}

void draw_row(const OutlinerRow& row, OutlinerView& view) {
    ImGui::PushID(row.id.c_str());
    if (row.show) {
        bool shown = row.shown;
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, 0));
        if (ImGui::Checkbox("##shown", &shown)) row.show(shown);
        ImGui::PopStyleVar();
        tooltip(row.shown ? "Hide it" : "Show it");
        ImGui::SameLine();
    }
    if (view.renamed == row.id && row.rename) {
        draw_name_field(row, view);
    } else {
        ImVec2 at = ImGui::GetCursorScreenPos();
        if (ImGui::Selectable("##row", row.selected)) row.select();
        // Not as the label, of which "##" in a name would hide the rest.
        auto color = row.shown ? ImGui::GetStyleColorVec4(ImGuiCol_Text) : info_color();
        ImGui::GetWindowDrawList()->AddText(at, ImGui::GetColorU32(color),
                                            one_line(row.title).c_str());
        bool twice = ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
        if (twice && row.start_renaming) row.start_renaming();
        bool focused = ImGui::IsItemFocused() && reached_by_keys();
        if (focused && pressed(ImGuiKey_Delete) && row.remove) row.remove();
        draw_row_menu(row);
    }
    if (view.revealed == row.id) {
        ImGui::SetScrollHereY();
        view.revealed.clear();
    }
    ImGui::PopID();
}

/// A group of rows, such as the lights; `each` calls its argument for each row until that returns
/// false.
struct OutlinerGroup {
    const char* title;
    std::size_t count;
    std::function<void(const std::function<bool(const OutlinerRow&)>&)> each;
    std::vector<std::string> kinds;  ///< beginnings of its rows' ids

    [[nodiscard]] bool holds(const std::string& id) const {
        return std::ranges::any_of(kinds, [&](auto& kind) { return id.starts_with(kind + " "); });
    }
};

void draw_group(const OutlinerGroup& group, OutlinerView& view) {
    if (group.count == 0) return;
    bool searches = !view.search.empty();
    bool reveals = !view.revealed.empty() && group.holds(view.revealed);
    if (searches || reveals) ImGui::SetNextItemOpen(true);
    ImGuiTreeNodeFlags flags =
        group.count <= kFewRows ? ImGuiTreeNodeFlags_DefaultOpen : ImGuiTreeNodeFlags_None;
    auto title = std::string(group.title) + " (" + grouped(group.count) + ")###" + group.title;
    if (!ImGui::TreeNodeEx(title.c_str(), flags)) return;
    std::size_t n_rows = 0, n_left_out = 0, n_seen = 0;
    group.each([&](const OutlinerRow& row) {
        if (++n_seen > kMostSearched) return false;
        if (searches && !matches_search(view.search, row.title)) return true;
        if (n_rows++ < kMostRowsOfGroup)
            draw_row(row, view);
        else
            ++n_left_out;
        return searches ? n_left_out == 0 : n_rows <= kMostRowsOfGroup;
    });
    if (n_seen > kMostSearched)
        ImGui::TextDisabled("Only the first %zu parts are searched.", kMostSearched);
    else if (n_rows == 0)
        ImGui::TextDisabled("No part has this name.");
    if (n_left_out > 0) ImGui::TextDisabled("Search for a name to list the others.");
    ImGui::TreePop();
}

void open_name_field(OutlinerView& view, const std::string& row, const std::string& name) {
    view.renamed = row;
    view.typed = name;
    view.takes_focus = true;
}

OutlinerRow row_of(ViewerModel& model, const ItemId& id) {
    auto& edited = model.document.scene.edited;
    OutlinerRow row{.id = std::string(name_of(id.kind)) + " " + std::to_string(id.index),
                    .title = part_title(edited, id)};
    row.selected = selected_part(model) == id;
    row.shown = !edited.edits().marks.hidden.contains(id);
    row.select = [&model, id] {
        select(model, selection_with(model.document.scene.edited, id), false);
    };
    row.duplicate = [&model, id] { duplicate_part(model, id); };
    row.remove = [&model, id] { delete_part(model, id); };
    row.start_renaming = [&model, key = row.id, name = row.title] {
        open_name_field(model.view.outliner, key, name);
    };
    if (id.kind != ItemKind::material)
        row.show = [&model, id](bool shown) { show_part(model, id, shown); };
    row.rename = [&model, id](const std::string& name) { rename_part(model, id, name); };
    return row;
}

/// Whether a sphere is one of many that make up a cloud; moves `index` to the last of them.
bool skip_cloud(const EditedScene& edited, std::uint32_t& index) {
    for (auto& cloud : edited.clouds())
        if (!cloud.splats && index - cloud.first < cloud.count) {
            index = static_cast<std::uint32_t>(cloud.first + cloud.count - 1);
            return true;
        }
    return false;
}

OutlinerGroup group_of(ViewerModel& model, const char* title,
                       std::initializer_list<ItemKind> listed) {
    std::vector<ItemKind> kinds(listed);
    auto& edited = model.document.scene.edited;
    std::size_t count = 0;
    for (auto kind : kinds) count += edited.count(kind);
    for (auto& id : edited.edits().marks.deleted)
        count -= static_cast<std::size_t>(std::ranges::count(kinds, id.kind));
    bool spheres = std::ranges::count(kinds, ItemKind::sphere) > 0;
    for (auto& cloud : edited.clouds()) count -= spheres && !cloud.splats ? cloud.count : 0;
    auto each = [&model, kinds](const std::function<bool(const OutlinerRow&)>& draw) {
        auto& scene = model.document.scene.edited;
        for (auto kind : kinds)
            for (std::uint32_t i = 0; i < scene.count(kind); ++i) {
                if (kind == ItemKind::sphere && skip_cloud(scene, i)) continue;
                if (scene.edits().marks.deleted.contains({kind, i})) continue;
                if (!draw(row_of(model, {kind, i}))) return;
            }
    };
    std::vector<std::string> names;
    for (auto kind : kinds) names.emplace_back(name_of(kind));
    return {title, count, each, names};
}

OutlinerGroup cameras_of(ViewerModel& model) {
    auto& bookmarks = model.document.scene.bookmarks;
    auto each = [&model](const std::function<bool(const OutlinerRow&)>& draw) {
        const Bookmarks all = model.document.scene.bookmarks;  // rows may change them
        for (auto& bookmark : all) {
            int number = bookmark.number;
            OutlinerRow row{.id = "bookmark " + std::to_string(number), .title = bookmark.name};
            if (row.title.empty()) row.title = row.id;
            row.select = [&model, number] { go_to_bookmark(model, number); };
            row.remove = [&model, number] { delete_bookmark(model, number); };
            row.rename = [&model, number](const std::string& name) {
                rename_bookmark(model, number, name);
            };
            row.start_renaming = [&model, id = row.id, name = row.title] {
                open_name_field(model.view.outliner, id, name);
            };
            if (!draw(row)) return;
        }
    };
    return {"Cameras", bookmarks.size(), each, {"bookmark"}};
}

}  // namespace

void draw_outliner_panel(ViewerModel& model) {
    if (!can_edit(model)) return wrapped_text(info_color(), "This scene cannot be edited.");
    auto& view = model.view.outliner;
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##search", "search the scene", &view.search);
    constexpr float kMostLines = 16;
    float line = ImGui::GetTextLineHeightWithSpacing();
    float height = std::clamp(view.height, 2 * line, kMostLines * line);
    if (ImGui::BeginChild("parts", ImVec2(0, height), false, kNavigatedWithParent)) {
        using enum ItemKind;
        draw_group(group_of(model, "Objects", {mesh, patches, sphere, instance}), view);
        draw_group(group_of(model, "Clouds", {cloud}), view);
        draw_group(group_of(model, "Gaussians", {gaussians}), view);
        draw_group(group_of(model, "Lights", {light}), view);
        draw_group(group_of(model, "Materials", {material}), view);
        draw_group(cameras_of(model), view);
        view.height = ImGui::GetCursorPosY();
    }
    ImGui::EndChild();
    view.revealed.clear();
}

}  // namespace tl

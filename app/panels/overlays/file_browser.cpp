#include <imgui/imgui.h>
#include <imgui/imgui_stdlib.h>

#include <filesystem>
#include <utility>

#include "app/panels/panels.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/files/file_thumbnails.h"
#include "app/viewer/imgui/keyboard.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

namespace fs = std::filesystem;

/// Replaces the text of the field that has the keyboard.
void retype(ImGuiInputTextCallbackData& data, const std::string& text) {
    if (text == std::string(data.Buf, static_cast<std::size_t>(data.BufTextLen))) return;
    data.DeleteChars(0, data.BufTextLen);
    data.InsertChars(0, text.c_str());
}

/// Handles keys of the text field. Tab completes, or moves on where there is nothing to complete;
/// arrows select; an edit selects what begins with the text.
int on_typing(ImGuiInputTextCallbackData* data) {
    auto& browser = *static_cast<BrowserState*>(data->UserData);
    browser.typed.assign(data->Buf, static_cast<std::size_t>(data->BufTextLen));
    if (data->EventFlag == ImGuiInputTextFlags_CallbackHistory) {
        select_entry(browser, data->EventKey == ImGuiKey_UpArrow ? -1 : 1);
        retype(*data, browser.typed);
        return 0;
    }
    if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
        auto text = completed(browser);
        browser.leaves_field = text == browser.typed;
        browser.typed = text;
        retype(*data, browser.typed);
    }
    follow_typed(browser);
    return 0;
}

/// Draws the field for the name; returns whether the typed name was entered.
bool draw_field(BrowserState& browser, const char* action) {
    constexpr int kFlags = ImGuiInputTextFlags_EnterReturnsTrue |
                           ImGuiInputTextFlags_CallbackCompletion |
                           ImGuiInputTextFlags_CallbackHistory | ImGuiInputTextFlags_CallbackEdit;
    if (browser.takes_focus) ImGui::SetKeyboardFocusHere();
    browser.takes_focus = false;
    bool was_empty = browser.typed.empty();
    ImGui::SetNextItemWidth(-ImGui::CalcTextSize(action).x - 4 * ImGui::GetStyle().FramePadding.x);
    auto& request = browser.request;
    const char* hint = request.saves           ? "name of the file"
                       : request.names.empty() ? "file or folder"
                                               : "file, folder, or generate:NAME,key=value";
    std::string text = browser.typed;  // the field's own while the callback changes what is typed
    bool entered = ImGui::InputTextWithHint("##path", hint, &text, kFlags, on_typing, &browser);
    browser.typed = text;
    bool active = ImGui::IsItemActive();
    tooltip(
        "Names are relative to the folder below; ~ is your home.\n"
        "Arrow keys select, Tab completes or goes on, Enter takes the marked row, "
        "Backspace in the empty field goes to the parent folder.");
    if (active && was_empty && browser.typed.empty() && pressed(ImGuiKey_Backspace))
        enter_folder(browser, "..");
    ImGui::SameLine();
    if (std::exchange(browser.leaves_field, false)) {
        ImGui::SetKeyboardFocusHere();
        show_reached_item();
    }
    return ImGui::Button(action) || entered;
}

/// Draws the thumbnail and the name of a file; returns whether it was clicked.
bool draw_pictured(ViewerModel& model, const FolderEntry& entry, bool selected, ImVec2 size) {
    ImVec2 at = ImGui::GetCursorScreenPos();
    bool clicked = ImGui::Selectable(("##" + entry.name).c_str(), selected,
                                     ImGuiSelectableFlags_SpanAllColumns, ImVec2(0, size.y));
    // Only files that are seen are read.
    if (!ImGui::IsItemVisible()) return clicked;
    auto& list = *ImGui::GetWindowDrawList();
    auto picture = model.state<FileThumbnails>().picture(model.view.browser.listing.path, entry,
                                                         model.preferences);
    if (picture)
        list.AddImage(reinterpret_cast<ImTextureID>(picture->texture), at,
                      ImVec2(at.x + size.x, at.y + size.y),
                      ImVec2(picture->from.x, picture->from.y),
                      ImVec2(picture->to.x, picture->to.y));
    float line = ImGui::GetTextLineHeight();
    list.AddText(ImVec2(at.x + size.x + line / 2, at.y + (size.y - line) / 2),
                 ImGui::GetColorU32(ImGuiCol_Text), entry.name.c_str());
    return clicked;
}

/// Draws a cell of the list, in the middle of a row of this height.
void draw_cell(const std::string& text, float height) {
    ImGui::TableNextColumn();
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + (height - ImGui::GetTextLineHeight()) / 2);
    ImGui::TextDisabled("%s", text.c_str());
}

/// Draws the list; returns the entry that was clicked, or kNone.
int draw_entries(ViewerModel& model, float scale) {
    auto& browser = model.view.browser;
    int clicked = BrowserState::kNone;
    if (!ImGui::BeginTable("entries", 3)) return clicked;
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("size", ImGuiTableColumnFlags_WidthFixed);
    ImGui::TableSetupColumn("changed", ImGuiTableColumnFlags_WidthFixed);
    ImVec2 picture(64 * scale, 36 * scale);
    auto& entries = browser.listing.entries;
    for (int i = 0; i < static_cast<int>(entries.size()); ++i) {
        auto& entry = entries[static_cast<std::size_t>(i)];
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        bool selected = i == browser.selected;
        bool pictured = !entry.is_folder && FileThumbnails::may_show(entry.name);
        std::string label = entry.name + (entry.is_folder ? "/" : "");
        bool hit = pictured ? draw_pictured(model, entry, selected, picture)
                            : ImGui::Selectable(label.c_str(), selected,
                                                ImGuiSelectableFlags_SpanAllColumns);
        if (hit) clicked = i;
        if (selected && browser.reveals) ImGui::SetScrollHereY();
        float height = pictured ? picture.y : ImGui::GetTextLineHeight();
        draw_cell(entry.is_folder ? "" : byte_text(entry.bytes), height);
        draw_cell(date_text(entry.changed), height);
    }
    browser.reveals = false;
    ImGui::EndTable();
    return clicked;
}

/// Draws the list of recent files; returns whether one was chosen, which is then typed.
bool draw_recent(ViewerModel& model) {
    auto& recent = model.preferences.recent_files;
    ImGui::SetNextItemWidth(-1);
    bool chosen = false;
    if (recent.empty() || !ImGui::BeginCombo("##recent", "Recent files")) return false;
    for (auto& path : recent) {
        if (!ImGui::Selectable(path.c_str())) continue;
        model.view.browser.typed = path;
        chosen = true;
    }
    ImGui::EndCombo();
    return chosen;
}

/// Draws the list of formats that a file can be saved in.
void draw_formats(BrowserState& browser) {
    auto& formats = browser.request.formats;
    if (formats.empty()) return;
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x / 2);
    if (!ImGui::BeginCombo("Format", formats[browser.format].title.c_str()))
        return tooltip(formats[browser.format].help);
    for (std::size_t i = 0; i < formats.size(); ++i) {
        if (ImGui::Selectable(formats[i].title.c_str(), i == browser.format))
            choose_format(browser, i);
        tooltip(formats[i].help);
    }
    ImGui::EndCombo();
}

/// Draws the space that is left on the folder's disk, right-aligned in the current line.
void draw_free_space(const FolderListing& listing) {
    if (listing.bytes_free == 0) return;
    auto text = byte_text(listing.bytes_free) + " free";
    ImGui::SameLine(ImGui::GetContentRegionMax().x - ImGui::CalcTextSize(text.c_str()).x);
    ImGui::TextDisabled("%s", text.c_str());
    tooltip("Space left on the disk of this folder");
}

/// Draws the kinds of files that are listed.
void draw_kinds(const BrowserRequest& request) {
    std::string endings;
    for (auto& ending : request.extensions) endings += (endings.empty() ? "*" : " *") + ending;
    if (request.extensions.size() <= 4) {
        ImGui::TextDisabled("Shown: folders and %s", endings.c_str());
        return;
    }
    ImGui::TextDisabled("Shown: folders and files of %zu kinds", request.extensions.size());
    tooltip(endings);
}

}  // namespace

void draw_file_browser(ViewerModel& model, float scale) {
    auto& browser = model.view.browser;
    // ImGui knows the dialog by what follows ###, whatever its title.
    auto title = browser.request.title + "###browser";
    // Only one dialog can be open: an error or a question comes first.
    bool shown =
        browser.open && !model.document.question && model.status.messages.dialog_title().empty();
    bool stays = shown;
    if (shown && !ImGui::IsPopupOpen("###browser")) {
        ImGui::OpenPopup("###browser");
        browser.takes_focus = true;
    }
    center_next_window(620 * scale, 480 * scale);
    bool drawn = ImGui::BeginPopupModal(title.c_str(), &stays,
                                        ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove);
    if (shown && !stays) close_browser(browser);
    if (!drawn) return;
    const char* action = !browser.request.saves       ? "Open"
                         : browser.to_replace.empty() ? "Save"
                                                      : "Replace";
    bool chosen = draw_field(browser, action);
    if (!browser.request.saves) chosen |= draw_recent(model);
    draw_formats(browser);

    bool has_parent = fs::path(browser.listing.path).has_relative_path();
    if (ImGui::Button("Up") && has_parent) enter_folder(browser, "..");
    tooltip("The parent folder (Backspace in the empty field)");
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled("%s", browser.listing.path.c_str());
    if (!browser.listing.error.empty())
        wrapped_text(error_color(), "This folder cannot be read: " + browser.listing.error);
    if (!browser.fault.empty())
        wrapped_text(browser.to_replace.empty() ? error_color() : warning_color(), browser.fault);
    if (ImGui::BeginChild("list", ImVec2(0, -ImGui::GetTextLineHeightWithSpacing()), true,
                          kNavigatedWithParent)) {
        int clicked = draw_entries(model, scale);
        if (clicked != BrowserState::kNone) {
            browser.selected = clicked;
            select_entry(browser, 0);
            // A name to save under is shown for review before it is used.
            bool folder = browser.listing.entries[static_cast<std::size_t>(clicked)].is_folder;
            chosen |= folder || !browser.request.saves;
            browser.takes_focus = true;
        }
    }
    ImGui::EndChild();
    draw_kinds(browser.request);
    draw_free_space(browser.listing);

    if (chosen) choose_typed(model);
    if (!browser.open) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

}  // namespace tl

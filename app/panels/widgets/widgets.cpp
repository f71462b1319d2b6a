#include "app/panels/widgets/widgets.h"

#include <algorithm>
#include <string_view>

#include "app/viewer/imgui/keyboard.h"
#include "core/device/device.h"

namespace tl {

namespace {

bool is_light() {
    return ImGui::GetStyleColorVec4(ImGuiCol_WindowBg).x > 0.5f;
}

}  // namespace

ImVec4 error_color() {
    return is_light() ? ImVec4(0.75f, 0.10f, 0.06f, 1) : ImVec4(1.0f, 0.45f, 0.40f, 1);
}
ImVec4 warning_color() {
    return is_light() ? ImVec4(0.58f, 0.36f, 0.0f, 1) : ImVec4(0.95f, 0.75f, 0.35f, 1);
}
ImVec4 info_color() {
    return is_light() ? ImVec4(0.08f, 0.42f, 0.27f, 1) : ImVec4(0.60f, 0.86f, 0.72f, 1);
}

ImVec4 color_of(Messages::Level level) {
    if (level == Messages::Level::error) return error_color();
    if (level == Messages::Level::warning) return warning_color();
    return info_color();
}

void copy_path(Messages& messages, const std::string& path) {
    auto copied = path;  // the message may be what holds it
    ImGui::SetClipboardText(copied.c_str());
    messages.info("copied " + copied);
}

std::string capitalised(std::string text) {
    auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
    auto end = std::ranges::find_if_not(text, is_small);
    bool is_word =
        end == text.end() || std::string_view(" ,;:-\n").find(*end) != std::string_view::npos;
    if (end != text.begin() && is_word) text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

namespace {

void show_tooltip_within(const std::string& text, float room) {
    if (text.empty()) return;
    auto shown = capitalised(text);
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(std::min(30 * ImGui::GetFontSize(), room));
    ImGui::TextUnformatted(shown.c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

}  // namespace

void show_tooltip(const std::string& text) {
    show_tooltip_within(text, 0.9f * ImGui::GetIO().DisplaySize.x);
}

void show_tooltip_beside_menu(const std::string& text) {
    if (text.empty()) return;
    auto& display = ImGui::GetIO().DisplaySize;
    auto padding = ImGui::GetStyle().WindowPadding;
    float left = ImGui::GetWindowPos().x, right = left + ImGui::GetWindowWidth();
    bool leftwards = left > display.x - right;
    float room = (leftwards ? left : display.x - right) - 3 * padding.x;
    float wraps = std::min(30 * ImGui::GetFontSize(), room);
    float height = ImGui::CalcTextSize(text.c_str(), nullptr, false, wraps).y + 2 * padding.y;
    float y = std::max(0.0f, std::min(ImGui::GetItemRectMin().y, display.y - height));
    ImGui::SetNextWindowPos(ImVec2(leftwards ? left - padding.x : right + padding.x, y),
                            ImGuiCond_Always, ImVec2(leftwards ? 1.0f : 0.0f, 0));
    show_tooltip_within(text, room);
}

void tooltip(const std::string& text) {
    // While text is typed into the widget, it would hide what is below.
    bool types = ImGui::IsItemActive() && ImGui::GetIO().WantTextInput;
    if (ImGui::IsItemHovered() && !types) show_tooltip(text);
}

void state_box(ViewerModel& model, const char* label, bool is_on, const char* help,
               void (*toggle)(ViewerModel&)) {
    bool clicked = ImGui::Checkbox(label, &is_on);
    tooltip(help);
    if (clicked) toggle(model);
}

bool reached_by_keys() {
    return ImGui::GetIO().NavVisible && ImGui::IsItemFocused();
}

bool asks_to_reset() {
    bool reached = reached_by_keys() && !ImGui::IsItemActive();
    return ImGui::IsItemClicked(ImGuiMouseButton_Right) || (reached && pressed(ImGuiKey_Delete));
}

void draw_column_names() {
    SkippedByKeys nothing_to_choose(SkippedByKeys::all_keys);
    ImGui::TableHeadersRow();
}

void draw_missing_device() {
    auto& reason = cuda_absence();
    if (reason.empty()) return;
    ImGui::Selectable(("CUDA: " + reason).c_str(), false, ImGuiSelectableFlags_Disabled);
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
        show_tooltip("CUDA cannot be used: " + reason);
}

void scroll_by_keys() {
    float line = ImGui::GetTextLineHeightWithSpacing(), page = ImGui::GetWindowHeight() - 4 * line;
    float farthest = ImGui::GetScrollMaxY(), way = 0;
    if (pressed(ImGuiKey_UpArrow)) way = -2 * line;
    if (pressed(ImGuiKey_DownArrow)) way = 2 * line;
    if (pressed(ImGuiKey_PageUp)) way = -page;
    if (pressed(ImGuiKey_PageDown)) way = page;
    if (pressed(ImGuiKey_Home)) way = -farthest;
    if (pressed(ImGuiKey_End)) way = farthest;
    if (way != 0) ImGui::SetScrollY(std::clamp(ImGui::GetScrollY() + way, 0.0f, farthest));
}

void next_width(float least) {
    constexpr float kShare = 0.52f, kLargestShare = 0.72f;
    float room = ImGui::GetContentRegionAvail().x;
    ImGui::SetNextItemWidth(std::clamp(least, kShare * room, kLargestShare * room));
}

float width_of_choice(const char* choice) {
    return ImGui::CalcTextSize(choice).x + ImGui::GetFrameHeight() +
           3 * ImGui::GetStyle().FramePadding.x;
}

void next_in_line(const char* label) {
    auto& style = ImGui::GetStyle();
    // The width of a box with its label, which exceeds that of a button.
    float width = ImGui::CalcTextSize(label, nullptr, true).x + ImGui::GetFrameHeight() +
                  style.ItemInnerSpacing.x;
    ImGui::SameLine();
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

void wrapped_text(const ImVec4& color, const std::string& text) {
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::TextWrapped("%s", text.c_str());
    ImGui::PopStyleColor();
}

void draw_axis(const std::string& first, const std::string& name, const std::string& last) {
    float left = ImGui::GetCursorPosX(), room = ImGui::GetContentRegionAvail().x;
    auto width = [](const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; };
    ImGui::TextDisabled("%s", first.c_str());
    float gap = ImGui::GetStyle().ItemSpacing.x;
    if (width(first) + width(name) + width(last) + 2 * gap < room) {
        ImGui::SameLine(left + (room - width(name)) / 2);
        ImGui::TextDisabled("%s", name.c_str());
    }
    ImGui::SameLine(left + room - width(last));
    ImGui::TextDisabled("%s", last.c_str());
}

void draw_scale_top(const std::string& text) {
    auto corner = ImGui::GetItemRectMin();
    auto padding = ImGui::GetStyle().FramePadding;
    ImGui::GetWindowDrawList()->AddText(ImVec2(corner.x + padding.x, corner.y + padding.y / 2),
                                        ImGui::GetColorU32(ImGuiCol_TextDisabled), text.c_str());
}

void center_next_window(float width, float height) {
    auto& display = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos(ImVec2(display.x / 2, display.y / 2), ImGuiCond_Always,
                            ImVec2(0.5f, 0.5f));
    ImGui::SetNextWindowSize(
        ImVec2(std::min(width, display.x - 16), std::min(height, display.y - 16)));
}

void place_next_window(const Rect& place) {
    ImGui::SetNextWindowPos(ImVec2(static_cast<float>(place.x), static_cast<float>(place.y)));
    ImGui::SetNextWindowSize(
        ImVec2(static_cast<float>(place.width), static_cast<float>(place.height)));
}

}  // namespace tl

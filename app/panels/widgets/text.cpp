#include "app/panels/widgets/text.h"

#include <imgui/imgui.h>

#include "app/jobs/format.h"
#include "app/panels/widgets/widgets.h"

namespace tl {

std::string grouped(std::uint64_t number) {
    std::string digits = std::to_string(number), text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
        text += digits[i];
    }
    return text;
}

std::string byte_text(std::uint64_t bytes) {
    constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1000 && unit + 1 < std::size(kUnits); ++unit) value /= 1000;
    return formatted(unit && value < 100 ? "%.1f %s" : "%.0f %s", value, kUnits[unit]);
}

bool begin_rows(const char* id, float names) {
    float room = ImGui::GetContentRegionAvail().x;
    if (!ImGui::BeginTable(id, 2, ImGuiTableFlags_None)) return false;
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed,
                            names > 0 ? names * room : ImGui::CalcTextSize("device memory ").x);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
    return true;
}

void row(const char* name, const std::string& value, const std::string& tooltip) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushTextWrapPos(0);
    ImGui::TextDisabled("%s", name);
    ImGui::PopTextWrapPos();
    ImGui::TableNextColumn();
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(value.c_str());
    ImGui::PopTextWrapPos();
    if (ImGui::IsItemHovered()) show_tooltip(tooltip);
}

void end_rows() {
    ImGui::EndTable();
}

}  // namespace tl

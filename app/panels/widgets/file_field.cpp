#include "app/panels/widgets/file_field.h"

#include <imgui/imgui.h>
#include <imgui/imgui_stdlib.h>

#include <filesystem>
#include <string_view>

#include "app/panels/widgets/widgets.h"
#include "app/viewer/viewer_model.h"
#include "core/base/paths.h"

namespace tl {

bool draw_file_field(ViewerModel& model, const FileField& field, std::string& path,
                     std::function<void(ViewerModel&, const std::string& path)> choose) {
    ImGui::PushID(field.label);
    float height = ImGui::GetFrameHeight(), gap = ImGui::GetStyle().ItemInnerSpacing.x;
    next_width();
    float width = ImGui::CalcItemWidth() - height - gap;
    ImGui::SetNextItemWidth(std::max(width, height));
    ImGuiInputTextFlags flags = field.on_enter ? ImGuiInputTextFlags_EnterReturnsTrue : 0;
    bool changed = ImGui::InputTextWithHint("##path", field.hint, &path, flags);
    if (!path.empty()) tooltip(path);
    ImGui::SameLine(0, gap);
    bool browses = ImGui::Button("...", ImVec2(height, 0));
    tooltip("Browse");
    ImGui::SameLine(0, gap);
    // The suffix after "##" distinguishes fields of the same label.
    std::string_view label(field.label);
    label = label.substr(0, label.find("##"));
    ImGui::TextUnformatted(label.data(), label.data() + label.size());
    ImGui::PopID();
    if (!browses) return changed;
    std::filesystem::path known(with_home(path));
    auto folder = known.has_parent_path() ? known.parent_path().string() : std::string();
    auto name = field.saves ? known.filename().string() : std::string();
    ask_for_file(model.view.browser,
                 {.title = field.title,
                  .extensions = field.extensions,
                  .choose = std::move(choose),
                  .saves = field.saves,
                  .suggested_name = name},
                 folder.empty() ? model.preferences.last_folder : folder);
    return changed;
}

}  // namespace tl

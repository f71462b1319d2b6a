// The window About: version, device, licences of the program and of the packages in use.
#include <imgui/imgui.h>

#include <array>
#include <sstream>
#include <string>
#include <vector>

#include "app/jobs/machine_report.h"
#include "app/panels/panels.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/viewer_model.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/scene/loaders/data_files.h"

namespace tl {
namespace {

/// Cells of a row: package, use, licence.
using PackageRow = std::array<std::string, 3>;

std::string trimmed(const std::string& text) {
    auto begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
    return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// The rows of the first table of THIRD_PARTY.md; none where the file is not beside the program.
std::vector<PackageRow> read_packages() {
    std::vector<PackageRow> rows;
    auto path = find_data_file("THIRD_PARTY.md");
    if (path.empty()) return rows;
    std::istringstream lines(read_text_file(path, {}));
    bool in_table = false;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with('|')) {
            if (in_table) break;
            continue;
        }
        in_table = true;
        PackageRow row;
        std::istringstream cells(line.substr(1));
        for (auto& cell : row)
            if (std::string text; std::getline(cells, text, '|')) cell = trimmed(text);
        if (!row[0].starts_with("---") && row[0] != "Package") rows.push_back(row);
    }
    return rows;
}

void draw_program(const ViewerModel& model) {
    if (!begin_rows("program")) return;
    row("version", program_version());
#if defined(NDEBUG)
    row("build", "Release, compiler " __VERSION__);
#else
    row("build", "Debug, compiler " __VERSION__);
#endif
    row("device", names_of(model.session.devices()));
    if (auto& reason = cuda_absence(); !reason.empty()) row("CUDA", reason);
    row("display", model.status.gl_renderer + ", OpenGL " + model.status.gl_version);
    row("licence", "MIT; the file LICENSE has the text");
    auto manual = find_data_file("docs/viewer.md");
    row("manual", manual.empty() ? "docs/ of the sources" : manual);
    end_rows();
}

void draw_packages() {
    static const auto rows = [] {
        try {
            return read_packages();
        } catch (const UserError&) {
            return std::vector<PackageRow>{};
        }
    }();
    ImGui::TextColored(info_color(), "Packages in use");
    if (rows.empty())
        return wrapped_text(ImGui::GetStyleColorVec4(ImGuiCol_Text),
                            "THIRD_PARTY.md of the sources lists them with their licences.");
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY;
    if (!ImGui::BeginTable("packages", 3, kFlags)) return;
    scroll_by_keys();
    ImGui::TableSetupColumn("Package", ImGuiTableColumnFlags_WidthStretch, 1.4f);
    ImGui::TableSetupColumn("Use", ImGuiTableColumnFlags_WidthStretch, 1.2f);
    ImGui::TableSetupColumn("Licence", ImGuiTableColumnFlags_WidthStretch, 1);
    draw_column_names();
    for (auto& cells : rows) {
        ImGui::TableNextRow();
        for (auto& cell : cells) {
            ImGui::TableNextColumn();
            ImGui::TextWrapped("%s", cell.c_str());
        }
    }
    ImGui::EndTable();
}

}  // namespace

void draw_about(ViewerModel& model, float scale) {
    if (!model.view.about_open) return;
    center_next_window(720 * scale, 560 * scale);
    constexpr ImGuiWindowFlags kFlags =
        ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove;
    if (ImGui::Begin("About Treelight", &model.view.about_open, kFlags)) {
        draw_program(model);
        if (ImGui::Button("Close (Esc)")) model.view.about_open = false;
        ImGui::Spacing();
        draw_packages();
    }
    ImGui::End();
}

}  // namespace tl

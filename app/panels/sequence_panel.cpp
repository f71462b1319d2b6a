#include <imgui/imgui.h>
#include <imgui/imgui_stdlib.h>

#include <algorithm>

#include "app/panels/panels.h"
#include "app/panels/widgets.h"
#include "app/viewer/sequence_export.h"
#include "app/viewer/viewer_actions.h"

namespace tl {
namespace {

constexpr int kMostSequenceFrames = 1'000'000, kLargestSide = 16384;

void draw_kind(SequenceExport::Choices& choices) {
    struct Row {
        SequenceKind kind;
        const char *title, *help;
    };
    constexpr Row kRows[] = {
        {SequenceKind::still, "as it is", "The camera stays; what moves is the scene"},
        {SequenceKind::turntable, "turntable", "The camera turns once about its target"},
        {SequenceKind::path, "path", "The camera follows a file of cameras with times"}};
    for (auto& row : kRows) {
        if (&row != kRows) ImGui::SameLine();
        if (ImGui::RadioButton(row.title, choices.kind == row.kind)) choices.kind = row.kind;
        tooltip(row.help);
    }
    if (choices.kind != SequenceKind::path) return;
    next_width();
    ImGui::InputTextWithHint("cameras", "path.toml", &choices.camera_path);
}

void draw_numbers(ViewerModel& model, SequenceExport::Choices& choices) {
    next_width();
    if (ImGui::InputInt("frames", &choices.frames))
        choices.frames = std::clamp(choices.frames, 1, kMostSequenceFrames);
    if (model.moves()) {
        ImGui::SameLine();
        if (ImGui::SmallButton("all"))
            choices.frames = SequenceExport::frames_of_motion(model, choices.fps);
        tooltip("As many as the scene's motion has");
    }
    next_width();
    if (ImGui::InputFloat("frames a second", &choices.fps, 1, 10, "%.3g"))
        choices.fps = std::clamp(choices.fps, 0.1f, 1000.0f);
    next_width();
    if (ImGui::InputInt("samples a pixel", &choices.spp))
        choices.spp = std::clamp(choices.spp, 1, 1 << 20);
    int size[2] = {choices.size.width, choices.size.height};
    if (choices.size.pixels() == 0) {
        size[0] = model.layout.picture.width;
        size[1] = model.layout.picture.height;
    }
    next_width();
    if (ImGui::InputInt2("size", size))
        choices.size = {std::clamp(size[0], 1, kLargestSide), std::clamp(size[1], 1, kLargestSide)};
}

}  // namespace

void draw_sequence_panel(ViewerModel& model) {
    auto& sequence = model.state<SequenceExport>();
    auto& choices = sequence.choices;
    if (sequence.active()) {
        ImGui::ProgressBar(sequence.progress(), ImVec2(-1, 0));
        ImGui::TextUnformatted(sequence.progress_text().c_str());
        if (ImGui::Button("Cancel")) sequence.cancel();
        return;
    }
    draw_kind(choices);
    draw_numbers(model, choices);
    next_width();
    ImGui::InputText("output", &choices.output);
    tooltip(
        "Names with a number, such as frame_%04d.png or .exr; or a video: .mp4, .mkv, .mov, "
        ".webm,\n"
        "which ffmpeg makes");
    ImGui::Checkbox("keep the pictures that are there", &choices.resume);
    if (ImGui::Button("Render")) sequence.start(model);
}

std::vector<ViewerCommand> sequence_commands() {
    std::vector<ViewerCommand> commands;
    add_menu(commands, "File",
             {{"Sequence...",
               "Render a sequence of pictures, or a video.",
               {{Key::f12, {.control = true}}},
               [](ViewerModel& m) {
                   m.interface_visible = true;
                   reveal_section(m, "sequence");
               }}});
    return commands;
}

}  // namespace tl

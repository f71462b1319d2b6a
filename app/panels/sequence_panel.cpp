#include <imgui/imgui.h>

#include <algorithm>

#include "app/panels/panels.h"
#include "app/panels/widgets/file_field.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/files/sequence_export.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

constexpr int kMostSequenceFrames = 1'000'000, kLargestSide = 16384;

void draw_sequence_kind(ViewerModel& model) {
    auto& sequence = model.state<SequenceExport>();
    auto& choices = sequence.choices;
    struct Row {
        CameraMotion kind;
        const char *title, *help;
    };
    constexpr Row kRows[] = {
        {CameraMotion::still, "still camera", "The camera stays; the scene moves"},
        {CameraMotion::turntable, "turntable", "The camera turns once about its target"},
        {CameraMotion::bookmarks, "bookmarks", "The camera goes through the bookmarks, by number"},
        {CameraMotion::path, "camera path", "The camera follows a file of cameras with times"}};
    for (auto& row : kRows) {
        // Two lines of two, so that all fit the narrowest panel.
        if ((&row - kRows) % 2 != 0) ImGui::SameLine(ImGui::GetContentRegionAvail().x / 2);
        if (ImGui::RadioButton(row.title, choices.kind == row.kind)) sequence.choose(row.kind);
        tooltip(row.help);
    }
    if (choices.kind == CameraMotion::bookmarks) {
        next_width();
        if (ImGui::InputFloat("Seconds between", &choices.bookmark_seconds, 0.1f, 1, "%.3g"))
            choices.bookmark_seconds = std::clamp(choices.bookmark_seconds, 0.01f, 1000.0f);
        tooltip("From each bookmark to the next");
    }
    if (choices.kind != CameraMotion::path) return;
    const FileField field{.label = "cameras",
                          .hint = "path.toml",
                          .title = "Cameras with times",
                          .extensions = {".toml", ".json"}};
    draw_file_field(model, field, choices.camera_path, [](ViewerModel& m, const std::string& path) {
        m.state<SequenceExport>().choices.camera_path = path;
    });
}

void draw_frame_count(ViewerModel& model) {
    auto& sequence = model.state<SequenceExport>();
    auto& choices = sequence.choices;
    sequence.count_frames(model);
    next_width();
    if (ImGui::InputInt("Frames", &choices.frames)) {
        choices.frames = std::clamp(choices.frames, 1, kMostSequenceFrames);
        choices.all = false;
    }
    tooltip("Number of pictures, or of frames of the video");
    if (sequence.has_end(model)) {
        next_in_line("All");
        ImGui::Checkbox("All", &choices.all);
        tooltip("As many as the motion has, of the scene or through the bookmarks");
    }
}

void draw_frame_rate(ViewerModel& model) {
    auto& choices = model.state<SequenceExport>().choices;
    next_width();
    if (ImGui::InputFloat("Frames per second", &choices.fps, 1, 10, "%.3g"))
        choices.fps = std::clamp(choices.fps, 0.1f, 1000.0f);
    tooltip("How fast the scene moves from picture to picture, and a video plays");
}

void draw_sequence_samples(ViewerModel& model) {
    auto& choices = model.state<SequenceExport>().choices;
    next_width();
    if (ImGui::InputInt("Samples per pixel", &choices.spp))
        choices.spp = std::clamp(choices.spp, 1, 1 << 20);
    tooltip("More samples have less noise and take longer");
}

void draw_sequence_size(ViewerModel& model) {
    auto& choices = model.state<SequenceExport>().choices;
    int size[2] = {choices.size.width, choices.size.height};
    if (choices.size.pixels() == 0) {
        size[0] = model.view.layout.picture.width;
        size[1] = model.view.layout.picture.height;
    }
    next_width();
    if (ImGui::InputInt2("Resolution", size))
        choices.size = {std::clamp(size[0], 1, kLargestSide), std::clamp(size[1], 1, kLargestSide)};
    tooltip("Width and height of the pictures, pixels");
}

void draw_sequence_output(ViewerModel& model) {
    auto& choices = model.state<SequenceExport>().choices;
    const FileField field{.label = "output",
                          .hint = "frame_%04d.png",
                          .title = "Write the sequence as",
                          .extensions = {".png", ".exr", ".mp4", ".mkv", ".mov", ".webm"},
                          .saves = true};
    draw_file_field(model, field, choices.output, [](ViewerModel& m, const std::string& path) {
        m.state<SequenceExport>().choices.output = path;
    });
    tooltip(
        "Names with a number, such as frame_%04d.png or .exr; or a video: .mp4, .mkv, .mov, "
        ".webm, "
        "which ffmpeg makes");
}

void draw_resume_box(ViewerModel& model) {
    ImGui::Checkbox("Keep existing pictures", &model.state<SequenceExport>().choices.resume);
    tooltip("Renders only those whose files are missing, to go on with a sequence that was ended.");
}

void draw_sequence_start(ViewerModel& model) {
    if (ImGui::Button("Render")) model.state<SequenceExport>().start(model);
    tooltip("Renders in the background, into these files");
}

bool is_at_rest(const ViewerModel& model) {
    return !model.state<SequenceExport>().active();
}

}  // namespace

std::vector<PanelWidget> sequence_widgets() {
    return {{"Motion of the camera", draw_sequence_kind, is_at_rest},
            {"Frames", draw_frame_count, is_at_rest},
            {"Frames per second", draw_frame_rate, is_at_rest},
            {"Samples per pixel", draw_sequence_samples, is_at_rest},
            {"Resolution", draw_sequence_size, is_at_rest},
            {"Output", draw_sequence_output, is_at_rest},
            {"Keep existing pictures", draw_resume_box, is_at_rest},
            {"Render the sequence", draw_sequence_start, is_at_rest}};
}

void draw_sequence_panel(ViewerModel& model) {
    auto& sequence = model.state<SequenceExport>();
    if (sequence.active()) {
        ImGui::ProgressBar(sequence.progress(), ImVec2(-1, 0));
        ImGui::TextUnformatted(sequence.progress_text().c_str());
        if (ImGui::Button("Cancel")) sequence.cancel();
        return;
    }
    for (auto& widget : sequence_widgets()) widget.draw(model);
}

std::vector<ViewerCommand> sequence_commands() {
    std::vector<ViewerCommand> commands;
    add_menu(commands, "File",
             {{"Sequence...",
               "Render a sequence of pictures, or a video.",
               {{Key::f12, {.control = true}}},
               [](ViewerModel& m) {
                   m.view.interface_visible = true;
                   reveal_section(m, "sequence");
               }}});
    return commands;
}

}  // namespace tl

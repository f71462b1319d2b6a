#include "app/viewer/view.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>

#include "app/jobs/output.h"
#include "app/jobs/video_writer.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/files/preference_keeper.h"
#include "app/viewer/random_input/playground.h"
#include "app/viewer/random_input/random_input_context.h"
#include "app/viewer/random_input/settling.h"
#include "app/viewer/view_flags.h"
#include "app/viewer/viewer.h"
#include "app/viewer/window/egl_context.h"
#include "app/viewer/window/gl_probe.h"
#include "app/viewer/window/glfw_context.h"
#include "core/base/console.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/settings.h"
#include "core/base/text.h"
#include "renderer/scene/loaders/data_files.h"
#include "renderer/scene/loaders/loader.h"

namespace tl {
namespace {

constexpr const char* kDefaultScene = "scenes/gallery/interior.toml";

bool has_display() {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
        const char* value = std::getenv(name);
        if (value && *value) return true;
    }
    return false;
}

Remembered recall(const ViewFlags& flags) {
    // Automated runs neither read nor change the user's preferences.
    if (flags.no_config || flags.offscreen || flags.random_input_seed) return {};
    auto path = preferences_path();
    if (path.empty()) return {};
    if (flags.reset_config) {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
    }
    auto read = read_preferences(path);
    if (!read.warning.empty()) print_warning(read.warning);
    return {read.damaged ? "" : path, read.preferences};
}

/// `moves`: the scene, if it is known already, has a motion.
std::unique_ptr<GlContext> make_context(const ViewFlags& flags, const Preferences& preferences,
                                        bool moves) {
    require_gl_within_limits();
    bool interface = preferences.interface_visible;
    float scale = flags.viewer.ui_scale > 0 ? flags.viewer.ui_scale : preferences.ui_scale;
    Extent picture = flags.has_size ? flags.session.size : preferences.picture;
    if (flags.offscreen) {
        // No display sets the pace: frames are made as fast as they can be. Random input waits for
        // each frame of the interface.
        constexpr double kUsualRefresh = 1.0 / 60;
        return std::make_unique<EglContext>(
            window_for(picture, scale > 0 ? scale : 1, interface, preferences.panel_width, moves),
            flags.random_input_seed ? 0 : kUsualRefresh);
    }
    if (scale <= 0) scale = GlfwContext::monitor_scale();
    return std::make_unique<GlfwContext>(
        GlfwContext::Config{window_for(picture, scale, interface, preferences.panel_width, moves),
                            "Treelight", flags.vsync, flags.fullscreen});
}

/// Checks the flags of a comparison before anything is loaded.
void read_comparison(ViewFlags& flags) {
    auto& viewer = flags.viewer;
    auto text = flags.compare_with;
    if (!flags.compare_builder.empty())
        text = "builder=" + flags.compare_builder + (text.empty() ? "" : "," + text);
    auto& file = flags.compare_picture;
    if (text.empty() && file.empty()) {
        if (!flags.compare_mode.empty())
            throw UsageError(
                "--compare-view and --difference need --compare-with SETTINGS or "
                "--compare-picture FILE");
        return;
    }
    viewer.compare_mode = find_compare_mode(flags.compare_mode).value_or(CompareMode::split);
    if (!file.empty()) {
        if (!text.empty())
            throw UsageError(
                "side B is a picture or has settings: leave out --compare-picture, or "
                "--compare-with and --compare");
        viewer.compare_with.emplace().picture = file;
    } else {
        viewer.compare_with = parse_side_choices(text);
    }
    if (!viewer.compare_with->picture.empty()) {
        // Faults end the program before the scene is loaded.
        auto picture = read_picture_file(viewer.compare_with->picture);
        flags.has_size = true;
        if (flags.size->count() == 0) flags.session.size = picture.radiance.extent;
        return;
    }
    auto& first = *find_devices(flags.session.device)[0];
    try {
        check_choices(*viewer.compare_with, first);
    } catch (const UserError& error) {
        throw UsageError(std::string("side B: ") + error.what());
    }
}

void run_view(ViewFlags& flags) {
    if (!flags.viewer.screenshot.empty()) check_picture_path(flags.viewer.screenshot);
    if (!flags.viewer.screenshot_ui.empty()) check_picture_path(flags.viewer.screenshot_ui, true);
    if (flags.viewer.watch && flags.viewer.frames > 0 && !flags.random_input_seed)
        throw UsageError("--watch is for a viewer that stays open: leave out --frames");
    if (flags.random_input_seed && flags.viewer.frames == 0)
        throw UsageError(
            "--random-input needs --frames N: its input ends the viewer by chance only");
    if (flags.offscreen && flags.viewer.frames == 0)
        throw UsageError("--offscreen needs --frames N: without a window it cannot be closed");
    if (flags.viewer.ui_scale > 0 && flags.viewer.ui_scale < 0.5f)
        throw UsageError("--ui-scale " + number_text(flags.viewer.ui_scale) +
                         ": nothing could be read; it is 0, or 0.5 to 4");
    flags.has_size = flags.size->count() > 0;
    read_comparison(flags);
    if (!flags.offscreen && !has_display())
        throw UserError(
            "no display (DISPLAY and WAYLAND_DISPLAY are not set): use `treelight view --offscreen "
            "--frames N --screenshot out.png`, or `treelight render` for a picture");
    if (flags.session.scene.empty()) {
        flags.session.scene = find_data_file(kDefaultScene);
        if (flags.session.scene.empty())
            throw UserError(std::string(kDefaultScene) +
                            " is not beside the program: name a scene, `treelight view SCENE`");
    }
    auto remembered = recall(flags);
    auto& preferences = remembered.preferences;
    remembered.panel = preferences.interface_visible;
    if (flags.hide_panel) preferences.interface_visible = false;

    flags.viewer.coarse_motion = flags.motion_resolution.empty()
                                     ? preferences.coarse_motion
                                     : flags.motion_resolution == "auto";
    flags.viewer.first_hint = !flags.offscreen && flags.viewer.frames == 0 &&
                              !remembered.path.empty() && !preferences.knows_keys;
    flags.viewer.gather_samples = flags.motion_samples == "auto";
    auto device = find_devices(flags.session.device)[0]->id();
    for (auto& state : flags.interface.states) state->apply_flags(device);
    std::optional<Playground> playground;
    RandomInputContext::Config random_input;
    if (flags.random_input_seed) {
        playground.emplace();
        random_input = {*flags.random_input_seed, std::exchange(flags.viewer.frames, 0),
                        flags.viewer.ui_scale, playground->paths(flags.session.scene)};
        flags.viewer.screenshot_folder = playground->folder();
        flags.viewer.opens_folders = false;
    }
    // A window comes first, and then its scene; a run of a fixed number of frames begins with it.
    flags.viewer.frames_apart =
        flags.random_input_seed || (!flags.offscreen && flags.viewer.frames == 0);
    if (flags.viewer.frames_apart) {
        require_scene_file(flags.session.scene);
        flags.viewer.first_scene = flags.session.scene;
    }
    auto session = make_empty_session(flags.session);
    SceneDocument document;
    if (!flags.viewer.frames_apart) document = open_document(*session, flags.session);
    if (!preferences.tone.empty())
        session->settings().set_fallback("film", "tone", preferences.tone);
    if (!flags.viewer.frames_apart) preferences.remember_file(flags.session.scene);
    auto context = make_context(flags, preferences, session->scene().duration > 0);
    RandomInputContext* input = nullptr;
    if (flags.random_input_seed) {
        auto random = std::make_unique<RandomInputContext>(std::move(context), random_input,
                                                           flags.interface.commands);
        input = random.get();
        context = std::move(random);
    }
    Viewer viewer(*context, *session, preferences, flags.session, flags.viewer,
                  std::move(flags.interface));
    if (document.scene()) {
        viewer.model().document.saved_work = work_of(document);
        viewer.model().document.scene = std::move(document);
        clear_history(viewer.model());
    }
    std::optional<Settling> settling;
    if (input) {
        settling.emplace(viewer, flags.session.scene);
        input->settle_by([&] { return settling->advance(); });
    }
    PreferenceKeeper keeper(remembered, viewer.model());
    try {
        viewer.run([&] { keeper.keep(); });
    } catch (...) {
        if (input) EventLog::print();
        keeper.write();
        throw;
    }
    if (input) {
        print("%s", input->summary().c_str());
        return;
    }
    keeper.write();
    if (!viewer.idle()) {
        // Everything is written. What still loads or renders is not waited for.
        remove_temporary_files();
        end_unfinished_videos();
        std::fflush(nullptr);
        std::_Exit(0);
    }
}

}  // namespace

void add_view_command(CLI::App& program, ViewerInterface interface) {
    auto flags = std::make_shared<ViewFlags>();
    flags->interface = std::move(interface);
    auto* view = program.add_subcommand("view", "Open the interactive viewer");
    add_view_flags(*view, *flags);
    for (auto& state : flags->interface.states) state->add_flags(*view);
    view->callback([flags] { run_view(*flags); });
}

}  // namespace tl

#include "app/viewer/actions/viewer_actions.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/jobs/format.h"
#include "app/jobs/sampling_progress.h"
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/patch_views.h"
#include "app/viewer/actions/prepared_edit.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/tree_views.h"
#include "app/viewer/files/screenshot.h"
#include "app/viewer/viewer_model.h"
#include "core/base/paths.h"
#include "core/base/text.h"
#include "core/device/registry.h"
#include "renderer/scene/generators/generators.h"
#include "renderer/scene/live/host_triangles.h"
#include "renderer/scene/loaders/loader.h"
#include "session/session_preparation.h"

namespace tl {

std::string next_of(const std::vector<std::string>& ids, const std::string& current) {
    auto at = std::ranges::find(ids, current);
    return at == ids.end() || at + 1 == ids.end() ? ids.front() : *(at + 1);
}

std::string next_builder(Session& session) {
    return next_of(ids_on(session.device().kind(), tree_builders()), session.builder_id());
}

std::vector<DeviceChoice> device_choices() {
    std::vector<DeviceChoice> choices;
    std::vector<Device*> gpus;
    for (Device* device : devices()) {
        choices.push_back({device->id(), device->name()});
        if (device->kind() == DeviceKind::cuda) gpus.push_back(device);
    }
    if (gpus.size() > 1)
        choices.push_back(
            {ids_of(gpus), "all GPUs, each a part of the picture: " + names_of(gpus)});
    return choices;
}

void choose_device(ViewerModel& model, const std::string& ids) {
    // Empty where the session's own device is the first of them already.
    auto prepare = [ids](Session& session) -> std::optional<PreparedDevice> {
        auto& first = *find_devices(ids)[0];
        if (&first == &session.device()) return std::nullopt;
        return prepare_device(session, first);
    };
    auto adopt = [&model, ids, step = model.document.history.step("device")](auto& prepared) {
        bool ok = attempt(model.status.messages, "Cannot use this device", [&] {
            if (auto device = prepared.first.take()) model.session.adopt(std::move(*device));
            model.session.set_devices(find_devices(ids));
        });
        if (!ok) return;
        record(model, step);
        model.status.messages.info("device: " + names_of(model.session.devices()));
        restart(model);
    };
    auto edit = prepared_edit(model, EditedSides::first, prepare, adopt);
    edit.title = "moving to the device " + ids;
    edit.name = "device";
    edit.cancelled = [&model] { model.status.messages.info("the device stays"); };
    model.gate.edit(std::move(edit));
}

void choose_renderer(ViewerModel& model, const std::string& id, bool keeps) {
    model.gate.edit([&model, id, keeps, step = model.document.history.step("renderer")] {
        bool is_new = id != model.session.renderer_id();
        if (!attempt(model.status.messages, "Cannot use this renderer",
                     [&] { model.session.set_renderer(id); }))
            return;
        if (keeps && is_new) model.session.settings().keep_renderer(id);
        record(model, step);
        model.status.messages.info("renderer: " + find_row(renderers(), id, "renderer").title);
        restart(model);
    });
}

void choose_builder(ViewerModel& model, const std::string& id) {
    model.gate.edit([&model, id, step = model.document.history.step("tree builder")] {
        if (!attempt(model.status.messages, "Cannot use this tree builder",
                     [&] { model.session.set_builder(id); }))
            return;
        record(model, step);
        model.status.messages.info("tree builder: " +
                                   find_row(tree_builders(), id, "builder").title);
        restart(model);
    });
}

void change_setting(ViewerModel& model, const std::string& section, const std::string& id,
                    const std::string& value) {
    auto change = [&model, section, id, value, step = model.document.history.step(words_of(id))] {
        bool ok = attempt(model.status.messages, "Cannot set " + id, [&] {
            model.session.settings().set(
                section, id, value.empty() ? find_declared(section, id).default_text : value);
        });
        if (!ok) return;
        record(model, step);
        // The film stores radiance, so that a changed tone mapping keeps the samples.
        if (section == "film")
            model.view.picture_stale = true;
        else
            restart(model);
    };
    // A frame copies the film's settings when it begins, so a change need not wait for its end.
    if (section == "film") return change();
    model.gate.edit({.apply = change, .name = "setting " + section + "." + id});
}

void change_exposure(ViewerModel& model, float stops) {
    auto settings = model.session.settings().film();
    auto& exposure = find_setting(settings, "exposure", "film");
    float value = stops == 0 ? 0 : static_cast<float>(exposure.number()) + stops;
    value = std::clamp(value, static_cast<float>(exposure->minimum),
                       static_cast<float>(exposure->maximum));
    change_setting(model, "film", "exposure", number_text(value));
    model.status.messages.info("exposure " + number_text(value) + " stops");
}

void toggle_pause(ViewerModel& model) {
    model.view.paused = !model.view.paused && model.status.stopped_by.empty();
    model.status.stopped_by.clear();
}

void toggle_motion(ViewerModel& model) {
    if (model.moves())
        model.view.playing = !model.view.playing;
    else
        model.status.messages.info("nothing moves in this scene");
}

void set_motion_time(ViewerModel& model, float seconds) {
    float duration = model.session.scene().duration;
    if (!(duration > 0)) return;
    model.session.time = seconds - duration * std::floor(seconds / duration);
}

void step_motion(ViewerModel& model, int frames) {
    if (!model.moves()) return toggle_motion(model);
    model.view.playing = false;
    set_motion_time(model, model.session.time + static_cast<float>(frames) * kMotionStep);
}

void open_tab(ViewerModel& model, PanelTab tab) {
    model.view.panel.tab = tab;
    model.preferences.panel_tab = id_of(tab);
}

void reveal_section(ViewerModel& model, const std::string& id) {
    // The panel can be scrolled only after some frames, when its layout is up to date.
    constexpr int kFrames = 3;
    for (auto& section : model.interface.sections)
        if (section.id == id) {
            model.view.panel.tab = section.tab;
            model.view.panel.revealed = id;
            model.view.panel.reveal_frames = kFrames;
        }
}

void frame_all(ViewerView& view) {
    Extent picture = view.layout.picture.extent();
    float aspect = picture.height > 0
                       ? static_cast<float>(picture.width) / static_cast<float>(picture.height)
                       : 1;
    view.camera.frame_all(aspect);
}

void take_screenshot(ViewerModel& model, const PictureRequest& request) {
    auto refuse = [&](const char* reason) {
        model.status.messages.warning(std::string("no screenshot was taken: ") + reason);
    };
    if (model.document.awaited_screenshots.size() >= PictureWriter::kMostWaiting)
        return refuse("too many are still waiting for a picture");
    if (!model.status.stopped_by.empty() && model.gate.open() && model.session.samples() == 0)
        return refuse("rendering has stopped");
    model.document.awaited_screenshots.push_back(request);
    if (model.gate.open()) take_awaited_screenshots(model);
}

namespace {

/// Copies the picture through the gate and passes it to the writer.
void take_one_screenshot(ViewerModel& model, const PictureRequest& request) {
    auto& format = row_of(request.format);
    bool linear_sides = model.view.compare.second && format.is_linear;
    auto path_of = [folder = absolute_path(model.options.screenshot_folder).string(),
                    name = picture_name(model), path = request.path, extension = format.extension,
                    linear_sides] {
        if (!path.empty()) return path;
        return free_screenshot_path(folder, name, extension, linear_sides ? second_path : nullptr);
    };
    struct Shot {
        PictureParts parts;
        bool taken = false;
        std::string error;
    };
    auto shot = std::make_shared<Shot>();
    auto collect = [&model, shot, format = request.format] {
        // Earlier edits in the gate may have cleared the picture.
        if (model.session.samples() == 0) return;
        shot->taken = true;
        try {
            shot->parts = collect_picture(model, format);
        } catch (const std::exception& error) {
            shot->error = message_of(error);
        }
    };
    auto write = [&model, shot, path_of, request] {
        constexpr const char* kTitle = "Cannot write the picture";
        --model.document.n_screenshots_taken;
        if (!shot->taken) return take_screenshot(model, request);
        if (!shot->error.empty()) return model.status.messages.error(kTitle, shot->error);
        if (!model.document.pictures.write(std::move(shot->parts), path_of))
            model.status.messages.warning(
                "no screenshot was taken: too many are still being written");
    };
    ++model.document.n_screenshots_taken;
    model.gate.edit({.apply = write,
                     .prepare = collect,
                     .ends = Cancellation::nothing,
                     .title = "taking the screenshot"});
}

}  // namespace

std::string picture_name(const ViewerModel& model) {
    auto& second = model.view.compare.second;
    auto renderers = model.session.renderer_id();
    auto samples = model.session.samples();
    if (second) {
        renderers += "-and-" + second->session().renderer_id();
        if (!second->picture()) samples = std::min(samples, second->session().samples());
    }
    return screenshot_name(model.session.scene().name, renderers, samples);
}

void take_awaited_screenshots(ViewerModel& model) {
    auto samples = model.session.samples();
    if (auto& second = model.view.compare.second)
        samples = std::min(samples, second->session().samples());
    bool coarse = model.view.resolution.factor() > 1 && model.status.stopped_by.empty();
    if (coarse || samples == 0) return;
    auto awaited = std::exchange(model.document.awaited_screenshots, {});
    for (auto& request : awaited) take_one_screenshot(model, request);
}

void tell_written_pictures(ViewerModel& model) {
    while (auto written = model.document.pictures.take())
        if (written->error.empty()) {
            model.status.messages.wrote("wrote", written->path);
            model.preferences.remember_picture(written->scene, written->path);
        } else {
            model.status.messages.error("Cannot write the picture", written->error);
        }
}

void measure_tree(ViewerModel& model) {
    struct Measurement {
        TreeReport report;
        std::exception_ptr error;
    };
    auto measurement = std::make_shared<Measurement>();
    auto measure = [&session = model.session, measurement] {
        auto& report = measurement->report;
        auto start = std::chrono::steady_clock::now();
        try {
            HostTree tree = download_tree(session.stream(), session.live_scene().tree());
            report.stats = measure_tree(tree);
            HostTriangles host = download_triangles(session.stream(), session.live_scene().view());
            report.overlap = measure_end_point_overlap(tree, host.positions, host.triangles,
                                                       TreeReport::kOverlapSamples);
        } catch (...) {
            measurement->error = std::current_exception();
            report.stats.reset();
        }
        report.scene = &session.scene();
        report.device = &session.device();
        report.settings = tree_choices(session);
        report.time = session.newest_frame().time;
        report.measured_at = std::chrono::steady_clock::now();
        report.milliseconds =
            std::chrono::duration<float, std::milli>(report.measured_at - start).count();
    };
    model.gate.edit({.apply =
                         [&model, measurement] {
                             model.status.tree_report = measurement->report;
                             attempt(model.status.messages, "Cannot measure the tree", [&] {
                                 if (measurement->error) std::rethrow_exception(measurement->error);
                             });
                         },
                     .prepare = measure,
                     .ends = Cancellation::nothing,
                     .title = "measuring the tree",
                     .name = "measure",
                     .cancelled = [&model] { model.status.messages.info("not measured"); }});
}

void restart(ViewerModel& model) {
    model.gate.edit({.apply =
                         [&model] {
                             model.session.restart();
                             model.status.stopped_by.clear();
                         },
                     .ends = Cancellation::view});
}

void restart_all(ViewerModel& model) {
    restart(model);
    model.gate.edit({.apply =
                         [&model] {
                             if (model.view.compare.second)
                                 model.view.compare.second->session().restart();
                         },
                     .ends = Cancellation::view});
}

MeasuredSession measure(Session& session) {
    return {finished_text(session), session.live_scene().bytes(), session.scratch().capacity(),
            session.live_scene().primitive_count(), session.inspection().points_version() > 0};
}

void browse(ViewerModel& model, const std::string& folder) {
    BrowserRequest request{.title = "Open a scene",
                           .extensions = scene_extensions(),
                           .choose = open_scene,
                           .suggested_name = ""};
    for (auto& generator : generators()) request.names.push_back("generate:" + generator.id);
    ask_for_file(model.view.browser, std::move(request),
                 folder.empty() ? model.preferences.last_folder : folder);
}

}  // namespace tl

#include "app/viewer/actions/viewer_actions.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "app/jobs/format.h"
#include "app/jobs/sampling_progress.h"
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/patch_views.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/tree_views.h"
#include "app/viewer/files/screenshot.h"
#include "core/base/text.h"
#include "core/device/registry.h"
#include "renderer/scene/generators/generators.h"
#include "renderer/scene/live/host_triangles.h"
#include "renderer/scene/loaders/loader.h"

namespace tl {

std::string next_of(const std::vector<std::string>& ids, const std::string& current) {
    auto at = std::ranges::find(ids, current);
    return at == ids.end() || at + 1 == ids.end() ? ids.front() : *(at + 1);
}

std::string next_builder(Session& session) {
    return next_of(ids_on(session.device().kind(), tree_builders()), session.builder_id());
}

void choose_device(ViewerModel& model, const std::string& id) {
    struct Preparation {
        Session::PreparedDevice device;
        std::exception_ptr error;
    };
    auto preparation = std::make_shared<Preparation>();
    model.gate.edit({.apply =
                         [&model, preparation, step = model.history.step("device")] {
                             bool ok = attempt(model, "Cannot use this device", [&] {
                                 if (preparation->error) std::rethrow_exception(preparation->error);
                                 if (preparation->device.device)
                                     model.session.adopt(std::move(preparation->device));
                             });
                             if (!ok) return;
                             record(model, step);
                             model.messages.info("device: " + model.session.device().name());
                             restart(model);
                         },
                     .prepare =
                         [&session = model.session, id, preparation] {
                             try {
                                 auto& device = find_device(id);
                                 if (&device == &session.device()) return;
                                 preparation->device = session.prepare_device(device);
                             } catch (...) {
                                 preparation->error = std::current_exception();
                             }
                         },
                     .title = "moving to the device " + id,
                     .name = "device",
                     .cancelled = [&model] { model.messages.info("the device stays"); }});
}

void choose_renderer(ViewerModel& model, const std::string& id) {
    model.gate.edit([&model, id, step = model.history.step("renderer")] {
        if (!attempt(model, "Cannot use this renderer", [&] { model.session.set_renderer(id); }))
            return;
        record(model, step);
        model.messages.info("renderer: " + find_row(renderers(), id, "renderer").title);
        restart(model);
    });
}

void choose_builder(ViewerModel& model, const std::string& id) {
    model.gate.edit([&model, id, step = model.history.step("tree builder")] {
        if (!attempt(model, "Cannot use this tree builder", [&] { model.session.set_builder(id); }))
            return;
        record(model, step);
        model.messages.info("tree builder: " + find_row(tree_builders(), id, "builder").title);
        restart(model);
    });
}

void change_setting(ViewerModel& model, const std::string& section, const std::string& id,
                    const std::string& value) {
    auto change = [&model, section, id, value, step = model.history.step(words_of(id))] {
        bool ok = attempt(model, "Cannot set " + id, [&] {
            model.session.set_setting(
                section, id, value.empty() ? find_declared(section, id).default_text : value);
        });
        if (!ok) return;
        record(model, step);
        // The film stores radiance, so that a changed tone mapping keeps the samples.
        if (section == "film")
            model.picture_stale = true;
        else
            restart(model);
    };
    // A frame copies the film's settings when it begins, so a change need not wait for its end.
    if (section == "film") return change();
    model.gate.edit({.apply = change, .name = "setting " + section + "." + id});
}

void change_exposure(ViewerModel& model, float stops) {
    auto settings = model.session.film_settings();
    auto& exposure = find_setting(settings, "exposure", "film");
    float value = stops == 0 ? 0 : static_cast<float>(exposure.number()) + stops;
    value = std::clamp(value, static_cast<float>(exposure->minimum),
                       static_cast<float>(exposure->maximum));
    change_setting(model, "film", "exposure", number_text(value));
    model.messages.info("exposure " + number_text(value) + " stops");
}

void toggle_pause(ViewerModel& model) {
    model.paused = !model.paused && model.stopped_by.empty();
    model.stopped_by.clear();
}

void toggle_motion(ViewerModel& model) {
    if (model.moves())
        model.playing = !model.playing;
    else
        model.messages.info("nothing moves in this scene");
}

void set_motion_time(ViewerModel& model, float seconds) {
    float duration = model.session.scene().duration;
    if (!(duration > 0)) return;
    model.session.time = seconds - duration * std::floor(seconds / duration);
}

void step_motion(ViewerModel& model, int frames) {
    if (!model.moves()) return toggle_motion(model);
    model.playing = false;
    set_motion_time(model, model.session.time + static_cast<float>(frames) * kMotionStep);
}

void open_tab(ViewerModel& model, PanelTab tab) {
    model.panel.tab = tab;
    model.preferences.panel_tab = id_of(tab);
}

void reveal_section(ViewerModel& model, const std::string& id) {
    // The panel can be scrolled only after some frames, when its layout is up to date.
    constexpr int kFrames = 3;
    for (auto& section : model.interface.sections)
        if (section.id == id) {
            model.panel.tab = section.tab;
            model.panel.revealed = id;
            model.panel.reveal_frames = kFrames;
        }
}

void frame_all(ViewerModel& model) {
    Extent picture = model.layout.picture.extent();
    float aspect = picture.height > 0
                       ? static_cast<float>(picture.width) / static_cast<float>(picture.height)
                       : 1;
    model.camera.frame_all(aspect);
}

void take_screenshot(ViewerModel& model, const std::string& extension) {
    auto refuse = [&](const char* reason) {
        model.messages.warning(std::string("no screenshot was taken: ") + reason);
    };
    if (model.awaited_screenshot.size() >= PictureWriter::kMostWaiting)
        return refuse("too many are still waiting for a picture");
    if (!model.stopped_by.empty() && model.gate.open() && model.session.samples() == 0)
        return refuse("rendering has stopped");
    model.awaited_screenshot.push_back(extension);
    if (model.gate.open()) take_awaited_screenshots(model);
}

namespace {

/// Copies the picture through the gate and passes it to the writer.
void take_one_screenshot(ViewerModel& model, const std::string& extension, std::uint32_t samples) {
    auto& session = model.session;
    auto renderers = session.renderer_id();
    bool linear_sides = model.compare.second && !is_png("picture" + extension);
    if (model.compare.second) renderers += "-and-" + model.compare.second->session().renderer_id();
    auto path_of = [folder = model.options.screenshot_folder, scene = session.scene().name,
                    renderers, samples, extension, linear_sides] {
        return free_screenshot_path(folder, scene, renderers, samples, extension,
                                    linear_sides ? second_path : nullptr);
    };
    struct Shot {
        PictureParts parts;
        bool taken = false;
        std::string error;
    };
    auto shot = std::make_shared<Shot>();
    auto collect = [&model, shot, extension] {
        // Earlier edits in the gate may have cleared the picture.
        if (model.session.samples() == 0) return;
        shot->taken = true;
        try {
            shot->parts = collect_picture(model, is_png("picture" + extension));
        } catch (const std::exception& error) {
            shot->error = message_of(error);
        }
    };
    auto write = [&model, shot, path_of, extension] {
        constexpr const char* kTitle = "Cannot write the screenshot";
        --model.n_screenshots_taken;
        if (!shot->taken) return take_screenshot(model, extension);
        if (!shot->error.empty()) return model.messages.error(kTitle, shot->error);
        if (!model.pictures.write(std::move(shot->parts), path_of))
            model.messages.warning("no screenshot was taken: too many are still being written");
    };
    ++model.n_screenshots_taken;
    model.gate.edit({.apply = write,
                     .prepare = collect,
                     .ends = Cancellation::nothing,
                     .title = "taking the screenshot"});
}

}  // namespace

void take_awaited_screenshots(ViewerModel& model) {
    auto samples = model.session.samples();
    if (auto& second = model.compare.second)
        samples = std::min(samples, second->session().samples());
    bool coarse = model.resolution.factor() > 1 && model.stopped_by.empty();
    if (coarse || samples == 0) return;
    auto awaited = std::exchange(model.awaited_screenshot, {});
    for (auto& extension : awaited) take_one_screenshot(model, extension, samples);
}

void tell_written_pictures(ViewerModel& model) {
    while (auto written = model.pictures.take())
        if (written->error.empty())
            model.messages.info("wrote " + written->path);
        else
            model.messages.error("Cannot write the screenshot", written->error);
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
                             model.tree = measurement->report;
                             attempt(model, "Cannot measure the tree", [&] {
                                 if (measurement->error) std::rethrow_exception(measurement->error);
                             });
                         },
                     .prepare = measure,
                     .ends = Cancellation::nothing,
                     .title = "measuring the tree",
                     .name = "measure",
                     .cancelled = [&model] { model.messages.info("not measured"); }});
}

void restart(ViewerModel& model) {
    model.gate.edit({.apply =
                         [&model] {
                             model.session.restart();
                             model.stopped_by.clear();
                         },
                     .ends = Cancellation::view});
}

void restart_all(ViewerModel& model) {
    restart(model);
    model.gate.edit({.apply =
                         [&model] {
                             if (model.compare.second) model.compare.second->session().restart();
                         },
                     .ends = Cancellation::view});
}

MeasuredSession measure(Session& session) {
    return {finished_text(session), session.live_scene().bytes(), session.scratch().capacity(),
            session.live_scene().primitive_count(), session.points_version() > 0};
}

void browse(ViewerModel& model, const std::string& folder) {
    BrowserRequest request{.title = "Open a scene",
                           .extensions = scene_extensions(),
                           .choose = open_scene,
                           .suggested_name = ""};
    for (auto& generator : generators()) request.names.push_back("generate:" + generator.id);
    ask_for_file(model.browser, std::move(request),
                 folder.empty() ? model.preferences.last_folder : folder);
}

}  // namespace tl

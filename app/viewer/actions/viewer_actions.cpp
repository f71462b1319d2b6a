#include "app/viewer/actions/viewer_actions.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "accel/parallel/registry.h"
#include "accel/parallel/text.h"
#include "app/jobs/format.h"
#include "app/jobs/sampling_progress.h"
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/patch_views.h"
#include "app/viewer/actions/tree_views.h"
#include "app/viewer/files/screenshot.h"
#include "renderer/scene/generators/generators.h"
#include "renderer/scene/live/host_triangles.h"
#include "renderer/scene/loaders/loader.h"

namespace tl {
namespace {

namespace fs = std::filesystem;

}  // namespace

namespace {

void load_wanted(ViewerModel& model, const LoadedScene& wanted) {
    start_loading(model.loading, wanted, model.session_options.environment,
                  model.session_options.allow_outside);
}

/// Watches the files of the scene that was read last.
void follow_files(ViewerModel& model, bool keep) {
    auto& watch = model.watch;
    if (watch.on)
        watch.changes.follow(watch.read, keep, [&context = model.context] { context.wake(); });
}

}  // namespace

void open_scene(ViewerModel& model, const std::string& path) {
    if (path.empty()) return;
    ask_if_unsaved(model,
                   {.title = "Open " + fs::path(path).filename().string() + " without saving?",
                    .go_on = [path](ViewerModel& m) { load_wanted(m, {path}); }});
}

void reload_scene(ViewerModel& model) {
    auto& path = model.session.scene().path;
    if (path.empty()) return model.messages.info("this scene does not come from a file");
    auto load = [path](bool keep_edits) {
        return [path, keep_edits](ViewerModel& m) {
            load_wanted(m, {.path = path, .keep_camera = true, .keep_edits = keep_edits});
        };
    };
    ask_if_unsaved(model, {.title = "Load the file again without saving?",
                           .go_on = load(true),
                           .discard = load(false),
                           .keeps = true});
}

void toggle_watch(ViewerModel& model) {
    auto& watch = model.watch;
    watch.on = !watch.on;
    if (!watch.on) return watch.changes.stop();
    follow_files(model, false);
    if (watch.read.empty()) model.messages.info("this scene does not come from a file");
}

void reload_changed(ViewerModel& model) {
    auto& watch = model.watch;
    if (watch.on && watch.changes.take_change())
        load_wanted(model,
                    {.path = watch.path, .keep_camera = true, .keep_edits = true, .unasked = true});
}

void use_first_view(ViewerModel& model) {
    if (!model.first_view) return;
    model.first_view = false;
    // Flags for camera and time are for the first scene, whose own camera Home returns to.
    model.camera.set_camera(model.session.camera);
    auto& o = model.session_options;
    o.eye = o.target = o.up = {};
    o.fov = o.time = 0;
    o.lens_radius = o.focus_distance = -1;
    for (auto& warning : model.session.scene().warnings) model.messages.warning(warning);
    auto& options = model.options;
    model.playing = options.play && model.moves();
    if (options.control_net) toggle_control_net(model);
    if (options.compare_with) compare_with(model, *options.compare_with);
}

namespace {

/// A loaded scene on the devices of both sides.
struct ScenePreparation {
    Session::PreparedScene first;
    std::optional<Session::PreparedScene> second;
    std::exception_ptr error, second_error;
};

void prepare_second(ViewerModel& model, const std::shared_ptr<const Scene>& scene,
                    ScenePreparation& preparation) {
    if (!model.compare.second) return;
    try {
        preparation.second = model.compare.second->session().prepare_scene(scene);
    } catch (...) {
        preparation.second_error = std::current_exception();
    }
}

void adopt_second(ViewerModel& model, ScenePreparation& preparation) {
    if (!model.compare.second) return;
    bool ok = attempt(model, "Cannot compare", [&] {
        if (preparation.second_error) std::rethrow_exception(preparation.second_error);
        if (preparation.second)
            model.compare.second->session().adopt(std::move(*preparation.second));
    });
    if (!ok) end_comparison(model);
}

/// Everything about a loaded scene that follows once it is on the device.
void adopt_loaded(ViewerModel& model, const std::string& title, const LoadedScene& loaded,
                  ScenePreparation& preparation) {
    bool ok = attempt(model, title, [&] {
        if (preparation.error) std::rethrow_exception(preparation.error);
        model.session.adopt(std::move(preparation.first));
        adopt_second(model, preparation);
        model.document = loaded.document;
        model.saved = loaded.work_of_file;
        model.selection = {};
        model.pixel.clicked.reset();
        model.pixel.selected.reset();
        if (!loaded.keep_edits) model.saved_path.clear();
        // The scene counts as open from here on, even if an option is invalid for it.
        adopt_scene(model, loaded.framed, loaded.keep_camera);
        apply_options(model.session, model.session_options);
        use_first_view(model);
    });
    // Steps belong to the scene on show, even if an option is invalid for it.
    if (model.document.scene() == loaded.document.scene()) forget_steps(model);
    if (!ok) return;
    model.preferences.remember_file(loaded.path);
    auto& warnings = model.session.scene().warnings;
    if (warnings.empty())
        model.messages.info((loaded.unasked ? "loaded again after a change: " : "opened ") +
                            model.session.scene().name);
    else
        model.messages.warning(warnings.front() + (warnings.size() > 1 ? " (and more)" : ""));
}

/// Keeps edits and bookmarks that were not saved, for a scene that was loaded again.
void keep_edits(ViewerModel& model, LoadedScene& loaded) {
    auto &document = model.document, &reloaded = loaded.document;
    for (auto& bookmark : document.bookmarks) set_bookmark(reloaded.bookmarks, bookmark);
    // What was saved as another file is not in this one.
    std::error_code ignored;
    bool same_file =
        model.saved_path.empty() || fs::equivalent(model.saved_path, reloaded.path, ignored);
    if (same_file && document.edited.edits() == model.saved.edits) return;
    if (!same_file) loaded.work_of_file = model.saved;
    try {
        (void)reloaded.edited.apply(document.edited.edits());
    } catch (const UserError& error) {
        model.messages.warning(
            std::string("your changes no longer fit the file and were dropped: ") + error.what());
    }
}

/// Puts a loaded scene in place of the one on show.
void replace_scene(ViewerModel& model, const std::string& title,
                   const std::shared_ptr<LoadedScene>& loaded) {
    auto preparation = std::make_shared<ScenePreparation>();
    model.gate.edit(
        {.apply = [&model, title, loaded,
                   preparation] { adopt_loaded(model, title, *loaded, *preparation); },
         .prepare =
             [&model, loaded, preparation] {
                 try {
                     preparation->first = model.session.prepare_scene(loaded->document.scene());
                 } catch (...) {
                     preparation->error = std::current_exception();
                     return;
                 }
                 prepare_second(model, loaded->document.scene(), *preparation);
             },
         .title = "preparing " + loaded->document.scene()->name,
         .name = "scene",
         .cancelled =
             [&model, loaded] {
                 model.messages.info(loaded->document.scene()->name + " was not opened");
             }});
}

}  // namespace

bool finish_loading(ViewerModel& model) {
    if (model.question) return false;  // what has been loaded may need one, too
    auto ended = model.loading.take();
    if (!ended) return false;
    auto loaded = std::make_shared<LoadedScene>(std::move(ended->result));
    auto file = fs::path(loaded->path).filename().string();
    std::string title = "Cannot open " + file;
    auto given_up = std::exchange(model.given_up, std::nullopt);
    // The reader may have named its file before it.
    if (ended->error.ends_with(SolverCancelled().what())) {
        model.messages.info(file + " was not opened");
        return true;
    }
    model.watch.path = loaded->path;
    model.watch.read = loaded->files;
    follow_files(model, loaded->unasked && !ended->error.empty());
    if (!ended->error.empty()) {
        auto text = ended->error + ". The scene that was open stays as it is.";
        // A file that is being written may be wrong for a while, which needs no dialog.
        if (loaded->unasked)
            model.messages.warning(title + ": " + text);
        else
            model.messages.error(title, text);
        return true;
    }
    loaded->work_of_file = work_of(loaded->document);
    if (loaded->keep_edits) keep_edits(model, *loaded);
    auto replace = [title, loaded](ViewerModel& m) { replace_scene(m, title, loaded); };
    bool agreed = loaded->keep_edits || given_up == work_of(model.document);
    if (agreed)
        replace(model);
    else  // the user has gone on with the scene while the other one was loading
        ask_if_unsaved(model, {.title = "Open " + file + " without saving?", .go_on = replace});
    return true;
}

void adopt_scene(ViewerModel& model, const Box& framed, bool keep_camera) {
    model.camera.set_scene(model.session.scene().camera, framed, keep_camera);
    model.session.camera = model.camera.camera();
    model.tree = {};
    model.playing = model.playing && model.moves();
    restart(model);
}

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
                section, id, value.empty() ? AllSettings().find(section, id).default_text : value);
        });
        if (!ok) return;
        record(model, step);
        // The film stores radiance, so that a changed tone mapping keeps the samples.
        if (section == "film")
            model.picture_stale = true;
        else
            restart(model);
    };
    // A frame notes the film's settings when it begins, so that these need not wait for its end.
    if (section == "film") return change();
    model.gate.edit({.apply = change, .name = "setting " + section + "." + id});
}

void change_exposure(ViewerModel& model, float stops) {
    auto settings = model.session.film_settings();
    auto& exposure = find_setting(settings, "exposure", "film");
    float value = stops == 0 ? 0 : **std::get_if<float*>(&exposure.value) + stops;
    value = std::clamp(value, static_cast<float>(exposure.minimum),
                       static_cast<float>(exposure.maximum));
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
    model.awaited_screenshot = extension;
    if (model.resolution.factor() > 1 || !model.gate.open()) model.resolution.demand_fine();
    if (model.gate.open()) take_awaited_screenshot(model);
}

void take_awaited_screenshot(ViewerModel& model) {
    auto& session = model.session;
    auto* second = model.compare.second ? &model.compare.second->session() : nullptr;
    auto samples = session.samples();
    if (second) samples = std::min(samples, second->samples());
    if (model.awaited_screenshot.empty() || model.resolution.factor() > 1 || samples == 0) return;
    auto extension = std::exchange(model.awaited_screenshot, "");
    auto renderers = session.renderer_id();
    if (second) renderers += "-and-" + second->renderer_id();
    auto path_of = [folder = model.options.screenshot_folder, scene = session.scene().name,
                    renderers, samples, extension] {
        return free_screenshot_path(folder, scene, renderers, samples, extension);
    };
    struct Shot {
        PictureParts parts;
        bool taken = false;
        std::string error;
    };
    auto shot = std::make_shared<Shot>();
    auto collect = [&model, shot, extension] {
        // What came before it in the gate may have ended the picture.
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
        if (!shot->taken) return take_screenshot(model, extension);
        if (!shot->error.empty()) return model.messages.error(kTitle, shot->error);
        if (!model.pictures.write(std::move(shot->parts), path_of))
            model.messages.warning("no screenshot was taken: too many are still being written");
    };
    model.gate.edit({.apply = write,
                     .prepare = collect,
                     .ends = Abandon::nothing,
                     .title = "taking the screenshot"});
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
                     .ends = Abandon::nothing,
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
                     .ends = Abandon::view});
}

void restart_all(ViewerModel& model) {
    restart(model);
    model.gate.edit({.apply =
                         [&model] {
                             if (model.compare.second) model.compare.second->session().restart();
                         },
                     .ends = Abandon::view});
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

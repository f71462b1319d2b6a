#include "app/viewer/actions/scene_opening.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/patch_views.h"
#include "app/viewer/actions/prepared_edit.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"
#include "core/device/registry.h"
#include "session/session_preparation.h"

namespace tl {
namespace {

namespace fs = std::filesystem;

void load_wanted(ViewerModel& model, const LoadedScene& wanted) {
    start_loading(model.document.loading, wanted, model.session_options.environment,
                  model.session_options.allow_outside);
}

/// Watches the files of the scene that was read last.
void follow_files(ViewerModel& model, bool keep) {
    auto& watch = model.document.watch;
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
    if (path.empty()) return model.status.messages.info("this scene does not come from a file");
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
    auto& watch = model.document.watch;
    watch.on = !watch.on;
    if (!watch.on) return watch.changes.stop();
    follow_files(model, false);
    if (watch.read.empty()) model.status.messages.info("this scene does not come from a file");
}

void reload_changed(ViewerModel& model) {
    auto& watch = model.document.watch;
    if (watch.on && watch.changes.take_change())
        load_wanted(model,
                    {.path = watch.path, .keep_camera = true, .keep_edits = true, .unasked = true});
}

void use_first_view(ViewerModel& model) {
    if (!model.document.first_view) return;
    model.document.first_view = false;
    // Flags for camera, time and exposure apply to the first scene; Home returns to its own camera.
    model.view.camera.set_camera(model.session.camera);
    auto& o = model.session_options;
    o.eye = o.target = o.up = {};
    o.fov = o.time = 0;
    o.lens_radius = o.focus_distance = -1;
    o.settings.erase("film.exposure");
    if (!o.renderer.empty()) model.session.settings().keep_renderer(std::exchange(o.renderer, ""));
    for (auto& warning : model.session.scene().warnings) model.status.messages.warning(warning);
    auto& options = model.options;
    model.view.playing = options.play && model.moves();
    if (options.control_net) toggle_control_net(model);
    if (options.compare_with) compare_with(model, *options.compare_with);
}

namespace {

using PreparedScenes = PreparedSides<PreparedScene>;

/// The renderer for a loaded scene: one that the user has chosen, unless the scene is another one
/// whose file requires its own; "" for the file's.
std::string renderer_for(ViewerModel& model, const LoadedScene& loaded) {
    auto kept = model.session.settings().kept_renderer();
    if (kept.empty()) return "";
    if (loaded.keep_camera) return model.session.renderer_id();
    bool runs = std::ranges::count(ids_on(model.session.device().kind(), renderers()), kept) > 0;
    return runs && !requires_renderer(*loaded.document.scene()) ? kept : "";
}

/// Copies the scene to the device and builds its trees in the background, so that its first frame
/// takes no longer than others.
PreparedScene prepared_scene(ViewerModel& model, Session& session,
                             const std::shared_ptr<const Scene>& scene, WorkShare& share,
                             const std::string& renderer) {
    PreparedScene made;
    auto ends = [&gate = model.gate] { return gate.asked() == Cancellation::everything; };
    run_told(share, ends, [&](const ReadProgress& progress) {
        made = prepare_scene(session, scene, progress, renderer);
        if (model.gate.prepares_apart) build_trees(session, made, progress);
    });
    return made;
}

void adopt_second(ViewerModel& model, PreparedScenes& prepared) {
    auto& second = model.view.compare.second;
    if (!second) return;
    bool ok = attempt(model.status.messages, "Cannot compare", [&] {
        if (prepared.second) second->session().adopt(prepared.second->take());
    });
    if (!ok) end_comparison(model);
}

/// Completes the opening of a loaded scene once it is on the device.
void adopt_loaded(ViewerModel& model, const std::string& title, const LoadedScene& loaded,
                  PreparedScenes& prepared) {
    bool ok = attempt(model.status.messages, title, [&] {
        auto scene = prepared.first.take();
        // Exposure belongs to the scene that it was chosen for.
        if (!loaded.keep_camera) model.session.settings().forget("film", "exposure");
        model.session.adopt(std::move(scene));
        adopt_second(model, prepared);
        model.document.scene = loaded.document;
        model.document.saved_work = loaded.work_of_file;
        model.document.selection = {};
        model.view.pixel.clicked.reset();
        model.view.pixel.selected.reset();
        if (!loaded.keep_edits) model.document.saved_path.clear();
        // The scene counts as open from here on, even if an option is invalid for it.
        adopt_scene(model, loaded.framed, loaded.keep_camera);
        apply_options(model.session, model.session_options);
        use_first_view(model);
    });
    // Steps belong to the scene on show, even if an option is invalid for it.
    if (model.document.scene.scene() == loaded.document.scene()) clear_history(model);
    if (!ok) return;
    model.preferences.remember_file(loaded.path);
    auto& warnings = model.session.scene().warnings;
    if (warnings.empty())
        model.status.messages.info((loaded.unasked ? "loaded again after a change: " : "opened ") +
                                   model.session.scene().name);
    else
        model.status.messages.warning(warnings.front() +
                                      (warnings.size() > 1 ? " (and more)" : ""));
}

/// Keeps unsaved edits and bookmarks for a scene that was loaded again.
void keep_edits(ViewerModel& model, LoadedScene& loaded) {
    auto &document = model.document.scene, &reloaded = loaded.document;
    for (auto& bookmark : document.bookmarks) set_bookmark(reloaded.bookmarks, bookmark);
    // Edits that were saved to another file are not in this one.
    std::error_code ignored;
    bool same_file = model.document.saved_path.empty() ||
                     fs::equivalent(model.document.saved_path, reloaded.path, ignored);
    if (same_file && document.edited.edits() == model.document.saved_work.edits) return;
    if (!same_file) loaded.work_of_file = model.document.saved_work;
    try {
        (void)reloaded.edited.apply(document.edited.edits());
    } catch (const UserError& error) {
        model.status.messages.warning(
            std::string("your changes no longer fit the file and were dropped: ") + error.what());
    }
}

/// Replaces the scene on show by a loaded one.
void replace_scene(ViewerModel& model, const std::string& title,
                   const std::shared_ptr<LoadedScene>& loaded) {
    auto share = std::make_shared<WorkShare>();
    auto edit = prepared_edit(
        model, EditedSides::both,
        [&model, loaded, share, renderer = renderer_for(model, *loaded)](Session& session) {
            bool is_first = &session == &model.session;
            return prepared_scene(model, session, loaded->document.scene(), *share,
                                  is_first ? renderer : "");
        },
        [&model, title, loaded](auto& prepared) { adopt_loaded(model, title, *loaded, prepared); });
    edit.title = "preparing " + loaded->document.scene()->name;
    edit.name = "scene";
    edit.share = share;
    edit.cancelled = [&model, loaded] {
        model.status.messages.info(loaded->document.scene()->name + " was not opened");
    };
    model.gate.edit(std::move(edit));
}

}  // namespace

bool finish_loading(ViewerModel& model) {
    if (model.document.question) return false;  // what has been loaded may need one, too
    auto ended = model.document.loading.take();
    if (!ended) return false;
    auto loaded = std::make_shared<LoadedScene>(std::move(ended->result));
    auto file = fs::path(loaded->path).filename().string();
    std::string title = "Cannot open " + file;
    auto given_up = std::exchange(model.document.given_up, std::nullopt);
    if (ended->cancelled) {
        model.status.messages.info(file + " was not opened");
        return true;
    }
    model.document.watch.path = loaded->path;
    model.document.watch.read = loaded->files;
    follow_files(model, loaded->unasked && !ended->error.empty());
    if (!ended->error.empty()) {
        auto text = ended->error + ". The scene that was open stays as it is.";
        // A file that is being written may be invalid for a while, which needs no dialog.
        if (loaded->unasked)
            model.status.messages.warning(title + ": " + text);
        else
            model.status.messages.error(title, text);
        return true;
    }
    loaded->work_of_file = work_of(loaded->document);
    if (loaded->keep_edits) keep_edits(model, *loaded);
    auto replace = [title, loaded](ViewerModel& m) { replace_scene(m, title, loaded); };
    bool agreed = loaded->keep_edits || given_up == work_of(model.document.scene);
    if (agreed)
        replace(model);
    else  // the user has gone on with the scene while the other one was loading
        ask_if_unsaved(model, {.title = "Open " + file + " without saving?", .go_on = replace});
    return true;
}

void adopt_scene(ViewerModel& model, const Box& framed, bool keep_camera) {
    model.view.camera.set_scene(model.session.scene().camera, framed, keep_camera);
    model.session.camera = model.view.camera.camera();
    model.status.tree_report = {};
    if (!keep_camera) model.view.region = {};
    // Frames of the former scene may have been far quicker.
    bool is_slow = model.options.frames_apart && model.session.device().kind() == DeviceKind::cpu;
    if (!keep_camera && is_slow) model.view.resolution.expect_slow();
    model.view.playing = model.view.playing && model.moves();
    restart(model);
}

}  // namespace tl

#include "app/viewer/actions/edit_steps.h"

#include <algorithm>
#include <utility>

#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/part_actions.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"
#include "core/device/registry.h"

namespace tl {
namespace {

EditState state_of(const ViewerModel& model) {
    auto& session = model.session;
    EditState state{ids_of(session.devices()), session.settings().choices()};
    if (model.view.compare.second) state.side_b = model.view.compare.second->choices();
    state.scene = model.document.scene.edited.edits();
    state.bookmarks = model.document.scene.bookmarks;
    return state;
}

/// Moves to a device by a renderer and a builder that run on it: those in use may not.
void move_to_device(Session& session, Device& device, const SessionSettings::Choices& wanted) {
    auto runs = [&](const auto& rows, const std::string& id) {
        return std::ranges::count(ids_on(device.kind(), rows), id) > 0;
    };
    bool ready =
        runs(renderers(), session.renderer_id()) && runs(tree_builders(), session.builder_id());
    if (!ready) session.settings().choose(wanted);
    session.set_device(device);
}

void bring_back(ViewerModel& model, const EditState& state) {
    auto& session = model.session;
    auto devices = find_devices(state.device);
    if (devices[0] != &session.device()) move_to_device(session, *devices[0], state.choices);
    session.set_devices(devices);
    session.settings().choose(state.choices);
    model.document.scene.bookmarks = state.bookmarks;
    apply_edits(model, state.scene);
    auto& second = model.view.compare.second;
    if (!state.side_b && second) end_comparison(model);
    if (state.side_b && !(second && second->choices() == *state.side_b))
        compare_with(model, *state.side_b);
    model.status.stopped_by.clear();
    model.view.picture_stale = true;
}

/// Whether both states give the same samples: they differ at most in film settings, bookmarks and
/// names of parts.
bool same_samples(EditState a, EditState b) {
    a.choices.settings.erase("film");
    b.choices.settings.erase("film");
    a.bookmarks = b.bookmarks;
    a.scene.marks.names = b.scene.marks.names;
    return a == b;
}

/// Restores settings and bookmarks of a state with the same samples (same_samples). The film keeps
/// its samples, and no frame has to end.
void show_again(ViewerModel& model, const EditState& state) {
    model.session.settings().choose(state.choices);
    model.document.scene.bookmarks = state.bookmarks;
    model.view.picture_stale = true;
}

/// A direction in the history: undo or redo.
struct Way {
    const std::string* (EditHistory::*name)() const;
    const EditState* (EditHistory::*target)() const;
    const EditState* (EditHistory::*go)();
    const EditState* (EditHistory::*back)();
    const char* done;  ///< beginning of the message, before the name of the edit
};
constexpr Way kUndo{&EditHistory::undo_name, &EditHistory::undone, &EditHistory::undo,
                    &EditHistory::redo, "undone: "};
constexpr Way kRedo{&EditHistory::redo_name, &EditHistory::redone, &EditHistory::redo,
                    &EditHistory::undo, "done again: "};

bool keeps_samples(const ViewerModel& model, const Way& way) {
    auto* target = (model.document.history.*way.target)();
    return target && same_samples(*target, state_of(model));
}

/// Whether a step changes no part of the scene, not even a name.
bool keeps_scene(const ViewerModel& model, const Way& way) {
    auto* target = (model.document.history.*way.target)();
    return target && target->scene == model.document.scene.edited.edits();
}

/// Selects the last part that was added to the scene.
void select_last_addition(ViewerModel& model) {
    auto& edited = model.document.scene.edited;
    const ItemKind kind = edited.edits().added.back().kind;
    const ItemId id{kind, static_cast<std::uint32_t>(edited.count(kind)) - 1};
    select(model, selection_with(edited, id), false);
}

/// Undoes or redoes one step. Call it between two frames, unless the step keeps the samples.
void go_now(ViewerModel& model, const Way& way) {
    auto& history = model.document.history;
    auto* found = (history.*way.name)();
    if (!found) return;
    std::string name = *found;
    bool shows = keeps_samples(model, way);
    EditState before = state_of(model), state = *(history.*way.go)();
    auto finish = [&model, name, before, state, shows, way](std::exception_ptr error) {
        model.document.restoring = true;
        std::string title = "Cannot change " + name;
        bool ok = attempt(model.status.messages, title, [&] {
            if (error) std::rethrow_exception(error);
            shows ? show_again(model, state) : bring_back(model, state);
        });
        // Restores the state from before the step, parts that were set before the error included.
        if (!ok) (void)attempt(model.status.messages, title, [&] { bring_back(model, before); });
        model.document.restoring = false;
        if (ok && state.scene.added.size() > before.scene.added.size()) select_last_addition(model);
        if (ok)
            model.status.messages.info(way.done + name);
        else
            (void)(model.document.history.*way.back)();
    };
    // The next frame is of another picture.
    if (!shows) model.gate.edit([] {});
    if (state.scene == before.scene) return finish(nullptr);
    bool takes_long = state.scene.objects != before.scene.objects ||
                      state.scene.added != before.scene.added ||
                      state.scene.environment != before.scene.environment;
    model.gate.follow(scene_edit(
        model, takes_long, [scene = state.scene](SceneEdits& edits) { edits = scene; }, finish));
}

void go(ViewerModel& model, const Way& way) {
    bool shows = keeps_samples(model, way), busy = model.gate.busy();
    // A frame reads the film settings when it begins, so that this step need not wait for its end.
    if (shows && !busy && keeps_scene(model, way)) return go_now(model, way);
    // An edit that waits in the gate may itself be a step, so that the target is not known yet.
    model.gate.edit({.apply = [&model, way] { go_now(model, way); },
                     .ends = shows || busy ? Cancellation::nothing : Cancellation::everything});
}

}  // namespace

void record(ViewerModel& model, const EditStep& step) {
    if (!model.document.restoring) model.document.history.record(step, state_of(model));
}

void clear_history(ViewerModel& model) {
    model.document.history.reset(state_of(model));
}

void undo(ViewerModel& model) {
    go(model, kUndo);
}

void redo(ViewerModel& model) {
    go(model, kRedo);
}

}  // namespace tl

#include "app/viewer/actions/edit_steps.h"

#include <algorithm>
#include <utility>

#include "accel/parallel/registry.h"
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/actions/viewer_actions.h"

namespace tl {
namespace {

EditState state_of(const ViewerModel& model) {
    auto& session = model.session;
    EditState state{device_id(session.device().kind()), session.choices()};
    if (model.compare.second) state.side_b = model.compare.second->choices();
    state.scene = model.document.edited.edits();
    state.bookmarks = model.document.bookmarks;
    return state;
}

/// Moves to a device by a renderer and a builder that run on it: those in use may not.
void move_to_device(Session& session, Device& device, const Session::Choices& wanted) {
    auto runs = [&](const auto& rows, const std::string& id) {
        return std::ranges::count(ids_on(device.kind(), rows), id) > 0;
    };
    bool ready =
        runs(renderers(), session.renderer_id()) && runs(tree_builders(), session.builder_id());
    if (!ready) session.choose(wanted);
    session.set_device(device);
}

void bring_back(ViewerModel& model, const EditState& state) {
    auto& session = model.session;
    auto& device = find_device(state.device);
    if (&device != &session.device()) move_to_device(session, device, state.choices);
    session.choose(state.choices);
    model.document.bookmarks = state.bookmarks;
    apply_edits(model, state.scene);
    auto& second = model.compare.second;
    if (!state.side_b && second) end_comparison(model);
    if (state.side_b && !(second && second->choices() == *state.side_b))
        compare_with(model, *state.side_b);
    model.stopped_by.clear();
    model.picture_stale = true;
}

using Way = const EditState* (EditHistory::*)();

void go(ViewerModel& model, const std::string* (EditHistory::*name_of)() const, Way way, Way back,
        const char* done) {
    model.gate.edit([&model, name_of, way, back, done] {
        auto& history = model.history;
        auto* found = (history.*name_of)();
        if (!found) return;
        std::string name = *found;
        EditState before = state_of(model), state = *(history.*way)();
        auto finish = [&model, name, before, state, back, done](std::exception_ptr error) {
            model.bringing_back = true;
            std::string title = "Cannot change " + name;
            bool ok = attempt(model, title, [&] {
                if (error) std::rethrow_exception(error);
                bring_back(model, state);
            });
            // What was brought back before the error goes with the rest.
            if (!ok) (void)attempt(model, title, [&] { bring_back(model, before); });
            model.bringing_back = false;
            if (ok)
                model.messages.info(done + name);
            else
                (void)(model.history.*back)();
        };
        if (state.scene == before.scene) return finish(nullptr);
        bool takes_long = state.scene.objects != before.scene.objects ||
                          state.scene.environment != before.scene.environment;
        model.gate.follow(scene_edit(
            model, takes_long, [scene = state.scene](SceneEdits& edits) { edits = scene; },
            finish));
    });
}

}  // namespace

void record(ViewerModel& model, const EditStep& step) {
    if (!model.bringing_back) model.history.record(step, state_of(model));
}

void forget_steps(ViewerModel& model) {
    model.history.reset(state_of(model));
}

void undo(ViewerModel& model) {
    go(model, &EditHistory::undo_name, &EditHistory::undo, &EditHistory::redo, "undone: ");
}

void redo(ViewerModel& model) {
    go(model, &EditHistory::redo_name, &EditHistory::redo, &EditHistory::undo, "done again: ");
}

}  // namespace tl

#include "app/viewer/random_input/settling.h"

#include <algorithm>

#include "app/jobs/background_job.h"
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/viewer_actions.h"

namespace tl {

Settling::Settling(Viewer& viewer, std::string scene)
    : viewer_(viewer),
      scene_(std::move(scene)),
      window_(viewer.model().context.size()),
      choices_(viewer.model().session.settings().choices()),
      preferences_(viewer.model().preferences),
      tab_(viewer.model().view.panel.tab) {}

bool Settling::advance() {
    constexpr std::uint32_t kSamples = 8;  // enough for all that a renderer keeps
    auto& model = viewer_.model();
    switch (stage_) {
        case Stage::begin:
            begin();
            stage_ = Stage::open;
            return false;
        case Stage::open:
            if (!quiet()) return false;
            model.view.paused = false;
            // Scenes keep settings that the user chose, and a file keeps its own.
            model.document.saved_work = work_of(model.document.scene);
            open_scene(model, scene_);
            stage_ = Stage::wait;
            return false;
        case Stage::wait:
            model.status.messages.close_dialog();
            if (!quiet() || model.view.resolution.settling() || model.session.samples() < kSamples)
                return false;
            model.view.paused = true;
            stage_ = Stage::rest;
            return false;
        case Stage::rest:
            break;
    }
    // Memory is freed as for users, after the viewer has been idle for a while.
    if (!quiet() || !model.gate.open() || !viewer_.memory().done()) return false;
    model.view.paused = false;
    stage_ = Stage::begin;
    return true;
}

void Settling::begin() {
    auto& model = viewer_.model();
    model.context.set_fullscreen(false);
    model.context.resize(window_);
    model.preferences = preferences_;  // the panel's width is the picture's, too
    model.status.messages.close_dialog();
    close_browser(model.view.browser);
    model.view.help_open = model.view.log_open = model.view.about_open = false;
    model.document.question.reset();
    model.document.closing.reset();
    model.view.panel.search.clear();
    model.view.panel.tab = tab_;  // some sections keep copies of the picture
    model.document.loading.cancel();
    for (auto& state : model.interface.states) {
        state->close();
        state->forget();
    }
    model.view.paused = true;  // until the work in the background has ended, which needs the time
    model.view.playing = false;
    model.view.interface_visible = true;
    model.view.boxes.shown = model.view.net.shown = model.view.points.shown = false;
    model.view.histogram.marks_shown = false;
    model.view.region = {};
    model.document.watch.on = false;
    end_comparison(model);
    model.gate.edit([&model, choices = choices_] {
        (void)attempt(model.status.messages, "Cannot settle",
                      [&] { model.session.settings().choose(choices); });
        model.status.stopped_by.clear();
    });
}

bool Settling::quiet() const {
    auto& model = viewer_.model();
    bool active = std::ranges::any_of(model.interface.states, [](auto& s) { return s->active(); });
    // Cancelled work may hold memory until it ends.
    bool working = active || BackgroundWork::any_works();
    return !working && !model.document.loading.busy() && !model.gate.busy() &&
           !model.document.pictures.busy();
}

}  // namespace tl

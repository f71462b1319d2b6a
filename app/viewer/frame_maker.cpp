#include "app/viewer/frame_maker.h"

#include <algorithm>
#include <utility>

#include "app/jobs/sampling_progress.h"
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/viewer_actions.h"
#include "session/render_region.h"

namespace tl {
namespace {

// A frame that takes no longer runs in the loop's thread: a second thread would cost more.
constexpr float kQuick = 0.008f;  // seconds
// A frame that takes longer is cancelled in favour of one of a newer view.
constexpr float kPatience = 0.08f;  // seconds

}  // namespace

FrameMaker::FrameMaker(ViewerModel& model)
    : model_(model), thread_([&context = model.context] { context.wake(); }) {
    model_.session.cancellation = &model_.gate.asked();
}

FrameMaker::~FrameMaker() {
    model_.gate.cancel_work(Cancellation::everything);
    try {
        if (thread_.busy()) thread_.finish();
    } catch (const std::exception&) {
        // No one is left to receive the error.
    }
    model_.session.cancellation = nullptr;
}

void FrameMaker::wait() {
    if (thread_.busy()) {
        try {
            thread_.finish();
        } catch (const std::exception& error) {
            stop(error);
        }
        reopen();
    }
    while (model_.gate.must_run()) {
        auto edit = model_.gate.take_preparation();
        edit.prepare();
        model_.gate.reopen_after(edit);
    }
}

/// Lets edits continue after the work in the thread has ended.
void FrameMaker::reopen() {
    if (auto edit = std::exchange(preparing_, std::nullopt))
        model_.gate.reopen_after(*edit);
    else
        model_.gate.reopen();
}

float FrameMaker::seconds_running() const {
    return std::chrono::duration<float>(Clock::now() - began_).count();
}

bool FrameMaker::is_cancelled() const {
    return model_.gate.asked() != Cancellation::nothing;
}

/// Stops rendering: the next frame would fail in the same way.
void FrameMaker::stop(const std::exception& error) {
    model_.status.stopped_by = message_of(error);
    model_.view.picture_stale = false;
    model_.status.messages.error("Rendering stopped", model_.status.stopped_by);
    if (model_.session.samples() > 0 || model_.document.awaited_screenshots.empty()) return;
    model_.document.awaited_screenshots.clear();
    model_.status.messages.warning("no screenshot was taken: rendering has stopped");
}

void FrameMaker::make(const Wanted& wanted) {
    auto& session = model_.session;
    if (!wanted.held) session.camera = model_.view.camera.camera();
    bool moved = session.camera != rendered_ || (model_.moves() && session.time != rendered_time_);
    if (!wanted.held) moving_ = moved;
    bool changed = model_.gate.take_edited();
    if (!wanted.held) {
        // A scene that starts to move needs another tree.
        bool in_motion = model_.moves() && session.time != rendered_time_;
        if (in_motion && !in_motion_) cost_.reset();
        in_motion_ = in_motion;
    }
    if (changed) {
        ++n_changes_;
        cost_.reset();
        search_cost_.reset();
        model_.status.statistics.restart();
        if (auto& second = model_.view.compare.second) second->statistics.restart();
    }
    // A coarse film would lose the pixels around the region.
    if (!model_.document.awaited_screenshots.empty() || model_.view.region.chosen)
        model_.view.resolution.demand_fine();
    model_.view.resolution.advance(moving_, wanted.seconds, changed);
    try {
        plan_ = plan(wanted, moved);
        model_.status.sampling = plan_.sample || plan_.second_sample;
        if (!plan_.first && !plan_.second && !plan_.search) return;
        begin();
        if (plan_.apart) {
            model_.gate.close();
            return thread_.start([this] {
                yield_to_interface();
                work();
            });
        }
        work();
        conclude();
    } catch (const std::exception& error) {
        stop(error);
    }
}

FrameMaker::Plan FrameMaker::plan(const Wanted& wanted, bool moved) {
    auto& session = model_.session;
    if (model_.status.stopped_by.empty()) {
        Extent before = session.extent();
        session.resize(model_.view.resolution.film_extent(model_.view.layout.picture.extent()));
        if (session.extent() != before) {
            cost_.reset();
            // Times of pictures of another size must not be mixed with these.
            model_.status.statistics.restart();
            if (auto& second = model_.view.compare.second) second->statistics.restart();
        }
    }
    follow_region();
    follow_comparison(model_);
    auto& second = model_.view.compare.second;
    if (!second) second_picture_.reset();
    auto samples = [&](Session& of) {
        return model_.status.stopped_by.empty() && (model_.wants_samples(of) || moved);
    };
    Plan plan;
    plan.sample = samples(session);
    plan.second_sample = second && samples(second->session());
    plan.search = search_.due(model_, wanted.last);
    plan.apart = runs_apart(plan);
    plan.seen = wanted.seen || plan.apart;
    plan.last = wanted.last;
    bool shown = (model_.view.picture_stale || model_.awaits_denoising()) && plan.seen;
    plan.first = plan.sample || shown;
    plan.second = second && (plan.second_sample || shown);
    bool sampled = std::exchange(sampled_, plan.sample);
    plan.seconds_between = sampled && !wanted.rested ? double(wanted.seconds) : 0;
    return plan;
}

/// Limits the samples to the chosen region, once a film of this size holds the pixels around it.
void FrameMaker::follow_region() {
    auto& session = model_.session;
    if (kept_.extent != session.extent() || kept_.device != &session.device())
        kept_ = {session.extent(), &session.device(), false};
    kept_.is_whole = kept_.is_whole || (session.samples() > 0 && session.share().is_whole());
    auto& chosen = model_.view.region.chosen;
    bool limits = chosen && kept_.is_whole && region_fault(session).empty();
    session.set_region(limits ? pixels_of(*chosen, session.extent()) : FilmRegion{});
}

bool FrameMaker::runs_apart(const Plan& plan) const {
    auto slow = [](const std::optional<float>& cost) { return !cost || *cost > kQuick; };
    bool sample = plan.sample || plan.second_sample;
    bool search = plan.search || (sample && search_.wanted());
    bool picture = sample || model_.awaits_denoising();
    return model_.options.frames_apart &&
           ((picture && slow(cost_)) || (search && slow(search_cost_)));
}

/// Does the part of a frame that needs the loop's thread, before the frame.
void FrameMaker::begin() {
    began_ = Clock::now();
    plan_.time = model_.session.time;
    second_error_.clear();
    search_.begin(model_.view);
    auto begin = [&](Session& session, Presenter& presenter) {
        if (plan_.seen) presenter.begin(session);
        session.begin_frame();
    };
    if (plan_.first) begin(model_.session, picture_);
    if (!plan_.second) return;
    bool ok = attempt(model_.status.messages, "Cannot compare", [&] {
        auto& session = model_.view.compare.second->session();
        session.cancellation = &model_.gate.asked();
        if (!second_picture_) second_picture_ = std::make_unique<Presenter>();
        begin(session, *second_picture_);
    });
    if (ok) return;
    plan_.second = false;
    end_comparison(model_);
}

/// Gives the loop's thread priority where the CPU renders, so that keys need not wait for the
/// system's scheduler. Called in the thread.
void FrameMaker::yield_to_interface() {
    if (!team_ && model_.session.device().kind() == DeviceKind::cpu)
        team_ = std::make_unique<YieldingTeam>();
}

/// Renders the frame, in any thread.
void FrameMaker::work() {
    if (plan_.first) run(model_.session, picture_, plan_.sample);
    if (plan_.second) {
        // An error in the second session only ends the comparison.
        try {
            auto& session = model_.view.compare.second->session();
            run(session, *second_picture_, plan_.second_sample);
            if (session.shared_stream() != model_.session.shared_stream())
                second_ahead_.end_step(session.stream());
        } catch (const std::exception& error) {
            second_error_ = message_of(error);
        }
    }
    auto& second = model_.view.compare.second;
    plan_.anew = (plan_.sample && model_.session.samples() == 1) ||
                 (plan_.second_sample && second && second->session().samples() == 1);
    if (second_error_.empty() && !is_cancelled()) search_.run(model_, plan_.anew);
    frames_ahead_.end_step(model_.session.stream());
}

void FrameMaker::run(Session& session, Presenter& presenter, bool sample) {
    if (sample) session.render_frame();
    // The film of a cancelled frame holds parts of two pictures.
    bool shown = plan_.seen && !is_cancelled();
    auto denoise = plan_.last || !sample ? DenoiseWhen::now : DenoiseWhen::at_intervals;
    session.display().denoise(shown ? denoise : DenoiseWhen::never);
    if (shown && !is_cancelled())
        presenter.tone_map(session);
    else
        StageTimer::Scope nothing(session.timer(), "present", StageKind::display);
    session.end_frame();
}

/// Takes a frame's results.
void FrameMaker::conclude() {
    auto& session = model_.session;
    bool whole = !is_cancelled();
    bool frame = plan_.first || plan_.second;
    if (search_.seconds() > 0) search_cost_ = search_.seconds();
    if (frame && whole) cost_ = seconds_running() - search_.seconds();
    if (frame && !whole) take_cancelled_time();
    if (plan_.first) {
        if (plan_.seen && whole) picture_.end(session);
        if (plan_.sample)
            model_.status.time_left.add(sampling_state(session, model_.options.stop_at),
                                        plan_.seconds_between);
    }
    if (plan_.second) {
        bool ok = attempt(model_.status.messages, "Cannot compare", [&] {
            if (!second_error_.empty()) throw UserError(second_error_);
            auto& second = *model_.view.compare.second;
            if (plan_.seen && whole) second_picture_->end(second.session());
            second.statistics.add_stages(second.session().timer());
        });
        if (!ok) end_comparison(model_);
    }
    search_.end(model_, plan_.anew);
    if (!frame) return;
    if (whole) take_times();
    if (plan_.sample && whole) log_frame();
    sampled_ = sampled_ && whole;
    sampled_since_ = sampled_since_ || plan_.sample || plan_.second_sample;
    rendered_ = session.camera;
    rendered_time_ = plan_.time;
    model_.view.picture_stale = !plan_.seen || !whole;
    if (whole) take_awaited_screenshots(model_);
}

/// Passes the time of a cancelled frame to the resolution control, for the next frames.
void FrameMaker::take_cancelled_time() {
    auto& timer = model_.session.timer();
    if (model_.session.device().kind() == DeviceKind::cpu) timer.flush();
    if (std::exchange(timed_frames_, timer.frames()) == timer.frames())
        return model_.view.resolution.add_cancelled(1000 * (seconds_running() - search_.seconds()));
    float scene = 0, trace = 0;
    for (auto& stage : timer.latest()) {
        if (is_of_scene(stage.kind)) scene += stage.milliseconds;
        if (stage.kind == StageKind::trace) trace += stage.milliseconds;
    }
    model_.view.resolution.add_cancelled(trace, scene);
}

/// Logs the frame for frame rates.
void FrameMaker::log_frame() {
    auto& session = model_.session;
    model_.status.statistics.log().add(plan_.seconds_between,
                                       {.film = session.extent(),
                                        .picture = moving_ ? 0 : session.pictures(),
                                        .changes = n_changes_,
                                        .two_sides = plan_.second_sample,
                                        .moves = moving_});
}

void FrameMaker::take_times() {
    auto& timer = model_.session.timer();
    // The CPU's times are known at once, and those of a slow frame are needed for the next one.
    if (plan_.apart && model_.session.device().kind() == DeviceKind::cpu) timer.flush();
    model_.status.statistics.add_stages(timer, plan_.apart);
    if (timer.frames() == timed_frames_) return;
    timed_frames_ = timer.frames();
    auto stages = timer.latest();
    if (auto& second = model_.view.compare.second) {
        auto& more = second->session().timer().latest();
        stages.insert(stages.end(), more.begin(), more.end());
    }
    model_.view.resolution.add_frame(stages, plan_.apart);
}

void FrameMaker::overtake() {
    if (!thread_.busy() || preparing_) return;
    // Every view needs the scene update, so ending the frame would not save its time.
    float fixed = model_.view.resolution.fixed_milliseconds() / 1000;
    bool slow = seconds_running() > kPatience + fixed || (cost_ && *cost_ > kPatience + fixed);
    if (slow && model_.view.camera.camera() != model_.session.camera)
        model_.gate.cancel_work(Cancellation::view);
}

bool FrameMaker::take() {
    bool news = false;
    if (thread_.busy() && thread_.ended()) {
        news = true;
        try {
            thread_.finish();
            if (!preparing_) conclude();
        } catch (const std::exception& error) {
            stop(error);
        }
        reopen();
    }
    if (!thread_.busy() && model_.gate.has_preparation()) prepare_edit();
    return news;
}

/// Begins the preparation of an edit in the thread.
void FrameMaker::prepare_edit() {
    preparing_ = model_.gate.take_preparation();
    model_.gate.close();
    began_ = Clock::now();
    thread_.start([this] {
        yield_to_interface();
        preparing_->prepare();
    });
}

}  // namespace tl

#include "app/viewer/viewer.h"

#include <algorithm>
#include <utility>

#include "app/jobs/format.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/gizmo_actions.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/files/viewer_report.h"
#include "app/viewer/window/gl_setup.h"
#include "core/base/error.h"
#include "renderer/scene/framing.h"

namespace tl {
namespace {

constexpr double kIdleSeconds = 0.1;  // longest sleep of an idle viewer between checks
// Limit on the step of simulations: they compute the time between two frames. With a step as long
// as the frame, each slow frame would have more to do than the one before.
constexpr float kLongestSimulatedStep = 0.1f;  // seconds
constexpr double kFlightStep = 1.0 / 60;       // between movements by keys while a slow frame runs
// Fraction of the refresh interval for gathering samples if swap() waits for the display. The rest
// is for showing the picture in time.
constexpr double kGatherShare = 0.6;

bool has_simulation(const Scene& scene) {
    return std::ranges::any_of(scene.meshes, [](auto& mesh) { return mesh.simulation != nullptr; });
}

float interface_scale(const ViewerModel& model) {
    if (model.options.ui_scale > 0) return model.options.ui_scale;
    if (model.preferences.ui_scale > 0) return model.preferences.ui_scale;
    return model.context.content_scale();
}

}  // namespace

Viewer::Viewer(GlContext& context, Session& session, Preferences& preferences,
               const SessionOptions& session_options, const ViewerOptions& options,
               ViewerInterface interface)
    : model_{context, session, preferences, session_options, options, std::move(interface)},
      frames_(model_),
      previews_(model_.interface.states.size()),
      imgui_(context) {
    auto& view = model_.view;
    auto names = gl_names();
    model_.status.gl_renderer = names.renderer;
    model_.status.gl_version = names.version;
    view.interface_visible = preferences.interface_visible;
    auto& tab = options.panel_tab.empty() ? preferences.panel_tab : options.panel_tab;
    view.panel.tab = find_tab(tab).value_or(view.panel.tab);
    model_.status.statistics.keep_all = !options.report.empty();
    model_.status.memory = session.device().memory_stats();
    refresh_seconds_ = options.show_every_frame ? 0 : context.refresh_seconds();
    if (options.gather_samples && options.frames == 0 && !options.show_every_frame)
        gather_seconds_ = context.display_seconds() * (refresh_seconds_ > 0 ? 1 : kGatherShare);
    last_frame_ = last_shown_ = last_swap_ = last_look_ = last_rays_ = last_moved_ = Clock::now();
    view.boxes.level = preferences.box_level;
    view.compare.gain = preferences.difference_gain;
    view.boxes.shown = options.box_level != ViewerOptions::kNoBoxes;
    view.boxes.leaves = options.box_level == kAllLeaves;
    if (options.box_level >= 0) view.boxes.level = options.box_level;
    view.points.size = preferences.point_size;
    view.points.most = preferences.point_count;
    view.points.by_value = preferences.points_by_value;
    view.points.shown = options.points;
    view.first_hint = options.first_hint;
    model_.gate.prepares_apart = options.frames_apart;
    view.compare.mode = options.compare_mode;
    model_.document.watch.on = options.watch;
    // Flags for camera and time apply to the first scene; Home returns to its own camera.
    Camera start = session.camera;
    adopt_scene(model_, framing_bounds(session.scene()), false);
    session.camera = start;
    if (options.first_scene.empty())
        use_first_view(model_);
    else
        open_scene(model_, options.first_scene);
    clear_history(model_);
    // A run of a fixed number of frames must show the same pictures each time.
    view.resolution.enabled = options.coarse_motion && options.frames == 0;
}

void Viewer::run(const std::function<void()>& after_step) {
    while (step())
        if (after_step) after_step();
    // Ending work in progress may take a moment; the window is closed already.
    model_.context.hide();
    auto& options = model_.options;
    bool results = options.frames > 0 || !options.report.empty() || !options.screenshot.empty();
    if (!results) model_.gate.cancel_work(Cancellation::everything);
    for (auto& state : model_.interface.states) state->close();
    if (results || model_.gate.must_run()) frames_.wait();
    if (!model_.document.awaited_screenshots.empty())
        model_.status.messages.warning("no screenshot was taken: the viewer was closed before");
    model_.document.pictures.wait();
    tell_written_pictures(model_);
    write_results(model_, n_frames_, n_shown_);
}

bool Viewer::step() {
    auto& context = model_.context;
    if (closes() || last_frame()) return false;
    Extent window = context.size();
    // A minimised window still finishes the files that closing waits for.
    bool visible =
        window.width > 0 && window.height > 0 && (!context.minimised() || model_.document.closing);
    take_input(visible);
    if (frames_.take()) {
        redraw_ = std::max(redraw_, 1);
        unseen_ = true;
        if (model_.gate.open()) read_numbers();
    }
    // A change of geometry is prepared at once, before the next frame.
    if (follow_gizmo_drag(model_)) (void)frames_.take();
    if (model_.gate.open()) take_awaited_screenshots(model_);
    tell_written_pictures(model_);
    if (finish_loading(model_)) redraw_ = kSettleFrames;
    reload_changed(model_);
    if (closes()) return false;
    update_title();
    window = context.size();
    if (!visible || window.width <= 0 || window.height <= 0) {
        last_frame_ = Clock::now();
        rested_ = true;
        return true;
    }
    if (model_.status.messages.current() != shown_message_) redraw_ = kSettleFrames;
    for (auto& state : model_.interface.states)
        if (state->poll(model_)) redraw_ = kSettleFrames;
    if (find_figures()) redraw_ = kSettleFrames;
    if (find_histogram()) redraw_ = kSettleFrames;
    // Without other frames, redraw to show the progress of background work.
    if (working() && (!model_.accumulating() || !model_.gate.open()) &&
        seconds_since(last_shown_) >= (model_.gate.open() ? 0 : kIdleSeconds))
        redraw_ = std::max(redraw_, 1);
    return_memory();
    look_around();
    if (busy() || window != framed_window_)
        draw_frame(window);
    else
        rested_ = true;
    return true;
}

/// Whether the window closes now. Unsaved edits and unfinished files come first.
bool Viewer::closes() {
    auto& context = model_.context;
    if (context.should_close() && !model_.document.may_close) {
        context.stay_open();
        // The window may close nevertheless: random test input ends so.
        if (context.should_close()) return true;
        quit(model_);
        redraw_ = kSettleFrames;
    }
    bool asked = model_.document.question.has_value();
    advance_closing(model_);
    if (model_.document.question.has_value() != asked) redraw_ = kSettleFrames;
    return context.should_close();
}

/// Frees memory that is kept for larger pictures and for hidden views.
void Viewer::return_memory() {
    // A run of a fixed number of frames is a measurement.
    if (!model_.gate.open() || working() || model_.options.frames > 0) return;
    if (memory_.due(model_) && trim_histogram()) {
        auto& second = model_.view.compare.second;
        model_.session.trim();
        if (second) second->session().trim();
        if (!second) flip_texture_.clear();
        overlays_.forget_hidden(model_.view);
        memory_.trimmed();
    }
    if (!busy() && seconds_since(last_shown_) >= memory_.rest) memory_.return_heap();
}

/// Frees unneeded histogram data; returns false while some of it is still in use.
bool Viewer::trim_histogram() {
    auto& view = model_.view.histogram;
    if (view.counted(model_.view.interface_visible)) {
        histogram_.trim();
        return true;
    }
    if (!histogram_.forget()) return false;
    view.found.reset();
    view.texture = 0;
    marks_.clear();
    return true;
}

/// Whether work with displayed progress runs in the background.
bool Viewer::working() const {
    bool comparing = model_.view.compare.second && model_.view.compare.figures.busy();
    return model_.document.loading.busy() || section_active() || comparing || model_.gate.busy();
}

/// Whether anything is in motion or in progress, so that frames must continue.
bool Viewer::busy() const {
    bool moving =
        model_.view.playing || overlays_stale(model_.view) || model_.view.resolution.settling();
    bool smoothing = model_.gate.open() && model_.awaits_denoising();
    return model_.accumulating() || (moving && model_.status.stopped_by.empty()) ||
           model_.view.picture_stale || smoothing || unseen_ || redraw_ > 0 || !events_.empty() ||
           router_.flying() || model_.options.frames > 0 || frames_.running();
}

bool Viewer::last_frame() const {
    bool done = model_.options.frames > 0 && n_frames_ >= model_.options.frames;
    return done &&
           std::ranges::none_of(model_.interface.states, [](auto& s) { return s->awaited(); });
}

bool Viewer::section_active() const {
    return std::ranges::any_of(model_.interface.states, [](auto& s) { return s->active(); });
}

InputCapture Viewer::capture() const {
    bool modal = !model_.status.messages.dialog_title().empty() || model_.document.question ||
                 model_.view.browser.open;
    return {.mouse = imgui_.wants_mouse(),
            .text = imgui_.wants_text(),
            .modal = modal,
            .popup = imgui_.popup_open(),
            .keys = navigates(),
            .held = imgui_.widget_held(),
            .scrolls = model_.view.help_open || model_.view.log_open || model_.view.about_open};
}

/// Whether the keyboard navigates the interface.
bool Viewer::navigates() const {
    bool in_panel =
        model_.view.panel.keyboard && model_.view.interface_visible && !model_.view.help_open;
    return in_panel || model_.view.log_open || model_.view.about_open ||
           !model_.view.panel.opened_menu.empty() || imgui_.popup_open() || imgui_.dialog_open();
}

void Viewer::take_input(bool visible) {
    auto& context = model_.context;
    bool waits = !visible || !busy() || (frames_.running() && redraw_ == 0 && events_.empty());
    if (waits)
        context.wait_events(visible && router_.flying() ? kFlightStep : kIdleSeconds);
    else
        context.poll_events();
    for (auto& event : context.take_events()) events_.push_back(std::move(event));
    if (!events_.empty()) redraw_ = kSettleFrames;

    // A button event applies to the cursor position in the displayed frame: one that follows a
    // movement or another button waits for the next frame.
    bool moved = false;
    while (!events_.empty()) {
        auto& event = events_.front();
        bool click = std::holds_alternative<ButtonEvent>(event) ||
                     std::holds_alternative<ScrollEvent>(event);
        if (click && moved && visible) break;
        // Keys wait for the search's field, which gets the keyboard when it is drawn.
        bool typed =
            std::holds_alternative<KeyEvent>(event) || std::holds_alternative<TextEvent>(event);
        if (typed && model_.view.panel.search_starts && visible) break;
        moved |= click || std::holds_alternative<CursorEvent>(event);
        auto current = std::move(event);
        events_.pop_front();
        if (!router_.handle(current, capture(), model_)) imgui_.feed(current);
    }
}

void Viewer::draw_frame(Extent window) {
    float scale = interface_scale(model_);
    model_.view.layout = layout_of(window, scale, model_.view.interface_visible,
                                   model_.preferences.panel_width, model_.moves());
    if (frames_.running()) return draw_beside(window, scale);

    framed_window_ = window;
    float seconds = seconds_since(last_frame_);
    last_frame_ = Clock::now();
    bool rested = std::exchange(rested_, false);
    if (!rested) model_.status.statistics.add_frame(seconds * 1000);
    bool held = advance_view(seconds);
    ++n_frames_;
    unseen_ = true;
    bool seen = due_on_screen();
    frames_.make({seconds, rested, held, seen, last_frame()});
    ran_apart_ = frames_.running();
    if (ran_apart_) return draw_beside(window, scale);
    read_numbers();
    constexpr float kNewest = 0.3f;  // weight in the average
    frame_seconds_ += kNewest * (seconds_since(last_frame_) - frame_seconds_);
    if (last_frame()) find_last_figures();
    if (seen) {
        show(window, seconds_since(last_shown_), scale);
        pacer_.end_frame();
    }
}

/// Draws the interface over the last picture while a frame runs in another thread.
void Viewer::draw_beside(Extent window, float scale) {
    if (router_.flying()) {
        router_.advance(seconds_since(last_moved_), capture(), model_.view);
        redraw_ = std::max(redraw_, 1);
    }
    last_moved_ = Clock::now();
    frames_.overtake();
    if (redraw_ == 0 && events_.empty()) return;
    show(window, seconds_since(last_shown_), scale);
    pacer_.end_frame();
}

/// Moves the view and the scene, unless the newest frame has not been displayed yet and this one
/// adds a sample to it. Returns whether they were held.
bool Viewer::advance_view(float seconds) {
    // A frame that has run in another thread is displayed at once.
    bool held = unseen_ && gathering() && !ran_apart_;
    held_seconds_ += seconds;
    if (held) return true;
    // Keys have moved the view while a frame ran in another thread.
    router_.advance(std::min(held_seconds_, seconds_since(last_moved_)), capture(), model_.view);
    last_moved_ = Clock::now();
    advance_motion(held_seconds_);
    held_seconds_ = 0;
    return false;
}

/// Whether frames add samples to one picture until the display is due.
bool Viewer::gathering() const {
    bool moving = model_.view.playing || router_.flying();
    return gather_seconds_ > 0 && model_.status.stopped_by.empty() && !model_.view.paused &&
           (moving || model_.accumulating());
}

/// Whether the newest frame is displayed now. While samples are gathered, and without vsync, frames
/// are rendered at maximum rate and only the newest is displayed at each refresh; other changes are
/// displayed at once. Only displayed frames use GL: a GPU switches between CUDA and GL work, which
/// costs more than most frames take, and GL waits long while a solver runs.
bool Viewer::due_on_screen() const {
    if (gathering()) {
        bool late = seconds_since(last_swap_) + 2 * frame_seconds_ >  // after one more frame
                    static_cast<float>(gather_seconds_);
        return late || !events_.empty();
    }
    bool awaited = redraw_ > 0 || !events_.empty() || router_.flying() || last_frame();
    return awaited || seconds_since(last_shown_) >= static_cast<float>(refresh_seconds_);
}

void Viewer::show(Extent window, float seconds, float scale) {
    last_shown_ = Clock::now();
    auto& picture = frames_.picture();
    picture.draw(model_.context.framebuffer(), model_.view.layout.picture, window.height,
                 split_view());
    overlays_.draw(model_, frames_.camera(), window.height, scale);
    update_gizmo(model_, frames_.camera(), scale);
    model_.view.pixel.shown = frames_.camera();
    model_.status.present = {picture.way(), picture.reason(), picture.gl_milliseconds()};
    shown_message_ = model_.status.messages.current();
    update_previews();
    auto lay_out = [&](float passed) {
        imgui_.begin_frame(window, passed, {scale, model_.preferences.theme == kLightTheme},
                           navigates());
        model_.document.history.type(imgui_.wants_text());
        model_.interface.draw(model_, scale);
    };
    if (redraw_ >= kSettleFrames) {
        // ImGui shows what is new in the frame after the one that finds its size. That one is not
        // drawn: by software, drawing takes most of the time.
        lay_out(seconds);
        imgui_.skip_frame();
        seconds = 0;
    }
    lay_out(seconds);
    imgui_.end_frame();
    model_.view.panel.search_starts = false;  // also where a window has no room for its field

    if (last_frame() && !model_.options.screenshot_ui.empty())
        save_window(model_.context, model_.options.screenshot_ui);
    model_.context.swap();
    last_swap_ = Clock::now();
    ++n_shown_;
    unseen_ = false;
    if (redraw_ > 0) --redraw_;
}

/// Returns the mode and layout in which two compared sides are displayed.
SplitView Viewer::split_view() {
    auto& compare = model_.view.compare;
    if (!compare.second || !frames_.second_picture()) return {};
    auto mode = compare.shown_mode(model_.session);
    if (auto* flip = compare.flip_of(model_.session);
        mode == CompareMode::flip && flip_shown_ != compare.figures.flip_version()) {
        flip_texture_.update(flip->picture);
        flip_shown_ = compare.figures.flip_version();
    }
    return {.second = frames_.second_picture(),
            .at = compare.split,
            .difference_gain = mode == CompareMode::difference ? compare.gain : 0,
            .instead = mode == CompareMode::flip ? static_cast<unsigned>(flip_texture_.name()) : 0};
}

void Viewer::update_previews() {
    for (std::size_t i = 0; i < previews_.size(); ++i) {
        auto& preview = model_.interface.states[i]->preview;
        if (previews_[i].version == preview.version) continue;
        previews_[i].texture.update(preview.image);
        previews_[i].version = preview.version;
        preview.texture = previews_[i].texture.name();
    }
    auto& view = model_.view.histogram;
    if (marks_shown_ == view.version) return;
    marks_.update(view.found->marks);
    marks_shown_ = view.version;
    view.texture = marks_.name();
}

/// Advances the motion. A run of a fixed number of frames uses the same times every time.
/// Simulations run slower than real time where frames are slow.
void Viewer::advance_motion(float seconds) {
    if (!model_.view.playing || !model_.status.stopped_by.empty()) return;
    float step = model_.options.frames > 0 ? kMotionStep : seconds;
    if (has_simulation(model_.session.scene())) step = std::min(step, kLongestSimulatedStep);
    set_motion_time(model_, model_.session.time + step * model_.view.play_speed);
}

/// The title has a star while edits are not saved; its frame rate changes twice a second.
void Viewer::update_title() {
    constexpr float kEvery = 0.5f;  // seconds
    auto name = model_.session.scene().name + (has_unsaved_edits(model_) ? "*" : "");
    if (name == titled_ && seconds_since(last_title_) < kEvery) return;
    titled_ = name;
    last_title_ = Clock::now();
    std::string fps;
    if (model_.accumulating())
        fps = frame_rate_text(static_cast<double>(model_.status.statistics.frames_per_second())) +
              " - ";
    auto title = name + " - " + fps + "Treelight";
    if (title != std::exchange(title_, title)) model_.context.set_title(title);
}

}  // namespace tl

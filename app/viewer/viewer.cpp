#include "app/viewer/viewer.h"

#include <algorithm>
#include <utility>

#include "accel/parallel/error.h"
#include "app/jobs/format.h"
#include "app/jobs/sampling_progress.h"
#include "app/viewer/compare_actions.h"
#include "app/viewer/patch_views.h"
#include "app/viewer/point_views.h"
#include "app/viewer/tree_views.h"
#include "app/viewer/viewer_actions.h"
#include "app/viewer/viewer_report.h"
#include "app/viewer/views/overlay_lines.h"
#include "app/viewer/views/overlay_points.h"
#include "app/viewer/window/gl_setup.h"

namespace tl {
namespace {

constexpr int kSettleFrames = 3;      // ImGui updates its layout in the frame after a change
constexpr double kIdleSeconds = 0.1;  // longest sleep of an idle viewer between checks
// Share of the refresh interval for gathering samples if swap() waits for the display: what is left
// is for showing the picture in time.
constexpr double kGatherShare = 0.6;

float seconds_since(std::chrono::steady_clock::time_point then) {
    return std::chrono::duration<float>(std::chrono::steady_clock::now() - then).count();
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
      previews_(model_.interface.states.size()),
      imgui_(context) {
    auto names = gl_names();
    model_.gl_renderer = names.renderer;
    model_.gl_version = names.version;
    model_.interface_visible = preferences.interface_visible;
    auto& tab = options.panel_tab.empty() ? preferences.panel_tab : options.panel_tab;
    model_.panel.tab = find_tab(tab).value_or(model_.panel.tab);
    model_.statistics.keep_all = !options.report.empty();
    // Flags for camera and time are for the first scene, whose own camera Home returns to.
    Camera start = session.camera;
    adopt_scene(model_, false);
    model_.camera.set_camera(start);
    auto& o = model_.session_options;
    o.eye = o.target = o.up = {};
    o.fov = o.time = 0;
    o.lens_radius = o.focus_distance = -1;
    for (auto& warning : session.scene().warnings) model_.messages.warning(warning);
    model_.memory = session.device().memory_stats();
    refresh_seconds_ = options.show_every_frame ? 0 : context.refresh_seconds();
    if (options.gather_samples && options.frames == 0 && !options.show_every_frame)
        gather_seconds_ = context.display_seconds() * (refresh_seconds_ > 0 ? 1 : kGatherShare);
    last_frame_ = last_shown_ = last_swap_ = last_look_ = last_rays_ = Clock::now();
    model_.boxes.level = preferences.box_level;
    model_.compare.gain = preferences.difference_gain;
    model_.boxes.shown = options.box_level != ViewerOptions::kNoBoxes;
    model_.boxes.leaves = options.box_level == kAllLeaves;
    if (options.box_level >= 0) model_.boxes.level = options.box_level;
    model_.points.size = preferences.point_size;
    model_.points.most = preferences.point_count;
    model_.points.by_value = preferences.points_by_value;
    model_.points.shown = options.points;
    if (options.control_net) toggle_control_net(model_);
    if (options.compare_with) compare_with(model_, *options.compare_with);
    model_.compare.mode = options.compare_mode;
    model_.playing = options.play && model_.moves();
    // A run of a fixed number of frames must show the same pictures each time.
    model_.resolution.enabled = options.coarse_motion && options.frames == 0;
}

void Viewer::run() {
    while (step()) {
    }
    // Loading a scene may delay the exit for a moment; the window is closed already.
    model_.context.hide();
    write_results(model_, frames_, shown_frames_);
}

bool Viewer::step() {
    auto& context = model_.context;
    if (context.should_close() || last_frame()) return false;
    Extent window = context.size();
    bool visible = window.width > 0 && window.height > 0 && !context.minimised();
    take_input(visible);
    if (finish_loading(model_)) redraw_ = kSettleFrames;
    if (context.should_close()) return false;
    window = context.size();
    if (!visible || window.width <= 0 || window.height <= 0) {
        last_frame_ = Clock::now();
        return true;
    }
    if (model_.messages.current() != shown_message_) redraw_ = kSettleFrames;
    for (auto& state : model_.interface.states)
        if (state->follow(model_)) redraw_ = kSettleFrames;
    if (find_figures()) redraw_ = kSettleFrames;
    // Without other frames, redraw to show the progress of background work.
    bool comparing = model_.compare.second && model_.compare.figures.busy();
    bool working = model_.loading.busy() || section_active() || comparing;
    if (!model_.accumulating() && working) redraw_ = std::max(redraw_, 1);
    if (busy()) draw_frame(window);
    return true;
}

/// Finds how far the sides of a comparison are apart, beside the frames. True if that is news.
bool Viewer::find_figures() {
    auto& compare = model_.compare;
    if (!compare.second || !model_.stopped_by.empty()) return false;
    bool news = false;
    bool ok = attempt(model_, "Cannot compare", [&] {
        news = compare.figures.advance(model_.session, compare.second->session(),
                                       !model_.accumulating());
    });
    if (!ok) end_comparison(model_);
    return news;
}

/// True while anything is in motion or in progress, so that frames must continue.
bool Viewer::busy() const {
    bool moving = model_.playing || (model_.boxes.shown && model_.boxes.stale) ||
                  (model_.points.shown && model_.points.stale);
    moving = moving || model_.resolution.settling();
    return model_.accumulating() || (moving && model_.stopped_by.empty()) || model_.picture_stale ||
           unseen_ || redraw_ > 0 || !events_.empty() || router_.flying() ||
           model_.options.frames > 0;
}

bool Viewer::last_frame() const {
    bool done = model_.options.frames > 0 && frames_ >= model_.options.frames;
    return done &&
           std::ranges::none_of(model_.interface.states, [](auto& s) { return s->awaited(); });
}

bool Viewer::section_active() const {
    return std::ranges::any_of(model_.interface.states, [](auto& s) { return s->active(); });
}

InputCapture Viewer::capture() const {
    bool modal = !model_.messages.dialog_title().empty() || model_.browser.open;
    return {imgui_.wants_mouse(), imgui_.wants_text(), modal};
}

void Viewer::take_input(bool visible) {
    auto& context = model_.context;
    if (visible && busy())
        context.poll_events();
    else
        context.wait_events(kIdleSeconds);
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
        moved |= click || std::holds_alternative<CursorEvent>(event);
        auto current = std::move(event);
        events_.pop_front();
        router_.handle(current, capture(), model_);
        imgui_.feed(current);
    }
}

void Viewer::draw_frame(Extent window) {
    float seconds = seconds_since(last_frame_);
    last_frame_ = Clock::now();
    if (frames_ > 0) model_.statistics.add_frame(seconds * 1000);

    float scale = interface_scale(model_);
    model_.layout = layout_of(window, scale, model_.interface_visible);
    bool held = advance_view(seconds);
    ++frames_;
    unseen_ = true;
    bool seen = due_on_screen();
    render(seconds, held, seen);
    read_numbers();
    constexpr float kNewest = 0.3f;  // weight in the average
    frame_seconds_ += kNewest * (seconds_since(last_frame_) - frame_seconds_);
    if (last_frame()) find_last_figures();
    if (seen) {
        show(window, seconds_since(last_shown_), scale);
        pacer_.end_frame();
    }
    look_around();
}

/// Moves the view and the scene, unless the newest frame has not been displayed yet and this one
/// adds a sample to it. Returns whether they were held.
bool Viewer::advance_view(float seconds) {
    bool held = unseen_ && gathering();
    held_seconds_ += seconds;
    if (held) return true;
    router_.advance(held_seconds_, capture(), model_);
    advance_motion(held_seconds_);
    held_seconds_ = 0;
    return false;
}

/// Whether frames add samples to one picture until the display is due.
bool Viewer::gathering() const {
    bool moving = model_.playing || router_.flying();
    return gather_seconds_ > 0 && model_.stopped_by.empty() && !model_.paused &&
           (moving || model_.accumulating());
}

/// While samples are gathered, and without vsync, frames are rendered at maximum rate and only the
/// newest is displayed at each refresh; what else is awaited is displayed at once. Only displayed
/// frames use GL: a GPU switches between CUDA and GL work, which costs more than most frames take,
/// and GL waits long while a solver runs.
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
    presenter_.draw(model_.context.framebuffer(), model_.layout.picture, window.height,
                    split_view());
    if (model_.boxes.shown) draw_boxes(window.height);
    if (model_.net.shown) draw_control_net(window.height);
    if (model_.points.shown) draw_points(window.height, scale);
    model_.present = {presenter_.way(), presenter_.reason(), presenter_.gl_milliseconds()};
    shown_message_ = model_.messages.current();
    update_previews();
    imgui_.begin_frame(window, seconds, scale);
    model_.interface.draw(model_, scale);
    imgui_.end_frame();

    if (last_frame() && !model_.options.screenshot_ui.empty())
        save_window(model_.context, model_.options.screenshot_ui);
    model_.context.swap();
    last_swap_ = Clock::now();
    ++shown_frames_;
    unseen_ = false;
    if (redraw_ > 0) --redraw_;
}

/// What is shown of two sides.
SplitView Viewer::split_view() {
    auto& compare = model_.compare;
    if (!compare.second || !second_presenter_) return {};
    auto mode = compare.shown_mode(model_.session);
    if (auto* flip = compare.flip_of(model_.session);
        mode == CompareMode::flip && flip_shown_ != compare.figures.flip_version()) {
        flip_texture_.update(flip->picture);
        flip_shown_ = compare.figures.flip_version();
    }
    return {.second = second_presenter_.get(),
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
}

/// Advances the motion. A run of a fixed number of frames uses the same times every time.
void Viewer::advance_motion(float seconds) {
    if (!model_.playing || !model_.stopped_by.empty()) return;
    float step = model_.options.frames > 0 ? kMotionStep : seconds;
    set_motion_time(model_, model_.session.time + step * model_.play_speed);
}

/// Adds a sample if one is needed, and presents the film if it will be displayed. `held`: the view
/// has not moved since the last frame.
void Viewer::render(float seconds, bool held, bool seen) {
    auto& session = model_.session;
    if (!held) session.camera = model_.camera.camera();
    bool moved = session.camera != rendered_ || (model_.moves() && session.time != rendered_time_);
    if (!held) moving_ = moved;
    model_.resolution.advance(moving_, seconds);
    try {
        if (model_.stopped_by.empty())
            session.resize(model_.resolution.film_extent(model_.layout.picture.extent()));
        follow_comparison(model_);
        auto& second = model_.compare.second;
        if (!second) second_presenter_.reset();
        auto samples = [&](Session& of) {
            return model_.stopped_by.empty() && (model_.wants_samples(of) || moved);
        };
        bool sample = samples(session), of_second = second && samples(second->session());
        bool shown = model_.picture_stale && seen;
        bool sampled = std::exchange(sampled_, sample);
        if (!sample && !of_second && !shown) return;
        if (sample || shown) {
            render_session(session, presenter_, sample, seen);
            if (session.samples() == 1)
                model_.boxes.stale = model_.net.stale = model_.points.stale = true;
            if (sample)
                model_.time_left.add(sampling_state(session, model_.options.stop_at),
                                     sampled ? double(seconds) : 0);
        }
        if (second && (of_second || shown)) render_second(of_second, seen);
        take_times();
        numbers_stale_ = numbers_stale_ || sample || of_second;
        rendered_ = session.camera;
        rendered_time_ = session.time;
        model_.picture_stale = !seen;
        if (auto awaited = model_.awaited_screenshot; !awaited.empty())
            take_screenshot(model_, awaited);
        frames_ahead_.end_step(session.stream());
    } catch (const std::exception& error) {
        // Stop rendering: the next frame would fail in the same way.
        model_.stopped_by = message_of(error);
        model_.picture_stale = false;
        model_.messages.error("Rendering stopped", model_.stopped_by);
    }
}

void Viewer::take_times() {
    auto& timer = model_.session.timer();
    model_.statistics.add_stages(timer);
    if (timer.frames() == timed_frames_) return;
    timed_frames_ = timer.frames();
    auto stages = timer.latest();
    if (auto& second = model_.compare.second) {
        auto& more = second->session().timer().latest();
        stages.insert(stages.end(), more.begin(), more.end());
    }
    model_.resolution.add_frame(stages);
}

void Viewer::render_session(Session& session, Presenter& presenter, bool sample, bool seen) {
    session.begin_frame();
    if (sample) session.render_frame();
    if (seen)
        presenter.update(session);
    else
        StageTimer::Scope nothing(session.timer(), "present", StageKind::display);
    session.end_frame();
}

/// An error in the second session only ends the comparison.
void Viewer::render_second(bool sample, bool seen) {
    bool ok = attempt(model_, "Cannot compare", [&] {
        auto& second = *model_.compare.second;
        auto& session = second.session();
        if (!second_presenter_) second_presenter_ = std::make_unique<Presenter>();
        render_session(session, *second_presenter_, sample, seen);
        second.statistics.add_stages(session.timer());
        if (session.samples() == 1) model_.boxes.stale = model_.points.stale = true;
        if (session.shared_stream() != model_.session.shared_stream())
            second_ahead_.end_step(session.stream());
    });
    if (!ok) end_comparison(model_);
}

/// Reads values from the device. This waits for the frame, so it is done from time to time, and
/// never while times are measured.
void Viewer::read_numbers() {
    constexpr float kEvery = 0.1f;  // seconds
    if (!model_.stopped_by.empty()) return;
    bool last = last_frame();
    try {
        update_boxes(model_, last);
        update_points(model_, last);
        if (!model_.options.report.empty() && !last) return;
        // All samples are taken: read now, since no later frame may follow.
        bool settled = numbers_stale_ && !model_.accumulating();
        if (last || settled || seconds_since(last_numbers_) >= kEvery) {
            read_legend(model_);
            read_pixel_tree(model_);
            model_.counts = model_.session.frame_counts();
            model_.figures = model_.session.picture_figures();
            last_numbers_ = Clock::now();
            numbers_stale_ = false;
        }
        count_rays();
    } catch (const std::exception& error) {
        model_.stopped_by = message_of(error);
        model_.messages.error("Rendering stopped", model_.stopped_by);
    }
}

void Viewer::count_rays() {
    constexpr float kEvery = 1;  // seconds
    auto& second = model_.compare.second;
    if (!model_.interface_visible && !second) return;
    bool due = model_.accumulating() && seconds_since(last_rays_) >= kEvery;
    if (!due && !last_frame()) return;
    last_rays_ = Clock::now();
    auto count = [](Session& session, FrameStatistics& statistics) {
        statistics.rays_per_frame =
            static_cast<float>(session.film().rays_of_frame(session.scratch()));
    };
    count(model_.session, model_.statistics);
    if (second) count(second->session(), second->statistics);
}

/// The figures of a report or of the last picture are those of the last films.
void Viewer::find_last_figures() {
    auto& compare = model_.compare;
    bool wanted = !model_.options.report.empty() || !model_.options.screenshot_ui.empty();
    if (!compare.second || !wanted || !model_.stopped_by.empty()) return;
    bool ok = attempt(model_, "Cannot compare",
                      [&] { compare.figures.find_now(model_.session, compare.second->session()); });
    if (!ok) end_comparison(model_);
}

/// Draws the boxes of both sides' trees.
void Viewer::draw_boxes(int window_height) {
    auto& boxes = model_.boxes;
    if (boxes_drawn_ != boxes.found_count || hidden_drawn_ != boxes.hidden_too) {
        for (std::size_t i = 0; i < lines_.size(); ++i)
            lines_[i].set_lines(lines_of(boxes.found[i], boxes.hidden_too));
        boxes_drawn_ = boxes.found_count;
        hidden_drawn_ = boxes.hidden_too;
    }
    draw_on_sides(lines_, window_height);
}

/// Draws the points of both sides' renderers.
void Viewer::draw_points(int window_height, float scale) {
    auto& points = model_.points;
    if (points_drawn_ != points.found_count || hidden_points_drawn_ != points.hidden_too ||
        value_drawn_ != points.by_value) {
        for (std::size_t i = 0; i < points_.size(); ++i)
            points_[i].set_points(points_of(points.found[i], points.by_value, points.hidden_too));
        points_drawn_ = points.found_count;
        hidden_points_drawn_ = points.hidden_too;
        value_drawn_ = points.by_value;
    }
    for (auto& drawn : points_) drawn.point_size = std::max(points.size * scale, 1.0f);
    draw_on_sides(points_, window_height);
}

/// Draws what belongs to side A and to side B, each on its side of the split.
void Viewer::draw_on_sides(std::array<OverlayRenderer, 2>& overlays, int window_height) {
    auto& compare = model_.compare;
    Rect picture = model_.layout.picture, left = picture, right = picture;
    if (compare.second && compare.shown_mode(model_.session) == CompareMode::split) {
        left.width = static_cast<int>(compare.split * static_cast<float>(picture.width) + 0.5f);
        right.x += left.width;
        right.width -= left.width;
    } else {
        right.width = 0;
    }
    auto draw = [&](OverlayRenderer& overlay, const Rect& part) {
        overlay.draw(model_.context.framebuffer(), picture, part, window_height,
                     model_.session.camera);
    };
    draw(overlays[0], left);
    draw(overlays[1], right);
}

/// Draws the nets of exactly the displayed frame; on animated scenes an older net would lag behind.
void Viewer::draw_control_net(int window_height) {
    if (model_.stopped_by.empty()) update_control_net(model_);
    bool hidden_too = model_.boxes.hidden_too;
    if (nets_drawn_ != model_.net.found_count || hidden_nets_drawn_ != hidden_too) {
        net_lines_.set_lines(lines_of(model_.net.found, hidden_too));
        nets_drawn_ = model_.net.found_count;
        hidden_nets_drawn_ = hidden_too;
    }
    auto& picture = model_.layout.picture;
    net_lines_.draw(model_.context.framebuffer(), picture, picture, window_height,
                    model_.session.camera);
}

/// Shows warnings about the tree; and, twice per second, updates the title and the memory figures,
/// which need a call to the driver.
void Viewer::look_around() {
    constexpr float kEvery = 0.5f;  // seconds
    if (auto warning = model_.session.take_tree_warning(); !warning.empty())
        model_.messages.warning(warning);
    if (frames_ > 1 && seconds_since(last_look_) < kEvery) return;
    last_look_ = Clock::now();
    try {
        model_.memory = model_.session.device().memory_stats();
    } catch (const UserError&) {
        // A failed device has already stopped rendering with a message; keep the old figures.
    }
    std::string fps;
    if (model_.accumulating())
        fps = formatted("%.0f fps - ", static_cast<double>(model_.statistics.frames_per_second()));
    model_.context.set_title(model_.session.scene().name + " - " + fps + "Treelight");
}

}  // namespace tl

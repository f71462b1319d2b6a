// Readings of the viewer's sessions between two frames: numbers, pixels, figures.
#include <algorithm>
#include <utility>

#include "app/viewer/actions/camera_actions.h"
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/actions/tree_views.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/picture_notes.h"
#include "app/viewer/viewer.h"
#include "core/base/error.h"

namespace tl {

/// Computes the error figures between the sides of a comparison in the background. Returns whether
/// there are new ones.
bool Viewer::find_figures() {
    auto& compare = model_.view.compare;
    if (!compare.second || !model_.status.stopped_by.empty() || !model_.gate.open()) return false;
    bool news = false;
    bool ok = attempt(model_.status.messages, "Cannot compare", [&] {
        news = compare.figures.advance(model_.session, compare.second->session(),
                                       !model_.accumulating());
    });
    if (!ok) end_comparison(model_);
    return news;
}

/// Reads values from the device. Waits for the frame, so it is done from time to time, and never
/// while times are measured.
void Viewer::read_numbers() {
    constexpr float kEvery = 0.1f;  // seconds
    if (!model_.status.stopped_by.empty()) return;
    bool last = last_frame();
    numbers_stale_ = frames_.take_sampled() || numbers_stale_;
    try {
        model_.status.measured = measure(model_.session);
        if (auto& second = model_.view.compare.second)
            model_.view.compare.second_bytes = second->session().live_scene().bytes();
        if (!model_.options.report.empty() && !last) return;
        // All samples are taken: read now, since no later frame may follow.
        bool settled = numbers_stale_ && !model_.accumulating();
        if (last || settled || seconds_since(last_numbers_) >= kEvery) {
            read_legend(model_);
            read_pixels();
            read_pixel_tree(model_);
            model_.status.counts = model_.session.inspection().frame_counts();
            model_.status.figures = model_.session.inspection().picture_figures();
            last_numbers_ = Clock::now();
            numbers_stale_ = false;
        }
        // Frames in another thread leave no other moment to update the notes.
        model_.status.notes = picture_notes(model_);
        turn_to_clicked();
        select_clicked();
        use_picked_pixel();
        count_rays();
    } catch (const std::exception& error) {
        model_.status.stopped_by = message_of(error);
        model_.status.messages.error("Rendering stopped", model_.status.stopped_by);
    }
}

/// Probes the examined pixel, and the distance of the surface in the picture's middle.
void Viewer::read_pixels() {
    // The last probed pixel stays while the cursor is elsewhere.
    auto& seen = model_.view.pixel.at_cursor;
    auto pixel = examined_pixel(model_).value_or(glm::ivec2(seen.x, seen.y));
    seen = probe_pixel(model_.session, pixel.x, pixel.y);
    if (!router_.flying()) return;
    Extent film = model_.session.extent();
    auto middle = probe_pixel(model_.session, film.width / 2, film.height / 2);
    if (middle.hit) model_.view.camera.see(middle.distance);
}

/// Computes the histogram of the film in the background, if it is shown. Returns whether there is a
/// new one.
bool Viewer::find_histogram() {
    auto& view = model_.view.histogram;
    if (!view.counted(model_.view.interface_visible) || !model_.status.stopped_by.empty() ||
        !model_.gate.open())
        return false;
    bool news = false;
    bool ok = attempt(model_.status.messages, "Cannot count the picture's values",
                      [&] { news = histogram_.advance(model_.session); });
    if (!ok) view.marks_shown = false;
    if (!news) return false;
    view.found = histogram_.found();
    ++view.version;
    return true;
}

/// Takes a click and probes its pixel; none without a click. A click waits for a complete frame.
std::optional<ProbedPixel> Viewer::take_click(std::optional<PixelView::Click>& click) {
    if (!click || model_.session.samples() == 0) return std::nullopt;
    auto taken = *std::exchange(click, std::nullopt);
    auto pixel = film_pixel_at(model_, taken.at);
    if (!pixel) return std::nullopt;
    return probe_pixel(model_.session, pixel->x, pixel->y, &taken.camera);
}

/// Turns the camera to the surface that was double clicked.
void Viewer::turn_to_clicked() {
    auto found = take_click(model_.view.pixel.clicked);
    if (found && found->hit) model_.view.camera.look_at(found->position);
}

void Viewer::select_clicked() {
    auto found = take_click(model_.view.pixel.selected);
    if (!found) return;
    auto selection = selection_of(model_.session.scene(), *found, editable_scene(model_));
    if (!disturb_clicked(model_, selection, *found)) select(model_, selection);
    redraw_ = kSettleFrames;
}

void Viewer::use_picked_pixel() {
    auto found = take_click(model_.view.pixel.picked);
    if (!found) return;
    use_picked(model_, *found);
    redraw_ = kSettleFrames;
}

void Viewer::count_rays() {
    constexpr float kEvery = 1;  // seconds
    auto& second = model_.view.compare.second;
    if (!model_.view.interface_visible && !second) return;
    bool due = model_.accumulating() && seconds_since(last_rays_) >= kEvery;
    if (!due && !last_frame()) return;
    last_rays_ = Clock::now();
    auto count = [](Session& session, FrameStatistics& statistics) {
        statistics.rays_per_frame =
            static_cast<float>(session.film().rays_of_frame(session.scratch()));
    };
    count(model_.session, model_.status.statistics);
    if (second) count(second->session(), second->statistics);
}

/// Computes the figures of the last films, for a report or the last picture.
void Viewer::find_last_figures() {
    auto& compare = model_.view.compare;
    bool wanted = !model_.options.report.empty() || !model_.options.screenshot_ui.empty();
    if (!compare.second || !wanted || !model_.status.stopped_by.empty()) return;
    bool ok = attempt(model_.status.messages, "Cannot compare",
                      [&] { compare.figures.find_now(model_.session, compare.second->session()); });
    if (!ok) end_comparison(model_);
}

/// Shows warnings about the tree and, twice a second, the memory in use.
void Viewer::look_around() {
    constexpr float kEvery = 0.5f;  // seconds
    if (model_.gate.open())
        if (auto warning = model_.session.inspection().take_warning(); !warning.empty())
            model_.status.messages.warning(warning);
    if (n_frames_ > 1 && seconds_since(last_look_) < kEvery) return;
    last_look_ = Clock::now();
    look_at_memory();
}

/// Reads the memory in use from the driver, whether or not a frame runs, since scenes and solvers
/// allocate concurrently.
void Viewer::look_at_memory() {
    auto before = model_.status.memory.bytes_in_use;
    try {
        model_.status.memory = model_.session.device().memory_stats();
        auto& others = model_.status.memory_of_others;
        others.clear();
        auto devices = model_.session.devices();
        for (std::size_t i = 1; i < devices.size(); ++i)
            others.emplace_back(devices[i], devices[i]->memory_stats());
    } catch (const UserError&) {
        // A failed device has already stopped rendering with a message; keep the old figures.
    }
    bool shown = model_.view.interface_visible && model_.view.panel.tab == PanelTab::render;
    if (shown && model_.status.memory.bytes_in_use != before) redraw_ = std::max(redraw_, 1);
}

}  // namespace tl

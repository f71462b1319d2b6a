#include "app/viewer/files/preference_keeper.h"

#include "app/viewer/viewer_model.h"
#include "core/base/console.h"
#include "core/base/error.h"
#include "core/base/settings.h"

namespace tl {
namespace {

/// The current values of the preferences that are compared. Tone mapping that a scene file sets
/// counts as unchanged.
Preferences present_state(ViewerModel& model) {
    Preferences p;
    auto& session = model.session;
    auto settings = session.settings().film();
    p.tone = session.settings().chosen("film", "tone")
                 ? find_setting(settings, "tone", "film").text()
                 : model.preferences.tone;
    p.interface_visible = model.view.interface_visible;
    p.box_level = model.view.boxes.level;
    p.point_size = model.view.points.size;
    p.point_count = model.view.points.most;
    p.points_by_value = model.view.points.by_value;
    p.difference_gain = model.view.compare.gain;
    p.coarse_motion = model.view.resolution.enabled;
    return p;
}

}  // namespace

PreferenceKeeper::PreferenceKeeper(const Remembered& remembered, ViewerModel& model)
    : remembered_(remembered),
      model_(model),
      before_(present_state(model)),
      written_(remembered.preferences) {}

Preferences PreferenceKeeper::values() const {
    Preferences p = remembered_.preferences;
    Preferences now = present_state(model_);
    if (now.tone != before_.tone) p.tone = now.tone;
    if (now.box_level != before_.box_level) p.box_level = now.box_level;
    if (now.point_size != before_.point_size) p.point_size = now.point_size;
    if (now.point_count != before_.point_count) p.point_count = now.point_count;
    if (now.points_by_value != before_.points_by_value) p.points_by_value = now.points_by_value;
    if (now.difference_gain != before_.difference_gain) p.difference_gain = now.difference_gain;
    if (now.coarse_motion != before_.coarse_motion) p.coarse_motion = now.coarse_motion;
    bool panel_changed = now.interface_visible != before_.interface_visible;
    p.interface_visible = panel_changed ? now.interface_visible : remembered_.panel;
    // Scenes that stand still have no timeline.
    auto& layout = model_.view.layout;
    Extent picture{layout.picture.width, layout.picture.height + layout.timeline.height};
    if (!model_.context.fullscreen() && picture.pixels() > 0) p.picture = picture;
    return p;
}

void PreferenceKeeper::keep() {
    constexpr std::chrono::seconds kApart(1);
    if (remembered_.path.empty() || Clock::now() - checked_ < kApart) return;
    checked_ = Clock::now();
    if (auto now = values(); now != written_) write(now);
}

void PreferenceKeeper::write() {
    if (!remembered_.path.empty()) write(values());
}

void PreferenceKeeper::write(const Preferences& now) {
    written_ = now;
    try {
        write_preferences(remembered_.path, now);
    } catch (const UserError& error) {
        if (!has_failed_) print_warning(error.what());
        has_failed_ = true;
    }
}

}  // namespace tl

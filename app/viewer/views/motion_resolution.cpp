#include "app/viewer/views/motion_resolution.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tl {

void MotionResolution::add_abandoned(float milliseconds) {
    // How much was left is not known, and another view may take several times as long.
    constexpr float kLeft = 16, kOther = 4, kMost = 1e6f;
    stale_frames_ = 0;
    float left = kLeft * milliseconds * static_cast<float>(factor_ * factor_);
    full_size_ms_ = std::min(std::max(kOther * full_size_ms_, left), kMost);
}

void MotionResolution::add_frame(const std::vector<StageTime>& stages, bool newest) {
    if (newest) stale_frames_ = 0;
    if (stale_frames_ > 0) {
        --stale_frames_;
        return;
    }
    float scene = 0, frame = 0, trace = 0;
    for (auto& stage : stages) {
        if (stage.kind == StageKind::frame) frame += stage.milliseconds;
        if (stage.kind == StageKind::trace) trace += stage.milliseconds;
        if (is_of_scene(stage.kind)) scene += stage.milliseconds;
    }
    scene_ms_ = scene;
    // A tree built beside the previous frame took none or only part of this frame's time.
    full_size_ms_ = std::max(frame - scene, trace) * static_cast<float>(factor_ * factor_);
}

int MotionResolution::wanted(float slack) const {
    // Even if the scene update takes the whole budget, a quarter of it remains for the pixels.
    float for_pixels = std::max(budget - scene_ms_, budget / 4) * (1 - slack);
    auto factor = static_cast<int>(std::ceil(std::sqrt(full_size_ms_ / for_pixels)));
    return std::clamp(factor, 1, kCoarsest);
}

void MotionResolution::advance(bool moved, float seconds, bool changed) {
    still_ = moved || changed ? 0 : still_ + seconds;
    bool previewed = std::exchange(preview_, changed && !moved);
    int next = factor_;
    if (!enabled || fine_demanded_ || still_ >= kRest || (previewed && !moved && !changed)) {
        next = 1;
    } else if ((moved || changed) && stale_frames_ == 0) {
        // Coarser at once; finer only with a margin, to prevent oscillation.
        constexpr float kSpare = 0.3f;
        next = std::max(wanted(0), std::min(factor_, wanted(kSpare)));
    }
    if (next != factor_) stale_frames_ = kFramesUnderWay;
    fine_demanded_ = false;
    factor_ = next;
}

Extent MotionResolution::film_extent(Extent picture) const {
    return {(picture.width + factor_ - 1) / factor_, (picture.height + factor_ - 1) / factor_};
}

}  // namespace tl

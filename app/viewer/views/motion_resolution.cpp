#include "app/viewer/views/motion_resolution.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace tl {
namespace {

/// Work on the scene, which a smaller picture does not make less.
bool is_of_scene(std::string_view stage) {
    constexpr std::array<std::string_view, 5> kStages{"animate", "boxes", "build tree",
                                                      "refit tree", "gather primitives"};
    return std::find(kStages.begin(), kStages.end(), stage) != kStages.end();
}

}  // namespace

void MotionResolution::add_frame(const std::vector<StageTime>& stages) {
    if (stale_frames_ > 0) {
        --stale_frames_;
        return;
    }
    float tree = 0, frame = 0, trace = 0;
    for (auto& stage : stages) {
        if (stage.name == "frame") frame = stage.milliseconds;
        if (stage.name == "trace and shade") trace = stage.milliseconds;
        if (is_of_scene(stage.name)) tree += stage.milliseconds;
    }
    tree_ms_ = tree;
    // A tree that was built beside the frame before took nothing, or a part only, of this one.
    full_size_ms_ = std::max(frame - tree, trace) * static_cast<float>(factor_ * factor_);
}

int MotionResolution::wanted(float slack) const {
    // A scene that takes all of the time leaves the picture a quarter of it nevertheless.
    float for_pixels = std::max(budget - tree_ms_, budget / 4) * (1 - slack);
    auto factor = static_cast<int>(std::ceil(std::sqrt(full_size_ms_ / for_pixels)));
    return std::clamp(factor, 1, kCoarsest);
}

void MotionResolution::advance(bool moved, float seconds) {
    still_ = moved ? 0 : still_ + seconds;
    int next = factor_;
    if (!enabled || fine_demanded_ || still_ >= kRest) {
        next = 1;
    } else if (moved && stale_frames_ == 0) {
        // Coarser at once; finer only with room to spare, lest it goes to and fro.
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

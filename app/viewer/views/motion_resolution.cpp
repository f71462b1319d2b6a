#include "app/viewer/views/motion_resolution.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "renderer/denoise/denoiser.h"

namespace tl {

namespace {

/// Fraction of the time at full resolution that does not depend on the number of pixels, from two
/// measurements at different reduction factors.
float fixed_share_of(int factor_a, float ms_a, int factor_b, float ms_b) {
    auto area_a = static_cast<float>(factor_a * factor_a);
    auto area_b = static_cast<float>(factor_b * factor_b);
    float pixels = std::max((ms_a - ms_b) / (1 / area_a - 1 / area_b), 0.0f);  // full resolution
    float fixed = std::max(ms_a - pixels / area_a, 0.0f);
    return fixed > 0 ? fixed / (fixed + pixels) : 0;
}

}  // namespace

void MotionResolution::expect_slow() {
    full_size_ms_ = kSlow;
    fixed_ms_ = 0;
    stale_frames_ = 0;
    parts_.clear();
}

void MotionResolution::add_cancelled(float milliseconds, float scene) {
    // The remaining work is unknown, and another view may take several times as long.
    constexpr float kLeft = 16, kOther = 4, kMost = 1e6f;
    constexpr float kBegun = 0.5f;  // ms; shorter times say nothing about the pixels
    stale_frames_ = 0;
    if (scene > 0) fixed_ms_ = scene;
    if (milliseconds < kBegun) return;
    // The view has changed, so that earlier times cannot be compared with later ones.
    for (auto& [name, part] : parts_) part.factor = 0;
    float left = kLeft * milliseconds * area();
    full_size_ms_ = std::min(std::max(kOther * full_size_ms_, left), kMost);
}

void MotionResolution::add_part(const std::string& name, float milliseconds) {
    constexpr float kNoticed = 0.5f;  // ms; shorter parts are ignored
    auto& part = parts_[name];
    bool compared = part.factor > 0 && part.factor != factor_;
    if (compared && std::max(part.milliseconds, milliseconds) >= kNoticed)
        part.fixed_share = fixed_share_of(part.factor, part.milliseconds, factor_, milliseconds);
    part.factor = factor_;
    part.milliseconds = milliseconds;
    float share = part.fixed_share;
    float full = milliseconds / (share + (1 - share) / area());
    fixed_ms_ += share * full;
    full_size_ms_ += (1 - share) * full;
}

void MotionResolution::add_frame(const std::vector<StageTime>& stages, bool newest) {
    if (newest) stale_frames_ = 0;
    if (stale_frames_ > 0) {
        --stale_frames_;
        return;
    }
    float scene = 0, frame = 0, trace = 0;
    std::map<std::string, float> traced;  // by stage
    for (auto& stage : stages) {
        if (stage.kind == StageKind::frame) frame += stage.milliseconds;
        // DenoiseSchedule limits the time of the denoiser.
        if (stage.name == kDenoiseStage) frame -= stage.milliseconds;
        if (is_of_scene(stage.kind)) scene += stage.milliseconds;
        if (stage.kind != StageKind::trace) continue;
        trace += stage.milliseconds;
        traced[stage.name] += stage.milliseconds;
    }
    fixed_ms_ = scene;
    full_size_ms_ = 0;
    for (auto& [name, ms] : traced) add_part(name, ms);
    // A tree built concurrently with the previous frame took none or only part of this frame's
    // time.
    add_part("", std::max(frame - scene - trace, 0.0f));
}

int MotionResolution::wanted(float slack) const {
    // Even if the scene update takes the whole budget, a quarter of it remains for the pixels.
    float for_pixels = std::max({budget - fixed_ms_, budget / 4, kLeastGain * fixed_ms_});
    auto factor =
        static_cast<int>(std::ceil(std::sqrt(full_size_ms_ / (for_pixels * (1 - slack)))));
    return std::clamp(factor, 1, kCoarsest);
}

void MotionResolution::advance(bool moved, float seconds, bool changed) {
    still_ = moved || changed ? 0 : still_ + seconds;
    if (changed)
        for (auto& [name, part] : parts_) part.factor = 0;
    bool previewed = std::exchange(preview_, changed && !moved);
    int next = factor_;
    if (!enabled || fine_demanded_ || still_ >= kRest || (previewed && !moved && !changed)) {
        next = 1;
        bool is_long = full_size_ms_ > kLong && factor_ > kBetween;
        if (enabled && !fine_demanded_ && is_long) next = kBetween;
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

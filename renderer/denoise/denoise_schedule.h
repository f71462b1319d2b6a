// Decides when the picture of a running display is smoothed again. Smoothing after every sample
// would slow the sampling down where the denoiser takes longer than a sample.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tl {

/// State of the film at one moment.
struct DenoiseMoment {
    std::uint64_t picture = 0;  ///< number of the picture; changes with view, scene or settings
    std::uint32_t samples = 0;  ///< per pixel
    double seconds = 0;         ///< time on a steady clock
};

class DenoiseSchedule {
  public:
    /// Maximum fraction of the time that the denoiser takes while samples are added.
    static constexpr double kMostOfTime = 1.0 / 3;
    /// Minimum growth of the sample count, as a ratio, until the same picture is smoothed again.
    static constexpr double kGrowth = 1.1;

    /// Whether to smooth the picture now, while samples are still added to it.
    [[nodiscard]] bool due(const DenoiseMoment& now) const {
        if (running_ || now.samples == 0) return false;
        if (known_ && now.seconds - began_ < taken_ / kMostOfTime) return false;
        if (!shows(now.picture)) return true;
        double wanted = std::ceil(kGrowth * static_cast<double>(samples_));
        return now.samples >= std::max(wanted, samples_ + 1.0);
    }
    /// Whether the newest smoothing was of this picture, with all or fewer of its samples.
    [[nodiscard]] bool shows(std::uint64_t picture) const {
        return samples_ > 0 && picture == picture_;
    }
    /// Whether the newest smoothing was of this picture, with all of its samples.
    [[nodiscard]] bool shows_all(std::uint64_t picture, std::uint32_t samples) const {
        return shows(picture) && samples == samples_;
    }

    /// Records that smoothing starts.
    void begin(const DenoiseMoment& now) {
        picture_ = now.picture;
        samples_ = now.samples;
        began_ = now.seconds;
        running_ = true;
    }
    /// Records that smoothing has ended, and its duration in seconds. due() is false until then.
    void end(double taken) {
        taken_ = taken;
        known_ = true;
        running_ = false;
    }
    [[nodiscard]] bool running() const { return running_; }
    /// Invalidates the smoothed picture; keeps the measured duration of the denoiser.
    void drop() { samples_ = 0; }

  private:
    std::uint64_t picture_ = 0;
    std::uint32_t samples_ = 0;  // samples of the smoothed picture; 0: there is none
    bool known_ = false, running_ = false;
    double began_ = 0, taken_ = 0;  // seconds
};

}  // namespace tl

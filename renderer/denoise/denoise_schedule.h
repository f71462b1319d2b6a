// When the picture of a running display is smoothed anew: a denoiser that takes longer than a
// sample would otherwise hold up the sampling.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tl {

/// The film at some moment.
struct DenoiseMoment {
    std::uint64_t picture = 0;  ///< another number for another view, scene or settings
    std::uint32_t samples = 0;  ///< of each pixel
    double seconds = 0;         ///< of a steady clock
};

class DenoiseSchedule {
  public:
    /// Fraction of the time that the denoiser may take while samples are added.
    static constexpr double kMostOfTime = 1.0 / 3;
    /// Factor by which the number of samples grows from one smoothed picture to the next.
    static constexpr double kGrowth = 1.1;

    /// Whether a picture that is still sampled is to be smoothed now.
    [[nodiscard]] bool due(const DenoiseMoment& now) const {
        if (running_ || now.samples == 0) return false;
        if (known_ && now.seconds - began_ < taken_ / kMostOfTime) return false;
        if (!shows(now.picture)) return true;
        double wanted = std::ceil(kGrowth * static_cast<double>(samples_));
        return now.samples >= std::max(wanted, samples_ + 1.0);
    }
    /// Whether the newest smoothed picture is of this film, with all or fewer of its samples.
    [[nodiscard]] bool shows(std::uint64_t picture) const {
        return samples_ > 0 && picture == picture_;
    }
    /// Whether it is of all of them.
    [[nodiscard]] bool shows_all(std::uint64_t picture, std::uint32_t samples) const {
        return shows(picture) && samples == samples_;
    }

    /// Notes that the picture is being smoothed.
    void begin(const DenoiseMoment& now) {
        picture_ = now.picture;
        samples_ = now.samples;
        began_ = now.seconds;
        running_ = true;
    }
    /// Notes how long that has taken, in seconds. Nothing is due before.
    void end(double taken) {
        taken_ = taken;
        known_ = true;
        running_ = false;
    }
    [[nodiscard]] bool running() const { return running_; }
    /// Drops the smoothed picture, and keeps what is known of the denoiser's time.
    void drop() { samples_ = 0; }

  private:
    std::uint64_t picture_ = 0;
    std::uint32_t samples_ = 0;  // 0: there is no smoothed picture
    bool known_ = false, running_ = false;
    double began_ = 0, taken_ = 0;  // seconds
};

}  // namespace tl

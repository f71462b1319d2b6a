// Progress and remaining time of the sampling of a picture. Sampling ends at a number of samples,
// or once the estimated error of all pixels is small enough, whichever comes first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tl {

class TimeLeft {
  public:
    /// Sampling state after a frame.
    struct State {
        std::uint32_t samples = 0;  ///< per pixel so far; fewer than before: a new picture
        std::uint32_t target = 0;   ///< samples to stop at; 0: none
        std::uint64_t pixels = 0;
        /// Pixels whose error is too large, if errors are tracked and already known.
        std::optional<std::uint32_t> unfinished{};
    };
    /// Adds a frame, `seconds` after the previous one; 0: not known, as after a pause.
    void add(const State& state, double seconds);

    /// Samples per pixel at which the picture is expected to be done. This is the target or, where
    /// errors are tracked, an extrapolation: the fraction of unfinished pixels falls like a power
    /// of the number of samples. None without either.
    [[nodiscard]] std::optional<double> samples_expected() const;
    /// Seconds until samples_expected(); none before the second sample or without an end.
    [[nodiscard]] std::optional<double> seconds() const;
    /// Fraction of the expected samples that is done, 0 to 1; none without an end.
    [[nodiscard]] std::optional<float> progress() const;
    /// "3 min 20 s left", "" where that is not known.
    [[nodiscard]] std::string text() const;

  private:
    /// Unfinished pixels at a number of samples.
    struct Look {
        std::uint32_t samples, unfinished;
    };
    State state_;
    double seconds_a_sample_ = 0;  // of the newest samples
    std::vector<Look> looks_;      // of this picture, all different
};

/// "45 s", "3 min 20 s", "2 h 5 min".
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace tl

// How far the sampling of a picture is, and how long it will go on: until a number of samples, or
// until the estimated error of all pixels is small enough, whichever comes first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tl {

class TimeLeft {
  public:
    /// What is known after a frame.
    struct State {
        std::uint32_t samples = 0;  ///< per pixel so far; fewer than before: a new picture
        std::uint32_t target = 0;   ///< samples to stop at; 0: none
        std::uint64_t pixels = 0;
        /// Pixels whose error is too large, if errors are tracked and already known.
        std::optional<std::uint32_t> unfinished{};
    };
    /// Adds a frame that took this many seconds from the one before; 0: not known, as after a
    /// pause.
    void add(const State& state, double seconds);

    /// Samples after which the picture will be done, as far as can be told: the target or, where
    /// errors are tracked, an extrapolation: the share of pixels that are not done falls like a
    /// power of the number of samples. None without either.
    [[nodiscard]] std::optional<double> samples_expected() const;
    /// Seconds until then; none before the second sample or without an end.
    [[nodiscard]] std::optional<double> seconds() const;
    /// The share of the expected samples that is done, 0 to 1; none without an end.
    [[nodiscard]] std::optional<float> progress() const;
    /// "3 min 20 s left", "" where that is not known.
    [[nodiscard]] std::string text() const;

  private:
    /// The unfinished pixels at one look.
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

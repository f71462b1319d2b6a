// Histogram of a film's values, and marks of pixels that the display cannot show. Computed in the
// background from a copy of the film, at most twice a second.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>

#include "app/jobs/background_job.h"
#include "app/viewer/views/film_readback.h"
#include "renderer/film/film.h"

namespace tl {

struct FilmHistogram {
    static constexpr int kBins = 96;
    static constexpr float kDarkest = -14, kBrightest = 10;  ///< stops: log2 of W/(sr m^2)
    enum Channel { luminance, red, green, blue };
    /// Pixels by the logarithm of their value; those beyond the ends are in the end bins.
    std::array<std::array<std::uint32_t, kBins>, 4> counts{};
    std::uint64_t n_pixels = 0;
    std::uint64_t n_dark = 0;        ///< displayed as black
    std::uint64_t n_bright = 0;      ///< displayed with a channel at its maximum
    std::uint64_t n_not_finite = 0;  ///< infinite or not a number
    /// Picture of the film's size: dark pixels blue, bright ones red, non-finite ones magenta, all
    /// others transparent.
    Image8 marks;

    /// Bin of a value; the first one for 0.
    [[nodiscard]] static int bin_of(float value);
};

/// Histogram of a film in host memory, as this tone map displays it.
[[nodiscard]] FilmHistogram histogram_of(const FilmView& film, const ToneMap& map);

class FilmHistogramFinder {
  public:
    /// Copies the film and counts in another thread after samples or tone map have changed, but
    /// only from time to time. Call between two frames. Returns whether found() has changed. Throws
    /// UserError if memory is short.
    bool advance(Session& session);
    [[nodiscard]] bool busy() const { return reading_ || job_.busy(); }
    /// Frees memory that is not needed until the next call of advance(), unless it is in use.
    void trim();
    /// Frees the result, too. Returns false while something is in use: then call it again.
    [[nodiscard]] bool forget();
    /// Bytes of host memory that it holds.
    [[nodiscard]] std::size_t bytes() const {
        return readback_.bytes() + (found_ ? found_->marks.rgba.capacity() : 0);
    }
    /// Newest histogram; null before the first.
    [[nodiscard]] const std::shared_ptr<const FilmHistogram>& found() const { return found_; }

  private:
    using Clock = std::chrono::steady_clock;
    struct Stamp {
        std::uint64_t picture = 0;
        std::uint32_t samples = 0;
        float exposure = 0;
        ToneOperator tone = ToneOperator::linear;
        bool operator==(const Stamp&) const = default;
    };

    bool reading_ = false;
    Stamp stamp_;  // of what was read last
    ToneMap map_;
    Clock::time_point read_at_{};
    std::shared_ptr<const FilmHistogram> found_;
    FilmReadback readback_;
    BackgroundJob<std::shared_ptr<FilmHistogram>> job_;  // reads the copy; ends before it
};

/// View of the histogram in the panel.
struct HistogramView {
    bool wanted = false;       ///< its section of the panel is open
    bool marks_shown = false;  ///< clipped pixels are marked on the picture
    std::shared_ptr<const FilmHistogram> found{};
    std::uint64_t version = 0;   ///< changes with `found`
    std::uintptr_t texture = 0;  ///< GL name of the marks; 0 before the first
    /// Whether values are counted, given whether the panel is visible.
    [[nodiscard]] bool counted(bool panel_visible) const {
        return marks_shown || (wanted && panel_visible);
    }
};

}  // namespace tl

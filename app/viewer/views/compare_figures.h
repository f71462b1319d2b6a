// Error figures between two films, computed by background jobs while frames continue.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "app/jobs/background_job.h"
#include "app/viewer/views/film_readback.h"
#include "renderer/images/metrics.h"

namespace tl {

/// The state of two films: which pictures they hold, and how many samples.
struct FilmStamp {
    std::uint64_t picture_a = 0, picture_b = 0;
    std::uint32_t samples_a = 0, samples_b = 0;
    bool operator==(const FilmStamp&) const = default;
    [[nodiscard]] bool same_pictures(const FilmStamp& other) const {
        return picture_a == other.picture_a && picture_b == other.picture_b;
    }
};
[[nodiscard]] FilmStamp stamp_of(const Session& a, const Session& b);
/// "12 samples", or "A 12 and B 40 samples" where they differ.
[[nodiscard]] std::string samples_text(const FilmStamp& stamp);

/// Display of side A that is compared with a displayed picture from a file.
struct ShownAs {
    ToneMap tone;
    int bits = 8;  ///< a channel
    bool operator==(const ShownAs&) const = default;
};

/// Two films in host memory, linear radiance.
struct FilmPair {
    ImageF a, b;
    FilmStamp stamp;
    /// Both as displayed, if side B is a displayed picture; `a` and `b` are their colours then.
    Image16 shown_a{}, shown_b{};
};

/// Error figures that take little time. The reference is side B.
struct FilmFigures {
    std::shared_ptr<const FilmPair> films;  ///< null once only the figures are kept
    FilmStamp stamp;                        ///< of the films
    double relative_mse = 0;
    double psnr = 0;              ///< dB; infinite for films that look the same
    std::size_t n_differing = 0;  ///< pixels that are not exactly equal
    float largest = 0;            ///< difference of a channel, W/(sr m^2)
    std::string fault;            ///< why there are no figures, or ""
};

/// Reason why two films cannot be compared, or "".
[[nodiscard]] std::string fault_of(const ImageF& a, const ImageF& b);

/// FLIP error, which takes longer. The reference is side B.
struct FilmFlip {
    FilmStamp stamp;
    FilmFigures figures;  ///< of the same films; `films` is null
    double mean = 0;
    float least = 0, most = 0;  ///< over the pixels
    ErrorMap map;
    Image8 picture;  ///< of the map, in false colours from 0 to 1
};

/// All figures of one pair of pictures.
struct ShownFigures {
    const FilmFigures* figures = nullptr;  ///< null while they are measured
    const FilmFlip* flip = nullptr;        ///< null while it is measured, and without figures
};

class CompareFigures {
  public:
    static constexpr std::chrono::milliseconds kEvery{1000};  ///< between two readings of the films

    /// Takes finished figures and starts new jobs; never waits. `still`: no samples will follow, so
    /// the last ones are read at once. Returns whether a figure is new.
    bool advance(Session& a, Session& b, bool still);
    /// Computes the figures of the films as they are, and waits for them.
    void find_now(Session& a, Session& b);
    /// Drops the figures and cancels the work on them.
    void clear();

    /// Whether figures are being computed.
    [[nodiscard]] bool busy() const { return reading_ || quick_.busy() || slow_wanted_; }
    /// Progress of FLIP for the pictures in state `now`, 0 to 1; none while it is not computed.
    [[nodiscard]] std::optional<float> progress(const FilmStamp& now) const;
    [[nodiscard]] const std::optional<FilmFigures>& figures() const { return figures_; }
    [[nodiscard]] const std::optional<FilmFlip>& flip() const { return flip_; }
    /// Figures to show for two films in state `now`: those of exactly these films, else of the same
    /// pictures with fewer samples, preferably with FLIP. None of other pictures. `of_map`: the
    /// FLIP map is displayed, so its figures come first.
    [[nodiscard]] ShownFigures shown(const FilmStamp& now, bool of_map = false) const;
    /// Number of FLIP results so far.
    [[nodiscard]] std::uint64_t flip_version() const { return flip_version_; }

  private:
    using Clock = std::chrono::steady_clock;
    struct Readbacks {
        FilmReadback a, b;
    };
    void follow_display(Session& a, Session& b);
    void start_reading(Session& a, Session& b);
    void start_quick();
    void start_slow();
    bool take_results();

    std::shared_ptr<Readbacks> readbacks_;  // shared with the job that reads them
    bool reading_ = false;
    bool on_one_thread_ = true;  // a side renders on the CPU
    FilmStamp read_;             // of the newest reading
    std::optional<ShownAs> shown_as_;
    Clock::time_point read_at_{}, slow_at_{};
    BackgroundJob<FilmFigures> quick_;
    BackgroundJob<FilmFlip> slow_;
    FilmStamp slow_stamp_;      // of the films that slow_ works on
    bool slow_wanted_ = false;  // its work has not ended and was not cancelled
    std::optional<FilmFigures> figures_;
    std::optional<FilmFlip> flip_;
    std::uint64_t flip_version_ = 0;
};

/// "infinite: equal colours" or "31.4 dB".
[[nodiscard]] std::string psnr_text(double psnr);

}  // namespace tl

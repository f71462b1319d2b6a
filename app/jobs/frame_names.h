// The files of a sequence of pictures: numbers, names, and how a video is made of them.
#pragma once

#include <string>

#include "accel/parallel/math.h"

namespace tl {

/// Frames of a sequence, both included.
struct FrameRange {
    int first = 0, last = 0;

    [[nodiscard]] int count() const { return last - first + 1; }
};

/// Parses "0:99". Throws UsageError.
[[nodiscard]] FrameRange parse_frame_range(const std::string& text);

/// Names such as "frame_0012.png", of a pattern with one number in it: "frame_%04d.png". "%%" is a
/// percent sign.
class FrameNames {
  public:
    /// Throws UsageError for a pattern without a number, or with something else after a "%".
    explicit FrameNames(const std::string& pattern);

    [[nodiscard]] std::string of(int frame) const;
    /// A shell command that makes a video of the frames by ffmpeg.
    [[nodiscard]] std::string video_command(double fps, int first, Extent size) const;

  private:
    std::string pattern_, before_, after_;  ///< as given; the texts around the number
    int digits_ = 0;                        ///< least number of them; zeros fill up
};

}  // namespace tl

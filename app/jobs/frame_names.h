// The files of a sequence of pictures: names with numbers, and how a video is made of them.
#pragma once

#include <string>

#include "accel/parallel/math.h"

namespace tl {

/// Names such as "frame_0012.png", of a pattern with one number in it: "frame_%04d.png". "%%" is a
/// percent sign.
class FrameNames {
  public:
    /// Throws UsageError for a pattern without a number, or with something else after a "%".
    explicit FrameNames(const std::string& pattern);

    [[nodiscard]] std::string of(int frame) const;
    /// A shell command that makes a video of the frames by ffmpeg.
    [[nodiscard]] std::string video_command(float fps, int first, Extent size) const;

  private:
    std::string pattern_, before_, after_;  ///< as given; the texts around the number
    int digits_ = 0;                        ///< least number of them; zeros fill up
};

}  // namespace tl

// File names of a sequence of pictures, and the command that encodes them as a video.
#pragma once

#include <string>

#include "core/base/math.h"

namespace tl {

/// File names such as "frame_0012.png", from a pattern with one number: "frame_%04d.png". "%%" is a
/// percent sign.
class FrameNames {
  public:
    /// Throws UsageError for a pattern without a number, or with something else after a "%".
    explicit FrameNames(const std::string& pattern);

    [[nodiscard]] std::string of(int frame) const;
    /// Shell command that encodes the frames as a video by ffmpeg.
    [[nodiscard]] std::string video_command(float fps, int first, Extent size) const;

  private:
    std::string pattern_, before_, after_;  ///< the pattern as given; the texts around the number
    int digits_ = 0;                        ///< minimum number of digits; padded with zeros
};

}  // namespace tl

// Files to which the frames of a sequence are written.
#pragma once

#include <string>
#include <vector>

#include "session/sequence.h"

namespace tl {

struct SequenceFiles {
    std::string output;   ///< file name with a number ("frame_%04d.png"), or a video
    bool resume = false;  ///< skip the frames whose files exist
};

/// Checks before long work that the files can be written. Throws UsageError or UserError.
void check_files(const SequenceFiles& files, const FrameRange& range);
/// Removes the frames whose files exist, if the sequence is resumed.
void leave_out_done(std::vector<SequenceFrame>& frames, const SequenceFiles& files);

}  // namespace tl

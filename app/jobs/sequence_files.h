// The files that the frames of a sequence are written to.
#pragma once

#include <string>
#include <vector>

#include "session/sequence.h"

namespace tl {

struct SequenceFiles {
    std::string output;   ///< names with a number ("frame_%04d.png"), or a video
    bool resume = false;  ///< leave out the frames whose files are there
};

/// Refuses what cannot be written, before long work. Throws UsageError or UserError.
void check_files(const SequenceFiles& files, const FrameRange& range);
/// Leaves out what is there, if the sequence is gone on with.
void leave_out_done(std::vector<SequenceFrame>& frames, const SequenceFiles& files);

}  // namespace tl

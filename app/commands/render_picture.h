// Renders one picture of `treelight render`, whether alone or a frame of a sequence.
#pragma once

#include <optional>

#include "app/commands/commands.h"
#include "app/jobs/interrupt.h"
#include "app/jobs/rank_job.h"
#include "renderer/aov/aov_buffers.h"
#include "session/sequence.h"

namespace tl {

struct RenderOptions : SessionOptions {
    int spp = kDefaultSamples;
    std::string output = "out.png";
    AovSet aovs;  ///< additional layers (AOVs)

    // Options of a sequence:
    std::optional<FrameRange> frames;
    SequencePlan plan;  ///< without its range
    bool resume = false;

    std::string checkpoint;      ///< file; "": none
    int checkpoint_every = 600;  ///< s

    int rank_timeout = 600;  ///< s; see RankProgress

    [[nodiscard]] bool is_sequence() const { return frames || plan.turntable > 0; }
};

/// Bytes of the picture's file, with the layers where there are any. Throws UserError.
[[nodiscard]] std::string encode_picture(Session& session, const AovBuffers& layers,
                                         const std::string& path);

/// Returns ", denoised in 0.12 s", or "" where nothing was denoised. Waits for the session.
[[nodiscard]] std::string denoised_text(Session& session);

/// Renders the frames of a sequence, each into its own file.
void render_sequence(const RenderOptions& options);

}  // namespace tl

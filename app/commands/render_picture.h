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
    int png_bits = 8;  ///< a channel, of a .png
    AovSet aovs;       ///< additional layers (AOVs)
    /// Corners of the only rectangle that is sampled: left, top, right, bottom; empty: all pixels.
    std::vector<int> region;

    // Options of a sequence:
    std::optional<FrameRange> frames;
    SequencePlan plan;  ///< without its range
    bool resume = false;

    std::string checkpoint;      ///< file; "": none
    int checkpoint_every = 600;  ///< s

    int rank_timeout = 600;  ///< s; see RankProgress

    [[nodiscard]] bool is_sequence() const { return frames || plan.turntable > 0; }
    /// Format of the picture, or of each one of a sequence that is no video.
    [[nodiscard]] PictureFormat format() const;
    /// The region. Throws UsageError if it is not within the picture.
    [[nodiscard]] FilmRegion film_region() const;
};

/// Bytes of the picture's file, with the layers where there are any. Throws UserError.
[[nodiscard]] std::string encode_picture(Session& session, const AovBuffers& layers,
                                         const RenderOptions& options);

/// Limits the session's samples to the options' region. Throws UserError if its renderer cannot.
void apply_region(Session& session, const RenderOptions& options);

/// Returns ", denoised in 0.12 s", or "" where nothing was denoised. Waits for the session.
[[nodiscard]] std::string denoised_text(Session& session);

/// Renders the frames of a sequence, each into its own file.
void render_sequence(const RenderOptions& options);

}  // namespace tl

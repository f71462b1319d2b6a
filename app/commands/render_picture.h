// What `treelight render` does for one picture, whether it is alone or a frame of a sequence.
#pragma once

#include <functional>
#include <optional>

#include "app/commands/commands.h"
#include "app/jobs/frame_names.h"
#include "app/jobs/interrupt.h"
#include "renderer/aov/aov_samples.h"

namespace tl {

struct RenderOptions : SessionOptions {
    int spp = 64;
    std::string output = "out.png";
    AovSet aovs;  ///< additional layers (AOVs)

    // Of a sequence.
    std::optional<FrameRange> frames;
    double fps = 30;
    std::string camera_path;  ///< file, or ""
    int turntable = 0;        ///< frames of one turn of the camera; 0: none
    bool resume = false;

    [[nodiscard]] bool is_sequence() const { return frames || turntable > 0; }
};

/// Adds samples to the session's picture and to the layers until there are `spp`, every pixel has
/// the requested error, or the flag is set. Calls `show` after each.
void add_samples(Session& session, int spp, AovBuffers& layers, const InterruptFlag& interrupt,
                 const std::function<void()>& show);

/// Writes the picture, with the layers where there are any. Throws UserError.
void write_picture(Session& session, const AovBuffers& layers, const std::string& path);

/// Renders the frames of a sequence into a file each.
void render_sequence(const RenderOptions& options);

}  // namespace tl

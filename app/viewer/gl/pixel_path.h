// The ways a tone-mapped film can take into a GL buffer. The presenter chooses; each path belongs
// to one device and one size.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "app/session.h"

namespace tl {

/// Where GL finds the pixels of a frame: RGBA8, row 0 at the top.
struct PixelSlice {
    unsigned buffer = 0;     ///< pixel buffer object
    std::size_t offset = 0;  ///< bytes
};

class PixelPath {
  public:
    virtual ~PixelPath() = default;
    /// For people: "CUDA writes the pixel buffer".
    [[nodiscard]] virtual std::string name() const = 0;
    /// Tone-maps the session's film into the buffer, ordered before GL's next use of it. Throws
    /// UserError when the way turns out to be closed.
    [[nodiscard]] virtual PixelSlice write(Session& session) = 0;
    /// GL has been told to read the slice.
    virtual void was_read() {}
};

/// A buffer mapped for as long as it lives, in three parts so that neither side waits: the CPU
/// device tone-maps straight into it, from a CUDA device the picture is copied (which waits for the
/// frame).
[[nodiscard]] std::unique_ptr<PixelPath> make_mapped_path(Extent extent);

/// Buffers shared between GL and CUDA: no copy through the host, and frames do not wait for GL.
/// Throws UserError with CUDA's reason where the two cannot share; null where the build has no
/// CUDA.
[[nodiscard]] std::unique_ptr<PixelPath> make_cuda_path(Device& device, Extent extent);

}  // namespace tl

// Transfers of a tone-mapped film into a GL buffer. The presenter chooses one; each path belongs to
// one device and one size. All but write() is called in the thread of the GL context.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "session/session.h"

namespace tl {

/// Pixels of a frame in GL memory: RGBA8, row 0 at the top.
struct PixelSlice {
    unsigned buffer = 0;     ///< pixel buffer object
    std::size_t offset = 0;  ///< bytes
};

class PixelPath {
  public:
    virtual ~PixelPath() = default;
    /// Readable name: "CUDA writes the pixel buffer".
    [[nodiscard]] virtual std::string name() const = 0;
    /// Chooses the buffer for the next picture and waits until GL has read it.
    virtual void begin() = 0;
    /// Tone-maps the session's film into the buffer; uses no GL, so that it may run in another
    /// thread.
    virtual void write(Session& session) = 0;
    /// Returns the written buffer, ordered before GL's next use of it. Throws UserError if the path
    /// does not work.
    [[nodiscard]] virtual PixelSlice hand_over() = 0;
    /// Call after GL's command that reads the slice.
    virtual void was_read() {}
};

/// A persistently mapped buffer in three parts, so that neither side waits: the CPU device
/// tone-maps directly into it; from a CUDA device the picture is copied (which waits for the
/// frame).
[[nodiscard]] std::unique_ptr<PixelPath> make_mapped_path(Extent extent);

/// Buffers shared between GL and CUDA: no copy through the host, and frames do not wait for GL.
/// Throws UserError with CUDA's reason if sharing is impossible; null in builds without CUDA.
[[nodiscard]] std::unique_ptr<PixelPath> make_cuda_path(Device& device, Extent extent);

}  // namespace tl

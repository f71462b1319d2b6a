// Device memory of auxiliary pictures; channels that are not selected take none.
#pragma once

#include <array>

#include "core/base/math.h"
#include "core/device/array.h"
#include "renderer/aov/aov_channels.h"
#include "renderer/images/image_io.h"

namespace tl {

/// The buffers for kernels; row 0 is the top. Null for channels that are not selected.
struct AovView {
    vec4* values[kAovCount];        ///< xyz: sum over the samples; w: number of samples
    std::uint32_t* ids[kAovCount];  ///< values of channels of AovKind::number
    Extent extent;

    [[nodiscard]] TL_HD vec4* values_of(AovChannel c) const { return values[static_cast<int>(c)]; }
    [[nodiscard]] TL_HD std::uint32_t* ids_of(AovChannel c) const {
        return ids[static_cast<int>(c)];
    }
};

class AovBuffers {
  public:
    /// Sets size and channels; if either changes, samples are lost and channels that are not in
    /// `channels` are freed. Throws UserError when memory does not suffice.
    void resize(Stream& stream, Extent extent, AovSet channels);
    [[nodiscard]] Extent extent() const { return extent_; }
    [[nodiscard]] AovSet channels() const { return channels_; }
    [[nodiscard]] AovView view();

    /// A pixel's value, or its number in x. The channel must be selected, the pixel inside. Waits
    /// for the stream. Without a hit the depth is infinite, and other means are zero.
    [[nodiscard]] vec3 value(Stream& stream, AovChannel channel, int x, int y) const;
    /// The channels as layers of an EXR file, "depth.Z". Waits for the stream.
    [[nodiscard]] std::vector<ImagePlane> planes(Stream& stream) const;

  private:
    Extent extent_;
    AovSet channels_;
    std::array<DeviceArray<vec4>, kAovCount> values_;
    std::array<DeviceArray<std::uint32_t>, kAovCount> ids_;
};

}  // namespace tl

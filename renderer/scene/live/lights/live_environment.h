// An environment map on a device, with the tables for sampling it as a light.
#pragma once

#include "core/device/array.h"
#include "renderer/scene/environment_map.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

class LiveEnvironment {
  public:
    /// No map.
    LiveEnvironment() = default;
    /// Copies the map to the stream's device, which must outlive this.
    LiveEnvironment(Stream& stream, const EnvironmentMap& map);

    /// The map in device memory; null where there is none.
    [[nodiscard]] const EnvironmentData* data() const {
        return data_.empty() ? nullptr : data_.data();
    }
    /// Whether it emits any light.
    [[nodiscard]] bool shines() const { return fluence_ > 0; }
    /// Radiance, mean of the channels, integrated over all directions, W/m^2.
    [[nodiscard]] float fluence() const { return fluence_; }
    [[nodiscard]] std::size_t bytes() const {
        return texels_.bytes() + row_cdf_.bytes() + column_cdf_.bytes() + data_.bytes();
    }
    /// Bytes of device memory that a map will take.
    [[nodiscard]] static std::size_t bytes_for(const EnvironmentMap& map);

  private:
    float fluence_ = 0;
    DeviceArray<vec3> texels_;
    DeviceArray<float> row_cdf_, column_cdf_;
    DeviceArray<EnvironmentData> data_;
};

}  // namespace tl

// The textures of a scene on a device, with their mip maps.
#pragma once

#include "core/device/array.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

class LiveTextures {
  public:
    /// No textures.
    LiveTextures() = default;
    /// Copies a scene's textures to the stream's device, which must outlive this.
    LiveTextures(Stream& stream, const Scene& scene);

    /// Adds the textures to `view`.
    void show(SceneView& view) const;
    [[nodiscard]] std::size_t bytes() const {
        return textures_.bytes() + levels_.bytes() + texels_.bytes();
    }
    /// Bytes of device memory that a scene's textures will take.
    [[nodiscard]] static std::size_t bytes_for(const Scene& scene);
    /// Bytes of host memory for copying them.
    [[nodiscard]] static std::size_t host_bytes_for(const Scene& scene);

  private:
    bool has_cutouts_ = false;
    DeviceArray<TextureData> textures_;
    DeviceArray<MipLevel> levels_;
    DeviceArray<Texel> texels_;
};

}  // namespace tl

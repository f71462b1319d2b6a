// The splats of a scene on a device: each with its field of normals and the list of those that
// overlap it, which are found once, when the scene becomes live.
#pragma once

#include "accel/parallel/array.h"
#include "renderer/scene/live/scene_view.h"
#include "renderer/scene/scene.h"

namespace tl {

class LiveSplats {
  public:
    LiveSplats() = default;
    LiveSplats(Stream& stream, const Scene& scene);

    /// Approximate device memory, in bytes, while a scene's splats are made ready; the tree's is
    /// not included.
    [[nodiscard]] static std::size_t bytes_for(const Scene& scene);

    [[nodiscard]] std::size_t size() const { return splats_.size(); }
    void show(SceneView& view) const {
        view.splats = {splats_.data(), neighbours_.data(), static_cast<std::uint32_t>(size())};
    }
    [[nodiscard]] std::size_t bytes() const { return splats_.bytes() + neighbours_.bytes(); }

  private:
    DeviceArray<SplatData> splats_;
    DeviceArray<std::uint32_t> neighbours_;
};

/// Splats from number `first` on, whose normals and lists are to be made.
struct SplatFit {
    /// So many of the nearest splats are looked at; some face elsewhere.
    static constexpr int kCandidates = 24;

    View<SplatData> splats;  ///< all of them
    std::uint32_t first;
    View<const std::uint32_t> nearest;  ///< kCandidates for each from `first` on, in no order
    View<std::uint32_t> neighbours;     ///< of all, as SplatsView::neighbours
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Writes the splats' lists, and `bend` by least squares over the normals of those on them.
    void fit_splats(Stream& stream, const SplatFit& fit);
)
// clang-format on

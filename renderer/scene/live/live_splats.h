// Splats of a scene on a device, each with its field of normals and the list of overlapping splats.
// Both are computed once, when the scene is copied to the device. Those that emit have cells.
#pragma once

#include <vector>

#include "core/device/array.h"
#include "renderer/scene/live/lights/emissive_surfaces.h"
#include "renderer/scene/live/scene_view.h"
#include "renderer/scene/scene.h"
#include "renderer/scene/splats/emissive_cells.h"

namespace tl {

class LiveSplats {
  public:
    LiveSplats() = default;
    LiveSplats(Stream& stream, const Scene& scene);

    /// Approximate peak bytes of device memory while a scene's splats are prepared, without the
    /// tree.
    [[nodiscard]] static std::size_t bytes_for(const Scene& scene);

    /// Sets the emission of the splats from them and the scene's materials. Returns those whose
    /// cells are lights, in the order of SplatCell::light.
    [[nodiscard]] std::vector<EmissiveSplat> set_emission(Stream& stream, const Scene& scene);

    [[nodiscard]] std::size_t size() const { return splats_.size(); }
    /// Whether some splats emit.
    [[nodiscard]] bool emit() const { return !cells_.empty(); }
    void show(SceneView& view) const {
        view.splats = {splats_.data(), neighbours_.data(), static_cast<std::uint32_t>(size()),
                       cell_of_.data(), cells_.data()};
    }
    [[nodiscard]] std::size_t bytes() const {
        return splats_.bytes() + neighbours_.bytes() + cell_of_.bytes() + cells_.bytes();
    }

  private:
    DeviceArray<SplatData> splats_;
    DeviceArray<std::uint32_t> neighbours_;
    DeviceArray<std::int32_t> cell_of_;
    DeviceArray<SplatCell> cells_;
    std::vector<bool> emits_;  // by which the cells were found
    std::vector<EmissiveCell> emissive_cells_;
};

/// Splats from index `first` on, whose normals and lists are to be computed.
struct SplatFit {
    /// Number of nearest splats considered as neighbours; some face elsewhere.
    static constexpr int kCandidates = 24;

    View<SplatData> splats;  ///< all splats
    std::uint32_t first;
    View<const std::uint32_t> nearest;  ///< kCandidates for each from `first` on, in no order
    View<std::uint32_t> neighbours;     ///< for all splats, as SplatsView::neighbours
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Writes the splats' lists, and fits `bend` by least squares to the normals of their
    /// neighbours.
    void fit_splats(Stream& stream, const SplatFit& fit);
)
// clang-format on

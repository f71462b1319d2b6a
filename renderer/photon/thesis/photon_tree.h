// Photons in a kd-tree, with the data that a search needs besides positions.
#pragma once

#include "accel/points/point_tree.h"
#include "renderer/photon/photon_grid.h"

TL_DEVICE_BEGIN

/// Photon tree as kernels see it. Entry i of `surfaces` and `lights` belongs to entry i of
/// tree.points.
struct PhotonTreeView {
    PointTreeView tree;
    const std::uint32_t* surfaces = nullptr;  ///< as in Photon
    const PhotonLight* lights = nullptr;
};

/// A photon tree and its memory, which is reused.
class PhotonTree {
  public:
    /// Builds over the first count[0] photons; `count` is on the device. Never waits. Where
    /// positions coincide, the tree depends on the photons' order.
    void build(Scratch& scratch, View<const Photon> photons, const std::uint32_t* count);
    [[nodiscard]] PhotonTreeView view() const {
        return {tree_.view(), surfaces_.data(), lights_.data()};
    }

  private:
    PointTree tree_;
    DeviceArray<std::uint32_t> surfaces_;
    DeviceArray<PhotonLight> lights_;
};

TL_DEVICE_END

// Photons in a kd-tree, with what a search needs of them beside their places.
#pragma once

#include "accel/points/point_tree.h"
#include "renderer/photon/photon_grid.h"

TL_DEVICE_BEGIN

/// All that a kernel needs. Entry i of `surfaces` and `lights` belongs to entry i of tree.points.
struct PhotonTreeView {
    PointTreeView tree;
    const std::uint32_t* surfaces = nullptr;  ///< as Photon has them
    const PhotonLight* lights = nullptr;
};

/// A tree's memory, which is used again.
class PhotonTree {
  public:
    /// Builds over the first count[0] photons; `count` is on the device. Never waits. The tree
    /// depends on the photons' order, where places are the same.
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

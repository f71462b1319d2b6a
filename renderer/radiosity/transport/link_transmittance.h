// Transmittance of dielectrics along links: between groups of points in a coloured liquid, or on
// both sides of a coloured pane. The weights of links themselves have visibility only.
#pragma once

#include "accel/fmm/links.h"
#include "renderer/radiosity/points/diffuse_points.h"
#include "renderer/radiosity/transport/packed_transmittance.h"

TL_DEVICE_BEGIN

/// Transmittance of each link: the mean over segments between points of its two nodes, weighted by
/// the light along each segment.
class LinkTransmittance {
  public:
    /// Computes the transmittance of all links: those of the table, and the `partial` ones of
    /// partially visible leaves. Never waits.
    void find(Scratch& scratch, const DiffusePointsView& points, const SceneView& scene,
              const LinkTable& links, const LinkRows& partial);
    /// Resets to the state before the first find(): all links transmit all light.
    void clear();
    [[nodiscard]] bool is_found() const { return is_found_; }

    /// Returns `links` with each weight multiplied by the link's transmittance of one colour
    /// channel, 0 to 2. The result is in memory of `scratch`. Never waits.
    [[nodiscard]] LinkTable of_colour(Scratch& scratch, const LinkTable& links, int colour);
    /// Transmittance of each partial link; empty before find().
    [[nodiscard]] View<const PackedTransmittance> partial() { return partial_.view(); }
    [[nodiscard]] std::size_t bytes() const {
        return far_.bytes() + near_.bytes() + partial_.bytes();
    }

  private:
    DeviceArray<PackedTransmittance> far_, near_, partial_;
    bool is_found_ = false;
};

TL_DEVICE_END

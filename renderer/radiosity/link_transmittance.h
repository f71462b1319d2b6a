// The transmittance of dielectrics along links: of light between groups of points in a coloured
// liquid, or on both sides of a coloured pane. Links themselves tell only what surfaces hide.
#pragma once

#include "accel/fmm/links.h"
#include "renderer/radiosity/diffuse_points.h"
#include "renderer/radiosity/packed_transmittance.h"

TL_DEVICE_BEGIN

/// The transmittance of each link: the mean over segments between points of its two nodes, weighted
/// by the light along each.
class LinkTransmittance {
  public:
    /// Finds the transmittance of all links: of both tables, and of `partial`, those of leaves that
    /// see each other in part. Never waits.
    void find(Scratch& scratch, const DiffusePointsView& points, const SceneView& scene,
              const LinkTable& links, const LinkRows& partial);
    /// From here on all links transmit all light, as before the first find().
    void clear();
    [[nodiscard]] bool is_found() const { return is_found_; }

    /// `links`, with each weight multiplied by the link's transmittance of one colour, 0 to 2. The
    /// memory is that of `scratch`. Never waits.
    [[nodiscard]] LinkTable of_colour(Scratch& scratch, const LinkTable& links, int colour);
    /// The transmittance of each link of `partial`; empty before find().
    [[nodiscard]] View<const PackedTransmittance> partial() { return partial_.view(); }
    [[nodiscard]] std::size_t bytes() const {
        return far_.bytes() + near_.bytes() + partial_.bytes();
    }

  private:
    DeviceArray<PackedTransmittance> far_, near_, partial_;
    bool is_found_ = false;
};

TL_DEVICE_END

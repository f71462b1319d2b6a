// Caustics for renderers that look light up between points: light that mirrors, glass and narrow
// lobes alone have turned before it meets a surface that scatters it broadly.
#pragma once

#include <memory>

#include "accel/octree/octree.h"
#include "renderer/frame_context.h"
#include "renderer/paths/path_wavefront.h"

TL_DEVICE_BEGIN

class CausticLight {
  public:
    virtual ~CausticLight() = default;

    /// Finds the caustics of the frame's sample, unless those that are known are the same: by so
    /// many photons, of at most `max_depth` surfaces each. Later samples are less blurred. Never
    /// waits. Throws UserError where memory is short.
    virtual void update(const FrameContext& context, const SceneView& scene, int photons,
                        int max_depth) = 0;
    /// Whether there are any, as of the newest update. Waits for the stream.
    [[nodiscard]] virtual bool any(Stream& stream) const = 0;
    /// irradiance[i] += that at point i, W/m^2: the mean over about its own area. Never waits.
    virtual void light_points(Stream& stream, View<const Surfel> points,
                              View<vec3> irradiance) const = 0;
    /// Implements PathGather::add() for caustics, with the scene of the newest update.
    virtual void add(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
                     View<vec4> sums) const = 0;
};

/// By photons (renderer/photon).
[[nodiscard]] std::unique_ptr<CausticLight> make_caustic_photons();

TL_DEVICE_END

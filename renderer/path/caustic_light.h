// Caustics for renderers that interpolate light between points. A caustic is light scattered only
// by mirrors, glass and narrow lobes before it hits a surface with a wide lobe.
#pragma once

#include <memory>

#include "accel/octree/octree.h"
#include "renderer/frame_context.h"
#include "renderer/path/path_wavefront.h"

TL_DEVICE_BEGIN

class CausticLight {
  public:
    virtual ~CausticLight() = default;

    /// Computes the caustics of the frame's sample, unless those of the last update are still
    /// valid. `photons`: number of photon paths; `max_depth`: maximum number of surfaces of each.
    /// Later samples are less blurred. Never waits. Throws UserError where memory is short.
    virtual void update(const FrameContext& context, const SceneView& scene, int photons,
                        int max_depth) = 0;
    /// Whether the newest update found any caustics. Waits for the stream.
    [[nodiscard]] virtual bool any(Stream& stream) const = 0;
    /// Adds to irradiance[i] the caustics' irradiance at point i in W/m^2, averaged over about the
    /// point's own area. Never waits.
    virtual void light_points(Stream& stream, View<const Surfel> points,
                              View<vec3> irradiance) const = 0;
    /// Implements PathGather::add() for caustics, in the scene of the newest update.
    virtual void add(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
                     View<vec4> sums) const = 0;
};

/// Makes the caustics of a renderer that needs them; the table of renderers passes it.
using CausticFactory = std::unique_ptr<CausticLight> (*)();

TL_DEVICE_END

// Caustics for renderers that interpolate light between points. A caustic is light scattered only
// by mirrors, glass and narrow lobes before it hits a surface with a wide lobe.
#pragma once

#include <memory>

#include "accel/octree/octree.h"
#include "renderer/frame_context.h"
#include "renderer/path/path_wavefront.h"

TL_DEVICE_BEGIN

/// Estimates the caustics of a scene. The photon mapper implements it.
class CausticLight {
  public:
    virtual ~CausticLight() = default;

    /// Computes the caustics of the frame's sample, unless those of the last update are still
    /// valid. `photons`: number of photons emitted. `max_depth`: maximum number of surfaces that
    /// light hits on its whole path from source to camera. Caustics of later samples are less
    /// blurred. Waits at most until the update before the last has run. Throws UserError if memory
    /// is short.
    virtual void update(const FrameContext& context, const SceneView& scene, int photons,
                        int max_depth) = 0;
    /// Returns whether the newest update found any caustics. Waits for the stream.
    [[nodiscard]] virtual bool any(Stream& stream) const = 0;
    /// Adds the irradiance of caustics at points[i], W/m^2, to irradiance[i]. It is averaged over
    /// about the point's own area, or over the blur of the caustics if that is wider. Never waits.
    virtual void light_points(Stream& stream, View<const Surfel> points,
                              View<vec3> irradiance) const = 0;
    /// Adds the caustics at gather points to `sums`, as PathGather::add() does. Reads the scene
    /// view of the newest update, which must still be valid. Never waits.
    virtual void add(Stream& stream, const GatherQueue& queue, WaveCounts* counts,
                     View<vec4> sums) const = 0;
};

/// Makes a CausticLight. The table of renderers passes this function to a renderer that needs
/// caustics, so that the renderer does not depend on the photon mapper.
using CausticFactory = std::unique_ptr<CausticLight> (*)();

TL_DEVICE_END

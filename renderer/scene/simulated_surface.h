// Surfaces whose motion is simulated step by step, such as that of water: a description, shared by
// any number of devices, and the motion on one of them.
#pragma once

#include <cstddef>
#include <memory>

#include "core/base/math.h"
#include "core/device/array.h"

namespace tl {

/// The motion of a surface on one device.
class SurfaceMotion {
  public:
    virtual ~SurfaceMotion() = default;
    /// Writes the vertices at `time` (seconds, from 0 to the scene's duration) to all elements of
    /// the views, in device memory. Continues from the last time, or restarts if `time` is earlier.
    virtual void run(Stream& stream, double time, View<vec3> positions, View<vec3> normals) = 0;
    /// Bytes of device memory in use.
    [[nodiscard]] virtual std::size_t bytes() const = 0;
};

/// Description of a simulated mesh (Mesh::simulation). The same description gives the same motion
/// on any device, up to rounding.
class SimulatedSurface {
  public:
    virtual ~SimulatedSurface() = default;
    /// The motion on the stream's device, at rest. Throws UserError if it does not fit into memory.
    [[nodiscard]] virtual std::unique_ptr<SurfaceMotion> start(Stream& stream) const = 0;
    /// Disturbs the surface at a point of the scene from `time` on, as a drop does. May be called
    /// while motions run in other threads; they apply it in their next step.
    virtual void disturb(vec3 point, double time) const = 0;
};

}  // namespace tl

// Areas of a scene's instances, and points on them.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/form_factors/area_table.h"
#include "renderer/form_factors/triangle_point.h"
#include "renderer/scene/live/host_triangles.h"

namespace tl {

class InstanceAreas {
  public:
    /// Computes the areas of an updated scene and its description. `triangles` are all of the
    /// scene's, those of instanced meshes included, and must outlive this. Waits for the stream.
    InstanceAreas(Stream& stream, const SceneView& view, const Scene& scene,
                  const HostTriangles& triangles);

    /// Area of every instance, m^2: that of its mesh's triangles after its transform.
    [[nodiscard]] const std::vector<double>& areas() const { return areas_; }
    /// The point at cumulative area `place` (0 to its area) of the instance; r0 and r1 in [0, 1)
    /// select it within its triangle. Cheap for repeated calls with the same instance.
    [[nodiscard]] SurfaceSample sample(std::size_t instance, double place, float r0, float r1);

  private:
    [[nodiscard]] WorldTriangle triangle(std::size_t instance, std::size_t number) const;

    const HostTriangles& triangles_;
    std::vector<InstanceShading> placed_;
    std::vector<std::size_t> n_triangles_;
    std::vector<double> areas_;
    std::size_t listed_ = SIZE_MAX;  ///< instance whose triangles are in the table
    AreaTable table_;
};

}  // namespace tl

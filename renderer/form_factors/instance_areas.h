// Areas of a scene's instances, and points on them.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/form_factors/area_table.h"
#include "renderer/form_factors/surface_samples.h"
#include "renderer/scene/live/host_triangles.h"

namespace tl {

class InstanceAreas {
  public:
    /// Of an updated scene and its description; `triangles` are all of its, those of instanced
    /// meshes included, and are used as long as this is. Waits for the stream.
    InstanceAreas(Stream& stream, const SceneView& view, const Scene& scene,
                  const HostTriangles& triangles);

    /// m^2 of every instance: of its mesh's triangles, where its transform puts them.
    [[nodiscard]] const std::vector<double>& areas() const { return areas_; }
    /// The point at `place` (0 to the area) of the instance, moved within its triangle by r0 and r1
    /// of [0, 1). Cheap while one instance is asked for again and again.
    [[nodiscard]] SurfaceSample sample(std::size_t instance, double place, float r0, float r1);

  private:
    struct Run {
        std::uint32_t first, count;  ///< of the scene's triangles
    };
    /// Where the instance puts a triangle's corners.
    struct Corners {
        vec3 a, b, c;
    };
    [[nodiscard]] Corners corners_of(std::size_t instance, std::size_t triangle) const;
    [[nodiscard]] double area_of(std::size_t instance, std::size_t triangle) const;

    const HostTriangles& triangles_;
    std::vector<InstanceShading> placed_;
    std::vector<Run> runs_;
    std::vector<double> areas_;
    std::size_t listed_ = SIZE_MAX;  ///< the instance whose triangles the table has
    AreaTable table_;
};

}  // namespace tl

// The vertices of a PLY that has nothing else, as a cloud of points.
#pragma once

#include "renderer/scene/loaders/ply/ply_vertex.h"
#include "renderer/scene/loaders/points/point_cloud.h"

namespace tl {

class PlyCloud {
  public:
    PlyCloud(const PlyVertexLayout& layout, std::uint64_t n_points);

    /// Adds a point; only counts one whose position is not finite, or a splat that is nearly
    /// transparent.
    void add(const PlyVertex& vertex);
    [[nodiscard]] PointCloud take();

  private:
    /// Whether the file's points are those of 3D Gaussian splatting: ellipsoids, of which discs
    /// are kept, across the shortest axis.
    [[nodiscard]] bool has_splats() const;
    void add_splat(const PlyVertex& vertex);

    const PlyVertexLayout& layout_;
    bool splats_, normals_, radii_, areas_, splat_colors_, colors_, intensities_, emission_,
        grey_emission_, radiosity_;
    PointCloud cloud_;
};

/// Makes a cloud emit the radiosity of its points, and reflect nothing: the cloud looks as its
/// surfaces did where the radiosity was found.
void show_radiosity(PointCloud& cloud);

}  // namespace tl

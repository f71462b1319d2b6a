// The triangles of a PLY's faces and strips, and texture coordinates that corners have of their
// own.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/scene/loaders/polygon.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Makes triangles of one row after the other, with the row's texture as their material.
class PlyFaces {
  public:
    static constexpr std::uint32_t kRestart = UINT32_MAX;  ///< between two strips of one row

    // What the reader puts into a row. A row is used, and emptied, by either function below.
    std::vector<std::uint32_t> corners;  ///< indices of positions
    std::vector<float> uvs;              ///< two for each corner, or others for none
    std::int32_t texture = 0;

    /// `mesh` has all of its positions. With `has_uvs`, rows may have texture coordinates.
    PlyFaces(Mesh& mesh, bool has_uvs) : mesh_(mesh), has_uvs_(has_uvs) {}

    /// Adds the row as a polygon of three corners or more. Returns false if it has too many
    /// (PolygonCutter).
    [[nodiscard]] bool add_polygon();
    /// Adds the row as triangle strips; triangles that name a vertex twice only join others.
    void add_strips();

    /// Gives the mesh the texture coordinates of its corners; a vertex that has several is copied.
    /// Triangles have to be those that were added, in their order.
    void finish_uvs();

  private:
    void add_triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c);
    [[nodiscard]] vec2 uv_of(std::uint32_t corner) const;

    Mesh& mesh_;
    bool has_uvs_;
    std::vector<vec2> corner_uvs_;  // three for each triangle
    PolygonCutter cutter_{QuadCut::from_first};
    std::vector<vec3> polygon_;
};

}  // namespace tl

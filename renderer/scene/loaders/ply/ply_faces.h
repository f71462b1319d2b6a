// The triangles of a PLY's faces and strips, with the texture coordinates that corners have of
// their own and the colours that faces have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "renderer/scene/loaders/polygon.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Makes triangles of one row after the other, with the row's texture as their material.
class PlyFaces {
  public:
    static constexpr std::uint32_t kRestart = UINT32_MAX;  ///< between two strips of one row

    // Row that the reader fills. Either function below uses and empties it.
    std::vector<std::uint32_t> corners;  ///< indices of positions
    std::vector<float> uvs;              ///< two for each corner, or others for none
    std::int32_t texture = 0;
    vec3 color{1};  ///< as vertices have it before it is decoded

    /// `mesh` has all of its positions. With `has_uvs`, rows may have texture coordinates.
    PlyFaces(Mesh& mesh, bool has_uvs) : mesh_(mesh), has_uvs_(has_uvs) {}
    /// Polygons from here on have a colour; the vertices of the mesh have none.
    void use_colors() {
        has_colors_ = true;
        first_colored_ = mesh_.triangles.size();
    }

    /// Adds the row as a polygon of three corners or more. Returns false if it has too many,
    /// or takes too long (PolygonCutter).
    [[nodiscard]] bool add_polygon();
    /// Reason why add_polygon() returned false.
    [[nodiscard]] std::string refusal(std::size_t n_corners) const {
        return cutter_.refusal(n_corners);
    }
    /// Adds the row as triangle strips; triangles that name a vertex twice only join others.
    void add_strips();

    /// Gives the mesh the texture coordinates of its corners and the colours of its faces; a vertex
    /// that has several is copied. Triangles have to be those that were added, in their order.
    void finish_corners();

  private:
    void add_triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c);
    [[nodiscard]] vec2 uv_of(std::uint32_t corner) const;
    [[nodiscard]] vec3 color_of(std::size_t corner) const;
    void copy_vertices(const std::vector<std::uint32_t>& sources);

    Mesh& mesh_;
    bool has_uvs_, has_colors_ = false;
    std::vector<vec2> corner_uvs_;   // three for each triangle
    std::vector<vec3> face_colors_;  // one for each triangle of a polygon
    std::size_t first_colored_ = 0;  // the triangle that the first of them is of
    PolygonCutter cutter_{QuadCut::from_first};
    std::vector<vec3> polygon_;
};

}  // namespace tl

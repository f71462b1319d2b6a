// Converts a scene's meshes to glTF: one primitive for each material.
#pragma once

#include <map>
#include <span>

#include "renderer/scene/export/export_materials.h"

namespace tl {

class ExportMeshes {
  public:
    ExportMeshes(GlbWriter& file, ExportMaterials& materials)
        : file_(file), materials_(materials) {}

    /// Appends a mesh; `material`, unless -1, replaces those of its triangles. Returns its index in
    /// the file, or -1 for a mesh without triangles.
    int add(const Mesh& mesh, std::int32_t material = -1);
    /// Appends a mesh of one of the file's materials.
    int add_lamp(const Mesh& mesh, int file_material);
    /// Appends spheres of one of the scene's materials as points.
    int add_points(std::span<const Sphere* const> spheres, std::int32_t material);
    /// Appends splats of one of the scene's materials as points.
    int add_splats(std::span<const Splat* const> splats, std::int32_t material);
    /// Triangles that were written.
    [[nodiscard]] std::size_t triangle_count() const { return n_triangles_; }

  private:
    int add_points(const Json& attributes, std::int32_t material);
    /// Adds an attribute of points unless all its values are `common`.
    void add_unless(Json& attributes, const char* name, std::span<const vec3> values, vec3 common);
    /// Attributes of a list of vertices, which become accessors of the file.
    struct Buffers {
        std::span<const vec3> positions, normals;
        std::span<const vec2> uvs;     ///< v points upwards, as in the scene
        std::span<const vec3> colors;  ///< linear
    };
    [[nodiscard]] Json primitive(const Buffers& vertices, std::span<const std::uint32_t> corners,
                                 bool is_textured, int file_material);
    [[nodiscard]] Json part(const Mesh& mesh, std::span<const std::uint32_t> triangles,
                            bool is_textured, int file_material);

    GlbWriter& file_;
    ExportMaterials& materials_;
    /// index in the current part of each vertex of its mesh
    std::vector<std::uint32_t> new_index_;
    std::size_t n_triangles_ = 0;
};

}  // namespace tl

#include "renderer/scene/loaders/obj/obj_loader.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/obj/mtl_loader.h"
#include "renderer/scene/loaders/obj/obj_reader.h"
#include "renderer/scene/loaders/points_and_lines.h"
#include "renderer/scene/loaders/texture_files.h"
#include "renderer/scene/loaders/vertex_colors.h"
#include "renderer/scene/normals.h"

namespace tl {
namespace {

/// Whether a corner has a usable normal: a zero one counts as missing.
bool has_normal(const ObjFile& file, const ObjCorner& corner) {
    return corner.normal >= 0 && glm::length(file.normals[std::size_t(corner.normal)]) > 0;
}

/// Normals for corners without one, computed over the whole file, so that a surface that groups
/// split into several meshes stays smooth. Corners are numbered across all shapes.
CornerNormals missing_normals(const ObjFile& file) {
    bool complete = true;
    std::vector<glm::uvec3> triangles;
    std::vector<std::uint32_t> groups;
    for (auto& shape : file.shapes) {
        auto& corners = shape.corners;
        for (auto& corner : corners) complete = complete && has_normal(file, corner);
        for (std::size_t i = 0; i < corners.size(); i += 3)
            triangles.emplace_back(corners[i].position, corners[i + 1].position,
                                   corners[i + 2].position);
        if (file.has_smoothing_groups)
            for (auto& face : shape.faces)
                groups.push_back(static_cast<std::uint32_t>(face.smoothing_group));
    }
    if (complete) return {};
    return corner_normals(file.positions, triangles, groups);
}

/// Makes meshes of shapes: one vertex for each triple of indices that occurs.
class MeshMaker {
  public:
    /// `materials` are those of the scene for the file's used materials; `plain` is that of faces
    /// without one.
    MeshMaker(const ObjFile& file, const CornerNormals& made,
              std::span<const ObjMaterial> materials, std::int32_t plain)
        : file_(file),
          made_(made),
          materials_(materials),
          plain_(plain),
          newest_(file.positions.size(), kNone) {}

    /// `first_corner` is the number of the shape's first corner.
    Mesh make(const ObjShape& shape, std::size_t first_corner) {
        Mesh mesh;
        vertices_.clear();
        bool has_uvs = std::ranges::any_of(shape.corners, [](auto& c) { return c.uv >= 0; });
        mesh.name = shape.name;
        mesh.triangles.reserve(shape.faces.size());
        mesh.material_of_triangle.reserve(shape.faces.size());
        for (std::size_t i = 0; i < shape.corners.size(); i += 3) {
            int material = shape.faces[i / 3].material;
            set_material(material);
            glm::uvec3 triangle;
            for (int k = 0; k < 3; ++k)
                triangle[k] = vertex(mesh, shape.corners[i + k], first_corner + i + k, has_uvs);
            mesh.triangles.push_back(triangle);
            mesh.material_of_triangle.push_back(
                material < 0 ? plain_ : materials_[static_cast<std::size_t>(material)].index);
        }
        for (auto& entry : vertices_) newest_[entry.position] = kNone;
        return mesh;
    }

  private:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    struct Vertex {
        std::uint32_t position, next;  // next: an earlier vertex at the same position
        int uv, uv_material;           // the latter as of the maker
        std::int64_t normal;           // index in the file; computed ones count down from -2
    };

    /// Sets the transform of texture coordinates to that of the next triangle's material, one of
    /// the file.
    void set_material(int material) {
        uv_material_ = -1;
        if (material < 0) return;
        auto& placed = materials_[static_cast<std::size_t>(material)];
        if (placed.uv_scale != vec2(1) || placed.uv_offset != vec2(0)) uv_material_ = material;
    }

    std::uint32_t vertex(Mesh& mesh, const ObjCorner& corner, std::size_t corner_number,
                         bool has_uvs) {
        bool given = has_normal(file_, corner);
        std::int64_t normal_key =
            given ? corner.normal : -2 - std::int64_t{made_.normal_of_corner[corner_number]};
        auto position = static_cast<std::uint32_t>(corner.position);
        auto& newest = newest_[position];
        for (auto v = newest; v != kNone; v = vertices_[v].next)
            if (vertices_[v].uv == corner.uv && vertices_[v].uv_material == uv_material_ &&
                vertices_[v].normal == normal_key)
                return v;
        vertices_.push_back({position, newest, corner.uv, uv_material_, normal_key});
        newest = static_cast<std::uint32_t>(mesh.positions.size());
        mesh.positions.push_back(file_.positions[position]);
        if (!file_.colors.empty()) mesh.colors.push_back(file_.colors[position]);
        mesh.normals.push_back(given ? glm::normalize(file_.normals[std::size_t(corner.normal)])
                                     : made_.normals[made_.normal_of_corner[corner_number]]);
        if (has_uvs) mesh.uvs.push_back(uv(corner.uv));
        return newest;
    }
    [[nodiscard]] vec2 uv(int index) const {
        vec2 uv = index < 0 ? vec2(0) : file_.uvs[static_cast<std::size_t>(index)];
        if (uv_material_ < 0) return uv;
        auto& placed = materials_[static_cast<std::size_t>(uv_material_)];
        return finite_or_zero(uv * placed.uv_scale + placed.uv_offset);
    }

    const ObjFile& file_;
    const CornerNormals& made_;
    std::span<const ObjMaterial> materials_;
    std::int32_t plain_;
    int uv_material_ = -1;               // material that transforms texture coordinates; -1: none
    std::vector<std::uint32_t> newest_;  // newest vertex of each position in the current mesh
    std::vector<Vertex> vertices_;       // vertices of the current mesh
};

/// Adds the lines and points.
void add_strokes(Scene& scene, const ObjFile& file, std::span<const ObjMaterial> materials,
                 std::int32_t plain, const std::string& path, PointsAndLines strokes) {
    for (auto& stroke : file.strokes) {
        auto from = static_cast<std::size_t>(stroke.from), to = static_cast<std::size_t>(stroke.to);
        std::int32_t material = stroke.material < 0
                                    ? plain
                                    : materials[static_cast<std::size_t>(stroke.material)].index;
        bool are_colored = !file.colors.empty();
        vec3 color = are_colored ? file.colors[from] : vec3(1);
        if (from == to)
            strokes.add_point(file.positions[from], material, color);
        else
            strokes.add_line(file.positions[from], file.positions[to], material, color,
                             are_colored ? file.colors[to] : vec3(1));
    }
    strokes.add_to(scene, path);
}

}  // namespace

void add_obj(Scene& scene, const std::string& path, bool with_materials,
             const ReadContext& context) {
    std::string text = read_text_file(path, context);
    PointsAndLines strokes(scene, text.size());
    ObjFile file = read_obj(std::move(text), path, context.progress);
    std::size_t triangle_count = scene.triangle_count();
    for (auto& shape : file.shapes) triangle_count += shape.faces.size();
    if (triangle_count > kMostTriangles)
        throw UserError(path + ": more than 1,000,000,000 triangles");

    scene.offset = file.offset;
    for (auto& warning : file.warnings) warn_once(scene, warning);

    ObjMaterials names;
    bool all_found = with_materials && add_material_libraries(scene, path, file.material_libraries,
                                                              file.used_materials, names, context);
    std::int32_t plain = with_materials && !file.colors.empty() ? vertex_color_material(scene) : 0;
    std::vector<ObjMaterial> materials;
    for (auto& name : file.used_materials) {
        auto known = names.find(name);
        materials.push_back(known == names.end() ? ObjMaterial{.index = plain} : known->second);
        if (all_found && known == names.end())
            warn_once(scene, path + ": material '" + name +
                                 "' is in no material library; its faces are plain");
    }

    CornerNormals made = missing_normals(file);
    MeshMaker maker(file, made, materials, plain);
    std::size_t first_corner = 0;
    for (auto& shape : file.shapes) {
        scene.meshes.push_back(maker.make(shape, first_corner));
        first_corner += shape.corners.size();
    }
    if (!file.strokes.empty()) add_strokes(scene, file, materials, plain, path, std::move(strokes));
}

}  // namespace tl

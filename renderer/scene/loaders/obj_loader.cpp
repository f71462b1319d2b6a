#include "renderer/scene/loaders/obj_loader.h"

#include <tiny_obj_loader.h>

#include <cmath>
#include <filesystem>
#include <istream>
#include <new>
#include <sstream>

#include "accel/parallel/error.h"
#include "accel/parallel/files.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/mtl_loader.h"
#include "renderer/scene/loaders/obj_check.h"
#include "renderer/scene/loaders/texture_files.h"
#include "renderer/scene/normals.h"

namespace tl {
namespace {

/// Gives tinyobjloader our names and indices of materials when it meets the first line.
class KnownMaterials : public tinyobj::MaterialReader {
  public:
    explicit KnownMaterials(const MaterialNames& names) : names_(names) {}
    bool operator()(const std::string&, std::vector<tinyobj::material_t>*,
                    std::map<std::string, int>* indices, std::string*, std::string*) override {
        for (auto& [name, index] : names_) {
            std::string spelled = name;
            for (auto& c : spelled)
                if (c == ' ' || c == '\t') c = kSpaceInName;
            indices->emplace(spelled, index);
        }
        return true;
    }

  private:
    const MaterialNames& names_;
};

constexpr const char* kAskForMaterials = "mtllib *\n";

struct ParsedObj {
    tinyobj::attrib_t attributes;
    std::vector<tinyobj::shape_t> shapes;

    [[nodiscard]] vec3 position(int i) const { return triple(attributes.vertices, i); }
    [[nodiscard]] vec3 normal(int i) const {
        return i < 0 ? vec3(0) : triple(attributes.normals, i);
    }
    [[nodiscard]] vec2 uv(int i) const {
        if (i < 0) return vec2(0);
        vec2 uv{attributes.texcoords[2 * std::size_t(i)],
                attributes.texcoords[2 * std::size_t(i) + 1]};
        return std::isfinite(uv.x) && std::isfinite(uv.y) ? uv : vec2(0);
    }
    /// A normal of no length says as little as a missing one.
    [[nodiscard]] bool has_normal(const tinyobj::index_t& corner) const {
        float length = glm::length(normal(corner.normal_index));
        return length > 0 && std::isfinite(length);
    }

  private:
    static vec3 triple(const std::vector<tinyobj::real_t>& values, int i) {
        auto* p = &values[3 * static_cast<std::size_t>(i)];
        return {p[0], p[1], p[2]};
    }
};

ParsedObj parse(std::string text, const MaterialNames& names, const std::string& path) {
    text.insert(0, kAskForMaterials);
    std::istringstream stream(std::move(text));
    KnownMaterials materials(names);
    std::vector<tinyobj::material_t> unused;
    std::string warnings, errors;
    ParsedObj parsed;
    bool ok = tinyobj::LoadObj(&parsed.attributes, &parsed.shapes, &unused, &warnings, &errors,
                               &stream, &materials, true, false);
    if (!ok) throw UserError(path + ": " + std::string(trimmed(errors)));
    return parsed;
}

/// Normals for the corners that have none, over the whole file, so that a surface that groups cut
/// into several meshes stays smooth. Corners are numbered through all shapes.
CornerNormals missing_normals(const ParsedObj& parsed, bool has_smoothing_groups) {
    bool complete = true;
    std::vector<glm::uvec3> triangles;
    std::vector<std::uint32_t> groups;
    for (auto& shape : parsed.shapes) {
        auto& indices = shape.mesh.indices;
        for (auto& corner : indices) complete = complete && parsed.has_normal(corner);
        for (std::size_t i = 0; i + 2 < indices.size(); i += 3)
            triangles.emplace_back(indices[i].vertex_index, indices[i + 1].vertex_index,
                                   indices[i + 2].vertex_index);
        if (has_smoothing_groups)
            groups.insert(groups.end(), shape.mesh.smoothing_group_ids.begin(),
                          shape.mesh.smoothing_group_ids.end());
    }
    if (complete) return {};
    std::vector<vec3> positions(parsed.attributes.vertices.size() / 3);
    for (std::size_t i = 0; i < positions.size(); ++i)
        positions[i] = parsed.position(static_cast<int>(i));
    return corner_normals(positions, triangles, groups);
}

/// Makes meshes of shapes: one vertex for each triple of indices that occurs.
class MeshMaker {
  public:
    MeshMaker(const ParsedObj& parsed, const CornerNormals& made)
        : parsed_(parsed), made_(made), newest_(parsed.attributes.vertices.size() / 3, kNone) {}

    /// `first_corner` is the number of the shape's first corner.
    Mesh make(const tinyobj::shape_t& shape, std::size_t first_corner) {
        Mesh mesh;
        vertices_.clear();
        auto& source = shape.mesh;
        bool has_uvs = false;
        for (auto& corner : source.indices) has_uvs = has_uvs || corner.texcoord_index >= 0;
        mesh.name = shape.name;
        mesh.triangles.reserve(source.indices.size() / 3);
        mesh.material_of_triangle.reserve(source.indices.size() / 3);
        for (std::size_t i = 0; i + 2 < source.indices.size(); i += 3) {
            glm::uvec3 triangle;
            for (int k = 0; k < 3; ++k)
                triangle[k] = vertex(mesh, source.indices[i + k], first_corner + i + k, has_uvs);
            mesh.triangles.push_back(triangle);
            mesh.material_of_triangle.push_back(std::max(source.material_ids[i / 3], 0));
        }
        for (auto& entry : vertices_) newest_[entry.position] = kNone;
        return mesh;
    }

  private:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    struct Vertex {
        std::uint32_t position, next;  // next: an older vertex at the same position
        int uv;
        std::int64_t normal;  // index in the file; made normals count below -1
    };

    std::uint32_t vertex(Mesh& mesh, const tinyobj::index_t& corner, std::size_t corner_number,
                         bool has_uvs) {
        bool given = parsed_.has_normal(corner);
        std::int64_t normal_key =
            given ? corner.normal_index : -2 - std::int64_t{made_.normal_of_corner[corner_number]};
        auto position = static_cast<std::uint32_t>(corner.vertex_index);
        auto& newest = newest_[position];
        for (auto v = newest; v != kNone; v = vertices_[v].next)
            if (vertices_[v].uv == corner.texcoord_index && vertices_[v].normal == normal_key)
                return v;
        vertices_.push_back({position, newest, corner.texcoord_index, normal_key});
        newest = static_cast<std::uint32_t>(mesh.positions.size());
        mesh.positions.push_back(parsed_.position(corner.vertex_index));
        mesh.normals.push_back(given ? glm::normalize(parsed_.normal(corner.normal_index))
                                     : made_.normals[made_.normal_of_corner[corner_number]]);
        if (has_uvs) mesh.uvs.push_back(parsed_.uv(corner.texcoord_index));
        return newest;
    }

    const ParsedObj& parsed_;
    const CornerNormals& made_;
    std::vector<std::uint32_t> newest_;  // of each position, in the mesh that is being made
    std::vector<Vertex> vertices_;       // of that mesh
};

}  // namespace

void add_obj(Scene& scene, const std::string& path, bool with_materials) {
    try {
        std::string text = read_text_file(path);
        ObjOutline outline = check_obj(text, path);
        if (outline.face_count == 0)
            throw UserError(path + ": has no faces, so there is nothing to draw" +
                            (text.empty() ? " (the file is empty)" : ""));
        MaterialNames names;
        if (with_materials &&
            add_material_libraries(scene, path, outline.material_libraries, names))
            for (auto& name : outline.used_materials)
                if (!names.contains(name))
                    warn_once(scene, path + ": material '" + name +
                                         "' is in no material library; its faces are plain grey");

        ParsedObj parsed = parse(std::move(text), names, path);
        std::size_t corner_count = 0;
        for (auto& shape : parsed.shapes) corner_count += shape.mesh.indices.size();
        if (corner_count == 0) throw UserError(path + ": its faces make no triangles");
        if (corner_count / 3 + scene.triangle_count() > kMostTriangles)
            throw UserError(path + ": more than 1,000,000,000 triangles");
        CornerNormals made = missing_normals(parsed, outline.has_smoothing_groups);
        MeshMaker maker(parsed, made);
        std::size_t first_corner = 0;
        for (auto& shape : parsed.shapes) {
            if (!shape.mesh.indices.empty())
                scene.meshes.push_back(maker.make(shape, first_corner));
            first_corner += shape.mesh.indices.size();
        }
    } catch (const std::bad_alloc&) {
        throw UserError(path + ": not enough memory for this file");
    }
}

}  // namespace tl

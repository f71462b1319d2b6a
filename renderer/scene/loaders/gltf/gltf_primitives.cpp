#include "renderer/scene/loaders/gltf/gltf_primitives.h"

#include <numeric>
#include <span>
#include <utility>

#include "renderer/scene/limits.h"

namespace tl {
namespace {

/// Converts lists, strips and fans to triangles with consistent orientation.
std::vector<glm::uvec3> triangles_of(const std::vector<std::uint32_t>& corners, int mode) {
    std::vector<glm::uvec3> triangles;
    if (mode == TINYGLTF_MODE_TRIANGLES) {
        for (std::size_t i = 0; i + 2 < corners.size(); i += 3)
            triangles.emplace_back(corners[i], corners[i + 1], corners[i + 2]);
        return triangles;
    }
    for (std::size_t i = 0; i + 2 < corners.size(); ++i) {
        if (mode == TINYGLTF_MODE_TRIANGLE_FAN)
            triangles.emplace_back(corners[0], corners[i + 1], corners[i + 2]);
        else
            triangles.emplace_back(corners[i], corners[i + 1 + i % 2], corners[i + 2 - i % 2]);
    }
    return triangles;
}

/// The ends of a primitive's lines, as indices of its corners.
std::vector<glm::uvec2> lines_of(const std::vector<std::uint32_t>& corners, int mode) {
    std::vector<glm::uvec2> lines;
    std::size_t step = mode == TINYGLTF_MODE_LINE ? 2 : 1;
    for (std::size_t i = 0; i + 1 < corners.size(); i += step)
        lines.emplace_back(corners[i], corners[i + 1]);
    if (mode == TINYGLTF_MODE_LINE_LOOP && corners.size() > 2)
        lines.emplace_back(corners.back(), corners.front());
    return lines;
}

/// Reads the vertices of one primitive, and refuses lists that do not fit together.
class PrimitiveReader {
  public:
    PrimitiveReader(const GltfFile& file, const tinygltf::Mesh& owner, GltfGeometry& geometry)
        : file_(file), owner_(owner), geometry_(geometry) {
        if (geometry_.has_corners()) corners_ = geometry_.corners();
    }

    /// Listed corners; none where vertices are in order.
    [[nodiscard]] const std::vector<std::uint32_t>& listed_corners() const { return corners_; }

    [[nodiscard]] std::vector<vec3> positions() const {
        auto positions = geometry_.vectors("POSITION");
        if (positions.empty()) fail("has no positions");
        return positions;
    }

    /// One for each of `n_vertices`, or none.
    [[nodiscard]] std::vector<vec3> normals(std::size_t n_vertices) const {
        auto normals = geometry_.vectors("NORMAL");
        check_count(normals.size(), n_vertices, "normals");
        return normals;
    }
    [[nodiscard]] std::vector<vec3> colors(std::size_t n_vertices) const {
        auto colors = geometry_.colors();
        check_count(colors.size(), n_vertices, "colours");
        return colors;
    }
    [[nodiscard]] std::vector<vec2> uvs(std::size_t n_vertices,
                                        const GltfMaterial& material) const {
        auto values = geometry_.numbers(("TEXCOORD_" + std::to_string(material.uv_set)).c_str(), 2);
        check_count(values.size() / 2, n_vertices, "texture coordinates");
        std::vector<vec2> uvs;
        for (std::size_t i = 0; i < values.size(); i += 2) {
            glm::dvec3 at = material.uv_transform * glm::dvec3(values[i], values[i + 1], 1);
            // In glTF, v starts at the upper edge.
            uvs.push_back(finite_or_zero(vec2(at.x, 1 - at.y)));
        }
        return uvs;
    }

    /// All corners, each of which is one of `n_vertices`.
    [[nodiscard]] std::vector<std::uint32_t> take_corners(std::size_t n_vertices) {
        if (!geometry_.has_corners()) {
            corners_.resize(n_vertices);
            std::iota(corners_.begin(), corners_.end(), 0u);
        }
        for (auto corner : corners_)
            if (corner >= n_vertices)
                fail("names vertex " + std::to_string(corner) + "; it has 0 to " +
                     std::to_string(n_vertices - 1));
        return std::move(corners_);
    }

  private:
    void check_count(std::size_t count, std::size_t n_vertices, const char* what) const {
        if (count != 0 && count != n_vertices)
            fail(std::string("has another count of ") + what + " than of positions");
    }
    [[noreturn]] void fail(const std::string& what) const {
        file_.fail("mesh '" + owner_.name + "' " + what);
    }

    const GltfFile& file_;
    const tinygltf::Mesh& owner_;
    GltfGeometry& geometry_;
    std::vector<std::uint32_t> corners_{};
};

}  // namespace

bool has_no_width(const tinygltf::Primitive& primitive) {
    return primitive.mode >= TINYGLTF_MODE_POINTS && primitive.mode < TINYGLTF_MODE_TRIANGLES;
}

Mesh read_triangles(const GltfFile& file, const tinygltf::Mesh& owner,
                    const tinygltf::Primitive& source, GltfGeometry& geometry,
                    const GltfMaterial& material) {
    Mesh mesh;
    mesh.name = owner.name;
    PrimitiveReader reader(file, owner, geometry);
    if (geometry.has_corners() && reader.listed_corners().size() < 3) return mesh;
    mesh.positions = reader.positions();
    const std::size_t n_vertices = mesh.positions.size();
    mesh.normals = reader.normals(n_vertices);
    mesh.uvs = reader.uvs(n_vertices, material);
    mesh.colors = reader.colors(n_vertices);
    bool is_list = geometry.is_decoded() || source.mode < 0;
    mesh.triangles = triangles_of(reader.take_corners(n_vertices),
                                  is_list ? TINYGLTF_MODE_TRIANGLES : source.mode);
    mesh.material_of_triangle.assign(mesh.triangles.size(), material.index);
    return mesh;
}

GltfCurves read_curves(const GltfFile& file, const tinygltf::Mesh& owner,
                       const tinygltf::Primitive& source) {
    GltfGeometry geometry(file, owner, source);
    PrimitiveReader reader(file, owner, geometry);
    GltfCurves curves{.positions = reader.positions(), .colors = {}};
    curves.colors = reader.colors(curves.positions.size());
    auto corners = reader.take_corners(curves.positions.size());
    if (source.mode == TINYGLTF_MODE_POINTS)
        curves.points = std::move(corners);
    else
        curves.lines = lines_of(corners, source.mode);
    return curves;
}

}  // namespace tl

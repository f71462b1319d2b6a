#include "renderer/scene/loaders/ply_loader.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "accel/parallel/error.h"
#include "accel/parallel/files.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/ply_header.h"
#include "renderer/scene/loaders/ply_rows.h"
#include "renderer/scene/loaders/recentre.h"
#include "renderer/scene/loaders/texture_files.h"
#include "renderer/scene/normals.h"

namespace tl {
namespace {

/// The fewest numbers and bytes that a row of an element can have.
struct RowSize {
    std::uint64_t n_numbers = 0, n_bytes = 0;
};

RowSize least_row(const PlyElement& element) {
    RowSize size;
    for (auto& property : element.properties) {
        size.n_numbers += 1;
        size.n_bytes += size_of(property.is_list ? property.length_type : property.type);
    }
    return size;
}

/// The layout of a vertex's numbers in `Vertex::value`.
constexpr int kX = 0, kNormal = 3, kUv = 6, kValues = 8;
struct Vertex {
    double value[kValues] = {};
    [[nodiscard]] vec3 triple(int first) const {
        return {value[first], value[first + 1], value[first + 2]};
    }
};

/// The index of a vertex's property in `Vertex::value`; -1: not used.
int value_of(std::string_view name) {
    constexpr std::string_view kNames[kValues][3] = {{"x"},
                                                     {"y"},
                                                     {"z"},
                                                     {"nx"},
                                                     {"ny"},
                                                     {"nz"},
                                                     {"s", "u", "texture_u"},
                                                     {"t", "v", "texture_v"}};
    for (int i = 0; i < kValues; ++i)
        for (auto& known : kNames[i])
            if (known == name) return i;
    return -1;
}

bool is_corner_list(const PlyProperty& property) {
    return property.is_list &&
           (property.name == "vertex_indices" || property.name == "vertex_index");
}

template <class Rows>
class MeshReader {
  public:
    MeshReader(Rows rows, const PlyHeader& header, const std::string& file, Scene& scene)
        : rows_(rows), header_(header), file_(file), scene_(scene) {}

    Mesh read() {
        const PlyElement* vertices = header_.find("vertex");
        const PlyElement* faces = header_.find("face");
        if (!vertices || vertices->row_count == 0) throw UserError(file_ + ": has no vertices");
        if (!faces || faces->row_count == 0)
            throw UserError(file_ + ": has " + std::to_string(vertices->row_count) +
                            " points without faces, which are not drawn; open a mesh");
        n_vertices_ = vertices->row_count;
        for (auto& element : header_.elements) {
            if (element.properties.empty()) continue;  // such rows take no bytes
            check_room(element);
            if (&element == vertices)
                read_vertices(element);
            else if (&element == faces)
                read_faces(element);
            else
                read_rows(element, [](auto&) { return false; });
        }
        return std::move(mesh_);
    }

  private:
    /// Refuses a count that the file cannot hold, before allocating memory.
    void check_room(const PlyElement& element) const {
        RowSize least = least_row(element);
        std::uint64_t room = rows_.room_for(least.n_numbers, least.n_bytes);
        if (element.row_count > room)
            fail_at(element, "the header promises " + std::to_string(element.row_count) +
                                 " rows of '" + element.name + "', but the file has room for " +
                                 std::to_string(room) + " at most; it may be cut off");
        if (element.row_count > std::uint64_t{kMostTriangles})
            fail_at(element, "more than 1,000,000,000 rows of '" + element.name + "'");
    }

    void read_vertices(const PlyElement& element) {
        std::vector<int> targets;
        bool given[kValues] = {};
        for (auto& property : element.properties) {
            targets.push_back(property.is_list ? -1 : value_of(property.name));
            if (targets.back() >= 0) given[targets.back()] = true;
            if (property.name == "red" || property.name == "diffuse_red")
                warn_once(scene_, file_ + ": its vertices' colours are not used");
        }
        for (int k = 0; k < 3; ++k)
            if (!given[kX + k])
                fail_at(element, std::string("vertices have no property '") + "xyz"[k] + "'");
        bool normals = given[kNormal] && given[kNormal + 1] && given[kNormal + 2];
        bool uvs = given[kUv] && given[kUv + 1];
        std::vector<glm::dvec3> positions;
        positions.reserve(n_vertices_);
        if (normals) mesh_.normals.reserve(n_vertices_);
        if (uvs) mesh_.uvs.reserve(n_vertices_);
        for (std::uint64_t i = 0; i < element.row_count; ++i) {
            rows_.start_row();
            Vertex vertex;
            for (std::size_t p = 0; p < targets.size(); ++p) {
                auto& property = element.properties[p];
                if (property.is_list)
                    skip_list(property);
                else if (double value = rows_.number(property.type); targets[p] >= 0)
                    vertex.value[targets[p]] = value;
            }
            end_row();
            check_position(vertex, i);
            positions.emplace_back(vertex.value[kX], vertex.value[kX + 1], vertex.value[kX + 2]);
            if (normals) mesh_.normals.push_back(vertex.triple(kNormal));
            if (uvs)
                mesh_.uvs.push_back(finite_or_zero(vec2(vertex.value[kUv], vertex.value[kUv + 1])));
        }
        mesh_.positions = recentred(positions, scene_);
    }

    void check_position(const Vertex& vertex, std::uint64_t index) const {
        for (int k = 0; k < 3; ++k) {
            double value = vertex.value[kX + k];
            if (std::abs(value) <= kLargestCoordinate) continue;
            rows_.fail(
                "vertex " + std::to_string(index) + ": its " + "xyz"[k] + " is " +
                (std::isfinite(value) ? "beyond the largest coordinate, 1e15" : "not finite"));
        }
    }

    void read_faces(const PlyElement& element) {
        if (std::ranges::count_if(element.properties, is_corner_list) != 1)
            fail_at(element, "faces want one list 'vertex_indices' or 'vertex_index'");
        mesh_.triangles.reserve(element.row_count);
        read_rows(element, [&](auto& property) {
            bool is_corners = is_corner_list(property);
            if (is_corners) read_corners(property);
            return is_corners;
        });
    }

    /// Reads all rows of an element. `take` may read a property, and returns whether it did; what
    /// it does not read is skipped.
    template <class Take>
    void read_rows(const PlyElement& element, Take take) {
        for (std::uint64_t i = 0; i < element.row_count; ++i) {
            rows_.start_row();
            for (auto& property : element.properties) {
                if (take(property)) continue;
                if (property.is_list)
                    skip_list(property);
                else
                    (void)rows_.number(property.type);
            }
            end_row();
        }
    }

    void read_corners(const PlyProperty& property) {
        std::uint64_t n_corners = list_length(property);
        if (n_corners < 3)
            rows_.fail("a face has " + std::to_string(n_corners) + " corners; it needs 3 or more");
        std::uint32_t first = corner(property), previous = corner(property);
        for (std::uint64_t k = 2; k < n_corners; ++k) {
            std::uint32_t next = corner(property);
            mesh_.triangles.emplace_back(first, previous, next);
            previous = next;
        }
        if (mesh_.triangles.size() > std::size_t{kMostTriangles})
            rows_.fail("more than 1,000,000,000 triangles");
    }

    std::uint32_t corner(const PlyProperty& property) {
        double index = rows_.number(property.type);
        if (!(index >= 0 && index < double(n_vertices_) && index == std::floor(index)))
            rows_.fail("a face names vertex " + number_text(index) + "; the file has 0 to " +
                       std::to_string(n_vertices_ - 1));
        return static_cast<std::uint32_t>(index);
    }

    void skip_list(const PlyProperty& property) {
        std::uint64_t length = list_length(property);
        for (std::uint64_t k = 0; k < length; ++k) (void)rows_.number(property.type);
    }

    std::uint64_t list_length(const PlyProperty& property) {
        double length = rows_.number(property.length_type);
        if (!(length >= 0 && length <= double(UINT32_MAX) && length == std::floor(length)))
            rows_.fail("the list '" + property.name + "' has the length " + number_text(length));
        return static_cast<std::uint64_t>(length);
    }

    void end_row() {
        if (!rows_.has_more() || warned_of_more_) return;
        warned_of_more_ = true;
        scene_.warnings.push_back(rows_.place() +
                                  ": the row has more numbers than the header says; they are "
                                  "skipped, here and in other rows");
    }

    [[noreturn]] void fail_at(const PlyElement& element, const std::string& what) const {
        throw UserError(file_ + ":" + std::to_string(element.line) + ": " + what);
    }

    Rows rows_;
    const PlyHeader& header_;
    const std::string& file_;
    Scene& scene_;
    Mesh mesh_;
    std::uint64_t n_vertices_ = 0;
    bool warned_of_more_ = false;
};

Mesh read_mesh(const std::string& bytes, const PlyHeader& header, const std::string& path,
               Scene& scene) {
    auto read = [&](auto rows) { return MeshReader(rows, header, path, scene).read(); };
    switch (header.encoding) {
        case PlyEncoding::ascii:
            return read(PlyTextRows(bytes, header, path));
        case PlyEncoding::little_endian:
            return read(PlyByteRows<std::endian::little>(bytes, header, path));
        case PlyEncoding::big_endian:
            break;
    }
    return read(PlyByteRows<std::endian::big>(bytes, header, path));
}

}  // namespace

void add_ply(Scene& scene, const std::string& path) {
    std::string bytes = read_file(path);
    PlyHeader header = read_ply_header(bytes, path);
    Mesh mesh = read_mesh(bytes, header, path, scene);
    if (mesh.triangles.size() + scene.triangle_count() > std::size_t{kMostTriangles})
        throw UserError(path + ": more than 1,000,000,000 triangles");
    mesh.name = std::filesystem::path(path).stem().string();
    mesh.material_of_triangle.assign(mesh.triangles.size(), 0);
    complete_normals(mesh);
    scene.meshes.push_back(std::move(mesh));
}

}  // namespace tl

#include "renderer/scene/loaders/ply/ply_loader.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/one_line.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/ply/ply_cloud.h"
#include "renderer/scene/loaders/ply/ply_faces.h"
#include "renderer/scene/loaders/ply/ply_gaussians.h"
#include "renderer/scene/loaders/ply/ply_header.h"
#include "renderer/scene/loaders/ply/ply_packed.h"
#include "renderer/scene/loaders/ply/ply_parts.h"
#include "renderer/scene/loaders/ply/ply_rows.h"
#include "renderer/scene/loaders/ply/ply_textures.h"
#include "renderer/scene/loaders/points_and_lines.h"
#include "renderer/scene/loaders/recentre.h"
#include "renderer/scene/loaders/texture_files.h"
#include "renderer/scene/loaders/vertex_colors.h"
#include "renderer/scene/normals.h"

namespace tl {
namespace {

bool has_rows(const PlyElement* element) {
    return element && element->row_count > 0;
}

/// The most triangles of a file. One takes up to 150 bytes while it gets its normals. Real meshes
/// have two for each vertex and so seven bytes or more for each, which leaves them room; but with
/// numbers of vertices that are a byte, a byte more of a polygon is a triangle more.
std::size_t most_triangles(std::size_t n_bytes) {
    constexpr std::size_t kBytesOfTriangle = 150, kBytesOfByte = 40, kFree = std::size_t{2} << 20;
    return std::min((kFree + kBytesOfByte * n_bytes) / kBytesOfTriangle,
                    std::size_t{kMostTriangles});
}

template <class Rows>
class MeshReader {
  public:
    MeshReader(Rows rows, const PlyHeader& header, const std::string& file, std::size_t n_bytes,
               Scene& scene, bool as_gaussians)
        : rows_(rows),
          header_(header),
          file_(file),
          most_triangles_(most_triangles(n_bytes)),
          scene_(scene),
          vertices_(header.find("vertex")),
          faces_(header.find("face")),
          strips_(header.find("tristrips")),
          edges_(find_edges(header)),
          as_gaussians_(as_gaussians),
          triangles_(mesh_, has_part(faces_, FacePart::uvs)) {}

    /// The mesh, with the number of a texture as each triangle's material.
    Mesh read() {
        if (!has_rows(vertices_)) throw UserError(file_ + ": has no vertices");
        if (vertices_->properties.empty())
            fail_at(file_, *vertices_, "vertices have no properties");
        std::vector<std::pair<const PlyElement*, Rows>> before_vertices;
        for (auto& element : header_.elements) {
            if (element.properties.empty()) continue;  // such rows take no bytes
            check_room(rows_, file_, element);
            bool is_faces = element.row_count > 0 &&
                            (&element == faces_ || &element == strips_ || &element == edges_);
            if (&element == vertices_) {
                read_vertices(element);
                Rows here = rows_;
                for (auto& [earlier, rows] : before_vertices) {
                    rows_ = rows;
                    read_parts(*earlier);
                }
                rows_ = here;
            } else if (is_faces && !mesh_.positions.empty()) {
                read_parts(element);
            } else if (element.name == "camera" && element.row_count > 0 && is_cloud()) {
                read_camera(element);
            } else {
                if (is_faces) before_vertices.emplace_back(&element, rows_);
                skip_rows(element);
            }
        }
        rows_.end();
        finish();
        return std::move(mesh_);
    }
    /// The ends of the edges, as vertices of the mesh as it was read.
    [[nodiscard]] std::vector<glm::uvec2> take_edges() { return std::move(edge_ends_); }

    /// The Gaussians of a file that has nothing else; none if it has others or they are not wanted.
    [[nodiscard]] std::optional<PlyGaussians> take_gaussians() { return std::move(gaussians_); }

    /// The points of a file that has nothing else, which has no mesh and no edges.
    [[nodiscard]] PointCloud take_cloud() {
        cloud_.seen_from = seen_from_;
        return std::move(cloud_);
    }

  private:
    void read_parts(const PlyElement& element) {
        if (&element == edges_)
            read_edges(element);
        else
            read_faces(element);
    }

    void read_vertices(const PlyElement& element) {
        const PlyVertexLayout layout(element);
        for (int k = 0; k < 3; ++k)
            if (!layout.has(PlyVertex::kX + k))
                fail_at(file_, element,
                        std::string("vertices have no property '") + "xyz"[k] + "'");
        if (is_cloud()) {
            if (as_gaussians_ && PlyGaussians::are_in(element)) return read_gaussians(element);
            return read_cloud(element, layout);
        }
        bool normals = layout.has(PlyVertex::kNormal, 3), uvs = layout.has(PlyVertex::kUv, 2);
        std::vector<glm::dvec3> positions;
        positions.reserve(element.row_count);
        if (normals) mesh_.normals.reserve(element.row_count);
        if (uvs) mesh_.uvs.reserve(element.row_count);
        if (layout.has_colors()) mesh_.colors.reserve(element.row_count);
        for (std::uint64_t i = 0; i < element.row_count; ++i) {
            PlyVertex vertex = read_vertex(element, layout);
            check_position(vertex, i);
            positions.push_back(vertex.place());
            if (normals) mesh_.normals.push_back(vertex.triple(PlyVertex::kNormal));
            if (uvs) {
                auto* uv = vertex.value + PlyVertex::kUv;
                mesh_.uvs.push_back(finite_or_zero(vec2(uv[0], uv[1])));
            }
            if (layout.has_colors()) mesh_.colors.push_back(layout.color_of(vertex));
        }
        layout.widen(mesh_.colors);
        decode_vertex_colors(mesh_.colors);
        mesh_.positions = recentred(positions, scene_);
    }

    PlyVertex read_vertex(const PlyElement& element, const PlyVertexLayout& layout) {
        rows_.start_row();
        PlyVertex vertex;
        for (std::size_t p = 0; p < element.properties.size(); ++p) {
            auto& property = element.properties[p];
            int target = layout.target(p);
            if (target < 0)
                skip_property(rows_, property);
            else if (target == PlyVertexLayout::kPackedColor)
                vertex.packed_color = rows_.bits(property.type);
            else
                vertex.value[target] = rows_.number(property.type) / layout.scale(p);
        }
        end_row();
        return vertex;
    }

    void read_gaussians(const PlyElement& element) {
        gaussians_.emplace(element, file_);
        std::vector<double> values(gaussians_->n_values());
        for (std::uint64_t i = 0; i < element.row_count; ++i) {
            rows_.start_row();
            for (std::size_t p = 0; p < element.properties.size(); ++p) {
                auto& property = element.properties[p];
                int target = gaussians_->target(p);
                if (target < 0)
                    skip_property(rows_, property);
                else
                    values[static_cast<std::size_t>(target)] = rows_.number(property.type);
            }
            end_row();
            gaussians_->add(values);
        }
    }

    void read_cloud(const PlyElement& element, const PlyVertexLayout& layout) {
        PlyCloud cloud(layout, element.row_count);
        for (std::uint64_t i = 0; i < element.row_count; ++i) {
            PlyVertex vertex = read_vertex(element, layout);
            if (vertex.has_place()) check_position(vertex, i);
            cloud.add(vertex);
        }
        cloud_ = cloud.take();
        if (cloud_.n_lost == element.row_count)
            fail_at(file_, element, "none of the points has coordinates that are finite");
    }

    /// Whether vertices are points: the file has no rows of faces, strips or edges.
    [[nodiscard]] bool is_cloud() const {
        return !has_rows(faces_) && !has_rows(strips_) && !has_rows(edges_);
    }

    void check_position(const PlyVertex& vertex, std::uint64_t index) const {
        for (int k = 0; k < 3; ++k) {
            double value = vertex.value[PlyVertex::kX + k];
            if (std::abs(value) <= kLargestCoordinate) continue;
            rows_.fail(
                "vertex " + std::to_string(index) + ": its " + "xyz"[k] + " is " +
                (std::isfinite(value) ? "beyond the largest coordinate, 1e15" : "not finite"));
        }
    }

    void read_faces(const PlyElement& element) {
        bool is_strips = &element == strips_;
        if (std::ranges::count(element.properties, FacePart::corners, part_of) != 1)
            fail_at(file_, element,
                    std::string(is_strips ? "strips" : "faces") +
                        " want one list 'vertex_indices' or 'vertex_index'");
        if (mesh_.colors.empty() && !is_strips && has_ply_colors(element)) triangles_.use_colors();
        std::vector<FacePart> parts;
        for (auto& property : element.properties) parts.push_back(part_of(property));
        // Rows may be as short as a byte that says 0, so that their count alone asks for too much.
        std::uint64_t n_expected = std::min(element.row_count, rows_.room_for(4, 4));
        mesh_.triangles.reserve(n_expected);
        mesh_.material_of_triangle.reserve(n_expected);
        triangles_.texture = 0;
        for (std::uint64_t i = 0; i < element.row_count; ++i) {
            rows_.start_row();
            for (std::size_t p = 0; p < parts.size(); ++p)
                read_face_part(element.properties[p], parts[p], is_strips);
            if (is_strips)
                triangles_.add_strips();
            else
                add_face();
            end_row();
            if (mesh_.triangles.size() > most_triangles_)
                rows_.fail("there are more than " + std::to_string(most_triangles_) +
                           " triangles up to here, more than a file of this size should have");
        }
    }

    /// Reads the viewpoint of a cloud, as PCL writes it; the origin means none.
    void read_camera(const PlyElement& element) {
        constexpr std::string_view kNames[] = {"view_px", "view_py", "view_pz"};
        glm::dvec3 place(0);
        rows_.start_row();
        for (auto& property : element.properties) {
            auto found = std::ranges::find(kNames, property.name);
            if (property.is_list || found == std::end(kNames))
                skip_property(rows_, property);
            else
                place[static_cast<int>(found - kNames)] = rows_.number(property.type);
        }
        end_row();
        for (std::uint64_t i = 1; i < element.row_count; ++i) skip_row(element);
        bool is_place = glm::length(place) <= kLargestCoordinate;  // false for what is not finite
        if (is_place && place != glm::dvec3(0)) seen_from_ = place;
    }

    void read_edges(const PlyElement& element) {
        edge_ends_.reserve(element.row_count);
        for (std::uint64_t i = 0; i < element.row_count; ++i) {
            rows_.start_row();
            glm::uvec2 edge(0);
            for (auto& property : element.properties) {
                int end = end_of_edge(property);
                if (end < 0)
                    skip_property(rows_, property);
                else
                    edge[end] = corner(property, false);
            }
            end_row();
            edge_ends_.push_back(edge);
        }
    }

    void read_face_part(const PlyProperty& property, FacePart part, bool is_strips) {
        if (part == FacePart::texture) {
            double number = rows_.number(property.type);
            triangles_.texture = number >= 0 && number < INT32_MAX ? int(number) : -1;
        } else if (part >= FacePart::red) {
            double value = rows_.number(property.type) / full_scale_of_color(property.type);
            triangles_.color[static_cast<int>(part) - static_cast<int>(FacePart::red)] =
                static_cast<float>(value);
        } else if (part == FacePart::none) {
            skip_property(rows_, property);
        } else {
            std::uint64_t length = list_length(rows_, property);
            for (std::uint64_t k = 0; k < length; ++k) {
                if (part == FacePart::corners)
                    triangles_.corners.push_back(corner(property, is_strips));
                else
                    triangles_.uvs.push_back(static_cast<float>(rows_.number(property.type)));
            }
        }
    }

    void add_face() {
        std::size_t n_corners = triangles_.corners.size();
        std::size_t n_uvs = triangles_.uvs.size();
        if (n_uvs != 0 && n_uvs != 2 * n_corners) ++n_odd_uvs_;
        if (n_corners < 3) {
            ++n_flat_faces_;
            triangles_.corners.clear();
            triangles_.uvs.clear();
        } else if (!triangles_.add_polygon()) {
            rows_.fail(triangles_.refusal(n_corners));
        }
    }

    /// Makes normals, texture coordinates and colours, and warns of what was left out.
    void finish() {
        auto warn = [&](std::uint64_t count, const char* what) {
            if (count > 0)
                scene_.warnings.push_back(file_ + ": " + std::to_string(count) + " " + what);
        };
        bool has_faces = has_rows(faces_) || has_rows(strips_);
        if (mesh_.triangles.empty() && has_faces && edge_ends_.empty())
            throw UserError(file_ + ": its faces make no triangles" +
                            (n_flat_faces_ > 0 ? ", since they have fewer than 3 corners" : ""));
        warn(n_flat_faces_, "faces of fewer than 3 corners are skipped");
        warn(n_odd_uvs_,
             "faces have texture coordinates that are not two for each corner; they "
             "are not used");
        auto n_lost = static_cast<std::uint64_t>(
            std::ranges::count_if(mesh_.normals, [](vec3 normal) { return !is_finite(normal); }));
        warn(n_lost, "normals are not finite; they are made from the faces around");
        if (mesh_.triangles.empty()) return;
        if (n_lost == mesh_.normals.size()) mesh_.normals.clear();
        complete_normals(mesh_);
        triangles_.finish_corners();
    }

    void skip_rows(const PlyElement& element) {
        for (std::uint64_t i = 0; i < element.row_count; ++i) skip_row(element);
    }

    void skip_row(const PlyElement& element) {
        rows_.start_row();
        for (auto& property : element.properties) skip_property(rows_, property);
        end_row();
    }

    std::uint32_t corner(const PlyProperty& property, bool is_strip) {
        double index = rows_.number(property.type);
        if (is_strip && index == -1) return PlyFaces::kRestart;
        if (!(index >= 0 && index < double(vertices_->row_count) && index == std::floor(index)))
            rows_.fail("a face or edge names vertex " + number_text(index) +
                       "; the file has 0 to " + std::to_string(vertices_->row_count - 1));
        return static_cast<std::uint32_t>(index);
    }

    void end_row() {
        if (!rows_.has_more() || warned_of_more_) return;
        warned_of_more_ = true;
        scene_.warnings.push_back(rows_.place() +
                                  ": the row has more numbers than the header says; they are "
                                  "skipped, here and in other rows");
    }

    Rows rows_;
    const PlyHeader& header_;
    const std::string& file_;
    std::size_t most_triangles_;
    Scene& scene_;
    const PlyElement *vertices_, *faces_, *strips_, *edges_;
    Mesh mesh_;
    bool as_gaussians_;
    PointCloud cloud_;
    std::optional<PlyGaussians> gaussians_;
    std::optional<glm::dvec3> seen_from_;
    std::vector<glm::uvec2> edge_ends_;
    PlyFaces triangles_;
    std::uint64_t n_flat_faces_ = 0, n_odd_uvs_ = 0;
    bool warned_of_more_ = false;
};

struct PlyContents {
    Mesh mesh;
    PointCloud cloud;
    std::optional<PlyGaussians> gaussians;
    std::vector<glm::uvec2> edges;
};

/// Gaussians that are compressed, or the points that they are.
PlyContents read_packed_contents(const std::string& bytes, const PlyHeader& header,
                                 const std::string& path, bool as_gaussians,
                                 const ReadProgress& progress) {
    const PlyElement element = unpacked_element(header, path);
    PlyContents contents;
    if (as_gaussians) {
        auto& gaussians = contents.gaussians.emplace(element, path);
        std::vector<double> values(gaussians.n_values());
        read_packed(bytes, header, path, progress, [&](std::span<const double> numbers) {
            for (std::size_t p = 0; p < numbers.size(); ++p)
                if (int target = gaussians.target(p); target >= 0)
                    values[static_cast<std::size_t>(target)] = numbers[p];
            gaussians.add(values);
        });
        return contents;
    }
    const PlyVertexLayout layout(element);
    PlyCloud cloud(layout, element.row_count);
    read_packed(bytes, header, path, progress, [&](std::span<const double> numbers) {
        PlyVertex vertex;
        for (std::size_t p = 0; p < numbers.size(); ++p)
            if (int target = layout.target(p); target >= 0) vertex.value[target] = numbers[p];
        for (double coordinate : {vertex.place().x, vertex.place().y, vertex.place().z})
            if (std::isfinite(coordinate) && std::abs(coordinate) > kLargestCoordinate)
                throw UserError(path + ": a Gaussian lies beyond the largest coordinate, 1e15");
        cloud.add(vertex);
    });
    contents.cloud = cloud.take();
    return contents;
}

PlyContents read_contents(const std::string& bytes, const PlyHeader& header,
                          const std::string& path, Scene& scene, bool as_gaussians,
                          const ReadProgress& progress) {
    auto read = [&](auto rows) {
        MeshReader reader(rows, header, path, bytes.size(), scene, as_gaussians);
        PlyContents contents{reader.read(), {}, {}, {}};
        contents.cloud = reader.take_cloud();
        contents.gaussians = reader.take_gaussians();
        contents.edges = reader.take_edges();
        return contents;
    };
    if (are_packed(header))
        return read_packed_contents(bytes, header, path, as_gaussians, progress);
    return with_ply_rows(bytes, header, path, progress, read);
}

void add_edges(PointsAndLines& parts, const PlyContents& ply, std::int32_t plain) {
    auto& mesh = ply.mesh;
    auto color_of = [&](std::size_t v) { return mesh.colors.empty() ? vec3(1) : mesh.colors[v]; };
    for (auto edge : ply.edges)
        parts.add_line(mesh.positions[edge.x], mesh.positions[edge.y], plain, color_of(edge.x),
                       color_of(edge.y));
}

}  // namespace

PointCloud read_ply_points(Scene& scene, const std::string& bytes, const std::string& path,
                           const ReadProgress& progress) {
    return read_contents(bytes, read_ply_header(bytes, path), path, scene, false, progress).cloud;
}

void add_ply(Scene& scene, const std::string& path, bool with_materials, bool drop_outliers,
             bool as_gaussians, bool shows_radiosity, const ReadContext& context) {
    std::string bytes = read_file(path, context);
    PlyHeader header = read_ply_header(bytes, path);
    if (header.unknown_line > 0)
        warn_once(scene, path + ":" + std::to_string(header.unknown_line) +
                             ": is no statement of a header; it is skipped, as are others");
    PlyContents ply = read_contents(bytes, header, path, scene, as_gaussians, context.progress);
    if (ply.gaussians) return ply.gaussians->add_to(scene);
    Mesh& mesh = ply.mesh;
    ply.cloud.drop_outliers = drop_outliers;
    if (shows_radiosity && !ply.cloud.radiosity.empty()) {
        scene.warnings.push_back(path +
                                 ": its points show their radiosity; 'radiosity = false' in a "
                                 "scene file's [[mesh]] shows their colours");
        show_radiosity(ply.cloud);
    }
    if (mesh.positions.empty())
        return add_cloud(scene, std::move(ply.cloud), path, bytes.size(), with_materials,
                         context.progress);
    if (mesh.triangles.size() + scene.triangle_count() > std::size_t{kMostTriangles})
        throw UserError(path + ": more than 1,000,000,000 triangles");
    mesh.name = std::filesystem::path(path).stem().string();
    if (!with_materials) header.textures.clear();
    std::int32_t plain = with_materials && !mesh.colors.empty() ? vertex_color_material(scene) : 0;
    take_ply_materials(scene, mesh, header.textures, plain, path, context);
    PointsAndLines parts(scene, bytes.size());
    add_edges(parts, ply, plain);
    if (!mesh.triangles.empty()) scene.meshes.push_back(std::move(mesh));
    if (!parts.empty()) parts.add_to(scene, path);
}

}  // namespace tl

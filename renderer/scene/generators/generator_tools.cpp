#include "renderer/scene/generators/generator_tools.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <glm/matrix.hpp>

#include "core/base/error.h"
#include "core/base/host_memory.h"
#include "core/base/text.h"
#include "renderer/scene/normals.h"

namespace tl {

const std::string* GeneratorArguments::find(const char* key) const {
    auto found = parameters_.find(key);
    return found == parameters_.end() ? nullptr : &found->second;
}

/// Reads "1000000", "1e6" or "0.5".
double GeneratorArguments::value(const char* key, double fallback, double minimum, double maximum,
                                 bool whole) const {
    auto* text = find(key);
    if (!text) return fallback;
    auto value = number_in<double>(*text);
    if (value && *value >= minimum && *value <= maximum && (!whole || *value == std::floor(*value)))
        return *value;
    auto show = [&](double bound) {
        return whole ? std::to_string(static_cast<std::int64_t>(bound))
                     : number_text(static_cast<float>(bound));
    };
    refuse(key, *text,
           (whole ? "a whole number " : "a number ") + show(minimum) + " to " + show(maximum));
}

void GeneratorArguments::refuse(const char* key, const std::string& text,
                                const std::string& wanted) const {
    throw UserError("generator '" + id_ + "': " + key + " = '" + text + "'; it wants " + wanted);
}

bool GeneratorArguments::flag(const char* key, bool fallback) const {
    auto* text = find(key);
    if (!text) return fallback;
    if (*text == "true") return true;
    if (*text == "false") return false;
    refuse(key, *text, "true or false");
}

std::size_t GeneratorArguments::choice(const char* key,
                                       std::initializer_list<const char*> choices) const {
    auto* text = find(key);
    if (!text) return 0;
    std::string known;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const char* name = choices.begin()[i];
        if (*text == name) return i;
        known += (i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ") + std::string(name);
    }
    refuse(key, *text, known);
}

std::int32_t add_material(Scene& scene, const std::string& name, MaterialKind kind, vec3 color) {
    Material material;
    material.name = name;
    material.kind = kind;
    bool perfect = kind == MaterialKind::mirror || kind == MaterialKind::dielectric;
    (perfect ? material.specular : material.diffuse) = color;
    scene.materials.push_back(material);
    return static_cast<std::int32_t>(scene.materials.size()) - 1;
}

std::int32_t add_glossy(Scene& scene, const std::string& name, vec3 diffuse, float specular,
                        float exponent) {
    auto index = add_material(scene, name, MaterialKind::phong, diffuse);
    scene.materials.back().specular = vec3(specular);
    scene.materials.back().exponent = exponent;
    return index;
}

void add_directional_light(Scene& scene, vec3 direction, vec3 irradiance) {
    scene.lights.push_back({.kind = LightKind::directional,
                            .direction = glm::normalize(direction),
                            .radiance = irradiance});
}

void add_point_light(Scene& scene, vec3 position, vec3 intensity) {
    scene.lights.push_back({.kind = LightKind::point, .position = position, .radiance = intensity});
}

Mesh named_mesh(const std::string& name) {
    Mesh mesh;
    mesh.name = name;
    return mesh;
}

void require_memory(std::uint64_t bytes, const std::string& what) {
    require_host_memory(bytes, what, "ask for less");
}

void reserve(Mesh& mesh, std::uint64_t n_vertices, std::uint64_t n_triangles, bool normals) {
    std::uint64_t per_vertex = sizeof(vec3) * (normals ? 2 : 1);
    std::uint64_t per_triangle = sizeof(glm::uvec3) + sizeof(std::int32_t);
    require_memory(n_vertices * per_vertex + n_triangles * per_triangle,
                   "a mesh of " + std::to_string(n_triangles) + " triangles");
    mesh.positions.reserve(n_vertices);
    if (normals) mesh.normals.reserve(n_vertices);
    mesh.triangles.reserve(n_triangles);
    mesh.material_of_triangle.reserve(n_triangles);
}

void add_triangle(Mesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                  std::int32_t material) {
    mesh.triangles.emplace_back(a, b, c);
    mesh.material_of_triangle.push_back(material);
}

void add_quad(Mesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d,
              std::int32_t material) {
    add_triangle(mesh, a, b, c, material);
    add_triangle(mesh, a, c, d, material);
}

void add_quad(Mesh& mesh, vec3 a, vec3 b, vec3 c, vec3 d, std::int32_t material) {
    auto first = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.positions.insert(mesh.positions.end(), {a, b, c, d});
    add_quad(mesh, first, first + 1, first + 2, first + 3, material);
}

void add_grid(
    Mesh& mesh, std::uint32_t n_columns, std::uint32_t n_rows,
    const std::function<std::int32_t(std::uint32_t row, std::uint32_t column)>& material) {
    for (std::uint32_t row = 0; row < n_rows; ++row)
        for (std::uint32_t column = 0; column < n_columns; ++column) {
            std::uint32_t a = row * (n_columns + 1) + column, b = a + 1;
            std::uint32_t c = a + n_columns + 1, d = c + 1;
            add_quad(mesh, a, c, d, b, material(row, column));
        }
}

void set_grid_normals(const std::vector<vec3>& positions, std::uint32_t n_columns,
                      std::vector<vec3>& normals) {
    std::size_t stride = std::size_t{n_columns} + 1, n_lines = positions.size() / stride;
    normals.resize(positions.size());
    tbb::parallel_for(std::size_t{0}, n_lines, [&](std::size_t row) {
        std::size_t before = row > 0 ? row - 1 : row, after = std::min(row + 1, n_lines - 1);
        for (std::size_t column = 0; column < stride; ++column) {
            std::size_t left = column > 0 ? column - 1 : column;
            std::size_t right = std::min(column + 1, stride - 1);
            vec3 along_x = positions[row * stride + right] - positions[row * stride + left];
            vec3 along_z = positions[after * stride + column] - positions[before * stride + column];
            normals[row * stride + column] = glm::normalize(glm::cross(along_z, along_x));
        }
    });
}

void add_ground(Scene& scene, const std::string& name, float half_size, float y,
                std::int32_t material) {
    float s = half_size;
    Mesh mesh = named_mesh(name);
    add_quad(mesh, {-s, y, s}, {s, y, s}, {s, y, -s}, {-s, y, -s}, material);
    scene.meshes.push_back(std::move(mesh));
}

void add_tiles(Mesh& mesh, int n_x, int n_z, std::int32_t even, std::int32_t odd) {
    for (int z = 0; z < n_z; ++z)
        for (int x = 0; x < n_x; ++x) {
            vec3 p(static_cast<float>(x) - 0.5f * static_cast<float>(n_x), 0,
                   static_cast<float>(z) - 0.5f * static_cast<float>(n_z));
            add_quad(mesh, p + vec3(0, 0, 1), p + vec3(1, 0, 1), p + vec3(1, 0, 0), p,
                     (x + z) % 2 ? odd : even);
        }
}

void add_box(Mesh& mesh, vec3 lo, vec3 hi, std::int32_t material) {
    auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (int i = 0; i < 8; ++i)
        mesh.positions.emplace_back(i & 1 ? hi.x : lo.x, i & 2 ? hi.y : lo.y, i & 4 ? hi.z : lo.z);
    constexpr std::uint32_t kFaces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                            {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (auto& f : kFaces)
        add_quad(mesh, first + f[0], first + f[1], first + f[2], first + f[3], material);
}

void add_loft(Mesh& mesh, std::span<const std::vector<vec3>> rings, std::int32_t material) {
    auto first = static_cast<std::uint32_t>(mesh.positions.size());
    auto segments = static_cast<std::uint32_t>(rings[0].size());
    auto middle = [&](const std::vector<vec3>& ring) {
        vec3 sum(0);
        for (auto& p : ring) sum += p;
        return sum / static_cast<float>(ring.size());
    };
    mesh.positions.push_back(middle(rings.front()));
    for (auto& ring : rings) mesh.positions.insert(mesh.positions.end(), ring.begin(), ring.end());
    auto top = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.positions.push_back(middle(rings.back()));

    auto at = [&](std::size_t row, std::uint32_t s) {
        return first + 1 + static_cast<std::uint32_t>(row) * segments + s % segments;
    };
    std::size_t last = rings.size() - 1;
    for (std::uint32_t s = 0; s < segments; ++s) {
        add_triangle(mesh, first, at(0, s + 1), at(0, s), material);
        for (std::size_t row = 0; row < last; ++row)
            add_quad(mesh, at(row, s), at(row, s + 1), at(row + 1, s + 1), at(row + 1, s),
                     material);
        add_triangle(mesh, at(last, s), at(last, s + 1), top, material);
    }
}

void add_tube(Mesh& mesh, std::span<const vec4> centers, int n_segments, std::int32_t material) {
    std::vector<std::vector<vec3>> rings(centers.size());
    vec3 side(0);
    for (std::size_t i = 0; i < centers.size(); ++i) {
        std::size_t before = i == 0 ? 0 : i - 1, after = std::min(i + 1, centers.size() - 1);
        vec3 along = glm::normalize(vec3(centers[after]) - vec3(centers[before]));
        if (i == 0) side = std::abs(along.x) < 0.9f ? vec3(1, 0, 0) : vec3(0, 0, 1);
        side = glm::normalize(side - along * glm::dot(side, along));
        vec3 up = glm::cross(along, side);
        for (int s = 0; s < n_segments; ++s) {
            float angle = 2 * kPi * static_cast<float>(s) / static_cast<float>(n_segments);
            rings[i].push_back(vec3(centers[i]) +
                               centers[i].w * (std::cos(angle) * side + std::sin(angle) * up));
        }
    }
    add_loft(mesh, rings, material);
}

void add_lathe(Mesh& mesh, vec3 foot, int n_segments, int n_rows,
               const std::function<float(int row)>& height,
               const std::function<float(float angle, int row)>& radius, std::int32_t material) {
    std::vector<std::vector<vec3>> rings(static_cast<std::size_t>(n_rows));
    for (int row = 0; row < n_rows; ++row)
        for (int s = 0; s < n_segments; ++s) {
            float angle = 2 * kPi * static_cast<float>(s) / static_cast<float>(n_segments);
            float r = radius(angle, row);
            rings[static_cast<std::size_t>(row)].push_back(
                foot + vec3(r * std::cos(angle), height(row), -r * std::sin(angle)));
        }
    auto first = mesh.positions.size();
    add_loft(mesh, rings, material);
    // The ends lie on the axis, whatever the radius does around it.
    mesh.positions[first] = foot + vec3(0, height(0), 0);
    mesh.positions.back() = foot + vec3(0, height(n_rows - 1), 0);
}

void add_ball(Mesh& mesh, vec3 center, vec3 size, int n_segments, int n_rows,
              std::int32_t material) {
    auto polar = [&](int row) {
        return kPi * (static_cast<float>(row) + 0.5f) / static_cast<float>(n_rows);
    };
    std::size_t first = mesh.positions.size();
    add_lathe(
        mesh, vec3(0), n_segments, n_rows, [&](int row) { return -std::cos(polar(row)); },
        [&](float, int row) { return std::sin(polar(row)); }, material);
    for (std::size_t i = first; i < mesh.positions.size(); ++i)
        mesh.positions[i] = center + size * mesh.positions[i];
}

void take_smooth(Scene& scene, Mesh mesh) {
    add_normals(mesh);
    scene.meshes.push_back(std::move(mesh));
}

void set_in_motion(Mesh& mesh, RigidMotion motion, float period) {
    glm::dmat4 start = motion.at(0);
    motion.rest = glm::inverse(start);
    glm::dmat3 for_normals = glm::transpose(glm::inverse(glm::dmat3(start)));
    for (auto& p : mesh.positions) p = vec3(start * glm::dvec4(glm::dvec3(p), 1));
    for (auto& n : mesh.normals) n = vec3(glm::normalize(for_normals * glm::dvec3(n)));
    mesh.animation.kind = AnimationKind::rigid;
    mesh.animation.rigid = std::move(motion);
    mesh.animation.period = period;
}

}  // namespace tl

// Blob: an icosphere with bumps, smooth and closed, with vertices shared by the faces around them.
// A single object of equally large triangles, like scanned models.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "renderer/scene/generators/generator_tools.h"
#include "renderer/scene/normals.h"

namespace tl {
namespace {

constexpr int kMostHalvings = 10;  // 20,971,520 triangles

/// Triangles and unit vertices of the icosahedron whose edges are halved `n_halvings` times.
class Icosphere {
  public:
    std::vector<vec3> positions;
    std::vector<glm::uvec3> triangles;

    explicit Icosphere(int n_halvings) {
        const float g = (1 + std::sqrt(5.0f)) / 2;
        for (float a : {-1.0f, 1.0f})
            for (float b : {-g, g}) {
                positions.push_back(glm::normalize(vec3(0, a, b)));
                positions.push_back(glm::normalize(vec3(a, b, 0)));
                positions.push_back(glm::normalize(vec3(b, 0, a)));
            }
        add_faces();
        for (int i = 0; i < n_halvings; ++i) halve();
    }

  private:
    /// Three corners form a face if all their distances equal the icosahedron's edge length.
    void add_faces() {
        float edge = 2 / std::sqrt((5 + std::sqrt(5.0f)) / 2);
        auto near = [&](std::uint32_t a, std::uint32_t b) {
            return glm::distance(positions[a], positions[b]) < 1.1f * edge;
        };
        for (std::uint32_t a = 0; a < 12; ++a)
            for (std::uint32_t b = a + 1; b < 12; ++b)
                for (std::uint32_t c = b + 1; c < 12; ++c) {
                    if (!near(a, b) || !near(b, c) || !near(c, a)) continue;
                    vec3 p = positions[a];
                    vec3 normal = glm::cross(positions[b] - p, positions[c] - p);
                    triangles.push_back(glm::dot(normal, p) > 0 ? glm::uvec3(a, b, c)
                                                                : glm::uvec3(a, c, b));
                }
    }
    std::uint32_t middle_of(std::uint32_t a, std::uint32_t b) {
        std::uint64_t edge = std::uint64_t(std::min(a, b)) << 32 | std::max(a, b);
        auto [at, is_new] =
            middles_.try_emplace(edge, static_cast<std::uint32_t>(positions.size()));
        if (is_new) positions.push_back(glm::normalize(positions[a] + positions[b]));
        return at->second;
    }
    void halve() {
        middles_.clear();
        middles_.reserve(triangles.size() * 3 / 2);
        std::vector<glm::uvec3> smaller;
        smaller.reserve(4 * triangles.size());
        for (auto t : triangles) {
            glm::uvec3 m(middle_of(t.x, t.y), middle_of(t.y, t.z), middle_of(t.z, t.x));
            smaller.insert(smaller.end(),
                           {{t.x, m.x, m.z}, {t.y, m.y, m.x}, {t.z, m.z, m.y}, {m.x, m.y, m.z}});
        }
        triangles = std::move(smaller);
    }
    std::unordered_map<std::uint64_t, std::uint32_t> middles_;
};

/// Distance of the surface from the centre in direction `d`: a sum of octaves of halved height.
float radius(vec3 d, float bumps) {
    float sum = 0, height = 1;
    vec3 p = 2.3f * d;
    for (int octave = 0; octave < 4; ++octave) {
        sum += height * std::sin(p.x + 1.7f) * std::sin(p.y + 0.4f) * std::sin(p.z - 0.9f);
        // Rotate, so that the octaves' waves do not align.
        p = 1.9f * vec3(0.8f * p.x - 0.6f * p.y, 0.6f * p.x + 0.8f * p.y, p.z + 0.5f * p.x);
        height *= 0.5f;
    }
    return 1 + bumps * sum;
}

void add_blob(Scene& scene, const GeneratorArguments& arguments) {
    auto wanted = arguments.integer<double>("triangles", 81'920, 20, 20'971'520);
    float bumps = arguments.number("bumps", 0.25f, 0, 0.4f);
    int n_halvings = static_cast<int>(std::lround(std::log(wanted / 20) / std::log(4.0)));
    n_halvings = std::clamp(n_halvings, 0, kMostHalvings);
    std::uint64_t n_triangles = 20ull << (2 * n_halvings);
    // Bytes for the edges of one step, two lists of triangles, vertices and their normals.
    require_memory(n_triangles * 130, "a blob of " + std::to_string(n_triangles) + " triangles");

    Icosphere sphere(n_halvings);
    Mesh mesh = named_mesh("blob");
    mesh.positions = std::move(sphere.positions);
    mesh.triangles = std::move(sphere.triangles);
    auto clay = add_material(scene, "clay", MaterialKind::diffuse, {0.7f, 0.52f, 0.42f});
    mesh.material_of_triangle.assign(mesh.triangles.size(), clay);
    for (auto& p : mesh.positions) p *= radius(p, bumps);
    // One smoothing group: smooth normals everywhere, and no vertices are split.
    auto normals = corner_normals(mesh.positions, mesh.triangles,
                                  std::vector<std::uint32_t>(mesh.triangles.size(), 1));
    mesh.normals.resize(mesh.positions.size());
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
        for (int k = 0; k < 3; ++k)
            mesh.normals[mesh.triangles[i][k]] =
                normals.normals[normals.normal_of_corner[3 * i + k]];
    scene.meshes.push_back(std::move(mesh));

    add_point_light(scene, {2, 3, 2.5f}, vec3(40, 37, 32));
    add_directional_light(scene, {0.8f, -0.3f, -0.5f}, vec3(0.4f, 0.5f, 0.7f));
    scene.background = {0.16f, 0.2f, 0.26f};
    scene.camera = {.eye = {0.51f, 0.59f, 2.64f}, .target = {0, 0, 0}, .vertical_fov = 45};
}

}  // namespace

Generator blob_generator() {
    return {"blob",
            "A closed, bumpy sphere of even triangles: triangles (default 81,920; the nearest 20 * "
            "4^n), bumps (default 0.25)",
            {"triangles", "bumps"},
            &add_blob};
}

}  // namespace tl

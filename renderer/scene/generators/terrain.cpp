// Terrain: a height field of ridged multifractal noise (Musgrave, Kolb & Mace 1989) over gradient
// noise (Perlin 2002). It has exactly the requested number of triangles: the last row of cells may
// be incomplete.
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "renderer/scene/generators/generator_tools.h"

namespace tl {
namespace {

std::uint32_t hash(std::uint32_t x, std::uint32_t z, std::uint32_t seed) {
    std::uint32_t h = x * 0x8da6b343u ^ z * 0xd8163841u ^ seed * 0xcb1ab31fu;
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}

/// Dot product of an offset with the random unit-like gradient of a lattice point.
float slope(std::uint32_t h, float dx, float dz) {
    constexpr float kGradients[8][2] = {
        {1, 0},  {0.7071f, 0.7071f},   {0, 1},  {-0.7071f, 0.7071f},
        {-1, 0}, {-0.7071f, -0.7071f}, {0, -1}, {0.7071f, -0.7071f}};
    return kGradients[h >> 29][0] * dx + kGradients[h >> 29][1] * dz;
}

/// Gradient noise, about -0.7 to 0.7, with continuous second derivatives.
float noise(float x, float z, std::uint32_t seed) {
    float fx = std::floor(x), fz = std::floor(z);
    auto ix = static_cast<std::uint32_t>(static_cast<std::int32_t>(fx));
    auto iz = static_cast<std::uint32_t>(static_cast<std::int32_t>(fz));
    float dx = x - fx, dz = z - fz;
    auto ease = [](float t) { return t * t * t * (t * (t * 6 - 15) + 10); };
    float u = ease(dx), v = ease(dz);
    float a = slope(hash(ix, iz, seed), dx, dz);
    float b = slope(hash(ix + 1, iz, seed), dx - 1, dz);
    float c = slope(hash(ix, iz + 1, seed), dx, dz - 1);
    float d = slope(hash(ix + 1, iz + 1, seed), dx - 1, dz - 1);
    float near = a + u * (b - a), far = c + u * (d - c);
    return near + v * (far - near);
}

struct HeightField {
    float height;
    std::uint32_t seed;
    int octaves;

    /// Height over (x, z) in [0, 1]^2, about 0 to `height`. Ridges where the noise crosses zero,
    /// rough where it is high already.
    [[nodiscard]] float at(float x, float z) const {
        float sum = 0, amplitude = 0.5f, frequency = 2.2f, weight = 1;
        for (int octave = 0; octave < octaves; ++octave) {
            float n =
                noise(x * frequency, z * frequency, seed + static_cast<std::uint32_t>(octave));
            float ridge = 1 - std::min(std::abs(n) * 1.6f, 1.0f);
            ridge *= ridge * weight;
            weight = std::clamp(ridge * 1.6f, 0.0f, 1.0f);
            sum += ridge * amplitude;
            amplitude *= 0.42f;
            frequency *= 2.03f;
        }
        return height * sum;
    }
};

/// The cells of the grid: nearly square, with a last row that may be incomplete.
struct Grid {
    std::uint32_t columns, rows, n_triangles;

    explicit Grid(std::uint32_t n_triangles) : n_triangles(n_triangles) {
        columns =
            std::max(1u, static_cast<std::uint32_t>(std::lround(std::sqrt(n_triangles / 2.0))));
        rows = (n_triangles + 2 * columns - 1) / (2 * columns);
    }
    [[nodiscard]] std::size_t vertices() const {
        return (std::size_t{columns} + 1) * (std::size_t{rows} + 1);
    }
};

void fill_vertices(Mesh& mesh, const Grid& grid, const HeightField& field, float size) {
    mesh.positions.resize(grid.vertices());
    std::size_t stride = std::size_t{grid.columns} + 1;
    float step_x = 1.0f / static_cast<float>(grid.columns);
    float step_z = 1.0f / static_cast<float>(grid.rows);
    tbb::parallel_for(std::size_t{0}, std::size_t{grid.rows} + 1, [&](std::size_t row) {
        for (std::size_t column = 0; column < stride; ++column) {
            float x = static_cast<float>(column) * step_x, z = static_cast<float>(row) * step_z;
            mesh.positions[row * stride + column] = {size * (x - 0.5f), field.at(x, z),
                                                     size * (z - 0.5f)};
        }
    });
    set_grid_normals(mesh.positions, grid.columns, mesh.normals);
}

void fill_triangles(Mesh& mesh, const Grid& grid, float height,
                    const std::int32_t (&materials)[3]) {
    mesh.triangles.resize(grid.n_triangles);
    mesh.material_of_triangle.resize(grid.n_triangles);
    std::uint32_t stride = grid.columns + 1;
    tbb::parallel_for(std::uint32_t{0}, grid.n_triangles, [&](std::uint32_t t) {
        std::uint32_t cell = t / 2;
        std::uint32_t a = cell / grid.columns * stride + cell % grid.columns;
        std::uint32_t b = a + 1, c = a + stride, d = c + 1;
        glm::uvec3 triangle = t % 2 == 0 ? glm::uvec3(a, c, d) : glm::uvec3(a, d, b);
        float y = mesh.positions[triangle.x].y / height, up = mesh.normals[triangle.x].y;
        // Grass low and flat, snow high and not too steep, rock between and on slopes.
        mesh.triangles[t] = triangle;
        mesh.material_of_triangle[t] = y > 0.68f && up > 0.6f    ? materials[2]
                                       : y > 0.45f || up < 0.75f ? materials[1]
                                                                 : materials[0];
    });
}

void add_terrain(Scene& scene, const GeneratorArguments& arguments) {
    Grid grid(arguments.integer<std::uint32_t>("triangles", 1'000'000, 1, 200'000'000));
    float size = arguments.number("size", 10, 1e-3f, 1e6f);
    float height = arguments.number("height", 0.2f * size, 1e-6f, 1e6f);
    auto seed = arguments.integer<std::uint32_t>("seed", 1, 0, 0xffffffffLL);
    int octaves = arguments.integer<int>("octaves", 9, 1, 16);
    const std::int32_t materials[3] = {
        add_material(scene, "grass", MaterialKind::diffuse, {0.24f, 0.31f, 0.12f}),
        add_material(scene, "rock", MaterialKind::diffuse, {0.36f, 0.32f, 0.28f}),
        add_material(scene, "snow", MaterialKind::diffuse, {0.86f, 0.88f, 0.92f})};

    Mesh mesh = named_mesh("terrain");
    reserve(mesh, grid.vertices(), grid.n_triangles, true);
    fill_vertices(mesh, grid, HeightField{height, seed, octaves}, size);
    fill_triangles(mesh, grid, height, materials);
    scene.meshes.push_back(std::move(mesh));

    add_directional_light(scene, {0.75f, -0.55f, -0.35f}, vec3(3.3f, 3.0f, 2.5f));
    add_directional_light(scene, {-0.5f, -0.8f, 0.4f}, vec3(0.25f, 0.33f, 0.5f));
    scene.background = {0.42f, 0.56f, 0.78f};
    scene.camera = {.eye = {0.1f * size, 0.8f * height + 0.16f * size, 0.62f * size},
                    .target = {0, 0.35f * height, -0.05f * size},
                    .vertical_fov = 45};
}

}  // namespace

Generator terrain_generator() {
    return {"terrain",
            "Mountains: triangles (default 1,000,000; exact), size (default 10), height "
            "(default 0.2 size), octaves (default 9), seed (default 1)",
            {"triangles", "size", "height", "octaves", "seed"},
            &add_terrain};
}

}  // namespace tl

#include "renderer/scene/export/tessellation.h"

#include <algorithm>
#include <cmath>

#include "accel/patch/patch_surface.h"

namespace tl {
namespace {

/// The triangles of a grid of vertices, `n_columns` + 1 to a row, counterclockwise where columns
/// run to the right and rows upwards. Those that a pole collapses are left out.
void add_grid(Mesh& mesh, std::uint32_t first, int n_rows, int n_columns) {
    auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        auto& p = mesh.positions;
        if (p[a] != p[b] && p[b] != p[c] && p[c] != p[a]) mesh.triangles.emplace_back(a, b, c);
    };
    auto width = static_cast<std::uint32_t>(n_columns) + 1;
    for (std::uint32_t row = 0; row < static_cast<std::uint32_t>(n_rows); ++row)
        for (std::uint32_t column = 0; column + 1 < width; ++column) {
            std::uint32_t a = first + row * width + column, b = a + 1, c = b + width, d = a + width;
            add(a, b, c);
            add(a, c, d);
        }
}

/// Curvature bound of a set's patches: the largest second differences of control points.
struct Bend {
    double along = 0, mixed = 0;

    explicit Bend(const PatchSet& set) {
        for (std::size_t first = 0; first < set.points.size(); first += 16) {
            auto at = [&](int i, int j) {
                return glm::dvec3(set.points[first + static_cast<std::size_t>(4 * i + j)]);
            };
            for (int k = 0; k < 4; ++k)
                for (int m = 0; m < 2; ++m) {
                    grow(along, at(m, k) - 2.0 * at(m + 1, k) + at(m + 2, k));
                    grow(along, at(k, m) - 2.0 * at(k, m + 1) + at(k, m + 2));
                }
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    grow(mixed, at(i + 1, j + 1) - at(i + 1, j) - at(i, j + 1) + at(i, j));
        }
    }
    static void grow(double& most, glm::dvec3 by) { most = std::max(most, glm::length(by)); }
};

/// Cells along a side, from the error of linear interpolation: second derivatives / 8 n^2.
int cells_of(const PatchSet& set) {
    constexpr double kError = 2e-4;  // of the set's size
    constexpr int kFewest = 4, kMost = 64;
    Box box;
    for (auto& point : set.points) box.extend(point);
    double size = glm::length(glm::dvec3(box.hi) - glm::dvec3(box.lo));
    Bend bend(set);
    double derivatives = 2 * 6 * bend.along + 2 * 9 * bend.mixed;
    // Weights that differ pull the parameters together where they are large.
    if (!set.weights.empty()) {
        auto [least, most] = std::ranges::minmax(set.weights);
        derivatives *= static_cast<double>(most) / static_cast<double>(least);
    }
    double cells = size > 0 ? std::sqrt(derivatives / (8 * kError * size)) : 0;
    return static_cast<int>(std::clamp(std::ceil(cells), double(kFewest), double(kMost)));
}

}  // namespace

Mesh unit_sphere_mesh(std::size_t n_spheres) {
    constexpr std::size_t kMostTriangles = 4'000'000;  // of all spheres
    int n_rows = 64;
    auto triangles_of = [](int rows) { return static_cast<std::size_t>(4 * rows * (rows - 1)); };
    while (n_rows > 16 && n_spheres * triangles_of(n_rows) > kMostTriangles) n_rows /= 2;
    int n_columns = 2 * n_rows;
    Mesh mesh;
    mesh.name = "sphere";
    for (int row = 0; row <= n_rows; ++row)
        for (int column = 0; column <= n_columns; ++column) {
            double u = double(column) / n_columns, v = double(row) / n_rows;
            // Exact at the poles and at the seam, so that the mesh is closed.
            double around = column == n_columns ? -double(kPi) : (2 * u - 1) * double(kPi);
            double ring = row == 0 || row == n_rows ? 0 : std::sin(double(kPi) * v);
            vec3 normal(glm::dvec3(ring * std::sin(around), -std::cos(double(kPi) * v),
                                   ring * std::cos(around)));
            mesh.positions.push_back(normal);
            mesh.normals.push_back(normal);
            mesh.uvs.emplace_back(static_cast<float>(u), static_cast<float>(v));
        }
    add_grid(mesh, 0, n_rows, n_columns);
    mesh.material_of_triangle.assign(mesh.triangles.size(), 0);
    return mesh;
}

Mesh mesh_of_patches(const PatchSet& set) {
    int n = cells_of(set);
    Mesh mesh;
    mesh.name = set.name;
    for (std::size_t k = 0; k < set.size(); ++k) {
        PatchPoints points{};
        PatchWeights weights{};
        for (std::size_t i = 0; i < 16; ++i) {
            weights.at[i] = set.weights.empty() ? 1 : set.weights[16 * k + i];
            for (int axis = 0; axis < 3; ++axis)
                points.of_axis[axis][i] = set.points[16 * k + i][axis] * weights.at[i];
        }
        constexpr vec2 kOwn[4] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
        const vec2* c = set.corner_uvs.empty() ? kOwn : set.corner_uvs.data() + 4 * k;
        auto first = static_cast<std::uint32_t>(mesh.positions.size());
        // Rows run along v, so that the triangles face the side of du x dv.
        for (int row = 0; row <= n; ++row)
            for (int column = 0; column <= n; ++column) {
                auto u = static_cast<float>(column) / static_cast<float>(n);
                auto v = static_cast<float>(row) / static_cast<float>(n);
                auto at =
                    cpu::patch_surface_at(points, set.weights.empty() ? nullptr : &weights, u, v);
                mesh.positions.push_back(at.position);
                mesh.normals.push_back(at.normal);
                mesh.uvs.push_back(glm::mix(glm::mix(c[0], c[1], v), glm::mix(c[2], c[3], v), u));
            }
        add_grid(mesh, first, n, n);
        mesh.material_of_triangle.resize(mesh.triangles.size(), set.material_of_patch[k]);
    }
    return mesh;
}

}  // namespace tl

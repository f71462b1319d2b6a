// A torus knot of bicubic patches: a closed uniform B-spline surface, whose segments are written as
// Bezier patches, so that it is smooth to the second derivative everywhere. Its sizes reach those
// of the models in Lahabar 2010, table 4.1: 3,570 and 11,532 patches.
#include <array>
#include <cmath>

#include "renderer/scene/generators/generator_tools.h"

namespace tl {
namespace {

using glm::dvec3;

/// Segments along the knot and around its tube.
struct KnotGrid {
    int along, around;
};

/// Counts whose product is `patches` or close to it; among these, those with the squarest patches.
KnotGrid grid_of(int patches) {
    constexpr double kLongAgainstRound = 11;  // knot's length / tube's circumference
    double wanted = std::sqrt(patches / kLongAgainstRound);
    KnotGrid best{0, 0};
    double least = 1e30;
    for (int around = 5; around <= patches / 12; ++around) {
        int along = std::max(12, static_cast<int>(std::lround(double(patches) / around)));
        double off = std::abs(double(along) * around - patches) / patches;
        double cost = std::abs(std::log(around / wanted)) + 200 * off;
        if (cost < least) least = cost, best = {along, around};
    }
    return best;
}

/// A point of the tube; one turn of `along` or `around` is 1.
dvec3 tube_point(double along, double around, int p, int q, double thickness, double bumps) {
    const double pi = std::acos(-1.0);
    auto center = [&](double t) {
        double phi = 2 * pi * p * t, theta = 2 * pi * q * t, r = 2 + 0.8 * std::cos(theta);
        return dvec3(r * std::cos(phi), 0.8 * std::sin(theta) * 1.1, r * std::sin(phi));
    };
    constexpr double kStep = 1e-4;
    dvec3 here = center(along);
    dvec3 tangent = glm::normalize(center(along + kStep) - center(along - kStep));
    // A continuous frame: the direction away from the torus' central circle, made perpendicular to
    // the tangent.
    double phi = 2 * pi * p * along;
    dvec3 out = here - 2.0 * dvec3(std::cos(phi), 0, std::sin(phi));
    out = glm::normalize(out - glm::dot(out, tangent) * tangent);
    dvec3 side = glm::cross(tangent, out);
    double angle = 2 * pi * around;
    double radius = thickness * (1 + bumps * std::cos(3 * angle + 2 * pi * 2 * q * along));
    return here + radius * (std::cos(angle) * out + std::sin(angle) * side);
}

/// Four Bezier points of a uniform cubic B-spline's segment (Boehm 1980).
template <class At>
std::array<dvec3, 4> bezier_segment(At at) {
    dvec3 a = at(0), b = at(1), c = at(2), d = at(3);
    return {(a + 4.0 * b + c) / 6.0, (2.0 * b + c) / 3.0, (b + 2.0 * c) / 3.0,
            (b + 4.0 * c + d) / 6.0};
}

PatchSet knot(KnotGrid grid, float thickness, float bumps, std::int32_t material) {
    constexpr int kTurns = 2, kTwists = 3;
    std::vector<dvec3> control(static_cast<std::size_t>(grid.along) *
                               static_cast<std::size_t>(grid.around));
    auto at = [&](int i, int j) -> dvec3& {
        i %= grid.along, j %= grid.around;
        return control[static_cast<std::size_t>(i * grid.around + j)];
    };
    for (int i = 0; i < grid.along; ++i)
        for (int j = 0; j < grid.around; ++j)
            at(i, j) = tube_point(double(i) / grid.along, double(j) / grid.around, kTurns, kTwists,
                                  double(thickness), double(bumps));
    PatchSet set;
    set.name = "knot";
    for (int i = 0; i < grid.along; ++i)
        for (int j = 0; j < grid.around; ++j) {
            std::array<std::array<dvec3, 4>, 4> rows;  // four control rows, Bezier along v
            for (int m = 0; m < 4; ++m)
                rows[static_cast<std::size_t>(m)] =
                    bezier_segment([&](int k) { return at(i + m, j + k); });
            std::array<std::array<dvec3, 4>, 4> columns;
            for (std::size_t k = 0; k < 4; ++k)
                columns[k] =
                    bezier_segment([&](int m) { return rows[static_cast<std::size_t>(m)][k]; });
            // The cross product of `around` and `along` points outwards.
            for (std::size_t k = 0; k < 4; ++k)
                for (std::size_t m = 0; m < 4; ++m) set.points.emplace_back(columns[k][m]);
            for (int around = 0; around < 2; ++around)
                for (int along = 0; along < 2; ++along)
                    set.corner_uvs.emplace_back(float(i + along) / float(grid.along),
                                                float(j + around) / float(grid.around));
            set.material_of_patch.push_back(material);
        }
    return set;
}

void add_patch_knot(Scene& scene, const GeneratorArguments& arguments) {
    auto patches = arguments.integer<int>("patches", 3570, 60, 1'000'000);
    float thickness = arguments.number("thickness", 0.4f, 0.01f, 1);
    float bumps = arguments.number("bumps", 0.15f, 0, 0.4f);
    bool mirrors = arguments.choice("surface", {"plain", "mirror"}) == 1;
    require_memory(std::uint64_t(patches) * 1600,
                   "a knot of " + std::to_string(patches) + " patches");
    auto material = mirrors ? add_material(scene, "silver", MaterialKind::mirror, vec3(0.92f))
                            : add_glossy(scene, "jade", {0.25f, 0.55f, 0.38f}, 0.25f, 60);
    scene.patches.push_back(knot(grid_of(patches), thickness, bumps, material));
    add_directional_light(scene, {-0.5f, -1, -0.7f}, vec3(2.6f));
    add_directional_light(scene, {1, 0.2f, -0.6f}, vec3(0.7f));
    scene.background = vec3(0.1f, 0.11f, 0.13f);
    scene.camera = {.eye = {2.2f, 5.2f, 6.2f}, .target = vec3(0), .vertical_fov = 40};
}

}  // namespace

Generator patch_knot_generator() {
    return {"patch-knot",
            "A smooth closed knot of bicubic patches: patches (default 3570, about as many), "
            "thickness (default 0.4), bumps (default 0.15), surface (plain or mirror)",
            {"patches", "thickness", "bumps", "surface"},
            &add_patch_knot};
}

}  // namespace tl

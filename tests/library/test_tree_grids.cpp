// Signed distances of grids against brute force: a grid decides signs for cells of points.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/library/tree_fixture.h"

namespace tl::tree_grids_tests {

using namespace test;

class TreeGrids : public TreeTest {};

/// A sphere without the faces of one side.
TestMesh open_sphere(Place place) {
    TestMesh mesh = sphere_mesh(8, place.middle, place.extent);
    const auto kept = static_cast<std::ptrdiff_t>(mesh.faces.size() / 3 * 2 / 3 * 3);
    mesh.faces.erase(mesh.faces.begin() + kept, mesh.faces.end());
    return mesh;
}

/// Squares above each other, `step` extents apart, all with the same side up.
TestMesh sheets(Place place, int n, double step = 0.02) {
    TestMesh mesh;
    for (int k = 0; k < n; ++k) {
        const std::size_t first = mesh.n_vertices();
        const double z = place.middle + place.extent * step * k;
        for (double y : {-0.6, 0.6})
            for (double x : {-0.6, 0.6})
                mesh.add_vertex(place.middle + place.extent * x, place.middle + place.extent * y,
                                z);
        mesh.add_face(first, first + 1, first + 2);
        mesh.add_face(first + 1, first + 3, first + 2);
    }
    return mesh;
}

/// A ramp of `turns` about a free axis, from -0.7 to 0.7 extents: the winding number changes by
/// about `turns` along the axis, where no surface is.
TestMesh ramp(Place place, int turns) {
    TestMesh mesh;
    const int n = 12 * turns;
    for (int k = 0; k <= n; ++k) {
        const double angle = 2 * std::numbers::pi * k / 12;
        for (double radius : {0.45, 0.7})
            mesh.add_vertex(place.middle + place.extent * radius * std::cos(angle),
                            place.middle + place.extent * radius * std::sin(angle),
                            place.middle + place.extent * (1.4 * k / n - 0.7));
    }
    for (std::size_t k = 0; k < 2 * static_cast<std::size_t>(n); k += 2) {
        mesh.add_face(k, k + 1, k + 3);
        mesh.add_face(k, k + 3, k + 2);
    }
    return mesh;
}

struct BruteForce {
    double distance = static_cast<double>(kInf), winding = 0;

    BruteForce(const TestMesh& mesh, const Point& p) {
        for (std::size_t f = 0; f < mesh.n_faces(); ++f) {
            if (!mesh.is_finite(f)) continue;
            distance = std::min(distance, distance_to(p, mesh.corners(f)));
            winding += winding_of(p, mesh.corners(f));
        }
    }
};

/// Compares a grid about the mesh. `least_inside`: the number of points inside that suffices.
/// `doubt`: the difference from 1/2 up to which an approximate winding number may be wrong.
void check_grid(const TreeOwner& tree, const TestMesh& mesh, Place place, std::size_t least_inside,
                double doubt = 0.08) {
    const int size[3] = {37, 30, 43};
    float origin[3], spacing[3];
    for (int axis = 0; axis < 3; ++axis) {
        origin[axis] = static_cast<float>(place.middle - 1.4 * place.extent);
        spacing[axis] = static_cast<float>(2.8 * place.extent / (size[axis] - 1));
    }
    std::vector<float> distances(37 * 30 * 43);
    ASSERT_EQ(
        tl_tree_signed_distance_grid(tree.get(), origin, spacing, size, distances.data(), nullptr),
        TL_OK)
        << tl_last_error();
    const double rounding = 2e-6 * place.extent + 1e-7 * std::abs(place.middle);
    std::size_t n_inside = 0, n_wrong = 0;
    for (std::size_t i = 0; i < distances.size(); ++i) {
        const std::size_t at[3] = {i % 37, i / 37 % 30, i / 37 / 30};
        Point p;
        for (std::size_t axis = 0; axis < 3; ++axis)
            p[axis] =
                static_cast<double>(origin[axis] + spacing[axis] * static_cast<float>(at[axis]));
        const BruteForce exact(mesh, p);
        const auto found = static_cast<double>(distances[i]);
        n_wrong += std::abs(std::abs(found) - exact.distance) > rounding ? 1 : 0;
        const bool is_clear =
            std::abs(exact.winding - 0.5) > doubt && exact.distance > 10 * rounding;
        n_wrong += is_clear && (found < 0) != (exact.winding > 0.5) ? 1 : 0;
        n_inside += found < 0 ? 1 : 0;
    }
    EXPECT_EQ(n_wrong, 0u);
    EXPECT_GE(n_inside, least_inside);
}

TEST_P(TreeGrids, SignsAreThoseOfBruteForce) {
    for (Place place : kPlaces) {
        const auto check = [&](const TestMesh& mesh, std::size_t least_inside) {
            SCOPED_TRACE(place.middle);
            check_grid(tree_of(mesh), mesh, place, least_inside);
        };
        check(sphere_mesh(8, place.middle, place.extent), 5000);
        check(open_sphere(place), 1000);
        check(random_soup(100, place.middle, place.extent, 131), 0);
        check(sheets(place, 1), 0);
        check(sheets(place, 6), 100);
    }
}

// Winding numbers of many open sheets change fast, and the errors of their expansions add up.
TEST_P(TreeGrids, SignsOfManyLayersAreThoseOfBruteForce) {
    constexpr Place kUnit{0, 1};
    const auto check = [](const TestMesh& mesh, std::size_t least_inside, double doubt) {
        check_grid(tree_of(mesh), mesh, kUnit, least_inside, doubt);
    };
    check(sheets(kUnit, 200, 3e-4), 20'000, 0.4);
    check(ramp(kUnit, 20), 5000, 0.08);
    // Faces of which each is listed four times.
    TestMesh repeated = open_sphere(kUnit);
    for (int k = 0; k < 2; ++k) {
        const auto faces = repeated.faces;
        repeated.faces.insert(repeated.faces.end(), faces.begin(), faces.end());
    }
    check(repeated, 5000, 0.2);
}

TEST_P(TreeGrids, GridsOfOddSizesAreWhole) {
    const TestMesh mesh = sphere_mesh(8, 0, 1);
    auto tree = tree_of(mesh);
    for (const auto& size : {std::array{1, 1, 1}, {5, 1, 1}, {1, 7, 3}, {2, 2, 9}, {4, 8, 6}}) {
        const float origin[3] = {-0.3f, -0.2f, -0.25f}, spacing[3] = {0.05f, 0.04f, 0.03f};
        const std::size_t count = static_cast<std::size_t>(size[0] * size[1] * size[2]);
        // One element more, which must stay.
        std::vector<float> distances(count + 1, 7);
        ASSERT_EQ(tl_tree_signed_distance_grid(tree.get(), origin, spacing, size.data(),
                                               distances.data(), nullptr),
                  TL_OK);
        for (std::size_t i = 0; i < count; ++i) EXPECT_LT(distances[i], -0.2f) << i;
        EXPECT_EQ(distances[count], 7);
    }
    // Points that are not finite are outside, at an infinite distance.
    const float far[3] = {0, kNan, 0}, step[3] = {0.1f, 0.1f, 0.1f};
    const int size[3] = {9, 9, 9};
    std::vector<float> distances(729);
    ASSERT_EQ(tl_tree_signed_distance_grid(tree.get(), far, step, size, distances.data(), nullptr),
              TL_OK);
    for (float distance : distances) EXPECT_EQ(distance, kInf);
}

INSTANTIATE_TEST_SUITE_P(OnCpu, TreeGrids, testing::Values("cpu"));
INSTANTIATE_TEST_SUITE_P(OnCuda, TreeGrids, testing::Values("cuda"));

}  // namespace tl::tree_grids_tests

// Normals, sides, areas and outliers of clouds of points, against shapes that are known.
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <numeric>

#include "core/base/error.h"
#include "renderer/scene/generators/figures.h"
#include "renderer/scene/points/cloud_surface.h"
#include "renderer/scene/points/plane_fit.h"
#include "renderer/scene/points/surface_samples.h"
#include "tests/unit/scene/point_shapes.h"

namespace tl::cloud_surface_tests {
namespace {

using test::box_points;
using test::PointShape;
using test::sphere_points;
using test::torus_points;

double sum_of(const std::vector<float>& areas) {
    return std::accumulate(areas.begin(), areas.end(), 0.0);
}

struct NormalErrors {
    double median = 0;        ///< degrees, to either side
    std::size_t n_wrong = 0;  ///< to the wrong side
};

NormalErrors errors_of(const CloudSurface& surface, const PointShape& shape) {
    NormalErrors errors;
    std::vector<double> degrees;
    for (std::size_t i = 0; i < shape.points.size(); ++i) {
        double cosine = static_cast<double>(glm::dot(surface.normals[i], shape.normals[i]));
        errors.n_wrong += cosine < 0;
        degrees.push_back(std::acos(std::min(std::abs(cosine), 1.0)) * 180 / double{kPi});
    }
    auto middle = degrees.begin() + static_cast<std::ptrdiff_t>(degrees.size() / 2);
    std::ranges::nth_element(degrees, middle);
    errors.median = *middle;
    return errors;
}

void expect_units(const CloudSurface& surface, std::size_t n) {
    ASSERT_EQ(surface.normals.size(), n);
    ASSERT_EQ(surface.areas.size(), n);
    for (vec3 normal : surface.normals) ASSERT_NEAR(glm::length(normal), 1, 1e-5f);
    for (float area : surface.areas) ASSERT_TRUE(area >= 0 && std::isfinite(area));
}

TEST(PlaneFit, EigenvectorsRebuildTheMatrix) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> part(-1, 1);
    for (int i = 0; i < 1000; ++i) {
        glm::dmat3 half(0);
        // Also matrices of rank 1 and 2, and some that differ little from the identity.
        for (int k = 0; k <= i % 3; ++k) half[k] = {part(random), part(random), part(random)};
        glm::dmat3 matrix = half * glm::transpose(half);
        if (i % 5 == 0) matrix = glm::dmat3(1) + 1e-9 * matrix;
        auto [values, vectors] = symmetric_eigen(matrix);
        EXPECT_LE(values[0], values[1]);
        EXPECT_LE(values[1], values[2]);
        for (int k = 0; k < 3; ++k) {
            glm::dvec3 off = matrix * vectors[k] - values[k] * vectors[k];
            EXPECT_LT(glm::length(off), 1e-14) << i;  // some roundings of numbers about 1
            EXPECT_NEAR(glm::length(vectors[k]), 1, 1e-14);
        }
    }
}

TEST(CloudNeighbours, AreTheNearestOnEveryDevice) {
    constexpr std::size_t kNearest = CloudNeighbours::kNearest;
    for (Device* device : devices())
        for (std::size_t n : {1, 15, 16, 1000}) {
            std::vector<vec3> points = sphere_points(n, 12).points;
            auto cloud = find_neighbours(points, *device);
            ASSERT_EQ(cloud.size(), n);
            for (std::size_t i = 0; i < n; ++i) {
                EXPECT_EQ(cloud.places[i], points[cloud.order[i]]);
                std::vector<float> expected, found;
                for (vec3 other : points) {
                    vec3 offset = other - cloud.places[i];
                    expected.push_back(glm::dot(offset, offset));
                }
                std::ranges::sort(expected);
                expected.resize(std::min(n, kNearest));
                for (std::uint32_t other : cloud.of(i)) {
                    if (other == CloudNeighbours::kNone) continue;
                    ASSERT_LT(other, n);
                    vec3 offset = cloud.places[other] - cloud.places[i];
                    found.push_back(glm::dot(offset, offset));
                }
                std::ranges::sort(found);
                ASSERT_EQ(found.size(), expected.size());
                // Rounding may decide which of two equidistant neighbours is found.
                for (std::size_t k = 0; k < found.size(); ++k)
                    ASSERT_NEAR(found[k], expected[k], 1e-6f) << device->name();
            }
        }
}

TEST(CloudSurface, NormalsOfSpheresAndToriPointOutwards) {
    for (double noise : {0.0, 0.1, 0.15})
        for (auto& shape : {sphere_points(20'000), torus_points(20'000, 0.4f)}) {
            PointShape noisy = shape;
            noisy.make_noisy(noise);
            CloudSurface surface = surface_of_cloud(noisy.points, {});
            expect_units(surface, noisy.points.size());
            NormalErrors errors = errors_of(surface, noisy);
            EXPECT_LT(errors.median, 2) << noise;
            EXPECT_EQ(errors.n_wrong, 0u) << noise;
            EXPECT_NEAR(sum_of(surface.areas), noisy.area, 0.01 * noisy.area) << noise;
        }
}

TEST(CloudSurface, SeparateSurfacesAreOrientedByThemselves) {
    PointShape shape = sphere_points(3000);
    shape.add(torus_points(3000, 0.3f), {4, 0, 1});
    shape.add(sphere_points(500, 5), {0, 9, 0});
    CloudSurface surface = surface_of_cloud(shape.points, {});
    EXPECT_EQ(errors_of(surface, shape).n_wrong, 0u);
    EXPECT_NEAR(sum_of(surface.areas), shape.area, 0.01 * shape.area);
}

TEST(CloudSurface, ThinPlatesHaveTwoSides) {
    // Four spacings thick.
    PointShape plate = box_points(20'000, {1, 1, 0.04f}, 0b111111);
    CloudSurface surface = surface_of_cloud(plate.points, {});
    NormalErrors errors = errors_of(surface, plate);
    EXPECT_LT(errors.median, 0.01);
    EXPECT_EQ(errors.n_wrong, 0u);
    EXPECT_NEAR(sum_of(surface.areas), plate.area, 0.01 * plate.area);
}

TEST(CloudSurface, SurfacesMayBeOpen) {
    PointShape all = sphere_points(20'000), half;
    for (std::size_t i = 0; i < all.points.size(); ++i)
        if (all.points[i].z > 0) half.add(all.points[i], all.normals[i]);
    half.area = 2 * double{kPi};
    CloudSurface surface = surface_of_cloud(half.points, {});
    EXPECT_LT(errors_of(surface, half).median, 2);
    EXPECT_EQ(errors_of(surface, half).n_wrong, 0u);
    EXPECT_NEAR(sum_of(surface.areas), half.area, 0.01 * half.area);
    // A room without a front.
    PointShape room = box_points(20'000, {1, 1, 1}, 0b011111);
    surface = surface_of_cloud(room.points, {});
    EXPECT_EQ(errors_of(surface, room).n_wrong, 0u);
    EXPECT_NEAR(sum_of(surface.areas), room.area, 0.01 * room.area);
}

TEST(CloudSurface, WhatHasNoOutsideFacesUp) {
    std::mt19937 random(4);
    std::uniform_real_distribution<float> part(-3, 3);
    std::vector<vec3> hills;
    for (int i = 0; i < 5000; ++i) {
        float x = part(random), y = part(random);
        hills.emplace_back(x, y, 0.4f * std::sin(3 * x) * std::cos(2 * y));
    }
    for (float up : {1.0f, -1.0f}) {
        CloudSurface surface = surface_of_cloud(hills, {}, {.up = vec3(0, 0, up)});
        for (vec3 normal : surface.normals) ASSERT_GT(normal.z * up, 0);
    }
}

TEST(CloudSurface, AreasSumToTheSurfacesHoweverPointsAreSpread) {
    PointShape square = box_points(20'000, {1, 1, 0}, 0b100000);
    EXPECT_NEAR(sum_of(surface_of_cloud(square.points, {}).areas), 1, 0.01);
    // Twice as many points on one half: each of those represents half the area.
    PointShape more = box_points(10'000, {0.5f, 1, 0}, 0b100000, 9);
    more.area = 0;
    square.add(more, vec3(0));
    CloudSurface surface = surface_of_cloud(square.points, {});
    EXPECT_NEAR(sum_of(surface.areas), 1, 0.01);
    double dense = 0;
    for (std::size_t i = 0; i < square.points.size(); ++i)
        if (square.points[i].x < 0.5f) dense += static_cast<double>(surface.areas[i]);
    EXPECT_NEAR(dense, 0.5, 0.01);
    // A grid, with the half cells around it.
    std::vector<vec3> grid;
    for (int i = 0; i < 100; ++i)
        for (int k = 0; k < 100; ++k) grid.emplace_back(i, k, 0);
    EXPECT_NEAR(sum_of(surface_of_cloud(grid, {}).areas), 10'000, 100);
}

TEST(CloudSurface, FiguresHaveTheirNormalsAndAreas) {
    Scene scene;
    Mesh bunny = bunny_figure(add_bunny_colors(scene)).polygons("bunny", 20'000);
    SurfacesToSample surfaces{.scene = &scene, .meshes = {{.mesh = &bunny}}, .spheres = {}};
    auto samples = sample_surfaces(surfaces, 15'000, 1);
    CloudSurface surface = surface_of_cloud(samples.positions, {});
    PointShape shape{samples.positions, samples.normals, samples.area};
    NormalErrors errors = errors_of(surface, shape);
    EXPECT_LT(errors.median, 2);
    EXPECT_LT(errors.n_wrong, shape.points.size() / 500);  // between toes and under the chin
    EXPECT_NEAR(sum_of(surface.areas), samples.area, 0.01 * samples.area);
}

TEST(CloudSurface, ManyPointsInOnePlaceShareIt) {
    std::vector<vec3> same(100'000, vec3(1, 2, 3));
    CloudSurface surface = surface_of_cloud(same, {});
    expect_units(surface, same.size());
    EXPECT_EQ(sum_of(surface.areas), 0);
    // Each point of a sphere 20 times, which is more than there are neighbours.
    PointShape sphere = sphere_points(2000), many = sphere;
    for (int i = 1; i < 20; ++i) many.add(sphere, vec3(0));
    surface = surface_of_cloud(many.points, {});
    EXPECT_LT(errors_of(surface, many).median, 3);
    EXPECT_EQ(errors_of(surface, many).n_wrong, 0u);
    EXPECT_NEAR(sum_of(surface.areas), sphere.area, 0.01 * sphere.area);
}

TEST(CloudSurface, AnyFewPointsHaveNormals) {
    std::vector<vec3> line, upright;
    for (int i = 0; i < 100; ++i) {
        line.emplace_back(0.1f * static_cast<float>(i), 0, 0);
        upright.emplace_back(0, 0, 0.1f * static_cast<float>(i));
    }
    CloudSurface surface = surface_of_cloud(line, {});
    expect_units(surface, line.size());
    for (vec3 normal : surface.normals) EXPECT_EQ(normal, vec3(0, 0, 1));
    surface = surface_of_cloud(upright, {});
    for (vec3 normal : surface.normals) EXPECT_NEAR(normal.z, 0, 1e-6f);
    for (std::size_t n : {0, 1, 2, 3, 5, 16, 17}) {
        PointShape sphere = sphere_points(n);
        expect_units(surface_of_cloud(sphere.points, {}), n);
    }
    // Far away, and tiny.
    for (float scale : {1e15f, 1e-15f}) {
        PointShape sphere = sphere_points(1000);
        for (vec3& point : sphere.points) point *= scale;
        surface = surface_of_cloud(sphere.points, {});
        expect_units(surface, 1000);
        EXPECT_EQ(errors_of(surface, sphere).n_wrong, 0u) << scale;
    }
}

TEST(CloudSurface, NormalsThatAreGivenStayAndTellTheSidesOfOthers) {
    PointShape sphere = sphere_points(4000);
    std::vector<vec3> given(sphere.points.size(), vec3(0));
    for (std::size_t i = 0; i < given.size(); i += 50) given[i] = -sphere.normals[i];
    CloudSurface surface = surface_of_cloud(sphere.points, given);
    EXPECT_EQ(errors_of(surface, sphere).n_wrong, sphere.points.size());  // all point inwards
    for (std::size_t i = 0; i < given.size(); i += 50) EXPECT_EQ(surface.normals[i], given[i]);
}

TEST(CloudSurface, SurfacesFaceTheScanner) {
    PointShape room = box_points(5000, {1, 1, 1}, 0b111111);
    CloudSurface surface = surface_of_cloud(room.points, {}, {.seen_from = vec3(0.5f)});
    EXPECT_EQ(errors_of(surface, room).n_wrong, room.points.size());
}

TEST(CloudSurface, OutliersAreMarkedAndTurnNothing) {
    PointShape shape = sphere_points(5000);
    std::size_t n = shape.points.size();
    std::mt19937 random(6);
    std::uniform_real_distribution<float> part(-2, 2);
    while (shape.points.size() < n + 50) {
        vec3 place(part(random), part(random), part(random));
        if (std::abs(glm::length(place) - 1) > 0.3f) shape.add(place, vec3(0, 0, 1));
    }
    CloudSurface surface = surface_of_cloud(shape.points, {});
    EXPECT_EQ(surface.n_outliers, 50u);
    for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(surface.is_outlier[i], 0);
        EXPECT_GT(glm::dot(surface.normals[i], shape.normals[i]), 0);
    }
    // Neither scale nor density makes an outlier.
    PointShape two = sphere_points(5000);
    PointShape sparse = sphere_points(500, 8);
    for (vec3& point : sparse.points) point *= 3;
    two.add(sparse, vec3(0));
    EXPECT_EQ(surface_of_cloud(two.points, {}).n_outliers, 0u);
}

TEST(CloudSurface, DoesNotDependOnThreadsOrOnTheRun) {
    PointShape torus = torus_points(6000, 0.3f).make_noisy(0.2);
    CloudSurface first = surface_of_cloud(torus.points, {});
    oneapi::tbb::global_control one(oneapi::tbb::global_control::max_allowed_parallelism, 1);
    CloudSurface second = surface_of_cloud(torus.points, {});
    EXPECT_EQ(first.normals, second.normals);
    EXPECT_EQ(first.areas, second.areas);
    EXPECT_EQ(first.is_outlier, second.is_outlier);
}

TEST(CloudSurface, TellsItsProgressAndCanBeEnded) {
    PointShape sphere = sphere_points(2000);
    std::vector<double> shares;
    (void)surface_of_cloud(sphere.points, {}, {}, [&](double share) { shares.push_back(share); });
    EXPECT_TRUE(std::ranges::is_sorted(shares));
    EXPECT_GE(shares.size(), 5u);
    EXPECT_EQ(shares.back(), 1);
    EXPECT_THROW((void)surface_of_cloud(sphere.points, {}, {},
                                        [](double share) {
                                            if (share > 0.5) throw UserError("enough");
                                        }),
                 UserError);
}

}  // namespace
}  // namespace tl::cloud_surface_tests

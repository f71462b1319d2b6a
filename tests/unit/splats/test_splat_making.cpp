// Points with normals become splats that close their surface, or fewer and larger ones.
#include <gtest/gtest.h>

#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/loaders/points/point_cloud.h"
#include "renderer/scene/splats/grow_splats.h"
#include "renderer/scene/transform.h"
#include "tests/unit/scene/gltf_export_checks.h"
#include "tests/unit/splats/splat_scenes.h"

namespace tl::splat_making_tests {
namespace {

using test::TempFolder;

/// Fraction of directions from the middle of the unit sphere that hit no disc.
double open_part(const std::vector<Splat>& splats, int n_rays) {
    std::mt19937 engine(8);
    int n_open = 0;
    for (int i = 0; i < n_rays; ++i) {
        glm::dvec3 d(test::random_direction(engine));
        bool met = std::ranges::any_of(splats, [&](const Splat& s) {
            double cosine = glm::dot(d, glm::dvec3(s.normal));
            if (!(cosine > 0)) return false;
            double t = glm::dot(glm::dvec3(s.center), glm::dvec3(s.normal)) / cosine;
            return glm::length(t * d - glm::dvec3(s.center)) <= double{s.radius};
        });
        n_open += !met;
    }
    return double(n_open) / n_rays;
}

PointCloud cloud_on_sphere(std::size_t n) {
    PointCloud cloud;
    for (auto& splat : test::splat_sphere(n, 0)) {
        cloud.positions.emplace_back(splat.center);
        cloud.normals.push_back(splat.normal);
    }
    return cloud;
}

Scene with_default_material() {
    Scene scene;
    scene.materials.emplace_back();
    return scene;
}

/// Mean number of discs that cover a point of the unit sphere.
double overlap(const std::vector<Splat>& splats) {
    double area = 0;
    for (auto& s : splats) area += double{kPi} * double{s.radius} * double{s.radius};
    return area / (4 * double{kPi});
}

TEST(SplatMaking, RadiiCloseASurfaceOfRandomPoints) {
    auto splats = test::splat_sphere(3'000, 0);
    EXPECT_EQ(open_part(splats, 20'000), 0);
    EXPECT_NEAR(overlap(splats), 5.7, 0.5);
    // Dense about the poles and sparse along the equator, by a factor of 64.
    for (auto& s : splats) s.center = s.normal = glm::normalize(s.center * vec3(1, 1, 4));
    close_surface(splats);
    EXPECT_LE(open_part(splats, 20'000), 1e-3);
}

TEST(SplatMaking, DiscsOfAGridReachTheMiddleOfItsCells) {
    std::vector<Splat> grid;
    for (int x = 0; x < 20; ++x)
        for (int y = 0; y < 20; ++y)
            grid.push_back({.center = {0.1f * float(x), 0.1f * float(y), 0}});
    close_surface(grid);
    // Half of a cell's diagonal, and the overlap; no larger at the rim.
    for (auto& s : grid) EXPECT_NEAR(s.radius, 1.3f * 0.05f * std::sqrt(2.0f), 1e-5f);
}

TEST(SplatMaking, AnyArrangementHasRadii) {
    for (std::size_t n : {1, 2, 5, 40}) {
        std::vector<Splat> one_place(n), line(n);
        for (std::size_t i = 0; i < n; ++i) {
            one_place[i].center = vec3(3, 0, 0);
            line[i].center = vec3(float(i), 0, 0);
        }
        close_surface(one_place);
        close_surface(line);
        for (auto* splats : {&one_place, &line})
            for (auto& s : *splats) {
                EXPECT_GT(s.radius, 0) << n;
                EXPECT_LT(s.radius, 10) << n;
            }
    }
    std::vector<Splat> none;
    close_surface(none);
    // A point far from all others is not shown as a disc of that size.
    auto splats = test::splat_sphere(1'000, 0);
    splats.push_back({.center = {500, 0, 0}});
    close_surface(splats);
    EXPECT_LE(splats.back().radius, 17 * median_radius(splats));
}

TEST(SplatMaking, GrownSplatsAreFewerAndKeepToTheError) {
    auto points = test::splat_sphere(4'000, 0);
    float largest = std::ranges::max(points, {}, &Splat::radius).radius;
    std::size_t last = points.size(), n_grown = 0;
    for (float error : {1e-3f, 4e-3f, 1.6e-2f}) {
        auto grown = grow_splats(points, {.error = error});
        EXPECT_LT(grown.size(), last) << error;
        last = grown.size();
        EXPECT_LE(open_part(grown, 5'000), 2e-4) << error;
        for (auto& s : grown) {
            if (s.radius <= largest) continue;  // it may be a point's own, which closes the surface
            ++n_grown;
            for (auto& p : points) {
                vec3 way = p.center - s.center;
                float above = glm::dot(way, s.normal);
                if (glm::length(way) < 0.99f * s.radius) {
                    EXPECT_LE(std::abs(above), 1.01f * error);
                }
            }
        }
    }
    EXPECT_GT(n_grown, 30u);
    EXPECT_LT(last, points.size() / 8);
    // An error bound near zero keeps all points.
    EXPECT_EQ(grow_splats(points, {.error = 1e-9f}).size(), points.size());
    EXPECT_TRUE(grow_splats({}, {.error = 1}).empty());
}

TEST(SplatMaking, GrownSplatsStayWithinAMaterialAndASide) {
    std::vector<Splat> points;
    for (int side = 0; side < 2; ++side)
        for (int x = 0; x < 20; ++x)
            for (int z = 0; z < 20; ++z)
                points.push_back({.center = {0.1f * float(x), 0.01f * float(side), 0.1f * float(z)},
                                  .normal = {0, side ? 1 : -1, 0},
                                  .material = x < 10 ? 0 : 1});
    close_surface(points);
    auto grown = grow_splats(points, {.error = 1});
    EXPECT_LT(grown.size(), points.size() / 2);
    for (auto& s : grown) EXPECT_NEAR(s.center.y, s.normal.y > 0 ? 0.01f : 0, 1e-6f);
}

TEST(SplatMaking, WordsTellTheRangeOfRadii) {
    std::vector<Splat> splats(3);
    splats[0].radius = splats[1].radius = splats[2].radius = 0.5f;
    EXPECT_EQ(words_of_radii(splats), "radius 0.5");
    splats[1].radius = 0.028f;
    splats[2].radius = 30;
    EXPECT_EQ(words_of_radii(splats), "radii from 0.028 to 30, median 0.5");
}

TEST(SplatMaking, CloudsWithNormalsAreSplats) {
    Scene scene = with_default_material();
    PointCloud cloud = cloud_on_sphere(2'000);
    cloud.colors.assign(2'000, vec3(1, 0, 0));
    cloud.normals[7] = vec3(0);  // not known, and estimated
    add_cloud(scene, cloud, "ball.ply", 100'000, true);
    ASSERT_EQ(scene.splats.size(), 2'000u);
    EXPECT_TRUE(scene.spheres.empty());
    EXPECT_GT(glm::dot(scene.splats[7].normal, glm::normalize(scene.splats[7].center)), 0.99f);
    EXPECT_EQ(scene.splats[0].color, vec3(1, 0, 0));
    EXPECT_EQ(scene.splats[0].material, 1);  // white, which colours multiply
    EXPECT_EQ(scene.splats[0].normal, cloud.normals[0]);
    TL_EXPECT_CONTAINS(scene.warnings.front(),
                       "2000 points are shown as splats of " + words_of_radii(scene.splats));
    Box bounds = bounds_of(scene);
    EXPECT_NEAR(bounds.hi.x, 1, 0.1f);

    // Too few points to define a surface.
    Scene plain = with_default_material();
    cloud.normals.clear();
    cloud.positions.resize(20);
    cloud.colors.clear();
    add_cloud(plain, cloud, "ball.ply", 100'000, true);
    EXPECT_TRUE(plain.splats.empty());
    EXPECT_EQ(plain.spheres.size(), 20u);
}

TEST(SplatMaking, TransformsMoveThem) {
    Scene scene = with_default_material();
    scene.splats = {{.center = {1, 0, 0}, .radius = 0.5f, .normal = {1, 0, 0}}};
    Transform transform;
    transform.scale = vec3(2);
    transform.rotate = {0, 0, 90};
    transform.translate = {0, 0, 5};
    apply(transform, scene, {}, false);
    auto& splat = scene.splats[0];
    EXPECT_LT(glm::length(splat.center - vec3(0, 2, 5)), 1e-5f);
    EXPECT_LT(glm::length(splat.normal - vec3(0, 1, 0)), 1e-5f);
    EXPECT_FLOAT_EQ(splat.radius, 1);
}

TEST(SplatMaking, SceneFilesSayHowPointsAreShown) {
    TempFolder folder;
    folder.write("points.xyz", "0 0 0\n1 0 0\n0 1 0\n");
    auto open = [&](const std::string& keys) {
        return load_scene(folder.write("a.toml", "[[mesh]]\nfile = \"points.xyz\"\n" + keys));
    };
    EXPECT_EQ(open("points = \"spheres\"\n").spheres.size(), 3u);
    Scene scene = open("points = \"splats\"\n");
    EXPECT_EQ(scene.spheres.size(), 3u);
    auto says = [](const Scene& of, const char* words) {
        return std::ranges::any_of(of.warnings, [&](const std::string& line) {
            return line.find(words) != std::string::npos;
        });
    };
    EXPECT_TRUE(says(scene, "a.toml:3: the file has no points with normals"));
    folder.write("points.xyz", "0 0 0 0 0 -1\n1 0 0 0 0 -1\n0 1 0 0 0 -1\n");
    EXPECT_TRUE(
        says(open("points = \"spheres\"\n"), "a.toml:3: its splats are 3 spheres of radius"));
    EXPECT_TRUE(says(open("splat-error = 0.1\n"), "a.toml:3: its splats become "));
    EXPECT_THROW((void)open("points = \"cubes\"\n"), UserError);
    EXPECT_THROW((void)open("points = \"spheres\"\nsplat-error = 0.1\n"), UserError);
    EXPECT_THROW((void)open("splat-error = -1\n"), UserError);
}

TEST(SplatMaking, ExportedOnesAreReadAgain) {
    TempFolder folder;
    Scene scene = with_default_material();
    scene.materials.emplace_back().name = "second";
    scene.splats = test::splat_sphere(300, 0);
    for (std::size_t i = 0; i < 300; ++i) {
        scene.splats[i].material = i < 100 ? 0 : 1;
        if (i >= 200) scene.splats[i].color = vec3(0.25f, 0.5f, 1);
    }
    GltfExportReport report;
    Scene again = test::exported(folder, scene, &report);
    ASSERT_EQ(again.splats.size(), scene.splats.size());
    EXPECT_TRUE(again.spheres.empty());
    for (std::size_t i = 0; i < again.splats.size(); ++i) {
        auto &a = again.splats[i], &b = scene.splats[i];
        EXPECT_LT(glm::length(a.center - b.center), 1e-6f);
        EXPECT_LT(glm::length(a.normal - b.normal), 1e-6f);
        EXPECT_NEAR(a.radius, b.radius, 1e-6f);
        EXPECT_EQ(a.color, b.color);
        EXPECT_EQ(again.materials[std::size_t(a.material)].name,
                  scene.materials[std::size_t(b.material)].name);
    }
    ASSERT_FALSE(report.warnings.empty());
    TL_EXPECT_CONTAINS(report.warnings.front(), "300 splats as points with normals");
}

TEST(SplatMaking, TheGeneratorMakesAsManyAsAreAskedFor) {
    EXPECT_EQ(load_scene("generate:splats,points=1000").splats.size(), 1'000u);
    Scene few = load_scene("generate:splats,points=5000,shape=sphere,error=0.02");
    EXPECT_LT(few.splats.size(), 2'000u);
    EXPECT_GT(few.splats.size(), 20u);
}

}  // namespace
}  // namespace tl::splat_making_tests

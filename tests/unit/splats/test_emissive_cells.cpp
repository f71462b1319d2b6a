// Cells from which splats emit; and emission of points in files.
#include <gtest/gtest.h>

#include "renderer/scene/export/gltf_export.h"
#include "renderer/scene/export/point_export.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/loaders/ply/ply_loader.h"
#include "renderer/scene/loaders/points/xyz_loader.h"
#include "renderer/scene/splats/emissive_cells.h"
#include "tests/unit/scene/ply_writer.h"
#include "tests/unit/splats/splat_scenes.h"
#include "tests/unit/temp_folder.h"

namespace tl::emissive_cells_tests {
namespace {

using test::TempFolder;

double area_of(const std::vector<EmissiveCell>& cells) {
    double sum = 0;
    for (auto& cell : cells) sum += double{cell.area};
    return sum;
}

TEST(EmissiveCells, CoverASphereOnce) {
    auto splats = test::splat_sphere(20'000, 0);
    // Discs overlap more than fivefold. Cells lie in tangent planes, a little above the sphere.
    double cells = area_of(emissive_cells(splats, std::vector(splats.size(), true)));
    EXPECT_NEAR(cells / (4 * double{kPi}), 1, 0.002);
}

float power_at(const Splat& splat, vec3 p) {
    vec3 way = p - splat.center;
    return glm::dot(way, way) - splat.radius * splat.radius;
}

/// Whether the rectangle around a cell holds a place in its plane.
bool is_within(const EmissiveCell& cell, vec3 p) {
    vec3 way = p - cell.corner;
    auto share = [&](vec3 edge) { return glm::dot(way, edge) / glm::dot(edge, edge); };
    float u = share(cell.edge_u), v = share(cell.edge_v);
    return u >= 0 && u <= 1 && v >= 0 && v <= 1;
}

TEST(EmissiveCells, GiveEachPlaceToTheSplatOfLeastPower) {
    std::mt19937 engine(3);
    std::uniform_real_distribution<float> unit(0, 1);
    std::vector<Splat> splats(1'500);
    for (auto& s : splats) {
        s.center = {unit(engine), unit(engine), 0};
        s.radius = 0.04f * std::pow(2.0f, unit(engine));
    }
    for (std::size_t i = 0; i < 50; ++i) splats.push_back(splats[i]);  // twice at the same place
    auto cells = emissive_cells(splats, std::vector(splats.size(), true));
    ASSERT_EQ(cells.size(), splats.size());
    for (int n = 0; n < 500; ++n) {
        vec3 p(unit(engine), unit(engine), 0);
        std::uint32_t least = 0;
        for (std::uint32_t k = 1; k < splats.size(); ++k)
            if (power_at(splats[k], p) < power_at(splats[least], p)) least = k;
        if (power_at(splats[least], p) >= 0) continue;  // on no disc
        for (auto& cell : cells) {
            float own = power_at(splats[cell.splat], p);
            bool owns = cell.area > 0 && is_within(cell, p) && own <= 0 &&
                        std::ranges::none_of(cell.bordering(), [&](std::uint32_t k) {
                            float power = power_at(splats[k], p);
                            return power < own || (power == own && k < cell.splat);
                        });
            EXPECT_EQ(owns, cell.splat == least) << cell.splat << " at " << p.x << " " << p.y;
        }
    }
}

TEST(EmissiveCells, AreThoseOfEmittersAndOfSplatsThatOverlapThem) {
    auto at = [](float x, float radius) {
        return Splat{.center = {x, 0, 0}, .radius = radius, .normal = {0, 0, 1}};
    };
    std::vector<Splat> splats{at(0, 1), at(1.5f, 1), at(30, 1), at(12, 10.5f)};
    splats.push_back(splats[0]);
    splats[4].normal = {0, 0, -1};  // the other side of a sheet
    auto cells = emissive_cells(splats, {false, true, false, false, false});
    ASSERT_EQ(cells.size(), 3u);
    EXPECT_EQ(cells[0].splat, 0u);
    EXPECT_TRUE(std::ranges::equal(cells[1].bordering(), std::vector<std::uint32_t>{3, 0}));
    EXPECT_EQ(cells[2].splat, 3u);
    EXPECT_TRUE(emissive_cells(splats, std::vector(5, false)).empty());
    // A disc without neighbours is its own cell.
    auto alone = emissive_cells(std::span(splats).subspan(2, 1), {true});
    EXPECT_NEAR(alone[0].area, kPi, 0.01f);
    EXPECT_NEAR(glm::length(glm::cross(alone[0].edge_u, alone[0].edge_v)), 4, 0.03f);
}

TEST(PointEmission, IsReadFromPly) {
    Scene scene;
    for (const char* format : test::kPlyFormats) {
        const std::string place =
            "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
        test::PlyWriter three(format, place +
                                          "property float emission_red\n"
                                          "property double emission_green\n"
                                          "property uchar Emission_Blue\n");
        three.row("ffffdB", {0, 0, 0, 0.5, 1e12, 7}).row("ffffdB", {1, 0, 0, -2, 0, 0});
        three.row("ffffdB", {0, 1, 0, 0, 0, 255});
        auto cloud = read_ply_points(scene, three.bytes(), "a.ply");
        tidy_emission(cloud.emission);
        EXPECT_EQ(cloud.emission, (std::vector{vec3(0.5f, 1e9f, 7), vec3(0), vec3(0, 0, 255)}));
        test::PlyWriter one(format, place + "property float emission\n");
        one.row("ffff", {0, 0, 0, 2}).row("ffff", {0, 0, 1, 0}).row("ffff", {0, 1, 1, 3});
        EXPECT_EQ(read_ply_points(scene, one.bytes(), "a.ply").emission,
                  (std::vector{vec3(2), vec3(0), vec3(3)}));
    }
}

TEST(PointEmission, IsReadFromNamedColumns) {
    Scene scene;
    auto read = [&](const std::string& text) { return read_xyz(scene, text, "a.csv").emission; };
    EXPECT_EQ(read("x,y,z,emission_r,emission_g,emission_b\n0,0,0,1,2.5,3\n1,1,1,0,0,0\n"),
              (std::vector{vec3(1, 2.5f, 3), vec3(0)}));
    EXPECT_EQ(read("// X Y Z Emission R G B\n0 0 0 4 255 0 0\n1 1 1 0 0 0 0\n"),
              (std::vector{vec3(4), vec3(0)}));
    EXPECT_EQ(read("x y z scalar_emission\n0 0 0 4\n"), std::vector{vec3(4)});
    EXPECT_TRUE(read("x y z emission_red\n0 0 0 4\n").empty());
    EXPECT_TRUE(scene.warnings.size() == 1) << "the lone column is named";
}

TEST(PointEmission, OfSceneFilesReplacesThatOfThePoints) {
    TempFolder folder;
    folder.write("points.csv", "x,y,z,emission\n0,0,0,1\n1,0,0,0\n0,1,0,2\n");
    auto open = [&](const std::string& keys) {
        return load_scene(folder.write("a.toml", "[[mesh]]\nfile = \"points.csv\"\n" + keys));
    };
    Scene scene = open("");
    ASSERT_EQ(scene.spheres.size(), 3u);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(scene.spheres[std::size_t(i)].emission, vec3(i == 1 ? 0 : i == 0 ? 1 : 2));
    for (auto& sphere : open("emission = [3, 2, 1]\n").spheres)
        EXPECT_EQ(sphere.emission, vec3(3, 2, 1));
    EXPECT_EQ(open("emission = 0\n").spheres[2].emission, vec3(0));
    TL_EXPECT_CONTAINS(test::refusal([&] { (void)open("emission = -1\n"); }), "emission");
    auto mesh = folder.write("b.toml",
                             "[[mesh]]\npositions = [[0,0,0], [1,0,0], [0,1,0]]\n"
                             "triangles = [[0, 1, 2]]\nemission = 1\n");
    TL_EXPECT_CONTAINS(test::refusal([&] { (void)load_scene(mesh); }),
                       "is for points; a mesh emits by its material");
}

TEST(PointEmission, SurvivesExport) {
    TempFolder folder;
    Scene scene;
    scene.materials.emplace_back();
    scene.splats = test::splat_sphere(100, 0);
    scene.splats[3].emission = {1, 2, 3};
    scene.spheres = {{{5, 0, 0}, 0.5f, 0}, {{7, 0, 0}, 0.5f, 0}};
    scene.spheres[1].emission = {4, 0, 0};
    std::string file = folder.path("a.glb");
    (void)export_gltf(scene, file);
    Scene again = load_scene(file);
    ASSERT_EQ(again.splats.size(), 100u);
    for (std::size_t i = 0; i < 100; ++i)
        EXPECT_EQ(again.splats[i].emission, scene.splats[i].emission) << i;
    ASSERT_EQ(again.spheres.size(), 2u);
    EXPECT_EQ(again.spheres[0].emission + again.spheres[1].emission, vec3(4, 0, 0));

    // Points on surfaces have the emission of their materials.
    scene.splats.clear();
    scene.materials[0].emission = {0, 1, 0};
    auto samples = sample_scene(scene, {.n_points = 100, .time = {}});
    (void)write_ply_points(folder.path("b.ply"), samples);
    int n_bright = 0;
    for (auto& splat : load_scene(folder.path("b.ply")).splats) {
        EXPECT_EQ(splat.emission, vec3(splat.center.x > 6 ? 4 : 0, 1, 0));
        n_bright += splat.emission.x > 0;
    }
    EXPECT_GT(n_bright, 30);
    EXPECT_LT(n_bright, 70);
}

}  // namespace
}  // namespace tl::emissive_cells_tests

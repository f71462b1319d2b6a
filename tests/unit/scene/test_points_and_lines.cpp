// Points and lines of model files become spheres and tubes.
#include <gtest/gtest.h>

#include <cmath>

#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/loaders/points_and_lines.h"
#include "tests/unit/scene/gltf_writer.h"
#include "tests/unit/temp_folder.h"

namespace tl::points_and_lines_tests {
namespace {

using test::TempFolder;

/// Points of a grid with steps of `step` in the plane z = 0.
std::vector<Sphere> grid(int n, float step) {
    std::vector<Sphere> points;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k)
            points.push_back({.center = {step * float(i), step * float(k), 0}});
    return points;
}

/// The volume within closed triangles that face outwards.
double volume_of(const Mesh& mesh) {
    double sum = 0;
    for (auto t : mesh.triangles) {
        glm::dvec3 a = mesh.positions[t.x], b = mesh.positions[t.y], c = mesh.positions[t.z];
        sum += glm::dot(a, glm::cross(b, c)) / 6;
    }
    return sum;
}

/// A file of these primitives, which share their vertices: (0, 0, 0), (1, 0, 0), (1, 1, 0) and
/// (0, 1, 0), red, green, blue and white.
std::string gltf_of(const std::string& primitives, const std::string& node = "") {
    test::GltfWriter writer;
    writer.add("VEC3", std::vector<float>{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0});
    writer.add("VEC3", std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1});
    std::string text = primitives;
    for (std::size_t at; (at = text.find("MODE")) != std::string::npos;)
        text.replace(at, 4, "\"attributes\": {\"POSITION\": 0, \"COLOR_0\": 1}, \"mode\": ");
    return writer.text("\"scene\": 0, \"scenes\": [{\"nodes\": [0]}], \"nodes\": [{\"mesh\": 0" +
                       node + "}], \"meshes\": [{\"primitives\": [" + text + "]}]");
}

TEST(PointsAndLines, SpheresOfAGridTouch) {
    EXPECT_EQ(radius_of_points(grid(30, 0.5f)), 0.25f);
    // Coincident points do not affect the estimate of their distance.
    auto twice = grid(30, 0.5f), again = twice;
    twice.insert(twice.end(), again.begin(), again.end());
    EXPECT_EQ(radius_of_points(twice), 0.25f);
    // Bounded by the size of all.
    EXPECT_FLOAT_EQ(radius_of_points(grid(2, 1)), std::sqrt(2.0f) / 20);
    EXPECT_EQ(radius_of_points(std::vector<Sphere>(3, {.center = {0, 3000, 4000}})), 5);
    EXPECT_EQ(radius_of_points(grid(1, 1)), 0.001f);
}

TEST(PointsAndLines, ObjHasAllOfThem) {
    TempFolder folder;
    std::string vertices = "v 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\n";
    Scene scene = load_scene(folder.write("a.obj", vertices + "f 1 2 3\nl 1/1 2/1 3 3\np 4 -4\n"));
    ASSERT_EQ(scene.meshes.size(), 2u);
    EXPECT_EQ(scene.meshes[1].name, "lines");
    EXPECT_EQ(scene.meshes[1].colors.at(0), vec3(1, 0, 0));
    ASSERT_EQ(scene.spheres.size(), 2u);
    EXPECT_EQ(scene.spheres[0].center, vec3(0, 1, 0));
    EXPECT_EQ(scene.spheres[1].center, vec3(0));
    EXPECT_EQ(scene.spheres[1].color, vec3(1, 0, 0));
    ASSERT_EQ(scene.warnings.size(), 2u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "a.obj: 2 points are shown as spheres of radius 0.05");
    TL_EXPECT_CONTAINS(scene.warnings[1], "a.obj: 2 lines are shown as tubes of radius 0.0019");

    Scene cloud = load_scene(folder.write("b.obj", vertices));
    EXPECT_EQ(cloud.spheres.size(), 4u);
    EXPECT_TRUE(cloud.meshes.empty());
    TL_EXPECT_CONTAINS(cloud.warnings.at(0), "b.obj: 4 points are shown as spheres");
}

TEST(PointsAndLines, TubesAreClosedAndAsWideAsTheMessageSays) {
    TempFolder folder;
    // Along each axis and in no such direction.
    for (std::string end : {"8 0 0", "0 -8 0", "0 0 8", "4 -5 2"}) {
        Scene scene = load_scene(folder.write("a.obj", "v 0 0 0\nv " + end + "\nl 1 2\n"));
        const Mesh& tube = scene.meshes.at(0);
        vec3 axis = tube.positions.back() - tube.positions[4];
        double length = double(glm::length(axis)), radius = length / 800;
        // A pentagon of this circumradius.
        double area = 2.5 * radius * radius * std::sin(0.4 * double(kPi));
        // Floats at 8 are 1e-6 apart, a ten-thousandth of the radius.
        EXPECT_NEAR(volume_of(tube) / (area * length), 1, 1e-3);
    }
}

TEST(PointsAndLines, PlyHasEdgesAndClouds) {
    TempFolder folder;
    std::string start =
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float "
        "y\nproperty float z\nproperty uchar red\nproperty uchar green\nproperty "
        "uchar blue\n";
    std::string vertices = "0 0 0 255 0 0\n1 0 0 0 255 0\n1 1 0 0 0 255\n0 1 0 255 255 255\n";
    Scene cloud = load_scene(folder.write("a.ply", start + "end_header\n" + vertices));
    ASSERT_EQ(cloud.spheres.size(), 4u);
    EXPECT_EQ(cloud.spheres[1].color, vec3(0, 1, 0));
    EXPECT_EQ(cloud.materials.at(std::size_t(cloud.spheres[1].material)).diffuse, vec3(1));
    EXPECT_EQ(cloud.warnings.size(), 1u);

    std::string edges = "element edge 2\nproperty int vertex1\nproperty int vertex2\n";
    Scene lines =
        load_scene(folder.write("b.ply", start + edges + "end_header\n" + vertices + "0 1\n2 3\n"));
    EXPECT_TRUE(lines.spheres.empty());
    EXPECT_EQ(lines.meshes.at(0).positions.size(), 20u);
    TL_EXPECT_CONTAINS(lines.warnings.at(0), "b.ply: 2 lines are shown as tubes");

    Scene both = load_scene(
        folder.write("c.ply", start + "element face 1\nproperty list uchar int vertex_indices\n" +
                                  edges + "end_header\n" + vertices + "3 0 1 2\n0 1\n2 3\n"));
    EXPECT_EQ(both.meshes.size(), 2u);
    EXPECT_TRUE(both.spheres.empty());
    TL_EXPECT_CONTAINS(test::refusal([&] {
                           (void)load_scene(folder.write(
                               "d.ply", start + edges + "end_header\n" + vertices + "0 1\n2 4\n"));
                       }),
                       "d.ply:19: a face or edge names vertex 4; the file has 0 to 3");
}

TEST(PointsAndLines, GltfHasAllModes) {
    TempFolder folder;
    auto tubes_of = [&](int mode) {
        Scene scene = load_scene(
            folder.write("a.gltf", gltf_of("{MODE" + std::to_string(mode) + "}",
                                           ", \"translation\": [5, 0, 0], \"scale\": [2, 2, 2]")));
        float radius = std::sqrt(8.0f) / 800;  // of the diagonal of a square with sides of 2
        for (vec3 p : scene.meshes.at(0).positions) {
            EXPECT_GE(p.x, 5 - 1.001f * radius);  // floats at 5 are a 5000th of it apart
            EXPECT_LE(p.x, 7 + 1.001f * radius);
        }
        return scene.meshes.at(0).positions.size() / 10;
    };
    EXPECT_EQ(tubes_of(1), 2u);  // lines
    EXPECT_EQ(tubes_of(2), 4u);  // a loop
    EXPECT_EQ(tubes_of(3), 3u);  // a strip
    Scene all = load_scene(folder.write("a.gltf", gltf_of("{MODE0}, {MODE1}, {MODE6}")));
    EXPECT_EQ(all.spheres.size(), 4u);
    EXPECT_EQ(all.meshes.size(), 2u);
    EXPECT_EQ(all.spheres[2].color, vec3(0, 0, 1));
    EXPECT_EQ(all.warnings.size(), 2u);
}

TEST(PointsAndLines, ManyLinesOfASmallFileAreLeftOut) {
    TempFolder folder;
    std::string text = "v 0 0 0\nv 1 0 0\nl";
    for (int i = 0; i < 100'000; ++i) text += i % 2 == 0 ? " 1" : " 2";
    Scene scene = load_scene(folder.write("a.obj", text));
    std::size_t n_shown = scene.meshes.at(0).positions.size() / 10;
    EXPECT_LT(n_shown, 99'999u);
    TL_EXPECT_CONTAINS(scene.warnings.at(0),
                       std::to_string(99'999 - n_shown) + " more are left out");
}

}  // namespace
}  // namespace tl::points_and_lines_tests

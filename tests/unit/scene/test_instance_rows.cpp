// Rows of instances, lists of materials and boxes in scene files.
#include "renderer/scene/instance_rows.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "renderer/scene/instances.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/scene_items.h"
#include "tests/source_path.h"
#include "tests/unit/temp_folder.h"

namespace tl::instance_rows_tests {
namespace {

using test::refusal;
using test::TempFolder;

/// Two materials, and a box from x = 1 to 3 that may be instanced; 8 lines.
constexpr const char* kBrick =
    "[[material]]\nname = \"red\"\n[[material]]\nname = \"blue\"\n"
    "[[mesh]]\nname = \"brick\"\ninstanced = true\nboxes = [[1, 0, 0, 3, 1, 1]]\n";

Scene load(const TempFolder& folder, const std::string& text) {
    return load_scene(folder.write("a.toml", kBrick + text));
}

Scene load_row(const TempFolder& folder, const std::string& row, const std::string& more = "") {
    return load(folder, "[[instances]]\nmesh = \"brick\"\n" + more + "row = { " + row + " }\n");
}

std::vector<Box> boxes_of(const Scene& scene) {
    std::vector<Box> boxes;
    for (auto& instance : scene.instances)
        boxes.push_back(bounds_of_instance(scene.meshes[instance.mesh], instance));
    return boxes;
}

TEST(InstanceRows, HoldAsManyAsFitSideBySideFromTheOrigin) {
    TempFolder folder;
    Scene scene = load_row(folder, "length = 7, gap = 0.5");
    EXPECT_TRUE(scene.warnings.empty());
    auto boxes = boxes_of(scene);
    ASSERT_EQ(boxes.size(), 3u);  // the fourth would end at 9.5
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(boxes[static_cast<std::size_t>(i)].lo, vec3(2.5f * static_cast<float>(i), 0, 0));
        EXPECT_EQ(boxes[static_cast<std::size_t>(i)].hi.x, 2.5f * static_cast<float>(i) + 2);
    }
    EXPECT_EQ(load_row(folder, "length = 1.9").instances.size(), 0u);
}

TEST(InstanceRows, RepeatByStepsAndAreMovedByTheTransform) {
    TempFolder folder;
    Scene scene = load_row(folder, "length = 4, rows = 3, step = [0, 2, 0]",
                           "rotate = [0, -90, 0]\ntranslate = [0, 10, 0]\n");
    auto boxes = boxes_of(scene);
    ASSERT_EQ(boxes.size(), 6u);
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_NEAR(boxes[i].lo.y, 10 + 2 * static_cast<float>(i / 2), 1e-5f);
        EXPECT_NEAR(boxes[i].lo.z, 2 * static_cast<float>(i % 2), 1e-5f);  // x has become z
    }
}

TEST(InstanceRows, SizesAreDrawnForEachAxisOrForAll) {
    TempFolder folder;
    Scene scene = load_row(folder, "length = 100, scale = [[0.1, 1, 2], [0.2, 3, 2]]");
    float x = 0;
    std::set<float> heights;
    for (auto& box : boxes_of(scene)) {
        vec3 size = box.hi - box.lo;
        EXPECT_NEAR(box.lo.x, x, 2e-5f);
        EXPECT_TRUE(size.x > 0.199f && size.x < 0.401f) << size.x;
        EXPECT_TRUE(size.y >= 1 && size.y <= 3) << size.y;
        EXPECT_EQ(size.z, 2);
        x = box.hi.x;
        heights.insert(size.y);
    }
    EXPECT_NEAR(double(scene.instances.size()), 100 / 0.3, 20);
    EXPECT_GT(heights.size(), 300u);
    EXPECT_TRUE(x > 99.6f && x <= 100.001f) << x;
    for (auto& box : boxes_of(load_row(folder, "length = 30, scale = [0.5, 2]"))) {
        vec3 size = box.hi - box.lo;
        EXPECT_NEAR(size.x, 2 * size.y, 1e-5f);
        EXPECT_NEAR(size.z, size.y, 1e-5f);
    }
}

TEST(InstanceRows, LengthsDifferAndTheSeedDecides) {
    TempFolder folder;
    const std::string row = "length = [20, 40], rows = 20, step = [0, 0, 2]";
    std::map<float, float> ends;
    for (auto& box : boxes_of(load_row(folder, row)))
        ends[box.lo.z] = std::max(ends[box.lo.z], box.hi.x);
    ASSERT_EQ(ends.size(), 20u);
    std::set<float> lengths;
    for (auto& [z, end] : ends) {
        EXPECT_TRUE(end > 17.9f && end <= 40) << end;
        lengths.insert(end);
    }
    EXPECT_GT(lengths.size(), 5u);
    auto n = [&](const std::string& more) { return load_row(folder, row + more).instances.size(); };
    EXPECT_EQ(n(""), n(", seed = 1"));
    EXPECT_NE(n(""), n(", seed = 2"));
}

TEST(InstanceRows, FilledOnesEndExactlyAndTheirJointsDiffer) {
    TempFolder folder;
    Scene scene = load_row(folder,
                           "length = 11, gap = 0.01, fill = true, rows = 50, "
                           "step = [0, 0, 1]");
    std::map<float, std::vector<Box>> rows;
    for (auto& box : boxes_of(scene)) rows[box.lo.z].push_back(box);
    ASSERT_EQ(rows.size(), 50u);
    std::set<float> joints;
    for (auto& [z, row] : rows) {
        EXPECT_EQ(row.front().lo.x, 0);
        EXPECT_NEAR(row.back().hi.x, 11, 1e-5f);
        for (std::size_t i = 0; i < row.size(); ++i) {
            float width = row[i].hi.x - row[i].lo.x;
            EXPECT_TRUE(width > 0.099f && width < 2.12f) << width;
            if (i == 0) continue;
            EXPECT_NEAR(row[i].lo.x - row[i - 1].hi.x, 0.01f, 1e-5f);
            if (i + 1 < row.size()) {
                EXPECT_NEAR(width, 2, 1e-5f);
            }
        }
        joints.insert(row.front().hi.x);
    }
    EXPECT_EQ(joints.size(), 50u);
}

TEST(InstanceRows, CopiesTakeMaterialsOfAList) {
    TempFolder folder;
    auto count = [&](const std::string& copies) {
        Scene scene = load(folder,
                           "[[instances]]\nmesh = \"brick\"\n"
                           "material = [\"red\", \"blue\"]\n" +
                               copies);
        std::map<std::int32_t, int> n;
        for (auto& instance : scene.instances) ++n[instance.material];
        return n;
    };
    for (const char* copies : {"row = { length = 2000 }\n", "scatter = { count = 1000 }\n"}) {
        auto n = count(copies);
        ASSERT_EQ(n.size(), 2u) << copies;  // materials 1 and 2, after the default
        EXPECT_NEAR(n[1], 500, 80) << copies;
        EXPECT_EQ(n[1] + n[2], 1000) << copies;
    }
    // A list of one, and the positions of a scatter with a list, are as without.
    auto places = [&](const std::string& material) {
        return load(folder, "[[instances]]\nmesh = \"brick\"\nmaterial = " + material +
                                "\nscatter = { count = 9 }\n")
            .instances[7];
    };
    EXPECT_EQ(places("\"blue\"").transform, places("[\"red\", \"blue\"]").transform);
    EXPECT_EQ(places("[\"blue\"]").material, places("\"blue\"").material);
}

TEST(InstanceRows, ErrorsNameFileAndLine) {
    TempFolder folder;
    auto refused = [&](const std::string& row, const std::string& more = "") {
        return refusal([&] { (void)load_row(folder, row, more); });
    };
    TL_EXPECT_CONTAINS(refused("gap = 1"), "a.toml:11: [[instances]] row needs 'length'");
    TL_EXPECT_CONTAINS(refused("length = 0"), "a.toml:11: [[instances]] row length is 0; it wants");
    TL_EXPECT_CONTAINS(refused("length = 4, gap = -1"), "gap is -1; it wants 0");
    TL_EXPECT_CONTAINS(refused("length = 4, scale = 2"), "it wants the least and the greatest");
    TL_EXPECT_CONTAINS(refused("length = 4, scale = [1, 2, 3]"),
                       "has 3 values; it wants the least");
    TL_EXPECT_CONTAINS(refused("length = 4, scale = [[1, 2], [2, 3]]"), "it wants 3 numbers");
    TL_EXPECT_CONTAINS(refused("length = 4, scale = [0, 1]"), "scale is 0; it wants 1e-06");
    TL_EXPECT_CONTAINS(refused("length = 4, rows = 2"), "row needs 'step', from one row to the");
    TL_EXPECT_CONTAINS(refused("length = 4, rows = 1.5"), "rows wants a whole number");
    TL_EXPECT_CONTAINS(refused("length = 1e15, scale = [1e-6, 1]"),
                       "at most 100000000 can be made");
    TL_EXPECT_CONTAINS(refused("length = 4", "scatter = { count = 2 }\n"),
                       "a.toml:12: [[instances]] takes 'scatter' or 'row', not both");
    TL_EXPECT_CONTAINS(
        refused("length = 4", "material = [\"red\", \"rde\"]\n"),
        "a.toml:11: no material 'rde'; known: blue, default, red; did you mean 'red'?");
    TL_EXPECT_CONTAINS(refused("length = 4", "material = []\n"), "is empty; it wants one name");
    TL_EXPECT_CONTAINS(refused("length = 4", "material = [3]\n"), "has an integer; it wants names");
    auto in_file = [&](const std::string& text) {
        return refusal([&] { (void)load(folder, text); });
    };
    TL_EXPECT_CONTAINS(in_file("[[instances]]\nmesh = \"brick\"\nmaterial = [\"red\"]\n"),
                       "a.toml:11: a list of materials is for 'scatter' and 'row'");
    TL_EXPECT_CONTAINS(in_file("[[instances]]\nmesh = \"brick\"\nrow = 4\n"),
                       "a.toml:11: row wants a table");
    TL_EXPECT_CONTAINS(
        in_file("[[mesh]]\nname = \"wall\"\ninstanced = true\n"
                "positions = [[0, 0, 0], [0, 0, 1], [0, 1, 0]]\ntriangles = [[0, 1, 2]]\n"
                "[[instances]]\nmesh = \"wall\"\nrow = { length = 4 }\n"),
        "a.toml:16: mesh 'wall' is flat along x");
    EXPECT_EQ(load_row(folder, "length = 4, lenght = 5").warnings.size(), 1u);
}

TEST(SceneFileBoxes, AreMeshesOfTwoCornersEach) {
    TempFolder folder;
    Scene scene = load(folder,
                       "[[mesh]]\nname = \"stool\"\nmaterial = \"blue\"\n"
                       "boxes = [[1, 1, 1, 0, 0, 0], [2, 0, 0, 3, 5, 1]]\n"
                       "translate = [0, 1, 0]\n");
    EXPECT_TRUE(scene.warnings.empty());
    const Mesh& mesh = scene.meshes[1];
    EXPECT_EQ(mesh.name, "stool");
    EXPECT_EQ(mesh.triangles.size(), 24u);
    EXPECT_EQ(mesh.material_of_triangle, std::vector<std::int32_t>(24, 2));
    EXPECT_EQ(bounds_of_points(mesh.positions).lo, vec3(0, 1, 0));
    EXPECT_EQ(bounds_of_points(mesh.positions).hi, vec3(3, 6, 1));
    double volume = 0;  // of tetrahedra to the origin: outsides are outside
    for (auto& t : mesh.triangles)
        volume += double(glm::dot(mesh.positions[t.x],
                                  glm::cross(mesh.positions[t.y], mesh.positions[t.z]))) /
                  6;
    EXPECT_NEAR(volume, 1 + 5, 1e-5);
    auto refused = [&](const std::string& boxes) {
        return refusal([&] { (void)load(folder, "[[mesh]]\nboxes = " + boxes + "\n"); });
    };
    TL_EXPECT_CONTAINS(refused("[[0, 0, 0, 1, 0, 1]]"), "a.toml:10: [[mesh]] boxes: box 0 is flat");
    TL_EXPECT_CONTAINS(refused("[[0, 0, 0]]"), "boxes is an array of 3; it wants 6 numbers");
    TL_EXPECT_CONTAINS(refused("[]"), "[[mesh]] boxes is empty");
    TL_EXPECT_CONTAINS(refused("5"), "boxes is an integer; it wants an array of arrays");
}

TEST(SceneFileBoxes, TheInteriorHasItsPlanksBooksAndWindows) {
    Scene scene = load_scene(source_path("scenes/gallery/interior.toml"));
    EXPECT_TRUE(scene.warnings.empty());
    std::map<std::string, int> n;
    for (auto& instance : scene.instances) ++n[scene.meshes[instance.mesh].name];
    EXPECT_EQ(n["Window"], 2);
    EXPECT_EQ(n["Cushion"], 3);
    EXPECT_NEAR(n["Book"], 130, 20);
    EXPECT_NEAR(n["Plank"], 170, 20);
}

}  // namespace
}  // namespace tl::instance_rows_tests

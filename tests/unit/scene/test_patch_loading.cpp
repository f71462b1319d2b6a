// Files and generators of patches, and the number of pieces into which patches are subdivided.
#include <array>
#include <cmath>
#include <map>
#include <memory>

#include "accel/patch/cut_patches.h"
#include "accel/patch/patch_surface.h"
#include "renderer/scene/live/live_scene.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/loaders/patch_files.h"
#include "tests/long_test.h"
#include "tests/source_path.h"
#include "tests/unit/temp_folder.h"

namespace tl::patch_loading_tests {
namespace {

using cpu::PatchSurface;
using test::refusal;
using test::TempFolder;

std::string flat_patch(const char* head, const char* last = "") {
    std::string text = head;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            text += std::to_string(i) + " " + std::to_string(j) + " 0" + last + "\n";
    return text;
}

PatchPoints points_of(const PatchSet& set, std::size_t patch) {
    PatchPoints p;
    for (std::size_t k = 0; k < 16; ++k)
        for (int axis = 0; axis < 3; ++axis) p.of_axis[axis][k] = set.points[16 * patch + k][axis];
    return p;
}

/// The signed volume: positive if normals face outwards.
double volume_of(const PatchSet& set) {
    constexpr int kSteps = 16;
    double volume = 0;
    for (std::size_t patch = 0; patch < set.size(); ++patch) {
        PatchPoints p = points_of(set, patch);
        for (int i = 0; i < kSteps; ++i)
            for (int j = 0; j < kSteps; ++j) {
                vec3 duv;
                PatchSurface s = cpu::evaluate_patch(p, nullptr, (float(i) + 0.5f) / kSteps,
                                                     (float(j) + 0.5f) / kSteps, duv);
                volume +=
                    double(glm::dot(s.position, glm::cross(s.du, s.dv))) / 3 / kSteps / kSteps;
            }
    }
    return volume;
}

/// Number of patch edges without a bitwise equal edge in either direction; edges collapsed to a
/// point do not count.
std::size_t count_open_edges(const PatchSet& set) {
    using Edge = std::array<float, 12>;
    std::map<Edge, int> edges;
    constexpr int kCorners[4][4] = {{0, 1, 2, 3}, {12, 13, 14, 15}, {0, 4, 8, 12}, {3, 7, 11, 15}};
    for (std::size_t patch = 0; patch < set.size(); ++patch)
        for (auto& corners : kCorners) {
            Edge forward, backward;
            for (std::size_t k = 0; k < 4; ++k)
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    float x =
                        set.points[16 * patch + static_cast<std::size_t>(corners[k])][int(axis)] +
                        0.0f;
                    forward[3 * k + axis] = x;
                    backward[3 * (3 - k) + axis] = x;
                }
            bool collapsed =
                forward == backward && forward[0] == forward[3] && forward[1] == forward[4];
            if (!collapsed) ++edges[std::min(forward, backward)];
        }
    std::size_t n_open = 0;
    for (auto& [edge, count] : edges) n_open += count % 2;
    return n_open;
}

Scene teapot() {
    return load_scene(source_path("assets/teapot.bpt"));
}

TEST(Teapot, HasNewellsPatchesAndSize) {
    Scene scene = teapot();
    ASSERT_EQ(scene.patches.size(), 1u);
    EXPECT_EQ(scene.patch_count(), 32u);
    Box bounds = bounds_of(scene);
    // Bounds of the control points, as published.
    EXPECT_EQ(bounds.lo, vec3(-3, -2, 0));
    EXPECT_EQ(bounds.hi, vec3(3.525f, 2, 3.15f));
}

TEST(Teapot, IsSymmetricAndOpenWhereItShouldBe) {
    Scene scene = teapot();
    auto& set = scene.patches[0];
    std::map<std::array<float, 3>, int> points;
    for (auto p : set.points) ++points[{p.x, p.y + 0.0f, p.z}];
    // The handle lies in the plane y = 0, which is a plane of symmetry.
    for (auto& [p, count] : points) {
        std::array<float, 3> mirrored{p[0], 0.0f - p[1], p[2]};
        EXPECT_EQ(points[mirrored], count) << p[0] << " " << p[1] << " " << p[2];
    }
    // Four edges each of the rim of the body and of the lid, two each of handle and spout at both
    // ends.
    EXPECT_EQ(count_open_edges(set), 16u);
}

TEST(Teapot, HasItsOutsideOutside) {
    Scene scene = teapot();
    EXPECT_NEAR(volume_of(scene.patches[0]), 25.9, 0.5);
    // Rays from outside hit front faces: the projected front-facing area is the silhouette's.
    for (std::size_t patch = 0; patch < 32; ++patch) {
        PatchSurface s =
            cpu::patch_surface_at(points_of(scene.patches[0], patch), nullptr, 0.5f, 0.5f);
        EXPECT_GT(glm::length(s.normal), 0.999f) << patch;
    }
}

TEST(PatchKnot, ReachesTheThesisSizesClosedAndSmooth) {
    TL_LONG_TEST();
    for (int wanted : {3570, 11532}) {
        Scene scene = load_scene("generate:patch-knot,patches=" + std::to_string(wanted));
        EXPECT_NEAR(double(scene.patch_count()), wanted, 0.01 * wanted);
        EXPECT_EQ(count_open_edges(scene.patches[0]), 0u);
        EXPECT_GT(volume_of(scene.patches[0]), 1);
        // Along u the next patch continues where this one ends, with the same derivatives.
        auto& points = scene.patches[0].points;
        std::size_t n_smooth = 0;
        for (std::size_t patch = 0; patch + 1 < scene.patch_count(); ++patch) {
            const vec3 *a = points.data() + 16 * patch, *b = a + 16;
            for (int k = 0; k < 4; ++k)
                if (a[12 + k] == b[k])
                    n_smooth += glm::length((a[12 + k] - a[8 + k]) - (b[4 + k] - b[k])) < 1e-5f;
        }
        EXPECT_GT(n_smooth, scene.patch_count() * 3);
    }
}

TEST(CutPatches, MoreWhereTheyBend) {
    TempFolder folder;
    Scene flat = load_scene(folder.write("a.bpt", flat_patch("1\n3 3\n")));
    std::size_t fewer = 32 * 4;
    for (DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda}) {
        EXPECT_EQ(cut_patches(flat.patches[0].points, flat_piece_of(kind)).size(), 1u);
        auto pieces = cut_patches(teapot().patches[0].points, flat_piece_of(kind));
        EXPECT_GT(pieces.size(), fewer);
        EXPECT_LE(pieces.size(), 32u * kMostPiecesOfSide * kMostPiecesOfSide);
        double area = 0;
        for (auto& p : pieces) area += double(p.size_u * p.size_v);
        EXPECT_EQ(area, 32);
        fewer = pieces.size();
    }
}

TEST(CutPatches, AreCountedWithoutCutting) {
    Scene knot = load_scene("generate:patch-knot,patches=1000");
    for (DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda})
        for (const Scene& scene : {teapot(), knot}) {
            std::size_t n_pieces = 0;
            for (auto& set : scene.patches)
                n_pieces += cut_patches(set.points, flat_piece_of(kind)).size();
            EXPECT_EQ(LivePatches::count_pieces(scene, kind), n_pieces);
        }
}

TEST(CutPatches, MoreThanATreeHoldsAreRefused) {
    // Patches so curved that each is split to the limit, and just enough of them to be too many.
    constexpr std::size_t kPieces = std::size_t(kMostPiecesOfSide) * kMostPiecesOfSide;
    constexpr std::size_t kPatches = kMaxPrimitives / kPieces + 1;
    auto scene = std::make_shared<Scene>();
    scene->materials.emplace_back();
    PatchSet set;
    for (std::size_t patch = 0; patch < kPatches; ++patch)
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) set.points.emplace_back(i, j, i == 1 && j == 1 ? 1000 : 0);
    set.material_of_patch.assign(kPatches, 0);
    scene->patches.push_back(std::move(set));
    auto stream = devices()[0]->create_stream();
    std::string message = refusal([&] { LiveScene live(*stream, scene); });
    TL_EXPECT_CONTAINS(message, std::to_string(kPatches * kPieces) + " primitives");
    TL_EXPECT_CONTAINS(message, std::to_string(kPatches * kPieces) + " of them pieces");
    TL_EXPECT_CONTAINS(message, "at most " + std::to_string(kMaxPrimitives));
}

TEST(PatchSurface, HasNormalsAtCollapsedEdges) {
    Scene scene = teapot();
    auto& set = scene.patches[0];
    std::size_t n_poles = 0;
    for (std::size_t patch = 0; patch < set.size(); ++patch) {
        PatchPoints p = points_of(set, patch);
        for (float v : {0.0f, 1.0f})
            for (float u : {0.0f, 0.25f, 1.0f}) {
                vec3 duv;
                PatchSurface raw = cpu::evaluate_patch(p, nullptr, u, v, duv);
                if (glm::length(raw.du) > 1e-6f) continue;
                ++n_poles;
                PatchSurface s = cpu::patch_surface_at(p, nullptr, u, v);
                float inner = v == 0 ? 1e-3f : 1 - 1e-3f;
                PatchSurface near = cpu::patch_surface_at(p, nullptr, u, inner);
                EXPECT_GT(glm::dot(s.normal, near.normal), 0.999f) << patch << " " << u << " " << v;
            }
    }
    // Knob and bottom: four patches each, some with u and v swapped.
    EXPECT_GT(n_poles, 0u);
}

TEST(PatchFiles, OfLowerDegreeAreRaised) {
    TempFolder folder;
    Scene scene =
        load_scene(folder.write("a.bpt", "1\n1 2\n0 0 0\n0 1 1\n0 2 0\n3 0 0\n3 1 1\n3 2 0\n"));
    auto& points = scene.patches[0].points;
    ASSERT_EQ(points.size(), 16u);
    EXPECT_EQ(points[0], vec3(0));
    EXPECT_EQ(points[15], vec3(3, 2, 0));
    // The parabola's top.
    PatchSurface s = cpu::patch_surface_at(points_of(scene.patches[0], 0), nullptr, 0.5f, 0.5f);
    EXPECT_NEAR(s.position.x, 1.5f, 1e-6f);
    EXPECT_NEAR(s.position.z, 0.5f, 1e-6f);
}

TEST(PatchFiles, OfWeightsAreRational) {
    TempFolder folder;
    std::string text = flat_patch("1\n3 3\n", " 1");
    Scene plain = load_scene(folder.write("a.bbp", text));
    EXPECT_TRUE(plain.patches[0].weights.empty());
    text.replace(text.rfind("1\n"), 1, "2");
    Scene rational = load_scene(folder.write("b.bbp", text));
    ASSERT_EQ(rational.patches[0].weights.size(), 16u);
    EXPECT_EQ(rational.patches[0].weights[15], 2);
    EXPECT_EQ(rational.patches[0].points[15], vec3(3, 3, 0));
}

TEST(PatchFiles, OfPovrayAreRead) {
    TempFolder folder;
    std::string text =
        "// a patch\n#declare P = bicubic_patch { type 1 flatness 0.01 u_steps 3 v_steps 3,\n";
    for (int k = 0; k < 16; ++k)
        text += "<" + std::to_string(k % 4) + ", " + std::to_string(k / 4) + ".5, -" +
                std::to_string(k) + "e-1>" + (k < 15 ? ",\n" : "\n");
    Scene scene = load_scene(folder.write("a.pov", text + " rotate <0, 90, 0> }\n/* end */"));
    EXPECT_EQ(scene.patch_count(), 1u);
    EXPECT_EQ(scene.patches[0].points[5], vec3(1, 1.5f, 0.5f));
    ASSERT_EQ(scene.warnings.size(), 1u);
    EXPECT_NE(scene.warnings[0].find("a.pov:2: transforms"), std::string::npos)
        << scene.warnings[0];

    scene = load_scene(folder.write("b.pov", text + "}\n// do not scale"));
    EXPECT_TRUE(scene.warnings.empty());
    scene =
        load_scene(folder.write("c.pov", text + "}\nobject { P translate <1, 0, 0>\nscale 2 }"));
    EXPECT_EQ(scene.patches[0].points[5], vec3(1, 1.5f, 0.5f));
    ASSERT_EQ(scene.warnings.size(), 1u);
    EXPECT_NE(scene.warnings[0].find("c.pov:20: transforms"), std::string::npos)
        << scene.warnings[0];
}

TEST(PatchFiles, TextureCoordinatesOfPovrayArePassedOver) {
    TempFolder folder;
    std::string text = "bicubic_patch { type 0 uv_vectors <0,0> <1,0>, <1,1> <0,1>\n";
    for (int k = 0; k < 16; ++k)
        text += "<" + std::to_string(k % 4) + "," + std::to_string(k / 4) + ",0>";
    Scene scene = load_scene(folder.write("a.pov", text + "}"));
    EXPECT_EQ(scene.patch_count(), 1u);
    EXPECT_EQ(scene.patches[0].points[0], vec3(0));
    EXPECT_EQ(scene.patches[0].points[5], vec3(1, 1, 0));
}

TEST(PatchFiles, SayWhatIsWrongAndWhere) {
    TempFolder folder;
    auto refused = [&](const char* name, const std::string& text) {
        return refusal([&] { (void)load_scene(folder.write(name, text)); });
    };
    const std::string good = flat_patch("1\n3 3\n");
    EXPECT_NE(refused("a.bpt", "").find("a.bpt:1: the file ends where the count of patches"),
              std::string::npos);
    EXPECT_NE(refused("a.bpt", "0\n").find("a.bpt:1: the count of patches is to be"),
              std::string::npos);
    EXPECT_NE(refused("a.bpt", "1\n4 3\n").find("a.bpt:2: a patch's degree in u"),
              std::string::npos);
    EXPECT_NE(refused("a.bpt", "1\n3 3\n0 0\nx").find("a.bpt:4: 'x' is no number"),
              std::string::npos);
    EXPECT_NE(refused("a.bpt", "1\n3 3\n0 0 1e16").find("a.bpt:3: a control point's coordinate"),
              std::string::npos);
    EXPECT_NE(refused("a.bpt", good + "7").find("a.bpt:19: the file continues"), std::string::npos);
    EXPECT_NE(refused("a.bbp", flat_patch("1\n3 3\n", " 0")).find("a.bbp:3: a weight"),
              std::string::npos);
    EXPECT_NE(refused("a.pov", "sphere { <0,0,0>, 1 }").find("no bicubic_patch"),
              std::string::npos);
    EXPECT_NE(refused("a.pov", "\nbicubic_patch { <1,2,3> }")
                  .find("a.pov:2: a bicubic_patch has 1 control"),
              std::string::npos);
    EXPECT_NE(refused("a.pov", "bicubic_patch { <1,2,x> }").find("a.pov:1: 'x' is no number"),
              std::string::npos);
}

TEST(PatchTables, TakeFilesPointsAndMotion) {
    TempFolder folder;
    folder.write("a.bpt", flat_patch("1\n3 3\n"));
    std::string points =
        "[[0,0,0],[0,1,0],[0,2,0],[0,3,0],[1,0,0],[1,1,0],[1,2,0],[1,3,0],"
        "[2,0,0],[2,1,0],[2,2,0],[2,3,0],[3,0,0],[3,1,0],[3,2,0],[3,3,1]]";
    Scene scene = load_scene(
        folder.write("a.toml",
                     "[[material]]\nname = \"red\"\n[[patches]]\nfile = \"a.bpt\"\nmaterial = "
                     "\"red\"\ntranslate = [1, 0, 0]\n"
                     "animation = { kind = \"wave\" }\n[[patches]]\nscale = [-1, 1, 1]\npoints = " +
                         points + "\n"));
    ASSERT_EQ(scene.patches.size(), 2u);
    EXPECT_EQ(scene.patches[0].points[0], vec3(1, 0, 0));
    EXPECT_EQ(scene.patches[0].material_of_patch[0], 1);
    EXPECT_EQ(scene.patches[0].animation.kind, AnimationKind::wave);
    EXPECT_GT(scene.duration, 0);
    // Mirrored: u and v are swapped, so that the outside stays outside.
    EXPECT_EQ(scene.patches[1].points[1], vec3(-1, 0, 0));
    auto refused = [&](const std::string& text) {
        return refusal([&] { (void)load_scene(folder.write("b.toml", text)); });
    };
    EXPECT_NE(
        refused("[[patches]]\npoints = [[0, 0, 0]]\n").find("b.toml:2: [[patches]] has 1 points"),
        std::string::npos);
    EXPECT_NE(refused("[[mesh]]\nfile = \"a.bpt\"\n").find("name it in [[patches]]"),
              std::string::npos);
    EXPECT_NE(refused("[[patches]]\nfile = \"a.bpt\"\nanimation = { kind = \"explode\" }\n")
                  .find("cannot explode"),
              std::string::npos);
}

}  // namespace
}  // namespace tl::patch_loading_tests

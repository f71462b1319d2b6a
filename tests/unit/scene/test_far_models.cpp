// Models whose coordinates are so large that floats alone would lose their details.
#include <array>
#include <bit>

#include "core/base/text.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/loaders/recentre.h"
#include "renderer/scene/toml/toml_writer.h"
#include "session/session.h"
#include "tests/image/picture.h"
#include "tests/unit/scene/gltf_export_checks.h"
#include "tests/unit/scene/gltf_writer.h"

namespace tl::far_models_tests {
namespace {

using glm::dvec3;
using test::TempFolder;

/// Position on a map, in metres.
const dvec3 kFar(4512300, 482300, 0);

/// A bent strip of quads, 100 m long; its coordinates and their sums with kFar are exact doubles.
std::vector<dvec3> strip_positions() {
    std::vector<dvec3> positions;
    for (int i = 0; i <= 20; ++i)
        for (int k = 0; k < 2; ++k)
            positions.emplace_back(i * 5 - 50, k * 30.125 - 15, (i % 3) * 2.0625 + k * 0.5);
    return positions;
}

std::string obj_text(const dvec3& place) {
    std::string text;
    for (auto& p : strip_positions()) {
        text += "v";
        for (int axis = 0; axis < 3; ++axis) text += " " + std::to_string(p[axis] + place[axis]);
        text += "\n";
    }
    for (int i = 0; i < 40; i += 2)
        text += "f " + std::to_string(i + 1) + " " + std::to_string(i + 3) + " " +
                std::to_string(i + 4) + " " + std::to_string(i + 2) + "\n";
    return text;
}

/// Expects scenes of the same picture, which may differ in their offsets.
void expect_same_geometry(const Scene& a, const Scene& b) {
    ASSERT_EQ(a.meshes.size(), b.meshes.size());
    for (std::size_t i = 0; i < a.meshes.size(); ++i) {
        EXPECT_EQ(a.meshes[i].positions, b.meshes[i].positions);
        EXPECT_EQ(a.meshes[i].normals, b.meshes[i].normals);
        EXPECT_EQ(a.meshes[i].triangles, b.meshes[i].triangles);
    }
    EXPECT_EQ(a.camera, b.camera);
}

TEST(FarModels, AreMovedWhereFloatsWouldLoseDetails) {
    auto offset = [](const dvec3& lo, const dvec3& hi) { return recentring_offset({lo, hi}); };
    EXPECT_EQ(offset({0, 0, 0}, {1, 1, 1}), dvec3(0));
    EXPECT_EQ(offset({10, 10, 10}, {11, 11, 11}), dvec3(0));
    EXPECT_EQ(offset({-1e6, 0, 0}, {1e6, 1, 1}), dvec3(0));
    // The middle, of as many digits as the extent needs; axes without need stay.
    EXPECT_EQ(offset({4512345, 482311, 5}, {4512465, 482391, 9}), dvec3(4512400, 482400, 0));
    EXPECT_EQ(offset({-7001, 0, 0}, {-7000, 0.25, 0.5}), dvec3(-7001, 0, 0));
    EXPECT_EQ(offset({0, 0, 2.52}, {0.07, 0.03, 2.58}), dvec3(0, 0, 2.55));
    EXPECT_EQ(offset({5, 5, 5}, {5, 5, 5}), dvec3(0));
    EXPECT_EQ(recentring_offset({}), dvec3(0));
    // So small that a power of ten is infinite.
    EXPECT_EQ(offset(dvec3(1), dvec3(1) + dvec3(1e-310, 0, 0)), dvec3(0));
    EXPECT_EQ(offset(dvec3(-1e-310), dvec3(0)), dvec3(0));
    EXPECT_EQ(place_text({4500000, -0.25, 0}), "(4500000, -0.25, 0)");
    EXPECT_EQ(place_text(-dvec3(0)), "(0, 0, 0)");
}

TEST(FarModels, WhatStaysFarIsSaid) {
    Scene scene;
    scene.path = "a.glb";
    note_offset(scene, {});
    note_offset(scene, {vec3(-1), vec3(1)});
    EXPECT_TRUE(scene.warnings.empty());
    // A file may state wrong bounds of its meshes.
    scene.offset = kFar;
    note_offset(scene, {vec3(-1e6f), vec3(-1e6f + 1)});
    ASSERT_EQ(scene.warnings.size(), 2u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "a.glb: lies far from the origin and is moved");
    TL_EXPECT_CONTAINS(scene.warnings[1], "so far from the origin that floats lose its details");
}

TEST(FarModels, ObjIsThatAtTheOriginWithAnOffset) {
    TempFolder folder;
    Scene near = load_scene(folder.write("near.obj", obj_text(dvec3(0))));
    EXPECT_EQ(near.offset, dvec3(0));
    EXPECT_TRUE(near.warnings.empty());
    Scene far = load_scene(folder.write("far.obj", obj_text(kFar)));
    EXPECT_EQ(far.offset, kFar);
    expect_same_geometry(far, near);
    ASSERT_EQ(far.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(far.warnings[0],
                       "far.obj: lies far from the origin and is moved by (-4512300, -482300, 0)");
    // Vertices that no face names do not count.
    Scene stray = load_scene(folder.write("stray.obj", obj_text(kFar) + "v 0 0 0\n"));
    EXPECT_EQ(stray.offset, kFar);
}

TEST(FarModels, RenderAsTheyDoAtTheOrigin) {
    TempFolder folder;
    auto render = [&](const dvec3& place) {
        auto scene = load_scene(folder.write("a.obj", obj_text(place)));
        return test::render_radiance(*devices()[0], std::make_shared<Scene>(std::move(scene)),
                                     {32, 24}, 1);
    };
    ImageF near = render(dvec3(0)), far = render(kFar);
    EXPECT_EQ(near.rgb, far.rgb);
    EXPECT_NE(near.rgb[12 * 32 + 16], near.rgb[0]);  // the model is in the picture
}

TEST(FarModels, PlyIsThatAtTheOriginWithAnOffset) {
    TempFolder folder;
    auto load = [&](const dvec3& place) {
        std::string text =
            "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty double x\n"
            "property double y\nproperty double z\nelement face 1\n"
            "property list uchar uchar vertex_indices\nend_header\n";
        for (dvec3 p : {dvec3(-50, 0, 0), dvec3(50, 0, 0.0625), dvec3(0, 80.125, 1)})
            for (int axis = 0; axis < 3; ++axis) {
                auto bytes = std::bit_cast<std::array<char, 8>>(p[axis] + place[axis]);
                text.append(bytes.data(), bytes.size());
            }
        return load_scene(folder.write("a.ply", text + "\3" + std::string("\0\1\2", 3)));
    };
    Scene near = load(dvec3(0)), far = load(kFar);
    EXPECT_EQ(near.offset, dvec3(0));
    EXPECT_EQ(far.offset, kFar);
    expect_same_geometry(far, near);
}

TEST(FarModels, GltfIsThatAtTheOriginWithAnOffset) {
    TempFolder folder;
    auto load = [&](const dvec3& place, const std::string& more) {
        test::GltfWriter writer;
        std::vector<float> numbers;
        for (auto& p : strip_positions())
            for (int axis = 0; axis < 3; ++axis) numbers.push_back(static_cast<float>(p[axis]));
        writer.add("VEC3", numbers);
        writer.add_indices(std::vector<std::uint8_t>{0, 2, 3, 0, 3, 1, 38, 40, 41});
        std::string translation =
            number_text(place.x) + ", " + number_text(place.y) + ", " + number_text(place.z);
        return load_scene(folder.write(
            "a.gltf",
            writer.text(
                R"("scenes": [{"nodes": [0]}], "nodes": [{"children": [1], "translation": [)" +
                translation + R"(]}, {"mesh": 0}], "meshes": [{"primitives": [{"attributes": )" +
                R"({"POSITION": 0}, "indices": 1}]}])" + more)));
    };
    Scene near = load(dvec3(0), ""), far = load(kFar, "");
    EXPECT_EQ(near.offset, dvec3(0));
    EXPECT_EQ(far.offset, kFar);
    expect_same_geometry(far, near);
}

TEST(FarModels, ExportGivesTheirCoordinatesBack) {
    TempFolder folder;
    Scene far = load_scene(folder.write("far.obj", obj_text(kFar)));
    export_gltf(far, folder.path("far.glb"));
    auto json = test::json_of(folder.path("far.glb"));
    auto& roots = json["scenes"][0]["nodes"];
    ASSERT_EQ(roots.size(), 1u);
    auto& root = json["nodes"][roots[0].get<std::size_t>()];
    EXPECT_EQ(root["translation"], nlohmann::json({4512300.0, 482300.0, 0.0}));
    EXPECT_EQ(root["children"].size(), json["nodes"].size() - 1);
    Scene again = load_scene(folder.path("far.glb"));
    EXPECT_EQ(again.offset, kFar);
    ASSERT_EQ(again.meshes.size(), 1u);
    EXPECT_EQ(again.meshes[0].positions, far.meshes[0].positions);
    EXPECT_EQ(again.camera.eye, far.camera.eye);
}

TEST(FarModels, ASceneFilePlacesThemExactly) {
    TempFolder folder;
    folder.write("near.obj", obj_text(dvec3(0)));
    folder.write("far.obj", obj_text(kFar));
    auto load = [&](const std::string& keys) {
        return load_scene(folder.write("a.toml", "[[mesh]]\n" + keys));
    };
    Scene near = load("file = \"near.obj\"\n");
    Scene far = load("file = \"far.obj\"\ntranslate = [-4512300, -482300, 0]\n");
    expect_same_geometry(far, near);
    EXPECT_EQ(far.offset, dvec3(0));
    EXPECT_TRUE(far.warnings.empty());
    // Turned about the origin, it comes to lie elsewhere.
    Scene turned =
        load("file = \"far.obj\"\nrotate = [0, 0, 180]\ntranslate = [4512300, 482300, 0]\n");
    EXPECT_NEAR(turned.meshes[0].positions[0].x, 50, 1);  // by the rounding of the angle in floats
    Scene there = load("file = \"far.obj\"\n");
    expect_same_geometry(there, near);
    EXPECT_EQ(there.offset, kFar);
    ASSERT_EQ(there.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(there.warnings[0],
                       "a.toml: lies far from the origin and is moved by (-4512300, -482300, 0)");
}

/// Scene file of all kinds of objects with a position, moved by the argument.
std::string toml_at(const dvec3& place) {
    auto at = [&](double x, double y, double z) {
        return "[" + number_text(x + place.x) + ", " + number_text(y + place.y) + ", " +
               number_text(z + place.z) + "]";
    };
    std::string corners;
    for (dvec3 p : {dvec3(-40, -40, 0), dvec3(40, -40, 0.25), dvec3(0, 40, 0.5)})
        corners += at(p.x, p.y, p.z) + ", ";
    std::string points;
    for (int i = 0; i < 16; ++i) points += at(i / 4, i % 4, (i * i % 5) * 0.25) + ", ";
    return "[camera]\neye = " + at(0, -90, 30.5) + "\ntarget = " + at(0, 0.25, 0) +
           "\nup = [0, 0, 1]\n[[light]]\nkind = \"point\"\nintensity = 100\nposition = " +
           at(1, 2, 30) +
           "\n[[light]]\nkind = \"rectangle\"\nradiance = 1\nposition = " + at(-1, -1, 40) +
           "\nedge-u = [0, 2, 0]\nedge-v = [2, 0, 0]\n[[sphere]]\nradius = 2\ncenter = " +
           at(3, 4.125, 5) + "\n[[mesh]]\nname = \"corners\"\npositions = [" + corners +
           "]\ntriangles = [[0, 1, 2]]\nanimation = { kind = \"explode\", center = " +
           at(0, 0, -1) +
           " }\n[[mesh]]\nfile = \"near.obj\"\nrotate = [0, 0, 90]\ntranslate = " + at(0, 0, 0.5) +
           "\nanimation = { kind = \"rigid\", keys = [{ time = 0 }, { time = 1, rotate = [0, 0, "
           "30], "
           "translate = [0, 0, 1] }], center = " +
           at(10, 0, 0) + " }\n[[patches]]\npoints = [" + points +
           "]\n[[generate]]\nkind = \"blob\"\ntriangles = 20\ntranslate = " + at(20, 20, 1) +
           "\n[[generate]]\nkind = \"blob\"\ntriangles = 20\nname = \"copied\"\ninstanced = true\n"
           "translate = [0, 0, 3]\n[[instances]]\nmesh = \"copied\"\ntranslate = " +
           at(-20, 20, 1) + "\n[[instances]]\nmesh = \"copied\"\nmatrix = [[2, 0, 0, " +
           number_text(-20 + place.x) + "], [0, 1, 0, " + number_text(-20 + place.y) +
           "], [0, 0, 1, 2]]\n[[override]]\nlight = 0\nposition = " + at(5, 6, 31) +
           "\n[[override]]\nmesh = \"corners\"\nrotate = [0, 0, 10]\ntranslate = [0, 0, 1]\n"
           "[[bookmark]]\nnumber = 2\neye = " +
           at(10, -50, 9) + "\ntarget = " + at(0, 0, 1) + "\n";
}

void expect_same_places(const Scene& a, const Scene& b) {
    expect_same_geometry(a, b);
    EXPECT_EQ(a.lights.size(), b.lights.size());
    for (std::size_t i = 0; i < a.lights.size(); ++i)
        EXPECT_EQ(a.lights[i].position, b.lights[i].position);
    EXPECT_EQ(a.spheres.at(0).center, b.spheres.at(0).center);
    EXPECT_EQ(a.patches.at(0).points, b.patches.at(0).points);
    ASSERT_EQ(a.instances.size(), b.instances.size());
    for (std::size_t i = 0; i < a.instances.size(); ++i)
        EXPECT_EQ(a.instances[i].transform, b.instances[i].transform);
    EXPECT_EQ(a.meshes[0].animation.center, b.meshes[0].animation.center);
    auto &rigid = a.meshes[1].animation.rigid, &other = b.meshes[1].animation.rigid;
    EXPECT_EQ(rigid.rest, other.rest);
    EXPECT_EQ(rigid.joints.at(0).placement, other.joints.at(0).placement);
}

TEST(FarModels, ASceneFileIsThatAtTheOriginWithAnOffset) {
    TempFolder folder;
    folder.write("near.obj", obj_text(dvec3(0)));
    auto near = load_document(folder.write("near.toml", toml_at(dvec3(0))));
    EXPECT_EQ(near.scene()->offset, dvec3(0));
    auto far = load_document(folder.write("far.toml", toml_at(kFar)));
    EXPECT_EQ(far.scene()->offset, kFar);
    expect_same_places(*far.scene(), *near.scene());
    EXPECT_EQ(far.bookmarks, near.bookmarks);
    ASSERT_EQ(far.scene()->warnings.size(), 1u);
    TL_EXPECT_CONTAINS(far.scene()->warnings[0],
                       "far.toml: lies far from the origin and is moved by (-4512300, -482300, 0)");
}

TEST(FarModels, WhatIsSavedHasTheCoordinatesOfTheFile) {
    TempFolder folder;
    folder.write("near.obj", obj_text(dvec3(0)));
    auto far = load_document(folder.write("far.toml", toml_at(kFar)));
    auto edits = far.edited.edits();
    edits.lights[0] = far.scene()->lights[0];
    edits.lights[0].position = {0.1f, 7, 20};
    (void)far.edited.apply(edits);
    Camera camera = far.scene()->camera;
    camera.eye.x = 1.5f;
    std::string text = scene_file_text(far, camera, {}, folder.path("saved.toml"));
    TL_EXPECT_CONTAINS(text, "eye = [4512301.5, 482210, 30.5]");
    TL_EXPECT_CONTAINS(text, "eye = [4512310, 482250, 9]");  // of the bookmark
    auto again = load_document(folder.write("saved.toml", text));
    expect_same_places(*again.scene(), [&] {
        Scene expected = *far.scene();
        expected.camera = camera;
        return expected;
    }());
    EXPECT_EQ(again.bookmarks, far.bookmarks);
}

}  // namespace
}  // namespace tl::far_models_tests

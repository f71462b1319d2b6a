// Access check of the files that a scene may name: those in its folder, the program's own, and
// fetched models.
#include <gtest/gtest.h>

#include "renderer/images/image_io.h"
#include "renderer/scene/loaders/assimp_import.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/loaders/scene_paths.h"
#include "tests/source_path.h"
#include "tests/unit/scene/gltf_writer.h"
#include "tests/unit/temp_folder.h"

namespace tl::scene_access_tests {
namespace {

namespace fs = std::filesystem;
using test::refusal;
using test::TempFolder;

constexpr const char* kObj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// A folder `scene` beside a folder `other` that holds a model, a texture, a map and a buffer.
class SceneAccessTest : public testing::Test {
  protected:
    SceneAccessTest() {
        (void)folder_.write("other/a.obj", kObj);
        (void)folder_.write("scene/in/a.obj", kObj);
        write_png(folder_.path("other/t.png"), {{1, 1}, {255, 255, 255, 255}});
        (void)folder_.write("other/m.mtl", "newmtl m\nKd 1 0 0\n");
        (void)buffer_.add("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
        (void)folder_.write("other/b.bin", buffer_.data());
    }

    [[nodiscard]] std::string outside(const std::string& name) const {
        return folder_.path("other/" + name);
    }
    /// Error message for a scene file.
    std::string said_of(const std::string& text, bool allow_outside = false) {
        auto path = folder_.write("scene/s.toml", text);
        return refusal([&] { (void)load_scene(path, "", allow_outside); });
    }
    Scene load(const std::string& name, const std::string& text, bool allow_outside = false) {
        return load_scene(folder_.write("scene/" + name, text), "", allow_outside);
    }
    [[nodiscard]] std::string gltf(const std::string& uri, const std::string& more = "") const {
        return buffer_.text_beside(
            "\"nodes\": [{\"mesh\": 0}], \"meshes\": [{\"primitives\": [{\"attributes\": "
            "{\"POSITION\": 0}, \"material\": 0}]}], \"materials\": [{" +
                more + "}]",
            uri);
    }

    TempFolder folder_;
    test::GltfWriter buffer_;
};

std::string mesh(const std::string& file) {
    return "[[mesh]]\nfile = \"" + file + "\"\n";
}

TEST_F(SceneAccessTest, ModelsOfASceneFileLieInItsFolder) {
    EXPECT_EQ(said_of(mesh("in/a.obj")), "");
    EXPECT_EQ(said_of(mesh("in/../in/a.obj")), "");
    for (const std::string& name : {std::string("../other/a.obj"), outside("a.obj")}) {
        TL_EXPECT_CONTAINS(said_of("\n" + mesh(name)),
                           "s.toml:3: '" + name +
                               "' lies outside of the scene's folder: --allow-outside permits it");
        EXPECT_EQ(said_of(mesh(name), true), "");
    }
    TL_EXPECT_CONTAINS(said_of(mesh("/etc/passwd")), "s.toml:2: '/etc/passwd' lies outside");
    TL_EXPECT_CONTAINS(said_of(mesh("../other/none.obj")), "no file");
}

TEST_F(SceneAccessTest, TexturesAndMapsOfASceneFileDoToo) {
    for (const char* key : {"texture", "normal-texture", "emission-texture"})
        TL_EXPECT_CONTAINS(
            said_of(std::string("[[material]]\nname = \"m\"\n") + key + " = \"../other/t.png\"\n"),
            "s.toml:3: '../other/t.png' lies outside");
    TL_EXPECT_CONTAINS(said_of("environment = \"../other/t.png\"\n"),
                       "s.toml:1: '../other/t.png' lies outside");
    TL_EXPECT_CONTAINS(said_of("[[patches]]\nfile = \"../other/a.obj\"\n"), "lies outside");
}

TEST_F(SceneAccessTest, SymbolicLinksAreFollowed) {
    fs::create_symlink(outside("a.obj"), folder_.path("scene/link.obj"));
    fs::create_directory_symlink(folder_.path("other"), folder_.path("scene/links"));
    fs::create_directory_symlink(folder_.path("scene"), folder_.path("alias"));
    TL_EXPECT_CONTAINS(said_of(mesh("link.obj")), "lies outside");
    TL_EXPECT_CONTAINS(said_of(mesh("links/a.obj")), "lies outside");
    (void)folder_.write("scene/s.toml", mesh("in/a.obj"));
    EXPECT_EQ(load_scene(folder_.path("alias/s.toml")).triangle_count(), 1u);
    // A link to a scene belongs to the folder in which it lies.
    fs::create_symlink(folder_.path("scene/s.toml"), folder_.path("other/s.toml"));
    TL_EXPECT_CONTAINS(refusal([&] { (void)load_scene(outside("s.toml")); }), "no file");
}

TEST_F(SceneAccessTest, BuffersAndImagesOfGltfLieInItsFolder) {
    for (const char* uri : {"../other/b.bin", "%2e%2e/other/b.bin"}) {
        auto path = folder_.write("scene/a.gltf", gltf(uri));
        TL_EXPECT_CONTAINS(refusal([&] { (void)load_scene(path); }),
                           "a.gltf: buffer '../other/b.bin' lies outside of the scene's folder");
        EXPECT_EQ(load_scene(path, "", true).triangle_count(), 1u);
    }
    (void)folder_.write("scene/b.bin", buffer_.data());
    std::string textured =
        gltf("b.bin", "\"pbrMetallicRoughness\": {\"baseColorTexture\": {\"index\": 0}}");
    textured.insert(1,
                    "\"textures\": [{\"source\": 0}], \"images\": [{\"uri\": "
                    "\"../other/t.png\"}], ");
    Scene scene = load("a.gltf", textured);
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "texture '../other/t.png' lies outside");
    EXPECT_TRUE(scene.textures.empty());
    EXPECT_EQ(load("a.gltf", textured, true).textures.size(), 1u);
    // A path of another machine refers to the file of that name in the folder.
    EXPECT_EQ(load("a.gltf", gltf("/home/somebody/b.bin")).triangle_count(), 1u);
    EXPECT_EQ(load("a.gltf", gltf("C:\\\\work\\\\b.bin")).triangle_count(), 1u);
    (void)folder_.write("scene/t.png", "");
    fs::copy_file(outside("t.png"), folder_.path("scene/t.png"),
                  fs::copy_options::overwrite_existing);
    EXPECT_EQ(load("a.gltf", textured).textures.size(), 1u);
}

TEST_F(SceneAccessTest, LibrariesAndTexturesOfObjAreLeftOutWithAWarning) {
    std::string obj = std::string("mtllib ../other/m.mtl\nusemtl m\n") + kObj;
    Scene scene = load("a.obj", obj);
    ASSERT_FALSE(scene.warnings.empty());
    TL_EXPECT_CONTAINS(scene.warnings[0], "material library '../other/m.mtl' lies outside");
    EXPECT_EQ(load("a.obj", obj, true).materials.at(1).diffuse, vec3(1, 0, 0));
    (void)folder_.write("scene/m.mtl", "newmtl m\nmap_Kd " + outside("t.png") + "\n");
    Scene textured = load("b.obj", std::string("mtllib m.mtl\nusemtl m\n") + kObj);
    ASSERT_EQ(textured.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(textured.warnings[0], "m.mtl: texture '" + outside("t.png") +
                                                 "' lies outside of the scene's folder");
}

TEST_F(SceneAccessTest, AFolderIsReadOnceForAllNamesThatAreLookedFor) {
    SceneAccess access(folder_.path("scene/s.toml"), false);
    (void)folder_.write("scene/Wood.PNG", "");
    (void)folder_.write("scene/WOOD.png", "");
    auto& names = access.names_in(folder_.path("scene"));
    ASSERT_TRUE(names.contains("wood.png"));
    EXPECT_EQ(names.at("wood.png"), "WOOD.png");  // the first one in byte order
    (void)folder_.write("scene/late.png", "");
    EXPECT_EQ(&access.names_in(folder_.path("scene/.")), &names);
    EXPECT_FALSE(names.contains("late.png"));
    // The next scene sees it.
    SceneAccess next(folder_.path("scene/s.toml"), false);
    EXPECT_TRUE(next.names_in(folder_.path("scene")).contains("late.png"));
    EXPECT_TRUE(next.names_in(folder_.path("scene/none")).empty());
}

TEST_F(SceneAccessTest, ObjectsOfOtherFormatsLieInItsFolder) {
    if (!has_assimp()) GTEST_SKIP() << "built without libassimp-dev";
    auto scene = [](const std::string& object) { return "LWSC\n3\n\nLoadObject " + object + "\n"; };
    EXPECT_EQ(load("a.lws", scene("in/a.obj")).triangle_count(), 1u);
    TL_EXPECT_CONTAINS(refusal([&] { (void)load("a.lws", scene("../other/a.obj")); }),
                       "other/a.obj' lies outside of the scene's folder");
    EXPECT_EQ(load("a.lws", scene("../other/a.obj"), true).triangle_count(), 1u);
}

TEST_F(SceneAccessTest, OwnFilesAndFetchedModelsMayBeNamed) {
    test::Environment models("TREELIGHT_MODELS", folder_.path("other"));
    EXPECT_EQ(said_of(mesh("model:a.obj")), "");
    EXPECT_EQ(said_of(mesh("../other/a.obj")), "");
    TL_EXPECT_CONTAINS(said_of(mesh("model:../scene/../../no-such-model")), "is not in");
    (void)folder_.write("third/a.obj", kObj);
    TL_EXPECT_CONTAINS(said_of(mesh("model:../third/a.obj")), "lies outside");
    EXPECT_EQ(load_scene("model:a.obj").triangle_count(), 1u);
    EXPECT_EQ(
        said_of(std::string("[[patches]]\nfile = \"") + source_path("assets/teapot.bpt") + "\"\n"),
        "");
}

TEST_F(SceneAccessTest, ACopiedSceneFindsWhatComesWithTheProgram) {
    fs::copy_file(source_path("scenes/teapot.toml"), folder_.path("scene/teapot.toml"));
    EXPECT_EQ(load_scene(folder_.path("scene/teapot.toml")).patch_count(),
              load_scene("scene:teapot.toml").patch_count());
    EXPECT_EQ(load_scene("asset:teapot.bpt").patch_count(), 32u);
    TL_EXPECT_CONTAINS(said_of(mesh("asset:none.obj")),
                       "s.toml:2: the asset 'asset:none.obj' is not in " + source_path("assets") +
                           "; `treelight info` names");
    TL_EXPECT_CONTAINS(said_of(mesh("asset:../CMakeLists.txt")), "lies outside");
    TL_EXPECT_CONTAINS(refusal([] { (void)load_scene("scene:none.toml"); }), "'scene:none.toml'");
}

TEST_F(SceneAccessTest, IsThatOfOneScene) {
    fs::path file = outside("a.obj");
    SceneAccess all(folder_.path("scene/s.toml"), true);
    EXPECT_TRUE(may_read(file, {{}, &all}));
    SceneAccess own(folder_.path("scene/s.toml"), false);
    EXPECT_FALSE(may_read(file, {{}, &own}));
    EXPECT_TRUE(may_read(folder_.path("scene/in/a.obj"), {{}, &own}));
    EXPECT_FALSE(may_read(folder_.path("scene-of-another/a.obj"), {{}, &own}));
    // Without one, the program's own files may be read.
    EXPECT_FALSE(may_read(file, {}));
    EXPECT_TRUE(may_read(source_path("assets/teapot.bpt"), {}));
}

}  // namespace
}  // namespace tl::scene_access_tests

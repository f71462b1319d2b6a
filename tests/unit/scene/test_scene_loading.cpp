#include <algorithm>
#include <cmath>

#include "renderer/images/image_io.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/source_path.h"
#include "tests/unit/temp_folder.h"

namespace tl::scene_loading_tests {
namespace {

using test::Environment;
using test::refusal;
using test::TempFolder;

Scene load(const TempFolder& folder, std::string_view text) {
    return load_scene(folder.write("a.toml", text));
}

std::string refused(const TempFolder& folder, const std::string& text) {
    return refusal([&] { (void)load(folder, text); });
}

constexpr const char* kTriangleMesh =
    "[[mesh]]\npositions = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]\ntriangles = [[0, 1, 2]]\n";

TEST(SceneFile, ReadsEveryTable) {
    TempFolder folder;
    write_png(folder.path("wood.png"), {{1, 1}, {1, 2, 3, 255}});
    write_image(folder.path("sky.hdr"), {{2, 1}, {vec3(1), vec3(0.5f)}});
    Scene scene = load(folder, R"(
version = 1
name = "All of it"
background = [0.1, 0.2, 0.3]
[camera]
eye = [1, 2, 3]
target = [0, 0, 0.5]
up = [0, 0, 1]
fov = 30
lens-radius = 0.05
focus-distance = 2.5
[environment]
file = "sky.hdr"
rotation = 90
scale = 0.5
[render]
renderer = "whitted"
builder = "lbvh"
[whitted]
max-depth = 7
ambient = 0.25
shadows = true
[[light]]
kind = "point"
position = [0, 4, 0]
intensity = [10, 20, 30]
[[light]]
kind = "directional"
direction = [0, -2, 0]
irradiance = 3
[[light]]
kind = "rectangle"
position = [0, 5, 0]
edge-u = [1, 0, 0]
edge-v = [0, 0, 2]
radiance = 4.5
[[light]]
kind = "spot"
position = [0, 6, 0]
direction = [0, 0, 3]
inner-angle = 10
outer-angle = 25
intensity = 50
[[light]]
kind = "sphere"
position = [0, 7, 0]
radius = 0.25
radiance = 6
[[material]]
name = "wood"
kind = "phong"
diffuse = [0.5, 0.25, 0.125]
specular = 0.1
exponent = 12
emission = [2, 0, 0]
texture = "wood.png"
[[material]]
name = "water"
kind = "dielectric"
ior = 1.33
transmission = [0.9, 0.95, 1]
[[material]]
name = "silver"
kind = "mirror"
[[sphere]]
center = [0, 1, 0]
radius = 0.5
material = "water"
[[mesh]]
name = "sail"
positions = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
quads = [[0, 1, 2, 3]]
triangles = [[0, 1, 2]]
uvs = [[0, 0], [1, 0], [1, 1], [0, 1]]
normals = [[0, 0, 2], [0, 0, 2], [0, 0, 2], [0, 0, 2]]
material = "wood"
)");
    EXPECT_TRUE(scene.warnings.empty()) << scene.warnings[0];
    EXPECT_EQ(scene.name, "All of it");
    EXPECT_EQ(scene.path, folder.path("a.toml"));
    EXPECT_EQ(scene.background, vec3(0.1f, 0.2f, 0.3f));
    EXPECT_EQ(scene.camera.eye, vec3(1, 2, 3));
    EXPECT_EQ(scene.camera.target, vec3(0, 0, 0.5f));
    EXPECT_EQ(scene.camera.up, vec3(0, 0, 1));
    EXPECT_EQ(scene.camera.vertical_fov, 30);
    EXPECT_EQ(scene.camera.lens_radius, 0.05f);
    EXPECT_EQ(scene.camera.focus_distance, 2.5f);
    EXPECT_EQ(scene.environment.extent, (Extent{2, 1}));
    EXPECT_EQ(scene.environment.texels[1], vec3(0.5f));
    EXPECT_EQ(scene.environment.rotation, 90);
    EXPECT_EQ(scene.environment.scale, vec3(0.5f));
    EXPECT_EQ(scene.settings["render"]["renderer"], "whitted");
    EXPECT_EQ(scene.settings["render"]["builder"], "lbvh");
    EXPECT_EQ(scene.settings["whitted"]["max-depth"], "7");
    EXPECT_EQ(scene.settings["whitted"]["ambient"], "0.25");
    EXPECT_EQ(scene.settings["whitted"]["shadows"], "true");
    EXPECT_EQ(scene.settings.size(), 2u);

    ASSERT_EQ(scene.lights.size(), 5u);
    EXPECT_EQ(scene.lights[0].kind, LightKind::point);
    EXPECT_EQ(scene.lights[0].radiance, vec3(10, 20, 30));
    EXPECT_EQ(scene.lights[1].direction, vec3(0, -1, 0));
    EXPECT_EQ(scene.lights[1].radiance, vec3(3));
    EXPECT_EQ(scene.lights[2].edge_v, vec3(0, 0, 2));
    EXPECT_EQ(scene.lights[2].radiance, vec3(4.5f));
    EXPECT_EQ(scene.lights[3].kind, LightKind::spot);
    EXPECT_EQ(scene.lights[3].direction, vec3(0, 0, 1));
    EXPECT_EQ(scene.lights[3].inner_angle, 10);
    EXPECT_EQ(scene.lights[3].outer_angle, 25);
    EXPECT_EQ(scene.lights[4].kind, LightKind::sphere);
    EXPECT_EQ(scene.lights[4].radius, 0.25f);
    EXPECT_EQ(scene.lights[4].radiance, vec3(6));

    ASSERT_EQ(scene.materials.size(), 4u);
    EXPECT_EQ(scene.materials[0].name, "default");
    const Material& wood = scene.materials[1];
    EXPECT_EQ(wood.kind, MaterialKind::phong);
    EXPECT_EQ(wood.diffuse, vec3(0.5f, 0.25f, 0.125f));
    EXPECT_EQ(wood.specular, vec3(0.1f));
    EXPECT_EQ(wood.exponent, 12);
    EXPECT_EQ(wood.emission, vec3(2, 0, 0));
    EXPECT_EQ(wood.diffuse_texture, 0);
    EXPECT_EQ(scene.textures[0].rgba, (std::vector<std::uint8_t>{1, 2, 3, 255}));
    EXPECT_FLOAT_EQ(scene.materials[2].ior, 1.33f);
    EXPECT_EQ(scene.materials[2].specular, vec3(1));
    EXPECT_EQ(scene.materials[2].transmission, vec3(0.9f, 0.95f, 1));
    EXPECT_EQ(scene.materials[3].specular, vec3(1));

    ASSERT_EQ(scene.spheres.size(), 1u);
    EXPECT_EQ(scene.spheres[0].material, 2);
    auto& mesh = scene.meshes.at(0);
    EXPECT_EQ(mesh.name, "sail");
    EXPECT_EQ(mesh.triangles, (std::vector<glm::uvec3>{{0, 1, 2}, {0, 1, 2}, {0, 2, 3}}));
    EXPECT_EQ(mesh.material_of_triangle, (std::vector<std::int32_t>{1, 1, 1}));
    EXPECT_EQ(mesh.normals, std::vector<vec3>(4, vec3(0, 0, 1)));
    EXPECT_EQ(mesh.uvs[2], vec2(1, 1));
}

TEST(SceneFile, WithoutGeometryIsAnEmptyScene) {
    TempFolder folder;
    for (auto* text : {"# nothing\n", "\xEF\xBB\xBFversion = 1\r\nname = \"x\"\r\n"}) {
        Scene scene = load(folder, text);
        EXPECT_EQ(scene.triangle_count(), 0u);
        ASSERT_EQ(scene.warnings.size(), 1u);
        TL_EXPECT_CONTAINS(scene.warnings[0], "nothing to show");
        EXPECT_TRUE(bounds_of(scene).empty());
        ASSERT_EQ(scene.materials.size(), 1u);
        EXPECT_TRUE(std::isfinite(glm::length(scene.camera.eye)));
        EXPECT_NE(scene.camera.eye, scene.camera.target);
    }
}

TEST(SceneFile, LightsWhatHasNoLightUnlessToldNotTo) {
    TempFolder folder;
    EXPECT_EQ(load(folder, kTriangleMesh).lights.size(), 2u);
    write_image(folder.path("sky.exr"), {{2, 1}, {vec3(1, -2, 3), vec3(0.5f)}});
    Scene sky = load(folder, std::string("environment = \"sky.exr\"\n") + kTriangleMesh);
    EXPECT_TRUE(sky.lights.empty());
    EXPECT_EQ(sky.environment.texels[0], vec3(1, 0, 3));
    ASSERT_EQ(sky.warnings.size(), 1u);
    EXPECT_NE(sky.warnings[0].find("1 values are negative"), std::string::npos);
    EXPECT_TRUE(
        load(folder, std::string("default-lights = false\n") + kTriangleMesh).lights.empty());
    std::string lamp = "[[light]]\nkind = \"point\"\nposition = [0, 0, 5]\nintensity = 1\n";
    EXPECT_EQ(load(folder, kTriangleMesh + lamp).lights.size(), 1u);
}

TEST(SceneFile, CameraWithoutEyeIsFramedWithItsLens) {
    TempFolder folder;
    Scene wide = load(folder, std::string(kTriangleMesh) + "[camera]\nfov = 60\n");
    Scene narrow = load(folder, std::string(kTriangleMesh) + "[camera]\nfov = 20\n");
    EXPECT_EQ(wide.camera.target, vec3(0.5f, 0.5f, 0));
    EXPECT_LT(glm::length(wide.camera.eye), glm::length(narrow.camera.eye));
}

TEST(SceneFile, UnknownKeysAreOneWarningEachWithTheirLine) {
    TempFolder folder;
    Scene scene = load(folder,
                       "version = 1\nnmae = \"x\"\n[camera]\nfov = 50\nfow = 50\n[[sphere]]\n"
                       "radius = 1\ncentre = [0, 0, 0]\n[whited]\nmax-depth = 3\n");
    ASSERT_EQ(scene.warnings.size(), 4u);
    std::vector<std::string> warnings = scene.warnings.lines();
    std::sort(warnings.begin(), warnings.end());
    TL_EXPECT_CONTAINS(warnings[0], "a.toml:2: unknown key 'nmae' in the scene file");
    TL_EXPECT_CONTAINS(warnings[1], "a.toml:5: unknown key 'fow' in [camera]");
    TL_EXPECT_CONTAINS(warnings[1], "known: eye, target, up, fov");
    TL_EXPECT_CONTAINS(warnings[2], "a.toml:8: unknown key 'centre' in [[sphere]]");
    TL_EXPECT_CONTAINS(warnings[3], "a.toml:9: unknown key 'whited' in the scene file");
}

TEST(SceneFile, ARendererMayBeRequired) {
    TempFolder folder;
    auto scene = load(folder, "[[sphere]]\n[render]\nrenderer = \"path\"\nrequired = true\n");
    EXPECT_EQ(scene.settings["render"]["required"], "true");
    TL_EXPECT_CONTAINS(refused(folder, "[[sphere]]\n[render]\nrequired = true\n"),
                       "a.toml:3: [render] required needs 'renderer'");
    TL_EXPECT_CONTAINS(
        refused(folder, "[[sphere]]\n[render]\nrenderer = \"path\"\nrequired = \"yes\"\n"),
        "a.toml:4: [render] required is true or false");
}

TEST(SceneFile, MistakesNameFileAndLine) {
    TempFolder folder;
    const std::pair<std::string, std::vector<const char*>> cases[] = {
        {"name = \n", {"a.toml:1: "}},
        {"\n\n[camera\n", {"a.toml:3: "}},
        {"a = 1\na = 2\n", {"a.toml:2: "}},
        {"version = 2\n", {"a.toml:1: ", "version 1"}},
        {"name = 5\n", {"a.toml:1: ", "name is an integer; it wants a string"}},
        {"background = [1, 2]\n", {"a.toml:1: ", "an array of 2; it wants 3 numbers"}},
        {"background = [1, 2, \"x\"]\n", {"a.toml:1: ", "a string; it wants a number"}},
        {"background = [0, nan, 0]\n", {"a.toml:1: ", "is not finite"}},
        {"background = inf\n", {"a.toml:1: ", "is not finite"}},
        {"background = -1\n", {"a.toml:1: ", "is -1; it wants 0 to"}},
        {"[camera]\nfov = 180\n", {"a.toml:2: ", "[camera] fov is 180; it wants 1 to 179"}},
        {"[camera]\neye = [0, 0, 1]\n", {"a.toml:1: ", "needs 'target'"}},
        {"[camera]\neye = [1, 1, 1]\ntarget = [1, 1, 1]\n", {"a.toml:2: ", "the same point"}},
        {"[camera]\neye = [0, 5, 0]\ntarget = [0, 0, 0]\n", {"a.toml:1: ", "along 'up'"}},
        {"[[camera]]\nfov = 30\n", {"a.toml:1: ", "write [camera]"}},
        {"[sphere]\nradius = 1\n", {"a.toml:1: ", "write [[sphere]]"}},
        {"[[sphere]]\nradius = 0\n", {"a.toml:2: ", "[[sphere]] radius is 0"}},
        {"[[sphere]]\nmaterial = \"gold\"\n", {"a.toml:2: ", "no material 'gold'; known: default"}},
        {"[[material]]\nkind = \"mirror\"\n", {"a.toml:1: ", "needs 'name'"}},
        {"[[material]]\nname = \"a\"\nkind = \"wax\"\n", {"a.toml:3: ", "known: diffuse, phong"}},
        {"[[material]]\nname = \"a\"\ndiffuse = 1.5\n", {"a.toml:3: ", "1.5; it wants 0 to 1"}},
        {"[[material]]\nname = \"a\"\n[[material]]\nname = \"a\"\n", {"a.toml:4: ", "a second"}},
        {"[[material]]\nname = \"a\"\ntexture = \"no.png\"\n", {"a.toml:3: ", "no.png"}},
        {"[[material]]\nname = \"a\"\nnormal-texture = \"no.png\"\n", {"a.toml:3: ", "no.png"}},
        {"[[material]]\nname = \"a\"\nalpha-cutoff = 2\n", {"a.toml:3: ", "it wants 0 to 1"}},
        {"[[material]]\nname = \"a\"\nwrap = \"roll\"\n",
         {"a.toml:3: ", "known: repeat, clamp, mirror"}},
        {"environment = \"none.hdr\"\n", {"a.toml:1: ", "none.hdr"}},
        {"[environment]\nscale = 2\n", {"a.toml:1: ", "file"}},
        {"[environment]\nfile = \"none.exr\"\n", {"a.toml:2: ", "none.exr"}},
        {"[camera]\nlens-radius = -1\n", {"a.toml:2: ", "lens-radius"}},
        {"[[light]]\nkind = \"moon\"\n",
         {"a.toml:2: ", "known: point, spot, directional, rectangle, sphere"}},
        {"[[light]]\nkind = \"point\"\nposition = [0, 0, 0]\n",
         {"a.toml:1: ", "needs 'intensity'"}},
        {"[[light]]\nkind = \"directional\"\ndirection = [0, 0, 0]\nirradiance = 1\n",
         {"a.toml:3: ", "no length"}},
        {"[[light]]\nkind = \"spot\"\nposition = [0, 0, 0]\ndirection = [0, 0, 1]\n"
         "intensity = 1\nouter-angle = 20\ninner-angle = 30\n",
         {"a.toml:7: ", "'inner-angle' is larger than 'outer-angle'"}},
        {"[[light]]\nkind = \"sphere\"\nposition = [0, 0, 0]\nradiance = 1\nradius = -1\n",
         {"a.toml:5: ", "radius"}},
        {"[[light]]\nkind = \"rectangle\"\nposition = [0, 0, 0]\nedge-u = [1, 0, 0]\n"
         "edge-v = [2, 0, 0]\nradiance = 1\n",
         {"a.toml:4: ", "span no rectangle"}},
        {"[whitted]\nmax-depth = [1]\n", {"a.toml:2: ", "[whitted] max-depth"}},
        {"[whitted]\nambient = nan\n", {"a.toml:2: ", "[whitted] ambient"}},
        {"[[mesh]]\nname = \"empty\"\n", {"a.toml:1: ", "has no triangles"}},
        {"[[mesh]]\nfile = \"no.obj\"\n", {"a.toml:2: ", "no.obj", "relative paths start at"}},
        {"[[mesh]]\nfile = \"a.toml\"\n", {"a.toml:2: ", "known: .obj"}},
        {"[[mesh]]\npositions = [[0, 0, 0]]\ntriangles = [\n[0, 0, 1]]\n",
         {"a.toml:4: ", "index 1; there are 1 positions"}},
        {"[[mesh]]\npositions = [[0, 0, 0]]\ntriangles = [[0, 0, -1]]\n",
         {"a.toml:3: ", "index -1"}},
        {"[[mesh]]\npositions = [[0, 0, 0]]\ntriangles = [[0, 0, 0.5]]\n",
         {"a.toml:3: ", "indices"}},
        {"[[mesh]]\npositions = [[0, 0, 0]]\ntriangles = [[0, 0]]\n",
         {"a.toml:3: ", "arrays of 3"}},
        {"[[mesh]]\npositions = [[0, 0, 1e30]]\ntriangles = [[0, 0, 0]]\n",
         {"a.toml:2: ", "1e+30"}},
        {std::string(kTriangleMesh) + "uvs = [[0, 0]]\n", {"a.toml:4: ", "1 uvs for 3 positions"}},
        {std::string(kTriangleMesh) + "scale = [1, 0, 1]\n", {"a.toml:4: ", "scale of 0"}},
        {"[[generate]]\ntriangles = 5\n", {"a.toml:1: ", "needs 'kind'"}},
        {"[[generate]]\nkind = \"lake\"\n", {"a.toml:2: ", "unknown generator 'lake'; known:"}},
        {"[[generate]]\nkind = \"soup\"\ntriangles = 0\n", {"a.toml:2: ", "1 to 200000000"}},
        {"[[generate]]\nkind = \"soup\"\ncolour = 1\n", {"a.toml:2: ", "takes no 'colour'"}},
        {"[[generate]]\nkind = \"sphere-flake\"\nscale = [1, 2, 1]\n", {"a.toml:3: ", "one scale"}},
    };
    for (auto& [text, parts] : cases) {
        std::string message = refused(folder, text);
        EXPECT_NE(message, "") << "taken:\n" << text;
        for (auto* part : parts) TL_EXPECT_CONTAINS(message, part);
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
}

TEST(SceneFile, ErrorsInAMeshNameTheMeshFile) {
    TempFolder folder;
    folder.write("b.obj", "v 0 0 0\nf 1 2 3\n");
    TL_EXPECT_CONTAINS(refused(folder, "[[mesh]]\nfile = \"b.obj\"\n"), "b.obj:2: vertex 3");
}

TEST(SceneFile, MovesMeshesByScaleThenRotationThenTranslation) {
    TempFolder folder;
    folder.write("sub/t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    Scene scene = load(folder,
                       "[[mesh]]\nfile = \"sub/t.obj\"\nscale = [2, 1, 1]\nrotate = [0, 0, 90]\n"
                       "translate = [0, 0, 5]\n");
    auto& mesh = scene.meshes[0];
    const vec3 expected[] = {{0, 0, 5}, {0, 2, 5}, {-1, 0, 5}};
    for (int i = 0; i < 3; ++i) EXPECT_LT(glm::length(mesh.positions[i] - expected[i]), 1e-5f) << i;
    EXPECT_LT(glm::length(mesh.normals[0] - vec3(0, 0, 1)), 1e-5f);
}

TEST(SceneFile, MirroredMeshesKeepTheirOutside) {
    TempFolder folder;
    folder.write("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    Mesh mesh = load(folder, "[[mesh]]\nfile = \"t.obj\"\nscale = [1, 1, -1]\n").meshes[0];
    auto t = mesh.triangles[0];
    vec3 a = mesh.positions[t.x];
    vec3 face = glm::cross(mesh.positions[t.y] - a, mesh.positions[t.z] - a);
    EXPECT_EQ(mesh.normals[0], vec3(0, 0, -1));
    EXPECT_GT(glm::dot(face, mesh.normals[0]), 0);
}

TEST(SceneFile, MaterialOfAMeshOverridesThoseOfItsFile) {
    TempFolder folder;
    folder.write("t.obj", "mtllib gone.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl x\nf 1 2 3\n");
    std::string material = "[[material]]\nname = \"clay\"\n";
    Scene scene = load(folder, "[[mesh]]\nfile = \"t.obj\"\nmaterial = \"clay\"\n" + material);
    EXPECT_EQ(scene.meshes[0].material_of_triangle[0], 1);
    EXPECT_TRUE(scene.warnings.empty());  // overridden files are not searched for
    EXPECT_EQ(load(folder, "[[mesh]]\nfile = \"t.obj\"\n").warnings.size(), 1u);
}

TEST(SceneFile, AModelThatSeveralTablesNameIsReadOnceAndPlacedByEach) {
    TempFolder folder;
    write_png(folder.path("wood.png"), {{1, 1}, {1, 2, 3, 255}});
    folder.write("a.mtl",
                 "newmtl wood\nKd 0.5 0.4 0.3\nmap_Kd wood.png\nnewmtl plain\nKd 0.1 0.2 0.3\n");
    const std::string model =
        "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\n"
        "o one\nusemtl wood\nf 1/1 2/1 3/1\no two\nusemtl plain\nf 1/1 3/1 2/1\n";
    for (auto name : {"one.obj", "two.obj", "three.obj"}) folder.write(name, model);
    auto scene_of = [&](const char* second, const char* third) {
        return load(folder, std::string("[[material]]\nname = \"own\"\n") +
                                "[[mesh]]\nfile = \"one.obj\"\n[[mesh]]\nfile = \"" + second +
                                "\"\nscale = 2\ntranslate = [1, 2, 3]\n[[mesh]]\nfile = \"" +
                                third + "\"\nmaterial = \"own\"\nname = \"third\"\n");
    };
    Scene once = scene_of("one.obj", "one.obj"), apart = scene_of("two.obj", "three.obj");
    EXPECT_EQ(once.textures.size(), apart.textures.size());
    ASSERT_EQ(once.materials.size(), apart.materials.size());
    ASSERT_EQ(once.meshes.size(), apart.meshes.size());
    EXPECT_EQ(once.warnings.size(), apart.warnings.size());
    for (std::size_t i = 0; i < once.meshes.size(); ++i) {
        EXPECT_EQ(once.meshes[i].name, apart.meshes[i].name);
        EXPECT_EQ(once.meshes[i].positions, apart.meshes[i].positions);
        EXPECT_EQ(once.meshes[i].triangles, apart.meshes[i].triangles);
        EXPECT_EQ(once.meshes[i].material_of_triangle, apart.meshes[i].material_of_triangle);
    }
    for (std::size_t i = 0; i < once.materials.size(); ++i) {
        EXPECT_EQ(once.materials[i].name, apart.materials[i].name);
        EXPECT_EQ(once.materials[i].diffuse, apart.materials[i].diffuse);
    }
}

TEST(SceneFile, TheDefaultMaterialCanBeChanged) {
    TempFolder folder;
    Scene scene = load(folder, std::string(kTriangleMesh) +
                                   "[[material]]\nname = \"default\"\ndiffuse = [1, 0, 0]\n");
    ASSERT_EQ(scene.materials.size(), 1u);
    EXPECT_EQ(scene.materials[0].diffuse, vec3(1, 0, 0));
    EXPECT_EQ(scene.meshes[0].material_of_triangle[0], 0);
}

TEST(SceneFile, GeneratorsBringCameraAndLightsWhereTheFileHasNone) {
    TempFolder folder;
    std::string soup =
        "[[generate]]\nkind = \"soup\"\ntriangles = 50\nscale = 2\n"
        "translate = [10, 0, 0]\n";
    Scene scene = load(folder, soup);
    EXPECT_EQ(scene.triangle_count(), 50u);
    EXPECT_EQ(scene.lights.size(), 2u);
    EXPECT_EQ(scene.camera.target, vec3(11, 1, 1));
    Box bounds = bounds_of(scene);
    EXPECT_GE(bounds.lo.x, 10);
    EXPECT_LE(bounds.hi.x, 12);

    scene = load(folder, soup +
                             "[camera]\neye = [0, 0, 9]\ntarget = [0, 0, 0]\n[[light]]\n"
                             "kind = \"point\"\nposition = [0, 0, 0]\nintensity = 1\n");
    EXPECT_EQ(scene.lights.size(), 1u);
    EXPECT_EQ(scene.camera.eye, vec3(0, 0, 9));

    scene = load(folder, soup + "material = \"m\"\n[[material]]\nname = \"m\"\n");
    EXPECT_EQ(scene.materials.size(), 2u);
    EXPECT_EQ(scene.meshes[0].material_of_triangle, std::vector<std::int32_t>(50, 1));
}

TEST(SceneFile, ModelsLieInTheModelFolder) {
    TempFolder folder;
    Environment models("TREELIGHT_MODELS", folder.path("models"));
    std::string text = "[[mesh]]\nfile = \"model:t.obj\"\n";
    std::string message = refused(folder, text);
    TL_EXPECT_CONTAINS(message, "a.toml:2: ");
    TL_EXPECT_CONTAINS(message, "'model:t.obj' is not in " + folder.path("models"));
    TL_EXPECT_CONTAINS(message, "; run " + source_path("tools/fetch-models"));
    folder.write("models/t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    EXPECT_EQ(load(folder, text).triangle_count(), 1u);
    EXPECT_EQ(load_scene("model:t.obj").triangle_count(), 1u);
}

TEST(SceneFile, TruncatedFilesAreReadOrRefused) {
    TempFolder folder;
    std::ifstream file(source_path("scenes/cornell-box.toml"), std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    ASSERT_GT(text.size(), 1000u);
    int taken = test::read_truncated(folder, "cut.toml", text, 50,
                                     [](auto& path) { (void)load_scene(path); });
    EXPECT_GT(taken, 5);
}

TEST(TomlScene, MaterialsHaveCutOutsAndNormalMaps) {
    TempFolder folder;
    write_png(folder.path("leaf.png"), {{2, 1}, {0, 255, 0, 255, 0, 255, 0, 0}});
    write_png(folder.path("plain.png"), {{1, 1}, {9, 9, 9, 255}});
    Scene scene = load(folder,
                       "[[material]]\nname = \"leaf\"\ntexture = \"leaf.png\"\n"
                       "alpha-cutoff = 0.25\nnormal-texture = \"plain.png\"\nnormal-scale = -2\n"
                       "wrap = \"clamp\"\n"
                       "[[material]]\nname = \"a\"\ntexture = \"plain.png\"\n"
                       "[[material]]\nname = \"b\"\ntexture = \"leaf.png\"\nwrap = \"mirror\"\n"
                       "[[material]]\nname = \"c\"\ntexture = \"leaf.png\"\nalpha-cutoff = 0\n"
                       "[[sphere]]\n");
    EXPECT_TRUE(scene.warnings.empty());
    ASSERT_EQ(scene.textures.size(), 5u);
    const Material& leaf = scene.materials[1];
    EXPECT_EQ(leaf.alpha_texture, 0);
    EXPECT_EQ(leaf.alpha_cutoff, 0.25f);
    EXPECT_EQ(leaf.normal_texture, 1);
    EXPECT_EQ(leaf.normal_scale, -2);
    EXPECT_TRUE(scene.textures[0].is_srgb);
    EXPECT_FALSE(scene.textures[1].is_srgb);
    EXPECT_EQ(scene.textures[0].wrap_u, TextureWrap::clamp);
    // Without alpha, or without a cutoff, nothing is cut out.
    EXPECT_EQ(scene.materials[2].alpha_texture, -1);
    EXPECT_TRUE(scene.textures[2].is_srgb);
    EXPECT_EQ(scene.materials[3].alpha_texture, 3);
    EXPECT_EQ(scene.materials[3].alpha_cutoff, 0.5f);
    EXPECT_EQ(scene.textures[3].wrap_v, TextureWrap::mirror);
    EXPECT_EQ(scene.materials[4].alpha_texture, -1);
}

}  // namespace
}  // namespace tl::scene_loading_tests

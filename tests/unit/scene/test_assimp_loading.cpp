// Models of further formats, read by assimp in a process of its own.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <map>
#include <random>

#include "core/base/read_progress.h"
#include "core/base/text.h"
#include "renderer/images/image_io.h"
#include "renderer/scene/loaders/assimp_import.h"
#include "renderer/scene/loaders/assimp_loader.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/loaders/run_apart.h"
#include "tests/sanitized.h"
#include "tests/unit/temp_folder.h"

namespace tl::assimp_loading_tests {
namespace {

using test::refusal;
using test::TempFolder;

#define TL_NEEDS_ASSIMP() \
    if (!has_assimp()) GTEST_SKIP() << "built without libassimp-dev"

const std::string kOff = "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 1\n4 0 1 2 3\n3 0 2 3\n";

/// A COLLADA file: two nodes with one triangle, a camera, a point light, a textured material.
std::string collada(const std::string& effect, const std::string& more = "") {
    auto source = [](const std::string& id, const std::string& numbers, int count, int stride,
                     const std::string& names) {
        std::string params;
        for (char name : names)
            params.append("<param name=\"").append(1, name).append("\" type=\"float\"/>");
        return concatenated({"<source id=\"", id, "\"><float_array id=\"", id, "-a\" count=\"",
                             std::to_string(count * stride), "\">", numbers,
                             "</float_array><technique_common><accessor source=\"#", id,
                             "-a\" count=\"", std::to_string(count), "\" stride=\"",
                             std::to_string(stride), "\">", params,
                             "</accessor></technique_common></source>"});
    };
    auto instance = [](const std::string& place) {
        return "<node>" + place +
               "<instance_geometry url=\"#g\"><bind_material><technique_common>"
               "<instance_material symbol=\"m\" target=\"#mat\"/></technique_common>"
               "</bind_material></instance_geometry></node>";
    };
    return "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
           "version=\"1.4.1\"><asset><up_axis>Y_UP</up_axis></asset>"
           "<library_images><image id=\"i\"><init_from>t.png</init_from></image></library_images>"
           "<library_effects><effect id=\"e\"><profile_COMMON>"
           "<newparam sid=\"s\"><surface type=\"2D\"><init_from>i</init_from></surface></newparam>"
           "<newparam sid=\"p\"><sampler2D><source>s</source></sampler2D></newparam>"
           "<technique sid=\"common\"><phong>" +
           effect +
           "</phong></technique></profile_COMMON></effect></library_effects>"
           "<library_materials><material id=\"mat\" name=\"paint\"><instance_effect url=\"#e\"/>"
           "</material></library_materials><library_geometries><geometry id=\"g\"><mesh>" +
           source("pos", "0 0 0 1 0 0 0 1 0", 3, 3, "XYZ") +
           source("uv", "0 0 1 0 0 1", 3, 2, "ST") +
           "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#pos\"/></vertices>"
           "<triangles count=\"1\" material=\"m\"><input semantic=\"VERTEX\" source=\"#v\" "
           "offset=\"0\"/><input semantic=\"TEXCOORD\" source=\"#uv\" offset=\"1\"/>"
           "<p>0 0 1 1 2 2</p></triangles></mesh></geometry></library_geometries>"
           "<library_cameras><camera id=\"c\"><optics><technique_common><perspective>"
           "<xfov>90</xfov><aspect_ratio>2</aspect_ratio><znear>0.1</znear><zfar>10</zfar>"
           "</perspective></technique_common></optics></camera></library_cameras>"
           "<library_lights><light id=\"l\"><technique_common><point><color>1 0.5 0.25</color>"
           "<constant_attenuation>0</constant_attenuation><quadratic_attenuation>2"
           "</quadratic_attenuation></point></technique_common></light></library_lights>"
           "<library_visual_scenes><visual_scene id=\"scene\">" +
           instance("<translate>0 0 -5</translate>") + instance("<scale>2 2 2</scale>") + more +
           "<node><translate>0 0 8</translate><instance_camera url=\"#c\"/></node>"
           "<node><translate>0 4 0</translate><instance_light url=\"#l\"/></node>"
           "</visual_scene></library_visual_scenes><scene>"
           "<instance_visual_scene url=\"#scene\"/></scene></COLLADA>";
}

const std::string kTextured =
    "<emission><color>0 0 0 1</color></emission><diffuse><texture texture=\"p\" texcoord=\"UV\"/>"
    "</diffuse><specular><color>0.2 0.2 0.2 1</color></specular><shininess><float>40</float>"
    "</shininess>";

/// An FBX file (text, 7.4) of a quad whose node is moved.
const std::string kFbx = R"(; FBX 7.4.0 project file
FBXHeaderExtension:  {
    FBXHeaderVersion: 1003
    FBXVersion: 7400
}
Objects:  {
    Geometry: 1000, "Geometry::quad", "Mesh" {
        Vertices: *12 {
            a: 0,0,0,1,0,0,1,1,0,0,1,0
        }
        PolygonVertexIndex: *4 {
            a: 0,1,2,-4
        }
        GeometryVersion: 124
        LayerElementMaterial: 0 {
            Version: 101
            Name: ""
            MappingInformationType: "AllSame"
            ReferenceInformationType: "IndexToDirect"
            Materials: *1 {
                a: 0
            }
        }
        Layer: 0 {
            Version: 100
            LayerElement:  {
                Type: "LayerElementMaterial"
                TypedIndex: 0
            }
        }
    }
    Model: 2000, "Model::quad", "Mesh" {
        Version: 232
        Properties70:  {
            P: "Lcl Translation", "Lcl Translation", "", "A",3,0,1
        }
    }
    Material: 3000, "Material::blue", "" {
        Version: 102
        ShadingModel: "lambert"
        Properties70:  {
            P: "DiffuseColor", "Color", "", "A",0.1,0.2,0.7
            P: "EmissiveColor", "Color", "", "A",2,1,0
            P: "EmissiveFactor", "Number", "", "A",1
        }
    }
}
Connections:  {
    C: "OO",2000,0
    C: "OO",1000,2000
    C: "OO",3000,2000
}
)";

/// The same with a morph target whose weight has a key, at 2 s, beyond the end of its animation.
std::string fbx_with_late_key() {
    const std::string kWeights = R"(    Geometry: 1001, "Geometry::up", "Shape" {
        Version: 100
        Indexes: *1 {
            a: 2
        }
        Vertices: *3 {
            a: 0,0,1
        }
    }
    Deformer: 5000, "Deformer::b", "BlendShape" {
        Version: 100
    }
    Deformer: 5001, "SubDeformer::c", "BlendShapeChannel" {
        Version: 100
        DeformPercent: 0
        FullWeights: *1 {
            a: 100
        }
    }
    AnimationStack: 4000, "AnimStack::s", "" {
        Properties70:  {
            P: "LocalStop", "KTime", "Time", "",46186158000
        }
    }
    AnimationLayer: 4001, "AnimLayer::l", "" {
    }
    AnimationCurveNode: 4002, "AnimCurveNode::DeformPercent", "" {
        Properties70:  {
            P: "d|DeformPercent", "Number", "", "A",0
        }
    }
    AnimationCurve: 4003, "AnimCurve::", "" {
        KeyVer: 4008
        KeyTime: *2 {
            a: 0,92372316000
        }
        KeyValueFloat: *2 {
            a: 0,100
        }
    }
}
Connections:  {
    C: "OO",5000,1000
    C: "OO",5001,5000
    C: "OO",1001,5001
    C: "OO",4001,4000
    C: "OO",4002,4001
    C: "OP",4002,5001,"DeformPercent"
    C: "OP",4003,4002,"d|DeformPercent"
)";
    const std::string kStart = "}\nConnections:  {\n";
    std::string text = kFbx;
    return text.replace(text.find(kStart), kStart.size(), kWeights);
}

void expect_at(vec3 a, vec3 b) {
    EXPECT_LT(glm::distance(a, b), 1e-5f) << a.x << " " << a.y << " " << a.z;
}

}  // namespace

TEST(RunApart, ReturnsResultsErrorsAndSurvivesCrashes) {
    constexpr ApartLimits kLimits{.seconds = 60, .bytes = std::size_t{1} << 30};
    std::string large(10'000'000, 'x');
    EXPECT_EQ(run_apart([&](const ReadProgress&) { return large; }, kLimits), large);
    EXPECT_EQ(run_apart([](const ReadProgress&) { return std::string(); }, kLimits), "");
    auto refused = [](const std::function<void()>& work, ApartLimits limits) {
        return refusal([&] {
            auto and_nothing = [&](const ReadProgress&) {
                work();
                return std::string();
            };
            (void)run_apart(and_nothing, limits);
        });
    };
    EXPECT_EQ(refused([] { throw UserError("line 3: bad"); }, kLimits), "line 3: bad");
    TL_EXPECT_CONTAINS(refused([] { throw std::bad_alloc(); }, kLimits), "memory");
    for (int signal : {SIGSEGV, SIGABRT})
        TL_EXPECT_CONTAINS(refused([signal] { std::raise(signal); }, kLimits), "is damaged");
    auto endless = [] {
        for (std::atomic<int> i = 0;;) ++i;
    };
    TL_EXPECT_CONTAINS(refused(endless, {.seconds = 1, .bytes = 1 << 30}),
                       "too much time or memory");
}

TEST(RunApart, TellsHowFarTheWorkIsAndEndsIt) {
    constexpr ApartLimits kLimits{.seconds = 60, .bytes = std::size_t{1} << 30};
    std::vector<std::pair<std::string, double>> told;
    auto work = [](const ReadProgress& progress) {
        progress.report_work("first", 0.25);
        progress.report_work("of no interest", 0.5);
        progress.report_work("second", 0.75);
        return std::string("S is how the answer begins");
    };
    auto tell = [&](const char* what, double share) {
        if (told.empty() || told.back() != std::pair(std::string(what), share))
            told.emplace_back(what, share);
    };
    EXPECT_EQ(run_apart(work, kLimits, {"first", "second"}, {.on_work = tell}),
              "S is how the answer begins");
    using Told = std::vector<std::pair<std::string, double>>;
    EXPECT_EQ(told, (Told{{"first", 0.25}, {"second", 0.75}}));

    // A listener that throws ends even work that reports no further progress.
    auto endless = [](const ReadProgress& progress) {
        progress.report_work("first", 0);
        for (std::atomic<int> i = 0;;) ++i;
        return std::string();
    };
    struct Ended {};
    int times = 0;
    auto end = [&](const char*, double) {
        if (++times == 3) throw Ended();
    };
    EXPECT_THROW((void)run_apart(endless, kLimits, {"first"}, {.on_work = end}), Ended);
}

TEST(Assimp, TellsItsPhasesAndTheirShares) {
    TL_NEEDS_ASSIMP();
    TempFolder folder;
    constexpr int kCount = 100;
    std::string text =
        "AC3Db\nMATERIAL \"m\" rgb 1 1 1 amb 0 0 0 emis 0 0 0 spec 0 0 0 shi 0 trans "
        "0\nOBJECT world\nkids " +
        std::to_string(kCount) + "\n";
    for (int k = 0; k < kCount; ++k)
        text +=
            "OBJECT poly\nnumvert 3\n0 0 0\n1 0 0\n0 1 0\nnumsurf 1\nSURF 0x10\nmat 0\nrefs 3\n"
            "0 0 0\n1 0 0\n2 0 0\nkids 0\n";
    auto path = folder.write("many.ac", text);
    std::map<std::string, std::vector<double>> shares;
    auto add = [&](const char* what, double share) {
        auto& of_phase = shares[what];
        if (of_phase.empty() || of_phase.back() != share) of_phase.push_back(share);
    };
    EXPECT_EQ(load_scene(path, "", false, {{.on_work = add}}).triangle_count(), 100u);
    EXPECT_EQ(shares.at(kParsing), std::vector<double>{0});
    for (auto* phase : {kJoining, kConverting}) {
        SCOPED_TRACE(phase);
        auto& of_phase = shares.at(phase);
        EXPECT_GT(of_phase.size(), 10u);
        EXPECT_TRUE(std::ranges::is_sorted(of_phase));
        EXPECT_EQ(of_phase.front(), 0);
        EXPECT_EQ(of_phase.back(), 1);
    }
}

TEST(RunApart, EndsWhatWantsTooMuchMemory) {
    auto greedy = [](const ReadProgress&) {
        std::vector<std::string> blocks;
        for (int i = 0; i < 16; ++i) blocks.emplace_back(std::size_t{16} << 20, 'x');
        return std::to_string(blocks.size());
    };
    constexpr std::size_t kMuch = std::size_t{4} << 30, kLittle = std::size_t{64} << 20;
    EXPECT_EQ(run_apart(greedy, {.seconds = 60, .bytes = kMuch}), "16");
    // Sanitizers end a process that has no memory left; else it says so.
    std::string message =
        refusal([&] { (void)run_apart(greedy, {.seconds = 60, .bytes = kLittle}); });
    TL_EXPECT_CONTAINS(message, test::kSanitized ? "" : "not enough memory");
    EXPECT_NE(message, "");
}

TEST(Assimp, PipesThatAModelNamesAreNotWaitedFor) {
    if (!has_assimp()) GTEST_SKIP() << "built without assimp";
    TempFolder folder;
    ASSERT_EQ(mkfifo(folder.path("pipe.lwo").c_str(), 0600), 0);
    std::string path = folder.write("a.lws", "LWSC\n5\nLoadObjectLayer 1 pipe.lwo\n");
    TL_EXPECT_CONTAINS(refusal([&] { (void)load_scene(path); }), "a.lws: ");
}

TEST(Imported, IsTheSameUnpacked) {
    ImportedModel model;
    model.materials.resize(2);
    model.materials[1].name = "paint";
    model.materials[1].normal_texture = {"n.png", 3, TextureWrap::clamp, TextureWrap::mirror};
    model.images.push_back({1, 1, "rgba"});
    model.meshes.push_back(
        {"m", 1, {{1, 2, 3}}, {}, {{0.5f, 0, 1}}, {{0, 1}}, {{0, 0, 0}}, {{0, 0}}});
    model.places.push_back({0, glm::dmat4(2)});
    model.lights.push_back({Light{.radius = 5}, vec3(1, 2, 3)});
    model.warnings = {"a", ""};
    std::string bytes = packed(model);
    ImportedModel again = unpacked(bytes);
    EXPECT_EQ(packed(again), bytes);
    EXPECT_EQ(again.materials[1].normal_texture.wrap_v, TextureWrap::mirror);
    EXPECT_EQ(again.meshes[0].positions[0], vec3(1, 2, 3));
    EXPECT_EQ(again.meshes[0].colors[0], vec3(0.5f, 0, 1));
    EXPECT_EQ(again.meshes[0].strokes[0], glm::uvec2(0));
    EXPECT_EQ(again.lights[0].light.radius, 5);
    for (std::size_t length = 0; length < bytes.size(); ++length)
        TL_EXPECT_CONTAINS(refusal([&] { (void)unpacked(bytes.substr(0, length)); }), "incomplete");
}

TEST(Assimp, ReadsOff) {
    TL_NEEDS_ASSIMP();
    TempFolder folder;
    Scene off = load_scene(folder.write("a.off", kOff));
    EXPECT_EQ(off.triangle_count(), 3u);  // polygons are triangulated
    ASSERT_EQ(off.meshes.size(), 1u);
    EXPECT_EQ(off.meshes[0].normals.size(), off.meshes[0].positions.size());
}

TEST(Assimp, ReadsNodesMaterialsCamerasAndLightsOfCollada) {
    TL_NEEDS_ASSIMP();
    TempFolder folder;
    write_png(folder.path("t.png"), {{1, 1}, {10, 20, 30, 255}});
    Scene scene = load_scene(folder.write("a.dae", collada(kTextured)));
    // Gloss of 0.2 over white, but for the texture, which is dark.
    EXPECT_TRUE(scene.warnings.empty());
    // Both nodes share the triangle.
    ASSERT_EQ(scene.meshes.size(), 1u);
    ASSERT_EQ(scene.instances.size(), 2u);
    EXPECT_TRUE(scene.meshes[0].instanced);
    expect_at(vec3(scene.instances[0].transform * vec4(1, 0, 0, 1)), {1, 0, -5});
    expect_at(vec3(scene.instances[1].transform * vec4(1, 0, 0, 1)), {2, 0, 0});
    auto& mesh = scene.meshes[0];
    ASSERT_EQ(mesh.uvs.size(), 3u);
    auto corner = mesh.triangles[0].y;
    expect_at(mesh.positions[corner], {1, 0, 0});
    EXPECT_EQ(mesh.uvs[corner], vec2(1, 0));

    auto& material = scene.materials.at(static_cast<std::size_t>(mesh.material_of_triangle[0]));
    EXPECT_EQ(material.name, "paint");
    EXPECT_EQ(material.kind, MaterialKind::phong);
    EXPECT_EQ(material.diffuse, vec3(1));
    EXPECT_EQ(material.specular, vec3(0.2f));
    EXPECT_EQ(material.exponent, 40);
    ASSERT_GE(material.diffuse_texture, 0);
    EXPECT_EQ(scene.textures[static_cast<std::size_t>(material.diffuse_texture)].rgba[1], 20);

    expect_at(scene.camera.eye, {0, 0, 8});
    expect_at(glm::normalize(scene.camera.target - scene.camera.eye), {0, 0, -1});
    // 90 degrees across at 2:1; assimp 5.2 misses the angle, for which 45 stands.
    float fov = scene.camera.vertical_fov;
    EXPECT_TRUE(std::abs(fov - 53.1301f) < 1e-3f || std::abs(fov - 45) < 1e-3f) << fov;
    ASSERT_EQ(scene.lights.size(), 1u);
    EXPECT_EQ(scene.lights[0].kind, LightKind::point);
    expect_at(scene.lights[0].position, {0, 4, 0});
    // Colour / (2 d^2) at any distance d, as irradiance over pi.
    expect_at(scene.lights[0].radiance, kPi / 2 * vec3(1, 0.5f, 0.25f));

    Scene part = load_scene(folder.write("a.toml", "[[mesh]]\nfile = \"a.dae\"\n"));
    EXPECT_TRUE(part.instances.empty());
    EXPECT_EQ(part.triangle_count(), 2u);
}

TEST(Assimp, MissingTexturesAndGlassAreAsInMtl) {
    TL_NEEDS_ASSIMP();
    TempFolder folder;
    Scene bare = load_scene(folder.write("a.dae", collada(kTextured)));
    ASSERT_EQ(bare.warnings.size(), 2u);  // the other is of its reflectance
    TL_EXPECT_CONTAINS(bare.warnings[0], "texture 't.png' not found; its material is plain");
    Scene glass = load_scene(folder.write(
        "b.dae", collada("<diffuse><color>1 1 1 1</color></diffuse><transparent opaque=\"A_ONE\">"
                         "<color>1 1 1 1</color></transparent><transparency><float>0.3</float>"
                         "</transparency><index_of_refraction><float>1.4</float>"
                         "</index_of_refraction>")));
    auto& material =
        glass.materials.at(static_cast<std::size_t>(glass.meshes[0].material_of_triangle[0]));
    EXPECT_EQ(material.kind, MaterialKind::dielectric);
    EXPECT_FLOAT_EQ(material.ior, 1.4f);
    Scene lamp = load_scene(folder.write(
        "c.dae", collada("<emission><color>3 2 1 1</color></emission><diffuse><color>0 0 0 "
                         "1</color></diffuse>")));
    EXPECT_TRUE(lamp.instances.empty());  // emissive instances are no lights
    EXPECT_EQ(lamp.triangle_count(), 2u);
    EXPECT_EQ(lamp.materials.back().emission, vec3(3, 2, 1));
}

TEST(Assimp, ReadsFbx) {
    TL_NEEDS_ASSIMP();
    TempFolder folder;
    Scene scene = load_scene(folder.write("a.fbx", kFbx));
    ASSERT_EQ(scene.triangle_count(), 2u);
    Box bounds = bounds_of(scene);
    expect_at(bounds.lo, {3, 0, 1});
    expect_at(bounds.hi, {4, 1, 1});
    auto& material =
        scene.materials.at(static_cast<std::size_t>(scene.meshes[0].material_of_triangle[0]));
    EXPECT_EQ(material.name, "blue");
    expect_at(material.diffuse, {0.1f, 0.2f, 0.7f});
    expect_at(material.emission, {2, 1, 0});
}

TEST(Assimp, FaultsOfAnimationsDoNotMatter) {
    TL_NEEDS_ASSIMP();
    TempFolder folder;
    Scene scene = load_scene(folder.write("a.fbx", fbx_with_late_key()));
    EXPECT_EQ(scene.triangle_count(), 2u);
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "its animation is not played");
}

TEST(Assimp, RefusesBadFilesInOneLine) {
    TempFolder folder;
    auto refused = [&](const std::string& name, const std::string& bytes) {
        std::string path = folder.write(name, bytes);
        std::string message = refusal([&] { (void)load_scene(path); });
        TL_EXPECT_CONTAINS(message, name);
        EXPECT_EQ(message.find('\n'), std::string::npos);
        return message;
    };
    if (!has_assimp()) {
        TL_EXPECT_CONTAINS(refused("a.off", kOff), "libassimp-dev");
        return;
    }
    for (auto& ending : assimp_extensions()) {
        EXPECT_NE(refused("empty" + ending, ""), "");
        EXPECT_NE(refused("text" + ending, "hello, this is no model\n"), "");
        std::string noise(5000, '\0');
        std::mt19937 random(1);
        for (char& byte : noise) byte = static_cast<char>(random());
        EXPECT_NE(refused("noise" + ending, noise), "");
    }
    TL_EXPECT_CONTAINS(refusal([&] { (void)load_scene(folder.path("none.fbx")); }), "no such file");
    TL_EXPECT_CONTAINS(refused("far.off", "OFF\n3 1 0\n0 0 0\n1e30 0 0\n0 1 0\n3 0 1 2\n"),
                       "beyond 1e15");
}

TEST(Assimp, DamagedFilesNeverCrash) {
    TL_NEEDS_ASSIMP();
    TempFolder folder;
    const std::uint32_t seed = 7;
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    for (auto& [name, bytes] : {std::pair<std::string, std::string>{"a.off", kOff},
                                {"a.dae", collada(kTextured)},
                                {"a.fbx", kFbx}}) {
        for (int i = 0; i < 25; ++i) {
            std::string damaged = bytes;
            for (int k = 0; k < 1 + i / 5; ++k)
                damaged[random() % damaged.size()] = static_cast<char>(random());
            if (i % 3 == 0) damaged.resize(random() % damaged.size());
            std::string path = folder.write(name, damaged);
            std::string message = refusal([&] { (void)load_scene(path); });
            if (!message.empty()) {
                TL_EXPECT_CONTAINS(message, name);
            }
        }
    }
}

}  // namespace tl::assimp_loading_tests

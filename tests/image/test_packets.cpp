// On the CPU, packets of eight rays, in trees of layout simd8, give the same picture and number of
// rays as single rays, in trees of other layouts.
#include <gtest/gtest.h>

#include "renderer/scene/loaders/loader.h"
#include "session/session.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"
#include "tests/source_path.h"

namespace tl::packets_tests {
namespace {

struct Rendered {
    ImageF picture;
    std::uint64_t rays = 0;
};

Rendered render(Scene scene, bool packets, Extent extent) {
    scene.settings["tree"]["layout"] = packets ? "simd8" : "bvh2";
    Session session(*devices().front());
    session.set_scene(std::make_shared<Scene>(std::move(scene)));
    session.resize(extent);
    Rendered rendered;
    for (int i = 0; i < 3; ++i) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
        rendered.rays += session.film().rays_of_frame(session.scratch());
    }
    rendered.picture = session.film().radiance(session.stream());
    return rendered;
}

/// Equal up to rounding, except for one pixel in a thousand, where rounding makes a ray hit the
/// other of two surfaces.
void expect_same_picture(const Scene& scene, Extent extent = {160, 120}) {
    Rendered one = render(scene, false, extent), eight = render(scene, true, extent);
    float largest = 0;
    for (vec3 rgb : one.picture.rgb) largest = std::max({largest, rgb.x, rgb.y, rgb.z});
    ASSERT_GT(largest, 0);
    std::size_t n_off = 0;
    for (std::size_t i = 0; i < one.picture.rgb.size(); ++i) {
        vec3 d = glm::abs(one.picture.rgb[i] - eight.picture.rgb[i]);
        n_off += !(std::max({d.x, d.y, d.z}) <= 1e-5f * largest);
    }
    EXPECT_LE(n_off, std::size_t(extent.pixels()) / 1000);
    EXPECT_NEAR(double(eight.rays), double(one.rays), 1e-3 * double(one.rays));
}

Scene scene_of(const char* name) {
    return load_scene(source_path("scenes/") + std::string(name) + ".toml");
}

/// A floor with one sphere of each material.
Scene spheres_on_floor(const std::vector<Material>& materials) {
    Scene scene;
    Material gray;
    scene.materials = {gray};
    Mesh floor;
    floor.positions = {{-9, 0, -9}, {9, 0, -9}, {9, 0, 9}, {-9, 0, 9}};
    floor.triangles = {{0, 2, 1}, {0, 3, 2}};
    floor.material_of_triangle = {0, 0};
    scene.meshes = {floor};
    float x = -0.9f * float(materials.size() - 1);
    for (auto& material : materials) {
        scene.materials.push_back(material);
        scene.spheres.push_back({{x, 0.8f, 0}, 0.8f, std::int32_t(scene.materials.size() - 1)});
        x += 1.8f;
    }
    scene.camera = {{0, 2.5f, 7}, {0, 0.6f, 0}, {0, 1, 0}, 40};
    scene.background = vec3(0.2f, 0.3f, 0.5f);
    return scene;
}

Material of_kind(MaterialKind kind) {
    Material m;
    m.kind = kind;
    m.specular = vec3(0.8f, 0.7f, 0.9f);
    return m;
}

Light light_of_kind(LightKind kind) {
    Light light;
    light.kind = kind;
    light.position = {-1, 4, 2};
    light.direction = glm::normalize(vec3(0.3f, -1, -0.4f));
    light.radius = 0.4f;
    light.radiance = vec3(12);
    return light;
}

}  // namespace

TEST(Packets, AgreeInTheScenes) {
    TL_LONG_TEST();
    for (const char* name :
         {"cornell-box", "toasters-glass", "atrium", "dragon", "cloth-on-ball"}) {
        if (test::kSanitized && name == std::string("atrium")) break;  // large scenes take long
        SCOPED_TRACE(name);
        expect_same_picture(scene_of(name));
    }
}

TEST(Packets, AgreeUnderEveryLight) {
    Material phong = of_kind(MaterialKind::phong);
    phong.exponent = 20;
    for (auto kind : {LightKind::point, LightKind::directional, LightKind::rectangle,
                      LightKind::spot, LightKind::sphere}) {
        SCOPED_TRACE(static_cast<int>(kind));
        auto scene = spheres_on_floor({Material{}, phong, of_kind(MaterialKind::mirror)});
        scene.lights = {light_of_kind(kind)};
        if (kind == LightKind::directional) scene.lights[0].radiance = vec3(2);
        scene.settings["whitted"]["light-samples"] = "2";
        expect_same_picture(scene);
    }
    auto scene = spheres_on_floor({Material{}, phong, of_kind(MaterialKind::dielectric)});
    scene.environment = {.extent = {4, 2}, .texels = {}};
    for (int i = 0; i < 8; ++i)
        scene.environment.texels.emplace_back(0.1f * float(i), 0.5f, 1 - 0.1f * float(i));
    expect_same_picture(scene);
}

TEST(Packets, AgreeOnGlassInGlass) {
    Material outer = of_kind(MaterialKind::dielectric), inner = outer;
    outer.absorption = vec3(0.3f, 0.1f, 0.5f);
    inner.ior = 1.1f;
    inner.priority = 2;
    inner.transmission = vec3(0.9f, 1, 0.8f);
    auto scene = spheres_on_floor({outer, inner, of_kind(MaterialKind::mirror)});
    // The inner sphere overlaps the outer one and fills their intersection.
    scene.spheres[1].center = scene.spheres[0].center + vec3(0.7f, 0.1f, 0.2f);
    scene.lights = {light_of_kind(LightKind::rectangle), light_of_kind(LightKind::point)};
    for (const char* fresnel : {"exact", "schlick"})
        for (const char* shadows : {"true", "false"}) {
            scene.settings["whitted"] = {
                {"fresnel", fresnel}, {"glass-shadows", shadows}, {"max-depth", "9"}};
            expect_same_picture(scene);
        }
}

TEST(Packets, AgreeOnEverySettingOfTheCamera) {
    auto scene = scene_of("cornell-box");
    scene.camera.lens_radius = 0.05f;
    expect_same_picture(scene);
    scene.camera.lens_radius = 0;
    for (const char* filter : {"box", "tent", "blackman-harris"}) {
        scene.settings["sampling"]["filter"] = filter;
        expect_same_picture(scene, {67, 41});
    }
    scene.settings["sampling"]["pattern"] = "random";
    expect_same_picture(scene, {67, 41});
}

TEST(Packets, AgreeWithoutShadowsBouncesOrSmoothness) {
    auto scene = scene_of("toasters-glass");
    for (auto [name, value] : {std::pair("shadows", "false"), std::pair("max-depth", "0"),
                               std::pair("smooth-terminator", "false"), std::pair("ambient", "0.4"),
                               std::pair("cutoff", "0.2")}) {
        SCOPED_TRACE(name);
        auto changed = scene;
        changed.settings["whitted"][name] = value;
        expect_same_picture(changed);
    }
}

TEST(Packets, LeavePixelsAloneThatAreDone) {
    auto scene = scene_of("cornell-box");
    scene.settings["sampling"]["error"] = "0.05";
    for (bool packets : {false, true}) {
        scene.settings["tree"]["layout"] = packets ? "simd8" : "bvh2";
        Session session(*devices().front());
        session.set_scene(std::make_shared<Scene>(scene));
        session.resize({64, 48});
        std::uint64_t first = 0, last = 0;
        for (int i = 0; i < 200 && !session.finished(); ++i) {
            session.begin_frame();
            session.render_frame();
            session.end_frame();
            last = session.film().rays_of_frame(session.scratch());
            if (i == 0) first = last;
        }
        EXPECT_TRUE(session.finished());
        EXPECT_LT(last, first / 2);
    }
}

TEST(Packets, AllocateNothingOnceTheyKnowTheScene) {
    TL_LONG_TEST();
    Session session(*devices().front());
    session.set_scene(std::make_shared<Scene>(scene_of("cornell-box")));
    session.resize({96, 64});
    auto frame = [&] {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
    };
    for (int i = 0; i < 4; ++i) frame();
    auto before = devices().front()->memory_stats().allocation_count;
    for (int i = 0; i < 4; ++i) frame();
    EXPECT_EQ(devices().front()->memory_stats().allocation_count, before);
}

}  // namespace tl::packets_tests

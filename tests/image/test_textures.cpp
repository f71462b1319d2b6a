// Textures, cutout holes, normal maps and smooth terminators in the Whitted tracer.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/image/picture.h"

namespace tl::textures_tests {
namespace {

using test::render_radiance;

constexpr const char* kPipelines[] = {"single-kernel", "wavefront", "post-order", "by-level"};

/// A square of side 2 * `half` at height y, facing up; u runs along +x and v along -z, and the
/// texture repeats `repeats` times.
Mesh square(float half, float y, std::int32_t material, float repeats = 1) {
    Mesh mesh;
    mesh.positions = {{-half, y, half}, {half, y, half}, {half, y, -half}, {-half, y, -half}};
    mesh.uvs = {{0, 0}, {repeats, 0}, {repeats, repeats}, {0, repeats}};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    mesh.material_of_triangle = {material, material};
    return mesh;
}

Light sun(vec3 direction, float irradiance = kPi) {
    Light light;
    light.kind = LightKind::directional;
    light.direction = glm::normalize(direction);
    light.radiance = vec3(irradiance);
    return light;
}

/// A white floor, 20 m wide, seen vertically by a camera 4 m above it.
std::shared_ptr<Scene> floor_scene(float fov) {
    auto scene = std::make_shared<Scene>();
    scene->materials.resize(1);
    scene->materials[0].diffuse = vec3(1);
    scene->meshes = {square(10, 0, 0)};
    scene->camera = {{0, 4, 0}, {0, 0, 0}, {0, 0, -1}, fov};
    return scene;
}

/// A texture of one texel.
Texture plain(std::uint8_t r, std::uint8_t g, std::uint8_t b, bool is_srgb = true) {
    Texture texture{"plain", 1, 1, {r, g, b, 255}};
    texture.is_srgb = is_srgb;
    return texture;
}

float most_off(const ImageF& image, float expected) {
    float most = 0;
    for (vec3 rgb : image.rgb) most = std::max(most, std::fabs(rgb.x - expected));
    return most;
}

TEST(Textures, AFarCheckerboardIsItsMean) {
    auto scene = floor_scene(45);
    // A pixel of 0.2 m covers some ten of its squares.
    scene->meshes = {square(10, 0, 0, 512)};
    scene->materials[0].diffuse_texture = 0;
    scene->textures = {
        {"checker", 2, 2, {0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 255}}};
    scene->settings["whitted"]["ambient"] = "1";
    for (Device* device : devices()) {
        EXPECT_LT(most_off(render_radiance(*device, scene, {16, 16}, 1), 0.5f), 0.005f);
        scene->settings["whitted"]["texture-filter"] = "bilinear";
        EXPECT_GT(most_off(render_radiance(*device, scene, {16, 16}, 1), 0.5f), 0.2f);
        scene->settings["whitted"].erase("texture-filter");
    }
}

TEST(Cutouts, LightFallsThroughHolesAndRaysSeeThroughThem) {
    // Under a card of 2 m with a hole of 1 m the camera sees 2 m of floor, and the hole's light.
    auto scene = floor_scene(2 * glm::degrees(std::atan(1 / 0.9f)));
    scene->camera.eye.y = 0.9f;
    scene->lights = {sun({0, -1, 0})};
    Material card;
    card.alpha_texture = 0;
    scene->materials.push_back(card);
    Texture hole{"hole", 4, 4, std::vector<std::uint8_t>(64, 255)};
    for (int texel : {5, 6, 9, 10}) hole.rgba[static_cast<std::size_t>(4 * texel + 3)] = 0;
    scene->textures = {hole};
    scene->meshes.push_back(square(1, 1, 1));
    scene->settings["whitted"]["texture-filter"] = "nearest";
    scene->settings["sampling"]["filter-radius"] = "1e-5";  // pixel centres
    for (Device* device : devices())
        for (bool has_glass : {false, true})
            for (float eye : {0.9f, 1.9f})
                for (const char* pipeline : kPipelines) {
                    SCOPED_TRACE(device->name() + ", " + pipeline);
                    scene->camera.eye.y = eye;
                    scene->settings["whitted"]["pipeline"] = pipeline;
                    scene->materials.resize(2);
                    if (has_glass) scene->materials.emplace_back().kind = MaterialKind::dielectric;
                    auto picture = render_radiance(*device, scene, {32, 32}, 1);
                    for (int y = 0; y < 32; ++y)
                        for (int x = 0; x < 32; ++x) {
                            // In metres, where the camera is 0.9 m away.
                            float from_middle =
                                std::max(std::fabs(float(x) - 15.5f), std::fabs(float(y) - 15.5f)) /
                                16;
                            float on_floor = from_middle * eye / 0.9f;
                            bool sees_card = eye > 1 && from_middle > 0.5f;
                            float nearest_edge =
                                std::min(std::fabs(from_middle - 0.5f), std::fabs(on_floor - 0.5f));
                            if (nearest_edge < 1.0f / 16) continue;
                            float expected = sees_card ? 0.8f : on_floor < 0.5f ? 1.0f : 0.0f;
                            EXPECT_NEAR(picture.rgb[std::size_t(32 * y + x)].x, expected, 1e-5f);
                        }
                }
}

TEST(NormalMaps, AFlatOneChangesNothing) {
    auto scene = floor_scene(45);
    scene->lights = {sun({1, -1, 0.5f})};
    scene->textures = {plain(128, 128, 255, false)};
    for (Device* device : devices()) {
        auto without = render_radiance(*device, scene, {16, 16}, 1);
        scene->materials[0].normal_texture = 0;
        auto with = render_radiance(*device, scene, {16, 16}, 1);
        EXPECT_LT(test::mean_difference(with, without), 1e-4);
        scene->materials[0].normal_texture = -1;
    }
}

TEST(NormalMaps, ATiltedOneIsLitByItsCosine) {
    auto scene = floor_scene(10);
    scene->materials[0].normal_texture = 0;
    auto expect_lit = [&](vec3 normal) {
        for (vec3 to_light : {vec3(1, 2, 0), vec3(-1, 2, 0), vec3(0, 2, 1), vec3(0, 2, -1)}) {
            scene->lights = {sun(-to_light)};
            float cosine = std::max(glm::dot(normal, glm::normalize(to_light)), 0.0f);
            for (Device* device : devices())
                EXPECT_LT(most_off(render_radiance(*device, scene, {8, 8}, 1), cosine), 1e-4f);
        }
    };
    float half = std::sqrt(0.5f);
    scene->textures = {plain(228, 128, 228, false)};  // 45 degrees towards u
    expect_lit({half, half, 0});
    scene->textures = {plain(128, 228, 228, false)};  // towards v
    expect_lit({0, half, -half});
    // Mirrored: u now runs along -x, and v as before.
    for (vec2& uv : scene->meshes[0].uvs) uv.x = -uv.x;
    expect_lit({0, half, -half});
    scene->textures = {plain(228, 128, 228, false)};
    expect_lit({-half, half, 0});
    scene->materials[0].normal_scale = 0.5f;
    expect_lit(glm::normalize(vec3(-1, 2, 0)));
}

TEST(NormalMaps, InstancesTurnThem) {
    auto scene = floor_scene(10);
    scene->materials[0].normal_texture = 0;
    scene->textures = {plain(228, 128, 228, false)};
    scene->lights = {sun({0, -1, -1})};
    // Turned by 90 degrees about y, u runs along -z; mirrored as well, along +z.
    mat4 turn(vec4(0, 0, -1, 0), vec4(0, 1, 0, 0), vec4(1, 0, 0, 0), vec4(0, 0, 0, 1));
    mat4 mirror(1);
    mirror[0][0] = -1;
    scene->meshes[0].instanced = true;
    for (auto& [transform, expected] : {std::pair{turn, 0.0f}, {turn * mirror, 1.0f}}) {
        scene->instances = {{.mesh = 0, .transform = transform}};
        for (Device* device : devices())
            EXPECT_LT(most_off(render_radiance(*device, scene, {8, 8}, 1), expected), 1e-4f);
    }
}

TEST(NormalMaps, MirrorsReflectNothingFromBelowThem) {
    // Seen at a grazing angle, a mirror turned away by 45 degrees would show what lies behind it.
    auto scene = floor_scene(10);
    scene->materials[0].kind = MaterialKind::mirror;
    scene->materials[0].specular = vec3(1);
    scene->materials[0].normal_texture = 0;
    scene->textures = {plain(228, 128, 228, false)};
    scene->materials.emplace_back();
    scene->meshes.push_back(square(100, -1, 1));
    scene->background = vec3(1);
    scene->camera.eye = vec3(-4, 1, 0);
    for (Device* device : devices())
        EXPECT_EQ(most_off(render_radiance(*device, scene, {16, 16}, 1), 1), 0);
}

/// A unit sphere of 8 * 4^n triangles, with its own normals.
Mesh coarse_sphere(int n) {
    Mesh mesh;
    mesh.positions = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                      {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    for (; n > 0; --n) {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
        auto middle = [&](std::uint32_t a, std::uint32_t b) {
            auto [entry, is_new] = middles.try_emplace(std::minmax(a, b), mesh.positions.size());
            if (is_new)
                mesh.positions.push_back(glm::normalize(mesh.positions[a] + mesh.positions[b]));
            return entry->second;
        };
        std::vector<glm::uvec3> finer;
        for (auto t : mesh.triangles) {
            auto a = middle(t.x, t.y), b = middle(t.y, t.z), c = middle(t.z, t.x);
            finer.insert(finer.end(), {{t.x, a, c}, {a, t.y, b}, {c, b, t.z}, {a, b, c}});
        }
        mesh.triangles = finer;
    }
    mesh.normals = mesh.positions;
    mesh.material_of_triangle.assign(mesh.triangles.size(), 0);
    return mesh;
}

TEST(Terminator, ACoarseSphereIsLitAsAnExactOne) {
    auto scene = std::make_shared<Scene>();
    scene->materials.resize(1);
    scene->materials[0].diffuse = vec3(1);
    scene->camera = {{0, 0, 10}, {0, 0, 0}, {0, 1, 0}, 7};  // within the silhouette
    scene->lights = {sun({-1, -0.3f, -0.1f})};
    constexpr Extent kExtent{64, 64};
    for (Device* device : devices()) {
        scene->meshes.clear();
        scene->spheres = {{vec3(0), 1, 0}};
        auto exact = render_radiance(*device, scene, kExtent, 16);
        scene->spheres.clear();
        scene->meshes = {coarse_sphere(2)};
        auto off = [&](bool smooth) {
            scene->settings["whitted"]["smooth-terminator"] = smooth ? "true" : "false";
            auto picture = render_radiance(*device, scene, kExtent, 16);
            float most = 0;
            for (std::size_t i = 0; i < exact.rgb.size(); ++i)
                most = std::max(most, std::fabs(picture.rgb[i].x - exact.rgb[i].x));
            return most;
        };
        EXPECT_LT(off(true), 0.06f);
        EXPECT_GT(off(false), 0.15f);
    }
}

}  // namespace
}  // namespace tl::textures_tests

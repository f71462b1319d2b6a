// Rooms whose light renderers sample by different techniques, with equal expected results.
#pragma once

#include <map>

#include "tests/image/light_scenes.h"
#include "tests/unit/splats/splat_scenes.h"

namespace tl::test {

/// Walls behind and beside the origin, one of them red, and a floor.
inline void add_walls(Scene& scene) {
    auto white = static_cast<std::int32_t>(scene.materials.size());
    scene.materials.push_back(diffuse(0.7f));
    scene.materials.push_back(diffuse(0.7f));
    scene.materials.back().diffuse = vec3(0.7f, 0.2f, 0.1f);
    Mesh walls;
    add_parallelogram(walls, {-2, 0, -2}, {0, 0, 4}, {4, 0, 0}, white);
    add_parallelogram(walls, {-2, 0, -2}, {4, 0, 0}, {0, 3, 0}, white);
    add_parallelogram(walls, {-2, 0, -2}, {0, 3, 0}, {0, 0, 4}, white + 1);
    add_parallelogram(walls, {2, 0, -2}, {0, 0, 4}, {0, 3, 0}, white);
    scene.meshes.push_back(walls);
    scene.camera = {{0, 1.4f, 4.5f}, {0, 1.2f, 0}, {0, 1, 0}, 50};
}

/// A bent patch of 1.4 m x 1 m that shines down.
inline std::shared_ptr<Scene> room_under_patch() {
    auto scene = std::make_shared<Scene>();
    Material glow = diffuse(0);
    glow.emission = vec3(5, 4, 3);
    scene->materials = {glow};
    PatchSet set;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            bool is_inner = i % 3 != 0 && j % 3 != 0;
            set.points.emplace_back(-0.7f + 1.4f * float(i) / 3, is_inner ? 2.5f : 2,
                                    -0.5f + float(j) / 3);
        }
    set.material_of_patch = {0};
    scene->patches = {set};
    return scene;
}

/// A grey ball of points, of which those on one half emit, each as much as its height says.
inline std::shared_ptr<Scene> room_of_points() {
    auto scene = std::make_shared<Scene>();
    scene->materials = {diffuse(0.5f)};
    scene->splats = splat_sphere(3'000, 0);
    for (auto& splat : scene->splats) {
        if (splat.center.x > 0) splat.emission = (1 - splat.center.y) * vec3(2, 3, 4);
        splat.center = 0.4f * splat.center + vec3(-0.4f, 1.4f, 0.2f);
        splat.radius *= 0.4f;
    }
    return scene;
}

/// A room for each kind of source, by name.
inline std::map<std::string, std::shared_ptr<Scene>> rooms_of_sources() {
    auto with_light = [](Light light) {
        auto scene = std::make_shared<Scene>();
        scene->lights = {light};
        return scene;
    };
    Light point = point_light({0.3f, 2, 0.4f}, 3), spot = point, sun, lamp, ball;
    spot.kind = LightKind::spot;
    spot.direction = glm::normalize(vec3(0.3f, -1, -0.2f));
    spot.inner_angle = 20;
    spot.outer_angle = 50;
    sun.kind = LightKind::directional;
    sun.direction = glm::normalize(vec3(-0.6f, -1, -0.5f));
    lamp.kind = LightKind::rectangle;
    lamp.position = {-0.5f, 2.4f, -0.5f};
    lamp.radiance = vec3(3, 4, 5);
    ball.kind = LightKind::sphere;
    ball.position = {-0.4f, 1.4f, 0.2f};
    ball.radius = 0.4f;
    std::map<std::string, std::shared_ptr<Scene>> scenes{
        {"point", with_light(point)},       {"spot", with_light(spot)},
        {"sun", with_light(sun)},           {"rectangle", with_light(lamp)},
        {"sphere", with_light(ball)},       {"background", std::make_shared<Scene>()},
        {"map", std::make_shared<Scene>()}, {"glowing mesh", floor_under_lamp(3)},
        {"picture", floor_under_picture()}, {"instances", floor_under_instances()},
        {"patch", room_under_patch()},      {"points", room_of_points()}};
    scenes["background"]->background = vec3(0.5f, 0.7f, 0.9f);
    auto& map = scenes["map"]->environment;
    map.extent = {32, 16};
    for (int i = 0; i < 512; ++i)
        map.texels.push_back(i == 150 ? vec3(40, 30, 20) : vec3(0.1f, 0.2f, float(i) / 512));
    for (auto& [name, scene] : scenes) {
        // Raises the scenes: their glossy floor would coincide with that of the walls.
        for (auto& mesh : scene->meshes)
            for (auto& p : mesh.positions) p += vec3(0, 0.5f, 0);
        add_walls(*scene);
        scene->settings["path"]["max-depth"] = "8";
    }
    return scenes;
}

/// Surfaces of all kinds in the room of add_walls, under an area light.
inline std::shared_ptr<Scene> room_of_surfaces() {
    auto scene = std::make_shared<Scene>();
    auto add = [&](MaterialKind kind, float roughness, vec3 place) {
        Material m = diffuse(0.3f);
        m.kind = kind;
        m.specular = vec3(kind == MaterialKind::phong ? 0.5f : 0.9f);
        m.exponent = 100 * (1 - roughness);
        m.roughness = roughness;
        scene->spheres.push_back(
            {place, 0.35f, static_cast<std::int32_t>(scene->materials.size())});
        scene->materials.push_back(m);
    };
    add(MaterialKind::mirror, 0, {-1.4f, 0.4f, -1});
    add(MaterialKind::mirror, 0.3f, {-0.5f, 0.4f, -1});
    add(MaterialKind::mirror, 0.8f, {0.5f, 0.4f, -1});
    add(MaterialKind::dielectric, 0, {1.4f, 0.4f, -1});
    add(MaterialKind::dielectric, 0.4f, {-1.4f, 0.4f, 0.4f});
    add(MaterialKind::phong, 0.5f, {-0.5f, 0.4f, 0.4f});
    add(MaterialKind::phong, 0.95f, {0.5f, 0.4f, 0.4f});
    add(MaterialKind::diffuse, 0, {1.4f, 0.4f, 0.4f});
    SurfaceLayers layers;
    layers.base = vec3(0.8f, 0.5f, 0.2f);
    for (float roughness : {0.3f, 0.9f}) {
        layers.roughness = roughness;
        layers.coat = roughness;
        layers.coat_roughness = 0.1f;
        layers.transmission = 0.5f - roughness / 2;
        scene->materials[roughness < 0.5f ? 5 : 7].layers = layers;
    }
    scene->lights = {lamp_over({-0.7f, 2.6f, -0.7f}, 1.4f, 1.4f, vec3(5))};
    add_walls(*scene);
    scene->settings["path"]["max-depth"] = "10";
    return scene;
}

/// Small light over a thick pane over the floor: the path tracer finds its light only by BSDF
/// sampling.
inline std::shared_ptr<Scene> floor_under_glass() {
    auto scene = std::make_shared<Scene>();
    Material glass;
    glass.kind = MaterialKind::dielectric;
    glass.specular = vec3(1);
    scene->materials = {glass};
    Mesh pane;
    add_box(pane, {-1.5f, 0.5f, -1.5f}, {1.5f, 0.8f, 1.5f}, 0);
    scene->meshes = {pane};
    scene->lights = {lamp_over({-0.7f, 2.4f, -0.7f}, 1.4f, 1.4f, vec3(5))};
    add_walls(*scene);
    scene->camera = {{0, 2.2f, 1.8f}, {0, 0, 0}, {0, 1, 0}, 40};
    scene->settings["path"]["max-depth"] = "12";
    return scene;
}

}  // namespace tl::test

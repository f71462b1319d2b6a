// Scenes whose lighting has a closed form, or is compared between renderers.
#pragma once

#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include "renderer/scene/generators/generator_tools.h"
#include "renderer/scene/scene.h"

namespace tl::test {

inline Material diffuse(float albedo) {
    Material m;
    m.diffuse = vec3(albedo);
    return m;
}

inline Light point_light(vec3 position, float intensity) {
    Light light;
    light.kind = LightKind::point;
    light.position = position;
    light.radiance = vec3(intensity);
    return light;
}

/// Adds the parallelogram of `u` and `v`, whose normal is that of cross(u, v).
inline void add_parallelogram(Mesh& mesh, vec3 corner, vec3 u, vec3 v, std::int32_t material) {
    add_quad(mesh, corner, corner + u, corner + u + v, corner + v, material);
}

/// A rectangle light that shines down.
inline Light lamp_over(vec3 corner, float size_u, float size_v, vec3 radiance) {
    Light lamp;
    lamp.kind = LightKind::rectangle;
    lamp.position = corner;
    lamp.edge_u = {size_u, 0, 0};
    lamp.edge_v = {0, 0, size_v};
    lamp.radiance = radiance;
    return lamp;
}

/// The inside of a sphere of radius 1 with albedo 1/2, and of radiance `emission`.
inline std::shared_ptr<Scene> sphere_from_within(float emission) {
    auto scene = std::make_shared<Scene>();
    scene->materials = {diffuse(0.5f)};
    Mesh ball;  // a sphere of triangles whose insides emit
    constexpr int kRows = 90, kColumns = 180;
    for (int i = 0; i <= kRows; ++i)
        for (int j = 0; j <= kColumns; ++j) {
            float a = kPi * float(i) / kRows, b = 2 * kPi * float(j) / kColumns;
            ball.positions.emplace_back(std::sin(a) * std::cos(b), std::cos(a),
                                        std::sin(a) * std::sin(b));
        }
    for (std::uint32_t i = 0; i < kRows; ++i)
        for (std::uint32_t j = 0; j < kColumns; ++j) {
            std::uint32_t k = i * (kColumns + 1) + j;
            if (i > 0) ball.triangles.emplace_back(k, k + kColumns + 1, k + 1);
            if (i + 1 < kRows)
                ball.triangles.emplace_back(k + 1, k + kColumns + 1, k + kColumns + 2);
        }
    // Normals point inwards.
    for (auto& t : ball.triangles) {
        vec3 p = ball.positions[t.x];
        vec3 n = glm::cross(ball.positions[t.y] - p, ball.positions[t.z] - p);
        if (glm::dot(n, p) > 0) std::swap(t.y, t.z);
    }
    ball.material_of_triangle.assign(ball.triangles.size(), 0);
    scene->materials[0].emission = vec3(emission);
    scene->meshes = {ball};
    scene->camera = {{0.3f, -0.2f, 0.1f}, {1, 1, 1}, {0, 1, 0}, 100};
    scene->settings["path"]["max-depth"] = "64";
    return scene;
}

/// Cube of side 2 around the origin with albedo 2/3, lit by a point light at its centre. The camera
/// inside has a single pixel, aimed at a point of the floor.
inline std::shared_ptr<Scene> keldysh_cube(vec2 place) {
    auto scene = std::make_shared<Scene>();
    scene->materials = {diffuse(2.0f / 3)};
    scene->meshes.emplace_back();
    add_box(scene->meshes[0], vec3(-1), vec3(1), 0);
    // A side of 10 m and 50,000 cd give the same illuminance as a side of 2 m and 2,000 cd.
    scene->lights = {point_light(vec3(0), 2000)};
    vec3 at(place.x, -1, place.y);
    scene->camera = {at + vec3(0, 0.5f, 0), at, {0, 0, 1}, 1};
    scene->settings["render"]["renderer"] = "path";
    scene->settings["path"]["max-depth"] = "64";
    return scene;
}

/// Cube of side 2 around the origin whose faces have different colours, seen from its centre
/// towards one face, which fills the picture. The mean weights all points of that face equally.
inline std::shared_ptr<Scene> colored_cube(int face) {
    auto scene = std::make_shared<Scene>();
    Mesh cube;
    for (int k = 0; k < 6; ++k) {
        Material m;
        m.diffuse = vec3(0.2f + 0.1f * float(k), 0.9f - 0.12f * float(k), 0.5f);
        scene->materials.push_back(m);
        vec3 out(0), u(0), v(0);
        out[k / 2] = k % 2 ? -1.0f : 1.0f;
        u[(k / 2 + 1) % 3] = v[(k / 2 + 2) % 3] = 1;
        add_parallelogram(cube, out - u - v, 2.0f * u, 2.0f * v, k);
        if (k == face) scene->camera = {vec3(0), out, u, 90};
    }
    scene->meshes = {cube};
    scene->lights = {point_light({0.4f, -0.3f, 0.5f}, 1)};
    scene->lights[0].radiance = vec3(1, 2, 3);
    scene->settings["render"]["renderer"] = "path";
    scene->settings["path"]["max-depth"] = "64";
    return scene;
}

/// An object without absorption under uniform illumination from all directions.
inline std::shared_ptr<Scene> white_object(const Material& material, bool with_map) {
    auto scene = std::make_shared<Scene>();
    scene->materials = {material};
    scene->spheres = {{{0, 0, 0}, 1, 0}};
    if (with_map)
        scene->environment = {.extent = {64, 32}, .texels = std::vector(64 * 32, vec3(1))};
    else
        scene->background = vec3(1);
    scene->camera = {{0, 0, 4}, {0, 0, 0}, {0, 1, 0}, 35};
    scene->settings["path"]["max-depth"] = "64";
    return scene;
}

/// Glossy floor under an area light of 2 m x 1 m: a rectangle light, or a mesh of 2 n^2 emissive
/// triangles.
inline std::shared_ptr<Scene> floor_under_lamp(int n) {
    auto scene = std::make_shared<Scene>();
    Material gloss = diffuse(0.4f), glow = diffuse(0);
    gloss.kind = MaterialKind::phong;
    gloss.specular = vec3(0.4f);
    gloss.exponent = 60;
    glow.emission = vec3(5, 4, 3);
    scene->materials = {gloss, glow};
    Mesh floor;
    floor.positions = {{-4, 0, -4}, {-4, 0, 4}, {4, 0, 4}, {4, 0, -4}};
    floor.triangles = {{0, 1, 2}, {0, 2, 3}};
    floor.material_of_triangle = {0, 0};
    scene->meshes = {floor};
    if (n == 0) {
        scene->lights = {lamp_over({-1, 1.5f, -1.5f}, 2, 1, glow.emission)};
    } else {
        Mesh lamp;
        for (int i = 0; i <= n; ++i)
            for (int j = 0; j <= n; ++j)
                lamp.positions.emplace_back(-1 + 2 * float(i) / float(n), 1.5f,
                                            -1.5f + float(j) / float(n));
        auto row = std::uint32_t(n + 1);
        for (std::uint32_t i = 0; i + 1 < row; ++i)
            for (std::uint32_t j = 0; j + 1 < row; ++j) {
                std::uint32_t k = i * row + j;
                lamp.triangles.emplace_back(k, k + row, k + 1);
                lamp.triangles.emplace_back(k + 1, k + row, k + row + 1);
            }
        lamp.material_of_triangle.assign(lamp.triangles.size(), 1);
        scene->meshes.push_back(lamp);
    }
    scene->camera = {{0, 1.2f, 4}, {0, 0.3f, 0}, {0, 1, 0}, 40};
    scene->settings["render"]["renderer"] = "path";
    return scene;
}

/// Mesh light whose emission texture is black but for some texels.
inline std::shared_ptr<Scene> floor_under_picture() {
    auto scene = floor_under_lamp(4);
    Mesh& lamp = scene->meshes[1];
    for (vec3 p : lamp.positions) lamp.uvs.emplace_back((p.x + 1) / 2, p.z + 1.5f);
    Texture picture;
    picture.width = picture.height = 8;
    for (int i = 0; i < 64; ++i)
        for (int c = 0; c < 4; ++c)
            picture.rgba.push_back(i % 5 == c || c == 3 ? 255 : i == 27 ? 130 : 0);
    scene->textures = {picture};
    scene->materials[1].emission *= 4;
    scene->materials[1].emission_texture = 0;
    return scene;
}

/// Two copies of a smaller mesh light, one of them mirrored, and one with an emission of its own.
inline std::shared_ptr<Scene> floor_under_instances() {
    auto scene = floor_under_lamp(4);
    scene->materials.push_back(scene->materials[1]);
    scene->materials[2].emission = vec3(3, 9, 9);
    Mesh& lamp = scene->meshes[1];
    lamp.instanced = true;
    lamp.material_of_triangle[3] = 0;  // dark
    auto at = [](vec3 place, vec3 size) {
        return glm::scale(glm::translate(mat4(1), place), size);
    };
    scene->instances = {{.mesh = 1, .transform = at({-0.7f, 0.6f, 0}, vec3(0.5f))},
                        {.mesh = 1, .transform = at({0.8f, 0.4f, 0}, {-0.5f, 0.6f, 0.5f})},
                        {.mesh = 1, .transform = at({0, 0.3f, 1}, vec3(0.3f)), .material = 2}};
    return scene;
}

}  // namespace tl::test

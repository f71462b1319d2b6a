// The Cornell box by its published measurements (Cornell University Program of Computer Graphics),
// with a mirror and a glass sphere as in Jensen 1996, or with its two blocks.
#include "renderer/scene/generators/generator_tools.h"

namespace tl {
namespace {

constexpr float kMetre = 0.001f;  // the measurements are millimetres

using Corners = vec3[4];

constexpr Corners kFloor{{552.8f, 0, 0}, {0, 0, 0}, {0, 0, 559.2f}, {549.6f, 0, 559.2f}};
constexpr Corners kBoxCeiling{
    {556, 548.8f, 0}, {556, 548.8f, 559.2f}, {0, 548.8f, 559.2f}, {0, 548.8f, 0}};
constexpr Corners kBackWall{
    {549.6f, 0, 559.2f}, {0, 0, 559.2f}, {0, 548.8f, 559.2f}, {556, 548.8f, 559.2f}};
constexpr Corners kGreenWall{{0, 0, 559.2f}, {0, 0, 0}, {0, 548.8f, 0}, {0, 548.8f, 559.2f}};
constexpr Corners kRedWall{
    {552.8f, 0, 0}, {549.6f, 0, 559.2f}, {556, 548.8f, 559.2f}, {556, 548.8f, 0}};

constexpr Corners kShortBlock[5] = {
    {{130, 165, 65}, {82, 165, 225}, {240, 165, 272}, {290, 165, 114}},
    {{290, 0, 114}, {290, 165, 114}, {240, 165, 272}, {240, 0, 272}},
    {{130, 0, 65}, {130, 165, 65}, {290, 165, 114}, {290, 0, 114}},
    {{82, 0, 225}, {82, 165, 225}, {130, 165, 65}, {130, 0, 65}},
    {{240, 0, 272}, {240, 165, 272}, {82, 165, 225}, {82, 0, 225}}};
constexpr Corners kTallBlock[5] = {
    {{423, 330, 247}, {265, 330, 296}, {314, 330, 456}, {472, 330, 406}},
    {{423, 0, 247}, {423, 330, 247}, {472, 330, 406}, {472, 0, 406}},
    {{472, 0, 406}, {472, 330, 406}, {314, 330, 456}, {314, 0, 456}},
    {{314, 0, 456}, {314, 330, 456}, {265, 330, 296}, {265, 0, 296}},
    {{265, 0, 296}, {265, 330, 296}, {423, 330, 247}, {423, 0, 247}}};

void add_face(Mesh& mesh, const Corners& c, std::int32_t material) {
    add_quad(mesh, c[0] * kMetre, c[1] * kMetre, c[2] * kMetre, c[3] * kMetre, material);
}

void add_light(Scene& scene) {
    // The published lamp lies in the ceiling's plane; 0.8 mm below it the two do not coincide.
    scene.lights.push_back({.kind = LightKind::rectangle,
                            .position = vec3(343, 548, 227) * kMetre,
                            .edge_u = vec3(0, 0, 105) * kMetre,
                            .edge_v = vec3(-130, 0, 0) * kMetre,
                            .radiance = vec3(18.4f, 15.6f, 8.0f)});
}

void add_cornell_box(Scene& scene, const GeneratorArguments& arguments) {
    bool blocks = arguments.flag("blocks", false);
    auto white = add_material(scene, "white", MaterialKind::diffuse, {0.725f, 0.71f, 0.68f});
    auto red = add_material(scene, "red", MaterialKind::diffuse, {0.63f, 0.065f, 0.05f});
    auto green = add_material(scene, "green", MaterialKind::diffuse, {0.14f, 0.45f, 0.091f});

    Mesh room = named_mesh("room");
    for (auto* face : {&kFloor, &kBoxCeiling, &kBackWall}) add_face(room, *face, white);
    add_face(room, kGreenWall, green);
    add_face(room, kRedWall, red);
    scene.meshes.push_back(std::move(room));

    if (blocks) {
        Mesh small = named_mesh("short block"), tall = named_mesh("tall block");
        for (auto& face : kShortBlock) add_face(small, face, white);
        for (auto& face : kTallBlock) add_face(tall, face, white);
        scene.meshes.push_back(std::move(small));
        scene.meshes.push_back(std::move(tall));
    } else {
        auto mirror = add_material(scene, "mirror", MaterialKind::mirror, vec3(0.95f));
        auto glass = add_material(scene, "glass", MaterialKind::dielectric, vec3(1));
        scene.spheres.push_back({vec3(390, 100, 370) * kMetre, 100 * kMetre, mirror});
        scene.spheres.push_back({vec3(165, 90, 190) * kMetre, 90 * kMetre, glass});
    }
    add_light(scene);
    // The published lens: focal length 35 mm, film 25 mm.
    scene.camera = {.eye = vec3(278, 273, -800) * kMetre,
                    .target = vec3(278, 273, 0) * kMetre,
                    .vertical_fov = 39.3076f};
}

}  // namespace

Generator cornell_box_generator() {
    return {"cornell-box",
            "The Cornell box with two spheres; blocks=true: with its two blocks (default false)",
            {"blocks"},
            &add_cornell_box};
}

}  // namespace tl

// A crowd of penguins on snow: any number of instances of two meshes, adults and chicks, a few of
// gold, in front of a golden statue that is another instance of the same mesh.
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include "core/base/random.h"
#include "renderer/scene/generators/generator_tools.h"
#include "renderer/scene/instances.h"
#include "renderer/scene/normals.h"

namespace tl {
namespace {

constexpr float kSpacing = 1.15f;  // m between neighbours

struct CrowdColors {
    std::int32_t back, belly, face, beak, eye;
};

/// Builds a bird of ellipsoids, about 0.95 m high, looking along z.
class Bird {
  public:
    Bird(const std::string& name, float detail, const CrowdColors& colors)
        : mesh_(named_mesh(name)), detail_(detail), colors_(colors) {}

    [[nodiscard]] Mesh build() {
        auto place = [](vec3 at, float angle, vec3 axis, vec3 size) {
            return glm::scale(glm::rotate(glm::translate(mat4(1), at), angle, axis), size);
        };
        const vec3 x(1, 0, 0), z(0, 0, 1);
        // The body: a white belly in front, below the neck.
        ellipsoid(32, 26, place({0, 0.4f, 0}, -0.06f, x, {0.225f, 0.375f, 0.21f}), [&](vec3 p) {
            bool front = p.z > 0.35f + 0.25f * p.y * p.y && p.y < 0.85f;
            return front ? colors_.belly : colors_.back;
        });
        ellipsoid(24, 18, place({0, 0.8f, 0.02f}, 0, x, {0.135f, 0.145f, 0.14f}), [&](vec3 p) {
            return std::abs(p.x) > 0.55f && p.y < 0.25f && p.z > -0.5f ? colors_.face
                                                                       : colors_.back;
        });
        auto all = [](std::int32_t color) { return [color](vec3) { return color; }; };
        ellipsoid(12, 10, place({0, 0.785f, 0.17f}, 0.12f, x, {0.035f, 0.026f, 0.11f}),
                  all(colors_.beak));
        ellipsoid(14, 10, place({0, 0.07f, -0.19f}, 0.5f, x, {0.06f, 0.03f, 0.14f}),
                  all(colors_.back));  // tail
        for (float side : {-1.0f, 1.0f}) {
            ellipsoid(16, 14,
                      place({side * 0.235f, 0.43f, 0}, side * 0.28f, z, {0.028f, 0.22f, 0.085f}),
                      all(colors_.back));
            ellipsoid(14, 8,
                      place({side * 0.095f, 0.022f, 0.09f}, side * 0.3f, {0, 1, 0},
                            {0.07f, 0.022f, 0.13f}),
                      all(colors_.beak));
            ellipsoid(10, 8, place({side * 0.075f, 0.84f, 0.122f}, 0, x, vec3(0.022f)),
                      all(colors_.eye));
        }
        add_normals(mesh_);
        return std::move(mesh_);
    }

  private:
    /// Adds the unit sphere, transformed; `color` maps points of the unit sphere to materials.
    template <class Color>
    void ellipsoid(int n_segments, int n_rows, const mat4& transform, Color color) {
        std::size_t first_vertex = mesh_.positions.size(), first = mesh_.triangles.size();
        add_ball(mesh_, vec3(0), vec3(1), scaled(n_segments), scaled(n_rows), 0);
        for (std::size_t t = first; t < mesh_.triangles.size(); ++t) {
            auto v = mesh_.triangles[t];
            vec3 middle =
                (mesh_.positions[v.x] + mesh_.positions[v.y] + mesh_.positions[v.z]) / 3.0f;
            mesh_.material_of_triangle[t] = color(middle);
        }
        for (std::size_t i = first_vertex; i < mesh_.positions.size(); ++i)
            mesh_.positions[i] = vec3(transform * vec4(mesh_.positions[i], 1));
    }
    [[nodiscard]] int scaled(int n) const {
        return std::max(4, static_cast<int>(std::lround(static_cast<float>(n) * detail_)));
    }

    Mesh mesh_;
    float detail_;
    CrowdColors colors_;
};

/// Varies a bird at random: whether it is a chick, whether of gold, and its walk.
void vary(Instance& bird, std::uint32_t chick, std::int32_t gold, bool walks, RandomStream random) {
    if (random.next() < 0.15f) {
        bird.mesh = chick;
        bird.transform = glm::scale(bird.transform, vec3(0.6f));
    } else if (random.next() < 0.01f) {
        bird.material = gold;
    }
    float side = random.next() < 0.5f ? -1.0f : 1.0f;
    float radius = side * glm::mix(0.3f, 1.6f, random.next());
    if (walks) bird.walk = {radius, glm::mix(0.25f, 0.7f, random.next()), 0.22f, 0.025f};
}

void add_crowd(Scene& scene, const GeneratorArguments& arguments) {
    std::int64_t count = arguments.integer("count", 10'000, 1, 10'000'000);
    float detail = arguments.number("detail", 1, 0.25f, 8);
    bool walks = arguments.flag("walk", true);
    auto seed = arguments.integer<std::uint64_t>("seed", 1, 0, 1LL << 53);
    require_memory(static_cast<std::uint64_t>(count) * sizeof(Instance),
                   std::to_string(count) + " instances");

    auto plain = [&](const char* name, vec3 color) {
        return add_material(scene, name, MaterialKind::diffuse, color);
    };
    auto back = add_glossy(scene, "feathers", {0.025f, 0.028f, 0.035f}, 0.04f, 20);
    auto belly = plain("belly", {0.85f, 0.84f, 0.8f});
    auto yellow = plain("cheeks", {0.85f, 0.5f, 0.08f});
    auto orange = plain("beak", {0.8f, 0.28f, 0.05f});
    auto down = plain("down", {0.36f, 0.35f, 0.36f});
    auto pale = plain("pale down", {0.6f, 0.6f, 0.62f});
    auto eye = plain("eye", {0.005f, 0.005f, 0.005f});
    auto snow = plain("snow", {0.82f, 0.85f, 0.9f});
    auto gold = add_material(scene, "gold", MaterialKind::mirror, {0.92f, 0.62f, 0.2f});

    auto adult = static_cast<std::uint32_t>(scene.meshes.size());
    scene.meshes.push_back(Bird("penguin", detail, {back, belly, yellow, orange, belly}).build());
    scene.meshes.push_back(Bird("chick", detail, {down, pale, pale, back, eye}).build());
    scene.meshes[adult].instanced = scene.meshes[adult + 1].instanced = true;

    float side = kSpacing * std::ceil(std::sqrt(static_cast<float>(count)));
    Scatter places;
    places.count = count;
    places.size = vec2(side);
    places.jitter = 0.6f;
    places.scale = {0.85f, 1.1f};
    places.seed = seed;
    std::size_t first = scene.instances.size();
    scatter_instances(scene, {adult}, places);
    for (std::size_t i = first; i < scene.instances.size(); ++i)
        vary(scene.instances[i], adult + 1, gold, walks,
             RandomStream(seed, static_cast<std::uint32_t>(i - first), 1));
    float height = std::max(3.0f, 0.2f * side);
    mat4 statue = glm::translate(mat4(1), vec3(0, 0, -0.5f * side - 0.35f * height));
    scene.instances.push_back({adult, glm::scale(statue, vec3(height)), gold, {}});

    if (walks && scene.duration == 0) scene.duration = 20;

    add_ground(scene, "snow", 20 * side + 100, 0, snow);
    add_directional_light(scene, {-0.75f, -0.55f, -0.5f}, vec3(2.5f, 2.3f, 2.0f));
    add_directional_light(scene, {0.5f, -1, -0.2f}, vec3(0.5f, 0.6f, 0.8f));
    scene.background = {0.3f, 0.47f, 0.74f};
    scene.camera = {.eye = {0.1f * side, 1.3f + 0.035f * side, 0.46f * side + 1.5f},
                    .target = {0, 0.01f * side, 0},
                    .vertical_fov = 38};
}

}  // namespace

Generator crowd_generator() {
    return {"crowd",
            "Instanced penguins on snow: count (default 10,000), detail of their mesh (default 1: "
            "4,712 triangles), walk (default true), seed (default 1)",
            {"count", "detail", "walk", "seed"},
            &add_crowd};
}

}  // namespace tl

// Toasters: a few wind-up toasters march around a pile of toast; a small scene with empty space
// between its objects. Substitutes Zeidan's (2011) scene of that name.
#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include "renderer/scene/generators/generator_tools.h"
#include "renderer/scene/normals.h"

namespace tl {
namespace {

constexpr float kStride = 0.3f;  // m, from one foot to the other
constexpr float kBodyFoot = 0.36f, kBodyTop = 1.02f;
constexpr float kToasterHalfWidth = 0.29f, kToasterHalfLength = 0.5f;

struct ToasterColors {
    std::int32_t base, crust, crumb, steel, white, black;
};

/// A rectangle with rounded corners at height y, counterclockwise seen from above.
std::vector<vec3> rounded_rectangle(vec3 middle, float half_x, float half_z, float corner,
                                    int n_per_corner) {
    std::vector<vec3> ring;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < n_per_corner; ++k) {
            float angle = 0.5f * kPi *
                          (static_cast<float>(i) +
                           static_cast<float>(k) / static_cast<float>(n_per_corner - 1));
            float sign_x = i == 0 || i == 3 ? 1.0f : -1.0f, sign_z = i < 2 ? -1.0f : 1.0f;
            ring.push_back(middle + vec3(sign_x * (half_x - corner) + corner * std::cos(angle), 0,
                                         sign_z * (half_z - corner) - corner * std::sin(angle)));
        }
    return ring;
}

/// Adds an upright box with corners of radius `corner` and edges rounded by `edge`, below `corner`.
void add_rounded_box(Mesh& mesh, vec3 foot, vec3 size, float corner, float edge, int n_per_corner,
                     int n_per_edge, std::int32_t material) {
    std::vector<std::vector<vec3>> rings;
    auto add_ring = [&](float y, float inset) {
        rings.push_back(rounded_rectangle(foot + vec3(0, y, 0), 0.5f * size.x - inset,
                                          0.5f * size.z - inset, corner - inset, n_per_corner));
    };
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k <= n_per_edge; ++k) {
            float angle = 0.5f * kPi * static_cast<float>(k) / static_cast<float>(n_per_edge);
            float rise =
                end == 0 ? edge * (1 - std::cos(angle)) : size.y - edge * (1 - std::sin(angle));
            add_ring(rise, edge * (1 - (end == 0 ? std::sin(angle) : std::cos(angle))));
        }
    add_loft(mesh, rings, material);
}

/// Adds an upright slice of toast in the plane x = `foot.x`.
void add_slice(Mesh& mesh, vec3 foot, const ToasterColors& colors) {
    constexpr int kOutline = 28;
    std::vector<std::vector<vec3>> rings;
    for (float x : {-0.034f, -0.026f, 0.026f, 0.034f}) {
        float inset = std::abs(x) > 0.03f ? 0.012f : 0;
        std::vector<vec3> ring;
        for (int i = 0; i < kOutline; ++i) {
            float angle = 2 * kPi * static_cast<float>(i) / kOutline;
            float c = std::cos(angle), s = std::sin(angle);
            // A square with rounded corners, wider at the top where the loaf has risen.
            float r =
                0.25f / std::pow(std::pow(std::abs(c), 5.0f) + std::pow(std::abs(s), 5.0f), 0.2f) -
                inset;
            float risen = s > 0.3f ? 1.12f : 1.0f;
            ring.push_back(foot + vec3(x, 0.25f + r * s, -r * c * risen));
        }
        rings.push_back(ring);
    }
    std::size_t first = mesh.triangles.size();
    add_loft(mesh, rings, colors.crust);
    for (std::size_t i = first; i < mesh.triangles.size(); ++i) {
        auto t = mesh.triangles[i];
        auto& p = mesh.positions;
        vec3 normal = glm::normalize(glm::cross(p[t.y] - p[t.x], p[t.z] - p[t.x]));
        if (std::abs(normal.x) > 0.9f) mesh.material_of_triangle[i] = colors.crumb;
    }
}

/// A walk around a circle, in whole steps.
class March {
  public:
    March(float radius, float start, float size, float duration)
        : radius_(radius), start_(start), size_(size), duration_(duration) {
        n_rounds_ = std::max(1, static_cast<int>(std::lround(kPi * radius / (kStride * size))));
    }

    /// The body's motion along the circle, facing ahead; it bounces and rolls with the steps.
    [[nodiscard]] Joint body() const {
        Joint joint;
        for_each_key([&](float time, float round) {
            float angle = start_ + 2 * kPi * time / duration_;
            float step = std::sin(2 * kPi * round);
            add_keys(
                joint, time,
                {radius_ * std::sin(angle), 0.05f * size_ * step * step, radius_ * std::cos(angle)},
                glm::angleAxis(angle + 0.5f * kPi, vec3(0, 1, 0)) *
                    glm::angleAxis(0.07f * step, vec3(0, 0, 1)));
        });
        joint.scale = {{0}, {vec3(size_)}};
        return joint;
    }
    /// A foot's motion relative to the body: back with the ground, then forward through the air.
    [[nodiscard]] Joint foot(float side) const {
        Joint joint;
        for_each_key([&](float time, float round) {
            float phase = round + (side > 0 ? 0.5f : 0.0f);
            phase -= std::floor(phase);
            bool stands = phase < 0.5f;
            float ahead = stands ? 1 - 4 * phase : 4 * phase - 3;
            float lift = stands ? 0 : 0.1f * std::sin(2 * kPi * (phase - 0.5f));
            float bounce = std::sin(2 * kPi * round);
            add_keys(joint, time, {0, lift - 0.05f * bounce * bounce, 0.5f * kStride * ahead},
                     glm::quat(1, 0, 0, 0));
        });
        return joint;
    }
    /// The toast's motion: it jumps with every second step.
    [[nodiscard]] Joint toast(float delay) const {
        Joint joint;
        for_each_key([&](float time, float round) {
            float up = std::max(0.0f, std::sin(2 * kPi * (round - delay)));
            add_keys(joint, time, {0, 0.12f * up, 0}, glm::quat(1, 0, 0, 0));
        });
        return joint;
    }

  private:
    static constexpr int kKeys = 12;  // in a round of two steps

    template <class Visit>
    void for_each_key(Visit visit) const {
        for (int i = 0; i <= n_rounds_ * kKeys; ++i) {
            float part = static_cast<float>(i) / static_cast<float>(n_rounds_ * kKeys);
            visit(duration_ * part, static_cast<float>(i % (n_rounds_ * kKeys)) / kKeys);
        }
    }
    static void add_keys(Joint& joint, float time, vec3 place, glm::quat turn) {
        add_key(joint.translation, time, place);
        add_key(joint.rotation, time, turn);
    }

    float radius_, start_, size_, duration_;
    int n_rounds_;
};

/// Builds a toaster that stands on the origin and looks along z.
class Toaster {
  public:
    Toaster(Scene& scene, const ToasterColors& colors, std::int32_t surface, const March& march)
        : scene_(scene), colors_(colors), surface_(surface), march_(march) {}

    void build() {
        Mesh shell = named_mesh("toaster");
        add_rounded_box(shell, {0, kBodyFoot, 0},
                        {2 * kToasterHalfWidth, kBodyTop - kBodyFoot, 2 * kToasterHalfLength}, 0.2f,
                        0.13f, 10, 5, surface_);
        take(std::move(shell), {});
        take(fittings(), {});
        for (float side : {-1.0f, 1.0f}) {
            Mesh slice = named_mesh("toast");
            add_slice(slice, {side * 0.12f, kBodyTop - 0.3f, 0}, colors_);
            take(std::move(slice), {march_.toast(side > 0 ? 0.0f : 0.12f)});
            take(leg(side), {march_.foot(side)});
        }
    }

  private:
    /// Adds the parts fixed to the shell: base, slots, lever and a face.
    [[nodiscard]] Mesh fittings() const {
        Mesh mesh = named_mesh("toaster fittings");
        add_rounded_box(mesh, {0, kBodyFoot - 0.05f, 0}, {0.52f, 0.1f, 0.94f}, 0.18f, 0.03f, 6, 2,
                        colors_.base);
        for (float side : {-1.0f, 1.0f}) {
            add_rounded_box(mesh, {side * 0.12f, kBodyTop - 0.03f, 0}, {0.1f, 0.036f, 0.66f},
                            0.045f, 0.006f, 3, 1, colors_.base);
            add_ball(mesh, {side * 0.11f, 0.77f, kToasterHalfLength - 0.005f},
                     {0.075f, 0.085f, 0.05f}, 12, 6, colors_.white);
            add_ball(mesh, {side * 0.105f, 0.76f, kToasterHalfLength + 0.032f}, vec3(0.03f), 8, 4,
                     colors_.black);
        }
        add_rounded_box(mesh, {0, 0.57f, -kToasterHalfLength - 0.05f}, {0.16f, 0.05f, 0.12f}, 0.03f,
                        0.015f, 4, 2, colors_.base);
        return mesh;
    }
    [[nodiscard]] Mesh leg(float side) const {
        Mesh mesh = named_mesh("toaster leg");
        add_lathe(
            mesh, {side * 0.15f, 0.03f, 0}, 10, 6,
            [](int row) { return 0.075f * static_cast<float>(row); },
            [](float, int row) { return row % 2 ? 0.045f : 0.055f; }, colors_.steel);
        add_ball(mesh, {side * 0.16f, 0.045f, 0.06f}, {0.1f, 0.045f, 0.17f}, 14, 7, colors_.base);
        return mesh;
    }
    void take(Mesh mesh, std::vector<Joint> within) {
        add_normals(mesh);
        within.insert(within.begin(), march_.body());
        set_in_motion(mesh, {std::move(within)}, scene_.duration);
        scene_.meshes.push_back(std::move(mesh));
    }

    Scene& scene_;
    const ToasterColors& colors_;
    std::int32_t surface_;
    const March& march_;
};

void add_floor(Scene& scene) {
    auto light = add_material(scene, "light tile", MaterialKind::diffuse, {0.74f, 0.71f, 0.64f});
    auto dark = add_material(scene, "dark tile", MaterialKind::diffuse, {0.16f, 0.27f, 0.3f});
    Mesh mesh = named_mesh("floor");
    add_tiles(mesh, 16, 16, dark, light);
    scene.meshes.push_back(std::move(mesh));
}

/// Adds a pile of slices, each turned a little.
void add_pile(Scene& scene, const ToasterColors& colors) {
    for (int i = 0; i < 6; ++i) {
        Mesh mesh = named_mesh("toast");
        add_slice(mesh, vec3(0), colors);
        add_normals(mesh);
        auto height = 0.045f + 0.09f * static_cast<float>(i);
        mat4 m = glm::translate(mat4(1), {0, height, 0});
        m = glm::rotate(m, 0.7f * static_cast<float>(i * i), {0, 1, 0});
        m = glm::rotate(glm::scale(m, vec3(1.3f)), 0.5f * kPi, {0, 0, 1});
        m = glm::translate(m, {0, -0.25f, 0});
        for (auto& p : mesh.positions) p = vec3(m * vec4(p, 1));
        for (auto& n : mesh.normals) n = glm::normalize(glm::mat3(m) * n);
        scene.meshes.push_back(std::move(mesh));
    }
}

std::int32_t add_surface(Scene& scene, std::size_t choice, vec3 paint) {
    if (choice == 0) return add_glossy(scene, "paint", paint, 0.15f, 60);
    if (choice == 1)
        return add_material(scene, "chrome", MaterialKind::mirror,
                            glm::mix(paint, vec3(0.95f), 0.8f));
    auto glass = add_material(scene, "glass", MaterialKind::dielectric, vec3(1));
    scene.materials.back().absorption = 0.6f * (vec3(1) - paint);
    return glass;
}

void add_toasters(Scene& scene, const GeneratorArguments& arguments) {
    std::size_t surface = arguments.choice("surface", {"plain", "mirror", "glass"});
    int count = arguments.integer<int>("count", 3, 1, 64);
    scene.duration = arguments.number("duration", 24, 1e-3f, 1e6f);
    ToasterColors colors{add_glossy(scene, "bakelite", {0.03f, 0.03f, 0.035f}, 0.06f, 50),
                         add_material(scene, "crust", MaterialKind::diffuse, {0.42f, 0.2f, 0.07f}),
                         add_material(scene, "crumb", MaterialKind::diffuse, {0.82f, 0.62f, 0.34f}),
                         add_glossy(scene, "steel", vec3(0.35f), 0.3f, 60),
                         add_glossy(scene, "white", vec3(0.85f), 0.1f, 100),
                         add_glossy(scene, "pupil", vec3(0.02f), 0.2f, 100)};
    constexpr vec3 kPaints[] = {{0.7f, 0.1f, 0.06f}, {0.1f, 0.36f, 0.62f}, {0.85f, 0.58f, 0.1f}};
    float spacing = 2 * kPi / static_cast<float>(count);
    float radius = std::max(1.9f, 1.4f / spacing);
    for (int i = 0; i < count; ++i) {
        float size = i % 3 == 1 ? 0.8f : 1.0f;
        March march(radius, spacing * static_cast<float>(i) - 0.4f, size, scene.duration);
        Toaster(scene, colors, add_surface(scene, surface, kPaints[i % 3]), march).build();
    }
    add_floor(scene);
    add_pile(scene, colors);

    add_point_light(scene, {2.5f, 6, 3.5f}, vec3(118, 110, 96));
    add_directional_light(scene, {0.7f, -0.8f, -0.5f}, vec3(0.5f, 0.58f, 0.7f));
    scene.background = {0.34f, 0.42f, 0.5f};
    scene.camera = {.eye = {2.3f, 2.7f, 5.7f}, .target = {0.1f, 0.2f, 0.2f}, .vertical_fov = 42};
}

}  // namespace

Generator toasters_generator() {
    return {"toasters",
            "Toasters that march around a pile of toast: surface plain, mirror or glass (default "
            "plain), count (default 3: 11,240 triangles), duration (default 24 s)",
            {"surface", "count", "duration"},
            &add_toasters};
}

}  // namespace tl

// Forest: a clearing with mushrooms, grass, a pond and creatures flying over it, among trees; a
// large scene of many small, scattered triangles. Substitutes Zeidan's (2011) "Fairy Forest".
#include <algorithm>
#include <array>
#include <cmath>

#include "renderer/scene/generators/forest_parts.h"
#include "renderer/scene/normals.h"

namespace tl {
namespace {

constexpr float kHalfSize = 16;  // m, of the ground
constexpr vec2 kPond{1.25f, 1.55f};
constexpr float kPondRadius = 1.2f, kWater = -0.1f;
constexpr int kTrees = 18;
constexpr std::int64_t kWithoutGrass = 135'000;  // triangles, at most

float smooth_step(float from, float to, float x) {
    float t = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

/// The ground's height: nearly level in the clearing, hilly around it, hollow below the pond.
float ground_at(float x, float z) {
    float r = std::sqrt(x * x + z * z), wild = smooth_step(2, 9, r);
    float hills = std::sin(0.9f * x + 1) * std::sin(0.8f * z) + std::sin(0.37f * x - 0.51f * z);
    float fine = std::sin(3.1f * x) * std::sin(2.7f * z + 0.5f);
    float hollow = smooth_step(kPondRadius, 0.4f * kPondRadius, glm::distance(vec2(x, z), kPond));
    return (0.03f + 0.3f * wild) * hills + 0.02f * fine + 1.8f * smooth_step(6, 16, r) -
           0.5f * hollow;
}

class Forest {
  public:
    Forest(Scene& scene, std::int64_t n_triangles, bool glass, std::uint64_t seed)
        : scene_(scene),
          n_triangles_(static_cast<std::size_t>(n_triangles)),
          glass_(glass),
          seed_(seed),
          first_triangles_(scene.triangle_count()) {}

    void build() {
        add_ground();
        add_trees();
        add_pond();
        add_stones();
        add_mushrooms();
        add_dew();
        add_fairy(scene_);
        add_dragonfly(scene_);
        add_grass();
    }

  private:
    [[nodiscard]] RandomStream random(std::uint32_t what) const { return {seed_, what, 0}; }
    [[nodiscard]] std::int32_t diffuse(const char* name, vec3 color) {
        return add_material(scene_, name, MaterialKind::diffuse, color);
    }
    [[nodiscard]] std::int32_t clear(const char* name, float ior, vec3 absorption) {
        auto index = add_material(scene_, name, MaterialKind::dielectric, vec3(1));
        scene_.materials.back().ior = ior;
        scene_.materials.back().absorption = absorption;
        return index;
    }
    void take(Mesh mesh) {
        add_normals(mesh);
        scene_.meshes.push_back(std::move(mesh));
    }

    void add_ground() {
        constexpr std::uint32_t kCells = 100;
        auto moss = diffuse("moss", {0.13f, 0.2f, 0.06f});
        auto earth = diffuse("earth", {0.2f, 0.14f, 0.08f});
        Mesh mesh = named_mesh("ground");
        // The grid is finer in the middle.
        auto place = [](std::uint32_t i) {
            float t = 2 * static_cast<float>(i) / kCells - 1;
            return kHalfSize * t * (0.35f + 0.65f * t * t);
        };
        for (std::uint32_t row = 0; row <= kCells; ++row)
            for (std::uint32_t column = 0; column <= kCells; ++column) {
                float x = place(column), z = place(row);
                mesh.positions.emplace_back(x, ground_at(x, z), z);
            }
        add_grid(mesh, kCells, kCells, [&](std::uint32_t row, std::uint32_t column) {
            bool is_wet = mesh.positions[row * (kCells + 1) + column].y < kWater + 0.02f;
            return is_wet ? earth : moss;
        });
        take(std::move(mesh));
    }

    /// Adds trees around the clearing, none between it and the camera.
    void add_trees() {
        TreeColors colors{
            diffuse("bark", {0.22f, 0.15f, 0.1f}),
            {diffuse("leaf", {0.16f, 0.33f, 0.07f}), diffuse("young leaf", {0.28f, 0.42f, 0.09f}),
             diffuse("dark leaf", {0.08f, 0.22f, 0.07f})}};
        Mesh wood = named_mesh("trees"), leaves = named_mesh("leaves");
        auto stream = random(1);
        for (int i = 0; i < kTrees; ++i) {
            float around = kPi * (-1.22f + 1.44f * static_cast<float>(i) / (kTrees - 1));
            float r = (i % 2 ? 4.8f : 7.8f) + 1.8f * stream.next();
            float x = r * std::cos(around), z = r * std::sin(around);
            grow_tree(wood, leaves, {x, ground_at(x, z), z}, 4.8f + 2.6f * stream.next(), stream,
                      colors);
        }
        take(std::move(wood));
        take(std::move(leaves));
    }

    /// Adds the pond: a body of water that reaches below the ground.
    void add_pond() {
        auto water = glass_ ? clear("water", 1.33f, {0.9f, 0.35f, 0.25f})
                            : add_glossy(scene_, "water", {0.05f, 0.14f, 0.17f}, 0.25f, 150);
        Mesh mesh = named_mesh("water");
        add_lathe(
            mesh, {kPond.x, 0, kPond.y}, 48, 2,
            [](int row) { return row == 0 ? kWater - 0.9f : kWater; },
            [](float, int) { return kPondRadius; }, water);
        take(std::move(mesh));
    }

    /// Adds stones on the shore of the pond.
    void add_stones() {
        auto stone = diffuse("stone", {0.36f, 0.35f, 0.33f});
        auto stream = random(2);
        Mesh stones = named_mesh("stones");
        constexpr int kStones = 13;
        for (int i = 0; i < kStones; ++i) {
            float around = 2 * kPi * (static_cast<float>(i) + 0.4f * stream.next()) / kStones;
            float r = kPondRadius * (0.98f + 0.14f * stream.next());
            float x = kPond.x + r * std::cos(around), z = kPond.y + r * std::sin(around);
            float size = 0.07f + 0.11f * stream.next(), bulge = 6 * stream.next();
            add_lathe(
                stones, {x, ground_at(x, z) + 0.2f * size, z}, 14, 9,
                [&](int row) {
                    return -0.7f * size * std::cos(kPi * (static_cast<float>(row) + 0.5f) / 9);
                },
                [&](float angle, int row) {
                    float polar = kPi * (static_cast<float>(row) + 0.5f) / 9;
                    return size * std::sin(polar) *
                           (1 + 0.2f * std::sin(2 * angle + bulge) +
                            0.1f * std::cos(3 * angle + polar));
                },
                stone);
        }
        take(std::move(stones));
    }

    /// Adds a stem and a cap as one solid of revolution.
    void add_mushroom(Mesh& mesh, vec3 foot, float size, std::int32_t stem, std::int32_t cap,
                      std::int32_t spot) const {
        // The outline from the foot up.
        constexpr std::array kRadius{0.13f, 0.12f, 0.09f, 0.075f, 0.075f, 0.12f,
                                     0.25f, 0.36f, 0.42f, 0.44f,  0.43f,  0.39f,
                                     0.33f, 0.25f, 0.16f, 0.08f,  0.02f};
        constexpr std::array kHeight{0.0f,  0.1f,  0.3f,  0.5f,  0.62f, 0.64f, 0.625f, 0.6f, 0.58f,
                                     0.61f, 0.67f, 0.75f, 0.83f, 0.9f,  0.95f, 0.98f,  0.99f};
        auto at = [size](auto& outline, int row) {
            return size * outline[static_cast<std::size_t>(row)];
        };
        std::size_t first = mesh.triangles.size();
        add_lathe(
            mesh, foot - vec3(0, 0.05f * size, 0), 26, int(kRadius.size()),
            [&](int row) { return at(kHeight, row); },
            [&](float, int row) { return at(kRadius, row); }, stem);
        for (std::size_t i = first; i < mesh.triangles.size(); ++i) {
            auto t = mesh.triangles[i];
            vec3 middle = (mesh.positions[t.x] + mesh.positions[t.y] + mesh.positions[t.z]) / 3.0f;
            vec3 p = (middle - foot) / size;
            // The cap: all that is neither low nor within the stem.
            if (p.y < 0.54f || glm::length(vec2(p.x, p.z)) < 1.42f - 2 * p.y) continue;
            float around = std::atan2(p.z, p.x);
            bool is_spot = std::sin(5 * around + 9 * p.y) * std::sin(17 * p.y + 1) > 0.45f;
            mesh.material_of_triangle[i] = is_spot ? spot : cap;
        }
    }

    void add_mushrooms() {
        auto stem = diffuse("stem", {0.75f, 0.69f, 0.56f});
        auto spot = diffuse("spots", {0.85f, 0.82f, 0.75f});
        auto red = add_glossy(scene_, "red cap", {0.66f, 0.07f, 0.04f}, 0.12f, 50);
        auto brown = add_glossy(scene_, "brown cap", {0.4f, 0.21f, 0.08f}, 0.06f, 30);
        auto glass = glass_ ? clear("mushroom glass", 1.5f, {0.2f, 0.9f, 0.5f}) : brown;
        Mesh mesh = named_mesh("mushrooms"), clear_ones = named_mesh("glass mushrooms");
        constexpr vec3 kLarge[] = {{-1.15f, 0.1f, 1.0f},   {-0.62f, -0.4f, 0.62f},
                                   {-1.7f, 0.65f, 0.5f},   {0.5f, -0.7f, 0.85f},
                                   {-0.55f, 1.35f, 0.42f}, {1.05f, -0.15f, 0.4f}};
        int n = 0;
        auto grow = [&](float x, float z, float size) {
            bool is_glass = glass_ && n % 3 == 1;
            auto cap = n % 3 == 1 ? glass : n % 4 == 3 ? brown : red;
            add_mushroom(is_glass ? clear_ones : mesh, {x, ground_at(x, z), z}, size,
                         is_glass ? glass : stem, cap, cap == red ? spot : cap);
            ++n;
        };
        for (vec3 place : kLarge) grow(place.x, place.y, place.z);
        auto stream = random(3);
        for (int i = 0; i < 14; ++i) {
            float around = 2 * kPi * stream.next(), r = 1.4f + 2.4f * stream.next();
            vec2 p(r * std::cos(around), r * std::sin(around));
            if (glm::distance(p, kPond) < kPondRadius + 0.2f) p = -p;
            grow(p.x, p.y, 0.12f + 0.22f * stream.next());
        }
        take(std::move(mesh));
        if (glass_) take(std::move(clear_ones));
    }

    /// Adds oversized drops of water, and a mirror ball.
    void add_dew() {
        if (!glass_) return;
        auto dew = clear("dew", 1.33f, vec3(0));
        auto silver = add_material(scene_, "silver", MaterialKind::mirror, {0.88f, 0.9f, 0.92f});
        float x = 0.05f, z = 1.15f, radius = 0.2f;
        scene_.spheres.push_back({{x, ground_at(x, z) + radius, z}, radius, silver});
        auto stream = random(4);
        for (int i = 0; i < 40; ++i) {
            float px = -1.6f + 3 * stream.next(), pz = 0.9f + 2 * stream.next();
            float r = 0.02f + 0.035f * stream.next();
            if (glm::distance(vec2(px, pz), kPond) < kPondRadius) continue;
            scene_.spheres.push_back({{px, ground_at(px, pz) + r + 0.02f, pz}, r, dew});
        }
    }

    /// Adds blades of grass, of three triangles each, with the remaining triangles.
    void add_grass() {
        const std::int32_t greens[] = {diffuse("grass", {0.16f, 0.32f, 0.06f}),
                                       diffuse("fresh grass", {0.26f, 0.42f, 0.08f}),
                                       diffuse("dry grass", {0.36f, 0.36f, 0.12f})};
        constexpr std::size_t kTones[] = {0, 0, 0, 0, 1, 1, 1, 2};
        std::size_t so_far = scene_.triangle_count() - first_triangles_;
        std::size_t n_blades = n_triangles_ > so_far ? (n_triangles_ - so_far) / 3 : 0;
        Mesh mesh = named_mesh("grass");
        reserve(mesh, 5 * n_blades, 3 * n_blades, true);
        auto stream = random(5);
        while (mesh.triangles.size() < 3 * n_blades) {
            float around = 2 * kPi * stream.next(), r = 8.5f * std::pow(stream.next(), 0.7f);
            vec2 p(r * std::cos(around), r * std::sin(around));
            float shore = glm::distance(p, kPond) - kPondRadius, tall = stream.next();
            auto tone = stream.next_uint() % 8;
            float turn = 2 * kPi * stream.next();
            if (shore < 0.02f) continue;
            add_blade(mesh, {p.x, ground_at(p.x, p.y) - 0.01f, p.y}, 0.1f + 0.22f * tall * tall,
                      turn, greens[kTones[tone]]);
        }
        take(std::move(mesh));
    }
    static void add_blade(Mesh& mesh, vec3 foot, float height, float turn, std::int32_t material) {
        vec3 lean(std::cos(turn), 0, std::sin(turn)), half = 0.011f * vec3(-lean.z, 0, lean.x);
        vec3 middle = foot + height * (vec3(0, 0.6f, 0) + 0.12f * lean);
        vec3 tip = foot + height * (vec3(0, 1, 0) + 0.45f * lean);
        auto first = static_cast<std::uint32_t>(mesh.positions.size());
        mesh.positions.insert(mesh.positions.end(), {foot - half, foot + half, middle + 0.7f * half,
                                                     middle - 0.7f * half, tip});
        add_triangle(mesh, first, first + 1, first + 2, material);
        add_triangle(mesh, first, first + 2, first + 3, material);
        add_triangle(mesh, first + 3, first + 2, first + 4, material);
    }

    Scene& scene_;
    std::size_t n_triangles_;
    bool glass_;
    std::uint64_t seed_;
    std::size_t first_triangles_;
};

void add_forest(Scene& scene, const GeneratorArguments& arguments) {
    auto n_triangles = arguments.integer("triangles", 178'000, kWithoutGrass, 50'000'000);
    bool glass = arguments.choice("surface", {"plain", "glass"}) == 1;
    auto seed = static_cast<std::uint64_t>(arguments.integer("seed", 1, 0, 1LL << 53));
    scene.duration = arguments.number("duration", 12, 1e-3f, 1e6f);
    Forest(scene, n_triangles, glass, seed).build();

    add_directional_light(scene, {0.5f, -1, -0.55f}, vec3(3.4f, 3.1f, 2.4f));
    add_directional_light(scene, {-0.6f, -0.8f, -0.6f}, vec3(0.5f, 0.65f, 0.75f));
    scene.background = {0.42f, 0.58f, 0.62f};
    scene.camera = {.eye = {-0.35f, 1.25f, 4.3f},
                    .target = {0.02f, 0.72f, 0.2f},
                    .up = {0, 1, 0},
                    .vertical_fov = 48};
}

}  // namespace

Generator forest_generator() {
    return {"forest",
            "A clearing with mushrooms, a pond, a fairy and a dragonfly: surface plain or glass "
            "(default plain), triangles (default 178,000; grass makes up the number), duration "
            "(default 12 s), seed (default 1)",
            {"surface", "triangles", "duration", "seed"},
            &add_forest};
}

}  // namespace tl

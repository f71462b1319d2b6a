// Atrium: a hall open to the sky (or roofed, so that every ray from inside hits something), two
// arcades of fluted columns under galleries with balustrades, and spheres in the nave. An interior
// with small and large triangles, like the halls used to benchmark tree builders; every solid in it
// is closed.
#include <algorithm>
#include <cmath>

#include "renderer/scene/generators/generator_tools.h"

namespace tl {
namespace {

// The plan, metres: the nave runs along z, the arcades stand at x = +-kArcade.
constexpr float kHalfWidth = 8, kHalfLength = 16, kArcade = 4.2f;
constexpr float kColumnHeight = 4.2f, kGallery = 6.2f, kCeiling = 10;
constexpr int kBays = 8;  // arches of one arcade, which has one column more
constexpr float kBay = 3.6f;
constexpr float kArchRadius = 1.45f, kArchHalfDepth = 0.35f;

class Builder {
  public:
    Builder(Scene& scene, float detail, bool roof) : scene_(scene), detail_(detail), roof_(roof) {
        stone_ = add_material(scene, "limestone", MaterialKind::diffuse, {0.72f, 0.66f, 0.56f});
        plaster_ = add_material(scene, "plaster", MaterialKind::diffuse, {0.62f, 0.42f, 0.33f});
        light_tile_ =
            add_material(scene, "light tile", MaterialKind::diffuse, {0.66f, 0.62f, 0.55f});
        dark_tile_ = add_material(scene, "dark tile", MaterialKind::diffuse, {0.2f, 0.19f, 0.2f});
        bronze_ = add_material(scene, "bronze", MaterialKind::phong, {0.32f, 0.2f, 0.1f});
        scene.materials.back().specular = {0.35f, 0.26f, 0.15f};
        scene.materials.back().exponent = 60;
        mirror_ = add_material(scene, "mirror", MaterialKind::mirror, vec3(0.93f));
        glass_ = add_material(scene, "glass", MaterialKind::dielectric, vec3(1));
    }

    void build() {
        add_floor();
        add_shell();
        for (float side : {-1.0f, 1.0f}) {
            for (int i = 0; i <= kBays; ++i) add_column({side * kArcade, 0, column_z(i)});
            for (int i = 0; i < kBays; ++i)
                add_arch(side * kArcade, 0.5f * (column_z(i) + column_z(i + 1)));
            add_gallery(side);
        }
        for (int i = 0; i < 4; ++i) {
            float z = -9.0f + 6.0f * static_cast<float>(i);
            add_bronze_sphere(i % 2 ? vec3(-1.6f, 0, z) : vec3(1.6f, 0, z));
        }
        scene_.spheres.push_back({{-1.3f, 0.9f, 7}, 0.9f, mirror_});
        scene_.spheres.push_back({{1.2f, 0.7f, 10}, 0.7f, glass_});
    }

  private:
    static float column_z(int i) { return kBay * (static_cast<float>(i) - 0.5f * kBays); }
    [[nodiscard]] int scaled(int count, int least) const {
        return std::max(least, static_cast<int>(std::lround(static_cast<float>(count) * detail_)));
    }
    void take(Mesh mesh) { take_smooth(scene_, std::move(mesh)); }

    void add_floor() {
        Mesh mesh = named_mesh("floor");
        add_tiles(mesh, static_cast<int>(2 * kHalfWidth), static_cast<int>(2 * kHalfLength),
                  dark_tile_, light_tile_);
        take(std::move(mesh));
    }

    /// Adds walls, the ceilings next to the nave, and optionally a roof over it.
    void add_shell() {
        constexpr float w = kHalfWidth, l = kHalfLength, thick = 0.5f;
        const std::pair<vec3, vec3> walls[] = {
            {{-w - thick, 0, -l - thick}, {-w, kCeiling, l + thick}},
            {{w, 0, -l - thick}, {w + thick, kCeiling, l + thick}},
            {{-w, 0, -l - thick}, {w, kCeiling, -l}},
            {{-w, 0, l}, {w, kCeiling, l + thick}}};
        for (auto& [lo, hi] : walls) take_box("wall", lo, hi, plaster_);
        for (float side : {-1.0f, 1.0f}) {
            float inner = side * (kArcade - 0.6f), outer = side * (w + thick);
            take_box("ceiling", {std::min(inner, outer), kCeiling, -l - thick},
                     {std::max(inner, outer), kCeiling + thick, l + thick}, plaster_);
        }
        constexpr float nave = kArcade - 0.6f;
        if (roof_)
            take_box("roof", {-nave, kCeiling, -l - thick}, {nave, kCeiling + thick, l + thick},
                     plaster_);
    }

    void take_box(const char* name, vec3 lo, vec3 hi, std::int32_t material) {
        Mesh mesh = named_mesh(name);
        add_box(mesh, lo, hi, material);
        take(std::move(mesh));
    }

    /// Adds a column: a fluted shaft with entasis between base and capital with turned mouldings.
    void add_column(vec3 foot) {
        constexpr int kFlutes = 20;
        constexpr float kRadius = 0.34f, kFluteDepth = 0.035f;
        int segments = kFlutes * scaled(8, 2), rows = scaled(28, 6);
        auto height = [&](int row) {
            return kColumnHeight * static_cast<float>(row) / static_cast<float>(rows - 1);
        };
        auto radius = [&](float angle, int row) {
            float t = static_cast<float>(row) / static_cast<float>(rows - 1);
            float shaft = kRadius * (1 - 0.16f * t * t);
            float end = std::min(t, 1 - t) * 12;  // 0 at the ends, 1 from the shaft on
            if (end < 1) return shaft + 0.12f * (1 - end) * (0.7f + 0.3f * std::cos(9 * end));
            float flute = std::abs(std::sin(0.5f * kFlutes * angle));
            return shaft - kFluteDepth * flute;
        };
        Mesh mesh = named_mesh("column");
        add_lathe(mesh, foot, segments, rows, height, radius, stone_);
        take(std::move(mesh));
    }

    /// Adds a wall over one bay with a round arch cut out; x is its middle, z that of the bay.
    void add_arch(float x, float z) {
        int n = 2 * scaled(24, 4);
        const float top = kGallery - kColumnHeight;
        Mesh mesh = named_mesh("arch");
        // A closed outline, its lower side the arch: pairs of points below and above each other.
        auto at = [&](int i, bool upper, float side) {
            float angle = kPi * (1 - static_cast<float>(i) / static_cast<float>(n));
            float dz = kArchRadius * std::cos(angle), y = kArchRadius * std::sin(angle);
            if (i == 0) dz = -kArchRadius, y = 0;
            if (i == n) dz = kArchRadius, y = 0;
            return vec3(x + side * kArchHalfDepth, kColumnHeight + (upper ? top : y), z + dz);
        };
        auto first = static_cast<std::uint32_t>(mesh.positions.size());
        auto column = [&](vec3 lower_left, vec3 lower_right, vec3 upper_left, vec3 upper_right) {
            mesh.positions.insert(mesh.positions.end(),
                                  {lower_left, lower_right, upper_left, upper_right});
        };
        auto abutment = [&](float dz) {
            vec3 lower(x, kColumnHeight, z + dz), upper(x, kColumnHeight + top, z + dz);
            vec3 out(kArchHalfDepth, 0, 0);
            column(lower - out, lower + out, upper - out, upper + out);
        };
        abutment(-0.5f * kBay);
        for (int i = 0; i <= n; ++i)
            column(at(i, false, -1), at(i, false, 1), at(i, true, -1), at(i, true, 1));
        abutment(0.5f * kBay);

        auto quad = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
            add_quad(mesh, first + a, first + b, first + c, first + d, stone_);
        };
        auto last = static_cast<std::uint32_t>(4 * (n + 2));
        quad(0, 2, 3, 1);
        for (std::uint32_t i = 0; i < last; i += 4) {
            std::uint32_t j = i + 4;  // the next pair along z
            quad(i, j, j + 2, i + 2);
            quad(i + 1, i + 3, j + 3, j + 1);
            quad(i + 2, j + 2, j + 3, i + 3);
            quad(i, i + 1, j + 1, j);
        }
        quad(last, last + 1, last + 3, last + 2);
        take(std::move(mesh));
    }

    /// Adds the floor over one aisle, and its balustrade.
    void add_gallery(float side) {
        constexpr float kThick = 0.35f, kRailHeight = 0.95f;
        float edge = side * (kArcade - 0.45f), wall = side * kHalfWidth;
        take_box("gallery", {std::min(edge, wall), kGallery, -kHalfLength},
                 {std::max(edge, wall), kGallery + kThick, kHalfLength}, stone_);
        float x = edge + side * 0.15f, floor = kGallery + kThick;
        take_box("rail", {x - 0.11f, floor + kRailHeight, -kHalfLength},
                 {x + 0.11f, floor + kRailHeight + 0.1f, kHalfLength}, stone_);
        constexpr int kBalusters = 40;
        for (int i = 0; i < kBalusters; ++i) {
            float z = kHalfLength * (2 * (static_cast<float>(i) + 0.5f) / kBalusters - 1);
            add_baluster({x, floor, z}, kRailHeight);
        }
    }

    void add_baluster(vec3 foot, float tall) {
        int rows = scaled(18, 6);
        Mesh mesh = named_mesh("baluster");
        add_lathe(
            mesh, foot, scaled(16, 6), rows,
            [&](int row) { return tall * static_cast<float>(row) / static_cast<float>(rows - 1); },
            [&](float, int row) {
                float t = static_cast<float>(row) / static_cast<float>(rows - 1);
                return 0.05f + 0.035f * std::cos(4 * kPi * t) * (1.2f - t);
            },
            stone_);
        take(std::move(mesh));
    }

    /// Adds a bronze sphere of triangles on a stone block.
    void add_bronze_sphere(vec3 foot) {
        constexpr float kSide = 0.45f, kBlock = 1.0f, kRadius = 0.6f;
        take_box("pedestal", foot - vec3(kSide, 0, kSide), foot + vec3(kSide, kBlock, kSide),
                 stone_);
        int rows = scaled(56, 8);
        auto polar = [&](int row) {
            // Rings only: the poles are the ends of the lathe, slightly beyond the last ring.
            return kPi * (static_cast<float>(row) + 0.02f) / (static_cast<float>(rows) - 0.96f);
        };
        Mesh mesh = named_mesh("bronze sphere");
        add_lathe(
            mesh, foot, 2 * rows, rows,
            [&](int row) { return kBlock + kRadius * (1 - std::cos(polar(row))); },
            [&](float, int row) { return kRadius * std::sin(polar(row)); }, bronze_);
        take(std::move(mesh));
    }

    Scene& scene_;
    float detail_;
    bool roof_;
    std::int32_t stone_, plaster_, light_tile_, dark_tile_, bronze_, mirror_, glass_;
};

void add_atrium(Scene& scene, const GeneratorArguments& arguments) {
    float detail = arguments.number("detail", 1, 0.25f, 16);
    require_memory(static_cast<std::uint64_t>(30e6f * detail * detail), "this atrium");
    Builder(scene, detail, arguments.flag("roof", false)).build();
    // Sun through the open roof, sky light from the other side, and a lantern for the arcades.
    add_directional_light(scene, {0.32f, -1, -0.22f}, vec3(5.5f, 4.9f, 3.9f));
    add_directional_light(scene, {-0.35f, -1, 0.3f}, vec3(0.7f, 0.9f, 1.3f));
    add_point_light(scene, {0, 3.4f, 2}, vec3(22, 18, 13));
    scene.background = {0.5f, 0.65f, 0.95f};
    scene.camera = {.eye = {1.6f, 2.0f, 15.2f}, .target = {-0.5f, 3.2f, 0}, .vertical_fov = 62};
}

}  // namespace

Generator atrium_generator() {
    return {"atrium",
            "A hall of fluted columns, arches and spheres: detail (default 1: 265,192 "
            "triangles, which grow with its square), roof (default false: open to the sky)",
            {"detail", "roof"},
            &add_atrium};
}

}  // namespace tl

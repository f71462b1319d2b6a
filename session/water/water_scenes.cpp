#include "session/water/water_scenes.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "renderer/scene/generators/generator_tools.h"
#include "session/water/water_motion.h"

namespace tl {
namespace {

/// A level sheet over the basin, with a vertex at each corner of a cell; the water moves it.
Mesh water_mesh(WaterCase start, const WaterGridPlacement& place, std::int32_t material) {
    auto nx = static_cast<std::uint32_t>(start.basin.nx);
    auto ny = static_cast<std::uint32_t>(start.basin.ny);
    Mesh mesh = named_mesh("water");
    std::uint64_t n_vertices = (std::uint64_t{nx} + 1) * (ny + 1);
    reserve(mesh, n_vertices, std::uint64_t{2} * nx * ny, true);
    mesh.positions.resize(n_vertices);
    mesh.normals.resize(n_vertices);
    auto stream = devices()[0]->create_stream();  // the CPU's
    auto surface = std::make_shared<const WaterSurface>(std::move(start), place);
    DeviceArray<vec3> positions(*stream, n_vertices), normals(*stream, n_vertices);
    surface->start(*stream)->run(*stream, 0, positions.view(), normals.view());
    mesh.positions = positions.download(*stream);
    mesh.normals = normals.download(*stream);
    add_grid(mesh, nx, ny, [&](std::uint32_t, std::uint32_t) { return material; });
    mesh.animation.kind = AnimationKind::simulated;
    mesh.simulation = surface;
    return mesh;
}

double water_hump(double x, double z, double radius) {
    return std::exp(-(x * x + z * z) / (radius * radius));
}

/// Replaces the sheet of the scene `pool` by simulated water.
void add_water_pool(Scene& scene, const GeneratorArguments& arguments) {
    auto cells = arguments.integer<int>("cells", 256, 16, 8192);
    float size = arguments.number("size", 6, 0.1f, 1e4f);
    float depth = arguments.number("depth", 0.25f * size, 1e-2f, 1e4f);
    generate(
        scene, "pool",
        {{"triangles", "2"}, {"size", std::to_string(size)}, {"depth", std::to_string(depth)}});
    scene.duration = arguments.number("duration", 30, 1e-2f, 1e4f);
    WaterCase start;
    start.basin.resize(cells, cells, double(size) / cells);
    auto& basin = start.basin;
    std::ranges::fill(basin.bed, double(-depth));
    for (int j = 0; j < cells; ++j)
        for (int i = 0; i < cells; ++i) {
            double x = (i + 0.5) / cells, z = (j + 0.5) / cells;
            basin.level[static_cast<std::size_t>(j) * static_cast<std::size_t>(cells) +
                        static_cast<std::size_t>(i)] =
                double(size) * (0.03 * water_hump(x - 0.3, z - 0.35, 0.05) -
                                0.02 * water_hump(x - 0.68, z - 0.6, 0.07));
        }
    start.config.implicitness = 0.55f;
    // Half the time in which a wave crosses 1/256 of the pool, whatever the cells: longer waves
    // matter, and the scheme is stable for any step.
    start.config.time_step = size / 512 / std::sqrt(9.81f * depth);
    float half = size / 2;
    WaterGridPlacement place{.corner = vec3(-half, 0, -half), .reach = 0.01f * half};
    auto& sheet = *std::ranges::find(scene.meshes, "water", &Mesh::name);
    sheet = water_mesh(std::move(start), place, sheet.material_of_triangle[0]);
}

std::int32_t add_water_material(Scene& scene, vec3 absorption) {
    auto water = add_material(scene, "water", MaterialKind::dielectric, vec3(1));
    scene.materials[std::size_t(water)].ior = 1.33f;
    scene.materials[std::size_t(water)].absorption = absorption;
    return water;
}

/// A box without a lid about the origin, `size` long inside, that holds water.
struct Tank {
    float size, width;
    float low, top, front_top;
    float thick;               ///< of its walls
    std::int32_t sand, stone;  ///< materials
    std::uint32_t tile = 0;    ///< cells of a tile of the bed, of sand or of stone; 0: all is sand

    [[nodiscard]] vec3 corner() const { return {-size / 2, 0, -width / 2}; }
};

/// Adds the tank's bed and walls. `bed_at` returns the height of the bed at fractions of the tank's
/// length.
template <class Bed>
void add_tank(Scene& scene, const Tank& tank, int columns, int rows, Bed bed_at) {
    float left = tank.corner().x, front = tank.corner().z;
    Mesh ground = named_mesh("bed");
    for (int j = 0; j <= rows; ++j)
        for (int i = 0; i <= columns; ++i)
            ground.positions.emplace_back(left + tank.size * float(i) / float(columns),
                                          float(bed_at(double(i) / columns, double(j) / columns)),
                                          front + tank.width * float(j) / float(rows));
    add_grid(ground, static_cast<std::uint32_t>(columns), static_cast<std::uint32_t>(rows),
             [&](std::uint32_t row, std::uint32_t column) {
                 bool is_odd = tank.tile > 0 && (row / tank.tile + column / tank.tile) % 2 != 0;
                 return is_odd ? tank.stone : tank.sand;
             });
    set_grid_normals(ground.positions, static_cast<std::uint32_t>(columns), ground.normals);
    scene.meshes.push_back(std::move(ground));
    Mesh walls = named_mesh("walls");
    float thick = tank.thick, top = tank.top, low = tank.low;
    auto add = [&](vec3 lower, vec3 upper) { add_box(walls, lower, upper, tank.stone); };
    add({left - thick, low, front - thick}, {-left + thick, top, front});
    add({left - thick, low, front}, {left, top, -front});
    add({-left, low, front}, {-left + thick, top, -front});
    add({left - thick, low, -front}, {-left + thick, tank.front_top, -front + thick});
    scene.meshes.push_back(std::move(walls));
}

/// The ground that a tank stands on, and the sun.
void add_tank_surroundings(Scene& scene, const Tank& tank) {
    add_ground(scene, "ground", 4 * tank.size, tank.low, tank.stone);
    add_directional_light(scene, {0.45f, -0.8f, -0.35f}, vec3(3.4f, 3.1f, 2.8f));
    add_directional_light(scene, {-0.4f, -0.7f, -0.2f}, vec3(0.5f, 0.6f, 0.75f));
    scene.background = {0.35f, 0.45f, 0.6f};
}

/// Makes a tank and its materials; heights are fractions of `size`.
Tank tank_of(Scene& scene, float size, float width, float low, float top, float front_top) {
    return {.size = size,
            .width = width,
            .low = low * size,
            .top = top * size,
            .front_top = front_top * size,
            .thick = 0.02f * size,
            .sand = add_material(scene, "sand", MaterialKind::diffuse, {0.72f, 0.6f, 0.42f}),
            .stone = add_material(scene, "stone", MaterialKind::diffuse, {0.55f, 0.53f, 0.5f})};
}

/// A tank of stone with a hill in it, whose left part is full of water as the dam goes.
void add_water_dam(Scene& scene, const GeneratorArguments& arguments) {
    auto cells = arguments.integer<int>("cells", 240, 24, 8192);
    float size = arguments.number("size", 12, 0.1f, 1e4f);
    scene.duration = arguments.number("duration", 12, 1e-2f, 1e4f);
    int rows = cells / 3;
    WaterCase start;
    auto& basin = start.basin;
    basin.resize(cells, rows, double(size) / cells);
    double full = 0.07 * double(size), rest = 0.006 * double(size);
    auto bed_at = [&](double x, double z) {
        return double(size) * (0.075 * water_hump(x - 0.62, z - 0.13, 0.06) +
                               0.06 * water_hump(x - 0.8, z - 0.24, 0.05));
    };
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < cells; ++i) {
            double x = (i + 0.5) / cells, z = (j + 0.5) / cells;
            auto at = static_cast<std::size_t>(j) * static_cast<std::size_t>(cells) +
                      static_cast<std::size_t>(i);
            basin.bed[at] = bed_at(x, z);
            basin.level[at] = std::max(basin.bed[at], x < 0.3 ? full : rest);
        }
    start.config.advection = Advection::momentum;
    start.config.implicitness = 0.6f;
    start.config.chezy = 60;
    // Water runs at twice the speed of waves: across half a cell in a step.
    start.config.time_step = static_cast<float>(basin.dx / 4 / std::sqrt(9.81 * full));

    auto width = static_cast<float>(basin.dy * rows);
    Tank tank = tank_of(scene, size, width, -0.05f, 0.12f, 0.075f);
    auto water = add_water_material(scene, vec3(0.6f, 0.13f, 0.08f) * (12 / size));
    add_tank(scene, tank, cells, rows, bed_at);
    WaterGridPlacement place{
        .corner = tank.corner(), .reach = 0.2f * tank.thick, .sink = 0.01f * size};
    scene.meshes.push_back(water_mesh(std::move(start), place, water));
    add_tank_surroundings(scene, tank);
    scene.camera = {.eye = vec3(0.1f, 0.58f, 0.62f) * size,
                    .target = vec3(0, 0.02f, 0) * size,
                    .vertical_fov = 42};
}

/// The case `thesis` in a tank, a hundredth as large and so ten times as fast, with steps of a
/// quarter. Its waves are much longer than high: heights are shown forty times as large.
void add_water_thesis(Scene& scene, const GeneratorArguments& arguments) {
    constexpr double kScale = 0.01, kHeights = 40;
    auto start = make_water_case("thesis", arguments.integer<int>("cells", 121, 16, 8192));
    scene.duration = arguments.number("duration", 12, 1e-2f, 1e4f);
    auto& basin = start.basin;
    basin.dx = basin.dy *= kScale;
    for (auto* heights : {&basin.bed, &basin.level})
        for (double& height : *heights) height *= kScale;
    start.config.time_step *= 0.25f * static_cast<float>(std::sqrt(kScale));
    start.config.implicitness = 0.6f;  // or short waves are damped within the first seconds

    auto size = static_cast<float>(basin.dx * basin.nx);
    Tank tank = tank_of(scene, size, size, -0.45f, 0.06f, 0.03f);
    tank.tile = 11;  // edges that waves bend
    auto water = add_water_material(scene, vec3(0.3f, 0.07f, 0.05f));
    // The bed is one plane, which ends where it would half a cell beyond the last ones.
    double first = basin.bed[0], last = basin.bed[std::size_t(basin.nx) - 1];
    double slope = (last - first) / (basin.nx - 1) * basin.nx;
    add_tank(scene, tank, basin.nx, basin.ny,
             [&](double x, double) { return kHeights * (first + (x - 0.5 / basin.nx) * slope); });
    WaterGridPlacement place{
        .corner = tank.corner(), .reach = 0.2f * tank.thick, .heights = float(kHeights)};
    scene.meshes.push_back(water_mesh(std::move(start), place, water));
    add_tank_surroundings(scene, tank);
    scene.camera = {.eye = vec3(0.15f, 0.75f, 1.05f) * size,
                    .target = vec3(0, -0.05f, 0.05f) * size,
                    .vertical_fov = 42};
}

/// The terrain under water up to a level, with a wave that comes in from the sea.
void add_water_coast(Scene& scene, const GeneratorArguments& arguments) {
    auto cells = arguments.integer<int>("cells", 256, 32, 8192);
    auto seed = arguments.integer<std::int64_t>("seed", 1, 0, 0xffffffffLL);
    float size = arguments.number("size", 200, 1, 1e5f);
    float height = 0.2f * size, sea = arguments.number("level", 0.22f, 0, 1) * height;
    generate(scene, "terrain",
             {{"triangles", std::to_string(std::int64_t{2} * cells * cells)},
              {"size", std::to_string(size)},
              {"height", std::to_string(height)},
              {"seed", std::to_string(seed)}});
    scene.duration = arguments.number("duration", 60, 1e-2f, 1e4f);
    auto water = add_water_material(scene, vec3(0.3f, 0.07f, 0.05f) * (40 / size));
    WaterCase start;
    auto& basin = start.basin;
    basin.resize(cells, cells, double(size) / cells);
    auto& corners = std::ranges::find(scene.meshes, "terrain", &Mesh::name)->positions;
    auto stride = static_cast<std::size_t>(cells) + 1;
    for (std::size_t j = 0; j + 1 < stride; ++j)
        for (std::size_t i = 0; i + 1 < stride; ++i) {
            std::size_t k = i + j * stride, at = i + j * static_cast<std::size_t>(cells);
            basin.bed[at] =
                0.25 * (double(corners[k].y) + double(corners[k + 1].y) +
                        double(corners[k + stride].y) + double(corners[k + stride + 1].y));
            double from_front = 1 - (double(j) + 0.5) / cells;
            double wave = 0.15 * double(sea) * water_hump(from_front - 0.08, 0, 0.05);
            basin.level[at] = std::max(basin.bed[at], double(sea) + wave);
        }
    auto& config = start.config;
    config.border_x = config.border_y = WaterBorder::open;
    config.rest_level = sea;
    config.implicitness = 0.6f;
    config.chezy = 35;
    config.time_step = static_cast<float>(basin.dx / std::sqrt(9.81 * double(sea)));
    WaterGridPlacement place{.corner = vec3(-size / 2, 0, -size / 2), .sink = 0.01f * size};
    scene.meshes.push_back(water_mesh(std::move(start), place, water));
}

void add_rows() {
    add_generators(
        {{"water-pool",
          "A pool whose water is computed, from two humps on: cells (of a side; default 256), size "
          "(default 6), depth (default 0.25 size), duration (default 30 s)",
          {"cells", "size", "depth", "duration"},
          &add_water_pool},
         {"water-dam",
          "A dam breaks in a tank with hills: cells (along the tank; default 240), size (default "
          "12), duration (default 12 s)",
          {"cells", "size", "duration"},
          &add_water_dam},
         {"water-thesis",
          "A round wave over a sloping bed, after Brodtkorb 2007: cells (of a side; default "
          "121), duration (default 12 s)",
          {"cells", "duration"},
          &add_water_thesis},
         {"water-coast",
          "A wave comes to the shores of the terrain: cells (of a side; default 256), size "
          "(default 200), level of the sea (default 0.22 of the highest mountain), seed (default "
          "1), duration (default 60 s)",
          {"cells", "size", "level", "seed", "duration"},
          &add_water_coast}});
}

}  // namespace

void add_water_generators() {
    static std::once_flag added;
    std::call_once(added, add_rows);
}

}  // namespace tl

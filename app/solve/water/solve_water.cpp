// `treelight solve water`: moves shallow water on and writes its fields and pictures.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/text_table.h"
#include "app/solve/water/water_input.h"
#include "app/solve/water/water_picture.h"
#include "app/solve/water/water_row.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/device/registry.h"
#include "solvers/dense/matrix_files.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct SolveWaterOptions {
    WaterInput input;
    std::string mode = "adi", device = "auto", out, json;
    std::string compare_mode, compare_device;  ///< empty: as mode and device
    double duration = 0;
    int frames = 0;
    WaterArrows arrows;

    [[nodiscard]] bool compares() const { return !compare_mode.empty() || !compare_device.empty(); }
};

/// PREFIX_z.npy and the others; pictures of a sequence have a number.
struct WaterPaths {
    std::string z, u, v, bed, picture, report;
    explicit WaterPaths(const std::string& prefix)
        : z(prefix + "_z.npy"),
          u(prefix + "_u.npy"),
          v(prefix + "_v.npy"),
          bed(prefix + "_bed.npy"),
          picture(prefix + ".png"),
          report(prefix + ".json") {}
    static std::string frame(const std::string& prefix, int index) {
        char number[24];
        std::snprintf(number, sizeof number, "_%04d.png", index);
        return prefix + number;
    }
};

/// Writes a row-major field with a row of the array for each row of cells.
void add_water_field(FileWriter& file, int nx, int ny, const std::vector<double>& field) {
    std::size_t shape[] = {static_cast<std::size_t>(ny), static_cast<std::size_t>(nx)};
    write_npy_header(file, "<f8", shape);
    file.write({reinterpret_cast<const char*>(field.data()), field.size() * sizeof(double)});
}

void write_water(const std::string& prefix, const Basin& basin, const Water::Host& fields,
                 WaterArrows arrows, const Json& report) {
    WaterPaths paths(prefix);
    FileWriter z(paths.z), u(paths.u), v(paths.v), bed(paths.bed), json(paths.report);
    add_water_field(z, basin.nx, basin.ny, fields.z);
    add_water_field(u, basin.nx + 1, basin.ny, fields.u);
    add_water_field(v, basin.nx, basin.ny + 1, fields.v);
    add_water_field(bed, basin.nx, basin.ny, basin.bed);
    json.write(json_text(report));
    FileWriter* all[] = {&z, &u, &v, &bed, &json};
    finish_together(all);
    write_png(paths.picture, picture_of_water(basin, fields, arrows));
}

/// Mean distance of the level from the closed solution over the first row, relative to the depth
/// behind the dam.
double dam_error(const WaterCase& made, const Water::Host& fields, double rest, double time) {
    double sum = 0;
    for (int i = 0; i < made.basin.nx; ++i) {
        double x = (i + 0.5) * made.basin.dx - 0.5 * made.basin.nx * made.basin.dx;
        auto truth = dam_break_at(kDamDepth, rest, double(made.config.gravity), x, time);
        sum += std::abs(fields.z[static_cast<std::size_t>(i)] - truth.depth);
    }
    return sum / made.basin.nx / kDamDepth;
}

struct MovedWater {
    long n_steps = 0;
    double seconds = 0, iterations = 0;
};

/// The water of a case with the drop of the options.
Water water_at_start(Stream& stream, const WaterCase& made, const SolveWaterOptions& o) {
    Water water(stream, made.basin, made.config);
    auto& drop = o.input.drop;
    if (!drop.empty()) water.drop(stream, drop[0], drop[1], drop[2], drop[3]);
    return water;
}

/// Steps until the duration is over; writes the frames of a sequence.
MovedWater move_water(Stream& stream, Water& water, const WaterCase& made,
                      const SolveWaterOptions& o) {
    MovedWater moved;
    auto n_steps = std::lround(made.duration / double(made.config.time_step));
    int frame = 0;
    for (long i = 0; i < n_steps; ++i) {
        auto start = std::chrono::steady_clock::now();
        moved.iterations += water.step(stream).iterations;
        bool is_frame = o.frames > 0 && (i + 1) * o.frames / n_steps > frame;
        if (is_frame || i + 1 == n_steps) stream.synchronize();
        moved.seconds +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (is_frame)
            write_png(WaterPaths::frame(o.out, ++frame),
                      picture_of_water(made.basin, water.download(stream), o.arrows));
    }
    moved.n_steps = n_steps;
    return moved;
}

/// Moves the same water by the mode and the device that it is compared with. Differences of level,
/// m, and velocities, m/s, at the end.
Json compare_water(const WaterCase& made, const SolveWaterOptions& o, const Water::Host& fields) {
    auto other = o;
    if (!o.compare_mode.empty()) other.mode = o.compare_mode;
    if (!o.compare_device.empty()) other.device = o.compare_device;
    other.frames = 0;
    auto same = made;
    same.config.mode = water_mode_of(other.mode);
    Device& device = find_device(other.device);
    auto stream = device.create_stream();
    Water water = water_at_start(*stream, same, other);
    (void)move_water(*stream, water, same, other);
    auto others = water.download(*stream);
    return {{"mode", other.mode},
            {"device", device.id()},
            {"z", differences_of(fields.z, others.z)},
            {"u", differences_of(fields.u, others.u)},
            {"v", differences_of(fields.v, others.v)}};
}

/// Unit of a number of water_totals_json(), after a space.
const char* unit_of_total(const std::string& key) {
    if (key == "volume") return " m^3";
    if (key == "energy") return " J";
    if (key == "highest_speed") return " m/s";
    return key == "wet_cells" ? "" : " m";
}

void print_water_report(const Json& report) {
    print("%dx%d cells, %ld steps of %.4g s by %s on %s: %s ms a step, %s million cells/s\n",
          report["nx"].get<int>(), report["ny"].get<int>(), report["steps"].get<long>(),
          report["time_step"].get<double>(), text_of(report, "mode"), text_of(report, "device"),
          three_digits(report["ms_per_step"].get<double>()).c_str(),
          three_digits(report["cells_per_second"].get<double>() / 1e6).c_str());
    if (report.contains("iterations"))
        print_entry("iterations", three_digits(report["iterations"].get<double>()) + " a step");
    if (report.contains("shares"))
        for (auto& [device, share] : report["shares"].items())
            print("%-20s %.3g %% of the systems, %.4g ms a step\n", device.c_str(),
                  share["percent"].get<double>(), share["ms"].get<double>());
    print("%-20s %.3g\n", "change of volume", report["volume_change"].get<double>());
    for (auto& [key, value] : report["totals"].items()) {
        auto name = key;
        std::ranges::replace(name, '_', ' ');
        print_entry(name, formatted("%.9g", value.get<double>()) + unit_of_total(key));
    }
    if (report.contains("closed_solution_error"))
        print("%-20s %.3g of the dam's depth\n", "error",
              report["closed_solution_error"].get<double>());
    if (!report.contains("compared")) return;
    auto& compared = report["compared"];
    print("beside %s on %s:\n", text_of(compared, "mode"), text_of(compared, "device"));
    for (const char* field : {"z", "u", "v"})
        print("  %-18s mean difference %.3g, largest %.3g\n", field,
              compared[field]["mean"].get<double>(), compared[field]["largest"].get<double>());
}

void solve_water(const SolveWaterOptions& o) {
    if (o.frames > 0 && o.out.empty()) throw UsageError("--frames needs --out PREFIX");
    begin_report(o.json);
    auto made = make_water(o.input);
    made.config.mode = water_mode_of(o.mode);
    if (o.duration > 0) made.duration = o.duration;
    if (!o.out.empty()) {
        WaterPaths paths(o.out);
        for (auto* path : {&paths.z, &paths.u, &paths.v, &paths.bed, &paths.picture, &paths.report})
            require_writable(*path, made.basin.size() * sizeof(double));
    }
    Device& device = find_device(o.device);
    auto stream = device.create_stream();
    Water water = water_at_start(*stream, made, o);
    double before = water.totals(*stream).volume;
    auto moved = move_water(*stream, water, made, o);
    auto totals = water.totals(*stream);
    auto fields = water.download(*stream);
    auto n_steps = static_cast<double>(std::max(1L, moved.n_steps));
    Json report{
        {"schema", 1},
        {"kind", "water"},
        {"machine", machine_report()},
        {"device", device.id()},
        {"case", o.input.bed.empty() ? o.input.start : o.input.bed},
        {"mode", o.mode},
        {"nx", made.basin.nx},
        {"ny", made.basin.ny},
        {"cell", made.basin.dx},
        {"time_step", made.config.time_step},
        {"steps", moved.n_steps},
        {"settings", o.input.settings},
        {"ms_per_step", 1e3 * moved.seconds / n_steps},
        {"cells_per_second", n_steps * static_cast<double>(made.basin.size()) / moved.seconds},
        {"volume_change", before > 0 ? totals.volume / before - 1 : 0},
        {"totals", totals_json(totals)}};
    if (o.mode == "pcg") report["iterations"] = moved.iterations / n_steps;
    if (auto shares = water.shares(); !shares.empty())
        report["shares"] = shares_json(shares, moved.n_steps);
    bool is_dry = o.input.start == "dam-break-dry";
    if (o.input.bed.empty() && (is_dry || o.input.start == "dam-break") && moved.n_steps > 0)
        report["closed_solution_error"] =
            dam_error(made, fields, is_dry ? 0 : kDamRest, water.time());
    if (o.compares()) report["compared"] = compare_water(made, o, fields);
    print_water_report(report);
    if (!o.json.empty()) write_json(o.json, report);
    if (!o.out.empty()) write_water(o.out, made.basin, fields, o.arrows, report);
}

}  // namespace

void add_solve_water_command(CLI::App& solve) {
    auto o = std::make_shared<SolveWaterOptions>();
    auto& family = find_row(solver_families(), "water", "family of solvers");
    auto* water = solve.add_subcommand(family.id, family.help);
    add_water_flags(*water, o->input);
    add_value(*water, "--mode", o->mode, "ID",
              "adi: a tridiagonal system for each row and column; pcg: one system, by conjugate "
              "gradients with multigrid; plu: as adi, by dense factorisations")
        ->check(CLI::IsMember({"adi", "pcg", "plu"}));
    add_device_option(*water, o->device);
    name_number(add_value(*water, "--duration", o->duration, "S",
                          "time to move on by; auto: as suits the case")
                    ->check(between(0.0, 1e9)),
                "auto");
    name_number(add_value(*water, "--frames", o->frames, "N",
                          "also write N pictures over the duration, PREFIX_0001.png and so on")
                    ->check(between(0, 9999)),
                "off");
    name_number(
        add_value(
            *water, "--arrows", o->arrows.spacing, "N",
            "show velocities in pictures, by an arrow in every N cells, and enlarge pictures for "
            "them, up to 8192 pixels a side")
            ->check(between(0, 4096)),
        "off");
    water
        ->add_option("--compare-mode", o->compare_mode,
                     "also solve by this mode, and report the differences of level and velocities")
        ->type_name("ID")
        ->check(CLI::IsMember({"adi", "pcg", "plu"}));
    water
        ->add_option("--compare-device", o->compare_device,
                     "also solve on this device, and report the differences")
        ->type_name("ID")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    water
        ->add_option("--out", o->out,
                     "also write PREFIX_z.npy (level), PREFIX_u.npy and PREFIX_v.npy (velocities "
                     "on faces), PREFIX_bed.npy, PREFIX.png and PREFIX.json")
        ->type_name("PREFIX");
    add_json_option(*water, o->json);
    water->callback([o] { solve_water(*o); });
}

}  // namespace tl

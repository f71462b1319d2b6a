// `treelight bench water`: what a step of shallow water costs, by mode and size.
#include <chrono>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/statistics.h"
#include "app/jobs/text_table.h"
#include "app/solve/solver_bench.h"
#include "app/solve/water/bench_shared_water.h"
#include "app/solve/water/water_input.h"
#include "app/solve/water/water_row.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct BenchWaterOptions : SolverBench {
    std::vector<int> sizes{1024, 2048};
    std::vector<std::string> modes{"adi", "pcg"};
    std::string start = "drops";
};

/// Steps of one mode, after one that is not counted: conjugate gradients then know how many
/// iterations a step takes.
Json measure_water_mode(Stream& stream, const WaterCase& given, const std::string& mode,
                        const BenchWaterOptions& o, const ReadProgress& progress) {
    WaterConfig config = given.config;
    config.mode = water_mode_of(mode);
    if (config.mode == WaterMode::plu && config.share)
        return measure_shared_water(stream, given, o, progress);
    Water water(stream, given.basin, config);
    double before = water.totals(stream).volume;
    WaterStep last;
    auto seconds = repeated_seconds(o, progress, [&] {
        stream.synchronize();
        auto start = std::chrono::steady_clock::now();
        last = water.step(stream);
        stream.synchronize();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    });
    double step = median(seconds);
    Json row{{"mode", mode},
             {"ms", 1e3 * step},
             {"p95_ms", 1e3 * p95(seconds)},
             {"repeats", seconds.size()},
             {"cells_per_second", static_cast<double>(given.basin.size()) / step},
             {"bytes", water.bytes()},
             {"volume_change", water.totals(stream).volume / before - 1}};
    if (mode == "pcg") row.update({{"iterations", last.iterations}, {"residual", last.residual}});
    return row;
}

void print_water_mode(TextTable& table, const Json& row) {
    if (row.contains("alone_and_both")) return print_shared_water(row);
    table.row(row["mode"])
        .number("ms a step", row["ms"].get<double>())
        .number("Mcells/s", row["cells_per_second"].get<double>() / 1e6)
        .number("change of volume", row["volume_change"].get<double>());
    std::string note = "-";
    if (row.contains("iterations"))
        note = row["iterations"].dump() + ", residual " +
               three_digits(row["residual"].get<double>()) + " of the first";
    table.note("iterations", note).print();
}

void bench_water(BenchWaterOptions o) {
    Device& device = find_device(o.device);
    complete_bench(o, device);
    begin_report(o.json);
    auto stream = device.create_stream();
    print("%s, median of %d\n", device.name().c_str(), o.repeat);
    Json sizes = Json::array();
    int n_failed = 0;
    BenchProgress progress(o.sizes.size() * o.modes.size());
    for (int n : o.sizes) {
        auto made = make_water_case(o.start, n);
        apply_water_settings(made.config, o.settings);
        print("%dx%d cells, %s, steps of %.4g s\n", made.basin.nx, made.basin.ny, o.start.c_str(),
              double(made.config.time_step));
        TextTable table("mode");
        Json rows = measure_modes(
            progress, o.modes,
            [&](const std::string& mode) {
                return measure_water_mode(*stream, made, mode, o, progress.phases());
            },
            [&](const Json& row) { print_water_mode(table, row); }, n_failed);
        sizes.push_back({{"nx", made.basin.nx},
                         {"ny", made.basin.ny},
                         {"time_step", made.config.time_step},
                         {"modes", rows}});
    }
    finish_bench(o, "water", device.name(), {{"case", o.start}}, {{"sizes", sizes}}, "modes",
                 n_failed);
}

}  // namespace

void add_bench_water_command(CLI::App& bench) {
    auto o = std::make_shared<BenchWaterOptions>();
    o->repeat = 20;
    auto* water = bench.add_subcommand("water", "What a step of shallow water costs");
    add_list(*water, "--sizes", o->sizes, "N,...", "cells of a row")->check(between(8, 32768));
    add_list(*water, "--modes", o->modes, "ID,...",
             "modes, as in solve water; plu with --water-share true: rows for the CPU, the GPU and "
             "both");
    add_value(*water, "--case", o->start, "ID", "what the water is like: " + ids_of(water_cases()));
    add_device_option(*water, o->device);
    add_repeat_flags(*water, *o, "size");
    add_json_option(*water, o->json);
    add_water_setting_flags(*water, o->settings);
    water->callback([o] { bench_water(*o); });
}

}  // namespace tl

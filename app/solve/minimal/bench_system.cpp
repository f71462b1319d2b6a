// `treelight bench system`: time of the modes of `solve system` by the number of instances (Cvrcek
// 2016, figures 7.4 and 7.5).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <span>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/statistics.h"
#include "app/jobs/text_table.h"
#include "app/solve/minimal/table_runs.h"
#include "app/solve/solver_bench.h"
#include "app/solve/solver_table.h"
#include "core/base/error.h"
#include "core/base/files.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct BenchSystemOptions : SolverBench {
    std::string system, action;
    std::vector<std::size_t> counts{100, 1000, 10'000, 100'000};
    std::vector<std::string> modes;
};

/// A system, its solver, and instances whose parameters are uniform from -1 to 1.
struct BenchSystem {
    minimal::PolynomialSystem system;
    std::unique_ptr<minimal::TableSolver> solver;
    std::vector<double> instances;
};

/// Real solutions of the instances.
struct Solved {
    std::vector<double> solutions;
    std::vector<int> counts;
};

BenchSystem open_bench_system(const BenchSystemOptions& o) {
    BenchSystem bench;
    bench.system = minimal::read_system(read_text_file(o.system), o.system, o.action);
    bench.solver = open_table_solver(bench.system, o.system, {});
    std::mt19937_64 random(o.seed);
    bench.instances.resize(std::ranges::max(o.counts) *
                           static_cast<std::size_t>(bench.system.n_parameters));
    for (double& x : bench.instances) x = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
    return bench;
}

/// Threads of the CPU, and the modes of the device.
std::vector<std::string> modes_on(const BenchSystemOptions& o, DeviceKind device) {
    if (!o.modes.empty()) return o.modes;
    std::vector<std::string> modes;
    for (auto& row : minimal::table_modes())
        if (row.id != "auto" &&
            (device == DeviceKind::cpu ? row.on_cpu : row.on_cuda || row.id == "threads"))
            modes.push_back(row.id);
    return modes;
}

/// Threads are those of the CPU, whatever the device.
Device& device_of(const BenchSystemOptions& o, const std::string& mode) {
    return find_device(mode == "threads" ? "cpu" : o.device);
}

/// The first `count` instances by a mode, and their solutions.
Json measure_system(const BenchSystemOptions& o, const BenchSystem& bench, std::size_t count,
                    const std::string& mode, const ReadProgress& progress, Solved& solved) {
    auto& device = device_of(o, mode);
    auto chosen = minimal::make_table_route(bench.system, *bench.solver, device, mode, count);
    auto n_numbers = static_cast<std::size_t>(bench.solver->n_solutions()) *
                     static_cast<std::size_t>(bench.solver->n_unknowns());
    solved.solutions.resize(count * n_numbers);
    solved.counts.resize(count);
    auto given = std::span(bench.instances)
                     .first(count * static_cast<std::size_t>(bench.system.n_parameters));
    auto seconds = repeated_seconds(o, progress, [&] {
        auto start = std::chrono::steady_clock::now();
        chosen.route->solve(given, solved.solutions, solved.counts);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    });
    double middle = std::max(median(seconds), 1e-9);
    return {{"mode", mode},
            {"device", device.name()},
            {"instances", count},
            {"median_s", middle},
            {"p95_s", p95(seconds)},
            {"repeats", seconds.size()},
            {"instances_per_s", static_cast<double>(count) / middle},
            {"stages_s", stages_json(chosen.route->stages())}};
}

/// Whether a solution is among `count` others, to 1e-6 of its size.
bool is_among(std::span<const double> solution, const double* others, int count) {
    double size = 1;
    for (double x : solution) size = std::max(size, std::abs(x));
    for (int i = 0; i < count; ++i) {
        double apart = 0;
        for (double x : solution) apart = std::max(apart, std::abs(x - *others++));
        if (apart <= 1e-6 * size) return true;
    }
    return false;
}

/// Instances whose solutions differ in number, or otherwise, from those of the first mode. The
/// order is not compared: solutions that share an unknown to rounding may change positions.
std::size_t count_different(const Solved& solved, const Solved& first, std::size_t n_unknowns) {
    std::size_t n_different = 0, n_numbers = solved.solutions.size() / solved.counts.size();
    for (std::size_t i = 0; i < solved.counts.size(); ++i) {
        bool same = solved.counts[i] == first.counts[i];
        for (std::size_t k = 0; same && k < static_cast<std::size_t>(solved.counts[i]); ++k) {
            auto at = i * n_numbers + k * n_unknowns;
            same = is_among(std::span(solved.solutions).subspan(at, n_unknowns),
                            &first.solutions[i * n_numbers], first.counts[i]);
        }
        n_different += same ? 0 : 1;
    }
    return n_different;
}

void print_system_mode(TextTable& table, const Json& row) {
    std::string stages;
    for (auto& [name, seconds] : row["stages_s"].items()) {
        if (!stages.empty()) stages += ", ";
        stages += name + " " + three_digits(1000 * seconds.get<double>());
    }
    table.row(row["mode"])
        .number("median ms", 1000 * row["median_s"].get<double>())
        .number("instances/s", row["instances_per_s"].get<double>())
        .cell("that differ", row["different"].dump())
        .note("stages of the last solve, ms", stages)
        .print();
}

void bench_system(BenchSystemOptions o) {
    auto& device = find_device(o.device);
    o.device = device.id();
    complete_bench(o, device);
    begin_report(o.json);
    auto modes = modes_on(o, device.kind());
    for (auto& mode : modes) minimal::check_table_mode(device_of(o, mode), mode);
    auto bench = open_bench_system(o);
    print("%s, median of %d\n", device.name().c_str(), o.repeat);
    Json tables = Json::array();
    int n_failed = 0;
    BenchProgress progress(o.counts.size() * modes.size());
    for (std::size_t count : o.counts) {
        print("%zu instances\n", count);
        Solved first, solved;
        TextTable table("mode");
        auto measure = [&](const std::string& mode) {
            auto row = measure_system(o, bench, count, mode, progress.phases(), solved);
            if (first.counts.empty()) first = solved;
            row["different"] = count_different(
                solved, first, static_cast<std::size_t>(bench.solver->n_unknowns()));
            return row;
        };
        tables.push_back(
            {{"instances", count},
             {"modes", measure_modes(
                           progress, modes, measure,
                           [&](const Json& row) { print_system_mode(table, row); }, n_failed)}});
    }
    finish_bench(o, "system", device.name(), {{"system", bench.system.name}}, {{"tables", tables}},
                 "modes", n_failed);
}

}  // namespace

void add_bench_system_command(CLI::App& bench) {
    auto o = std::make_shared<BenchSystemOptions>();
    auto* command = bench.add_subcommand(
        "system", "Modes of solve system, by the number of instances of a polynomial system");
    command->add_option("SYSTEM", o->system, "the system, as text")->required();
    add_list(*command, "--counts", o->counts, "N,...", "numbers of random instances")
        ->check(between(1, 100'000'000));
    add_list(*command, "--modes", o->modes, "ID,...",
             "threads (of the CPU, whatever --device), kernel, or hybrid; default: all of the "
             "device and threads");
    command->add_option("--action", o->action, "action variable, in place of the system's")
        ->type_name("SUM");
    add_device_option(*command, o->device);
    add_value(*command, "--seed", o->seed, "K", "seed of the parameters, uniform from -1 to 1");
    add_repeat_flags(*command, *o, "number of instances");
    add_json_option(*command, o->json);
    command->callback([o] { bench_system(*o); });
}

}  // namespace tl

#include "app/solve/solver_bench.h"

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "core/base/error.h"

namespace tl {

using Json = nlohmann::ordered_json;

void add_bench_flags(CLI::App& command, SolverBench& bench, const std::string& what) {
    add_device_option(command, bench.device);
    add_value(command, "--precision", bench.precision, "TYPE", "float or double")
        ->check(CLI::IsMember({"float", "double"}));
    add_value(command, "--seed", bench.seed, "K", "seed of the matrices");
    add_repeat_flags(command, bench, what);
    add_json_option(command, bench.json);
}

void add_repeat_flags(CLI::App& command, SolverBench& bench, const std::string& what) {
    bench.repeat_flag = add_value(command, "--repeat", bench.repeat, "N",
                                  "how often each time is measured, after a warm-up")
                            ->check(between(1, 1000));
    command
        .add_option("--seconds", bench.most_seconds,
                    "time limit per mode and " + what +
                        ": no further repeat after half of it; default: 60, on the CPU without "
                        "--repeat 5")
        ->type_name("S")
        ->check(between(0.0, 1e9));
}

void complete_bench(SolverBench& bench, const Device& device) {
    constexpr double kUsual = 60, kShort = 5;
    if (bench.most_seconds >= 0) return;
    bool is_asked = bench.repeat_flag && bench.repeat_flag->count() > 0;
    bench.most_seconds = device.kind() == DeviceKind::cpu && !is_asked ? kShort : kUsual;
}

std::vector<double> repeated_seconds(const SolverBench& bench, const ReadProgress& progress,
                                     const std::function<double()>& solve) {
    std::vector<double> seconds;
    double spent = 0;
    for (int i = 0; i <= bench.repeat; ++i) {
        progress.report_work(kRepeats, static_cast<double>(i) / (bench.repeat + 1));
        double taken = solve();
        spent += taken;
        bool is_late = spent > bench.most_seconds / 2;
        if (i > 0 || is_late) seconds.push_back(taken);
        if (is_late) break;
    }
    return seconds;
}

Json measure_modes(BenchProgress& progress, const std::vector<std::string>& modes,
                   const std::function<Json(const std::string&)>& measure,
                   const std::function<void(const Json&)>& print_row, int& n_failed) {
    Json rows = Json::array();
    for (auto& mode : modes) {
        progress.begin(mode);
        try {
            rows.push_back(measure(mode));
            progress.end();
            print_row(rows.back());
        } catch (const UserError& error) {
            progress.end();
            rows.push_back({{"mode", mode}, {"error", error.what()}});
            print("  %-16s %s\n", mode.c_str(), error.what());
            ++n_failed;
        }
    }
    return rows;
}

void finish_bench(const SolverBench& bench, const char* kind, const std::string& device,
                  const Json& head, const Json& results, const char* what, int n_failed) {
    Json report{{"schema", 1},
                {"kind", kind},
                {"machine", machine_report()},
                {"device", device},
                {"precision", bench.precision}};
    report.update(head);
    report.update({{"repeat", bench.repeat}, {"seed", bench.seed}, {"settings", bench.settings}});
    report.update(results);
    if (!bench.json.empty()) write_json(bench.json, report);
    if (n_failed > 0)
        throw UserError(std::string(what) + " that failed: " + std::to_string(n_failed) +
                        "; the table tells why");
}

}  // namespace tl

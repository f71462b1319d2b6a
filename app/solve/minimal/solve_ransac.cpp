// `treelight solve ransac`: a model of a polynomial system for measurements with outliers.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/interrupt.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/solve/minimal/table_runs.h"
#include "app/solve/solver_table.h"
#include "core/base/cancellation.h"
#include "core/base/console.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "solvers/dense/matrix_files.h"
#include "solvers/dense/number_table.h"
#include "solvers/ransac/model_test.h"
#include "solvers/ransac/system_ransac.h"

namespace tl {
namespace {

struct SolveRansacOptions {
    std::string system, action, data, output, json;
    std::string device = "auto", mode = "auto";
    minimal::SystemRansacConfig config;
};

constexpr const char* kModelEnding = "_model.csv";
constexpr const char* kInliersEnding = "_inliers.npy";

std::string model_text(const minimal::PolynomialSystem& system,
                       const minimal::FittedModel& fitted) {
    std::string names, numbers;
    for (std::size_t i = 0; i < system.unknowns.size(); ++i) {
        names += (i == 0 ? "" : ",") + system.unknowns[i];
        numbers += (i == 0 ? "" : ",") + number_text(fitted.unknowns[i]);
    }
    return names + "\n" + numbers + "\n";
}

/// Writes the model, and whether each measurement is an inlier.
void write_model(const std::string& prefix, const minimal::PolynomialSystem& system,
                 const minimal::FittedModel& fitted) {
    FileWriter model(prefix + kModelEnding), inliers(prefix + kInliersEnding);
    model.write(model_text(system, fitted));
    const std::size_t shape[] = {fitted.inliers.size()};
    write_npy_header(inliers, "|b1", shape);
    inliers.write({reinterpret_cast<const char*>(fitted.inliers.data()), fitted.inliers.size()});
    FileWriter* const files[] = {&model, &inliers};
    finish_together(files);
}

/// Errors in the test of models are found before the solver is compiled.
minimal::PolynomialSystem read_measured_system(const SolveRansacOptions& o) {
    auto system = minimal::read_system(read_text_file(o.system), o.system, o.action);
    if (system.measured.columns.empty())
        throw UserError(o.system +
                        ": has no line 'measurement'; name the columns of --data, as in "
                        "'measurement x y', and their error by 'residual' or 'distance'");
    try {
        minimal::ModelTest{system};
    } catch (const UserError& error) {
        throw UserError(o.system + ": " + error.what());
    }
    return system;
}

std::vector<double> read_measurements(const SolveRansacOptions& o,
                                      const minimal::PolynomialSystem& system) {
    if (o.data.empty())
        throw UsageError("solve ransac needs --data FILE, with rows of " +
                         joined(system.measured.columns));
    return read_number_table(
        o.data, system.measured.columns.size(),
        "measurements of this system (" + joined(system.measured.columns) + ")");
}

void print_model(const minimal::PolynomialSystem& system, const minimal::FittedModel& fitted) {
    print("%zu measurements, %zu inliers (%.1f %%), error %.4g rms%s\n", fitted.inliers.size(),
          fitted.n_inliers,
          100 * static_cast<double>(fitted.n_inliers) / static_cast<double>(fitted.inliers.size()),
          fitted.rms, fitted.is_refined ? "" : ", not refined");
    if (fitted.n_left_out > 0) print("%zu are not finite\n", fitted.n_left_out);
    for (std::size_t i = 0; i < system.unknowns.size(); ++i)
        print("%s = %.12g\n", system.unknowns[i].c_str(), fitted.unknowns[i]);
    print("%zu samples of %d, %zu with solutions, %zu models tested, %.4g s\n", fitted.n_samples,
          system.measured.sample_size, fitted.n_solved, fitted.n_models, fitted.seconds);
    print_stages(fitted.stages);
}

nlohmann::ordered_json model_json(const minimal::PolynomialSystem& system,
                                  const minimal::FittedModel& fitted) {
    auto unknowns = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < system.unknowns.size(); ++i)
        unknowns[system.unknowns[i]] = fitted.unknowns[i];
    return {{"model", unknowns},
            {"measurements", fitted.inliers.size()},
            {"left_out", fitted.n_left_out},
            {"inliers", fitted.n_inliers},
            {"rms", fitted.rms},
            {"refined", fitted.is_refined},
            {"samples", fitted.n_samples},
            {"samples_with_solutions", fitted.n_solved},
            {"models", fitted.n_models},
            {"seconds", fitted.seconds},
            {"stages", stages_json(fitted.stages)}};
}

/// Throws what `poll` throws.
void fit_measurements(const SolveRansacOptions& o, const minimal::ProgressPoll& poll) {
    begin_report(o.json);
    auto& device = find_device(o.device);
    minimal::check_table_mode(device, o.mode);
    auto system = read_measured_system(o);
    for (const char* ending : {kModelEnding, kInliersEnding})
        if (!o.output.empty()) require_writable(o.output + ending);
    auto measurements = read_measurements(o, system);
    auto solver = open_table_solver(system, o.system, poll);
    auto chosen = open_table_route(system, *solver, device, o.mode, minimal::kFirstSamples, poll);
    minimal::FittedModel fitted;
    try {
        fitted = minimal::fit_by_ransac(system, *chosen.route, solver->n_solutions(), measurements,
                                        o.config, poll);
    } catch (const UserError& error) {
        throw UserError(o.data + ": " + error.what());
    }
    print_model(system, fitted);
    if (!o.output.empty()) write_model(o.output, system, fitted);
    if (o.json.empty()) return;
    nlohmann::ordered_json report{{"schema", 1},
                                  {"kind", "ransac"},
                                  {"machine", machine_report()},
                                  {"device", device.name()},
                                  {"system", system.name},
                                  {"mode", chosen.mode},
                                  {"bound", o.config.bound},
                                  {"confidence", o.config.confidence},
                                  {"iterations", o.config.most_samples},
                                  {"seed", o.config.seed}};
    report.update(model_json(system, fitted));
    write_json(o.json, report);
}

void solve_ransac(const SolveRansacOptions& o) {
    InterruptFlag interrupt;
    try {
        fit_measurements(o, [&](double) {
            if (interrupt.is_set()) throw Cancelled();
        });
    } catch (const Cancelled&) {
        throw UserError("stopped by " + interrupt.cause() + "; nothing is written");
    }
}

void add_ransac_flags(CLI::App& command, minimal::SystemRansacConfig& config) {
    add_value(command, "--bound", config.bound, "E",
              "largest error of an inlier: the root of the sum of its squared residuals and "
              "distances")
        ->check(between(0.0, 1e150));
    add_value(command, "--iterations", config.most_samples, "N",
              "samples at most, however few inliers there are")
        ->check(between(1, 2'000'000'000));
    add_value(command, "--confidence", config.confidence, "C",
              "probability that one of the samples had no outlier; fewer samples if it is smaller")
        ->check(between(0.0, 1 - 1e-12));
    add_value(command, "--seed", config.seed, "K", "seed of the samples")
        ->check(between(0, 2'147'483'647));
}

}  // namespace

void add_solve_ransac_command(CLI::App& solve) {
    auto o = std::make_shared<SolveRansacOptions>();
    auto* command = solve.add_subcommand(
        "ransac",
        "A model of measurements with outliers, by RANSAC with the solver of a polynomial system");
    command
        ->add_option("SYSTEM", o->system,
                     "the system, as text: beside its equations for a minimal sample, the lines "
                     "'measurement x y' (columns of --data), 'residual EXPRESSION' or 'distance "
                     "EXPRESSION' (zero where a measurement fits), and 'positive EXPRESSION' "
                     "(models to keep)")
        ->required();
    command
        ->add_option("--data", o->data,
                     "measurements: lines of numbers in the order of the columns, or a .npy file "
                     "of shape (measurements, columns)")
        ->type_name("FILE");
    command
        ->add_option("-o,--out", o->output,
                     "also write PREFIX_model.csv (the unknowns and their values) and "
                     "PREFIX_inliers.npy (whether each measurement is an inlier)")
        ->type_name("PREFIX");
    command
        ->add_option("--action", o->action,
                     "action variable, in place of the system's: a sum of unknowns times whole "
                     "numbers, such as 'x + 2*y'")
        ->type_name("SUM");
    add_ransac_flags(*command, o->config);
    add_device_option(*command, o->device);
    add_table_mode_option(*command, o->mode);
    add_json_option(*command, o->json);
    command->callback([o] { solve_ransac(*o); });
}

}  // namespace tl

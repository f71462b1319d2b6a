// `treelight solve sparse`: solves with a sparse matrix from a file or a generator.
#include <algorithm>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/text_table.h"
#include "app/solve/matrix_input.h"
#include "app/solve/sparse/sparse_row.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/paths.h"
#include "core/device/registry.h"
#include "solvers/dense/matrix_files.h"
#include "solvers/sparse/csr_file.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

void print_sparse_report(const Json& report) {
    print("sparse %dx%d %s with %d entries by %s, preconditioner %s, format %s on %s: %s s\n",
          report["rows"].get<int>(), report["cols"].get<int>(), text_of(report, "precision"),
          report["entries"].get<int>(), text_of(report, "method"),
          text_of(report, "preconditioner"), text_of(report, "format"), text_of(report, "device"),
          three_digits(report["seconds"].get<double>()).c_str());
    for (auto& [key, value] : report["accuracy"].items()) {
        auto name = key == "residual" ? "|b - A x| / |b|" : key;
        std::ranges::replace(name, '_', ' ');
        print_entry(name, three_digits(value.get<double>()));
    }
    auto& results = report["results"];
    std::string iterations;
    for (auto& count : results["iterations"])
        iterations.append(iterations.empty() ? "" : ", ").append(count.dump());
    print_entry("iterations", iterations);
    print_entry("set-up", three_digits(report["setup_seconds"].get<double>()) + " s");
    print_entry("solve", three_digits(report["solve_seconds"].get<double>()) + " s");
    auto bytes = static_cast<double>(results["device_bytes"].get<std::uint64_t>());
    print_entry("device memory", three_digits(bytes / (1 << 20)) + " MiB");
    for (const char* key : {"preconditioner", "note"})
        if (results.contains(key)) print_entry(key, results[key]);
}

/// Writes both files; neither replaces an older one before both are complete.
template <class T>
void write_sparse_result(const std::string& prefix, const HostMatrix<T>& x, const Json& report) {
    FileWriter solution(prefix + "_X.npy"), text(prefix + ".json");
    write_npy<T>(solution, x.rows, x.cols, x.data);
    text.write(json_text(report));
    FileWriter* const files[] = {&solution, &text};
    finish_together(files);
}

template <class T>
void solve_sparse_as(const SolveSparseOptions& o) {
    begin_report(o.json);
    if (!o.out.empty())
        for (const char* ending : {"_X.npy", ".json"}) require_writable(o.out + ending);
    Device& device = find_device(o.device);
    auto stream = device.create_stream();
    SolverRun run;
    auto answer = run_sparse<T>(*stream, o.task, run);
    Json report{{"schema", 1},
                {"kind", "sparse"},
                {"machine", machine_report()},
                {"device", device.id()},
                {"matrix", sparse_matrix_json(o.task)},
                {"precision", o.precision},
                {"settings", o.task.settings}};
    report.update(answer.report);
    print_sparse_report(report);
    if (!o.json.empty()) write_json(o.json, report);
    if (!o.out.empty()) write_sparse_result(o.out, answer.x, report);
    if (!answer.fault.empty()) throw UserError(answer.fault);
}

void add_input_flags(CLI::App& command, SparseTask& task) {
    auto* file =
        command.add_option("--input", task.file, "matrix to read: .mtx")->type_name("FILE");
    add_value(command, "--kind", task.spec.kind, "KIND",
              "kind of matrix to make: " + ids_of(sparse_kinds()))
        ->excludes(file);
    command
        .add_option("--rows", task.spec.rows,
                    "rows of the matrix to make; grids take the nearest square or cube")
        ->type_name("N")
        ->check(between(1, 1 << 30))
        ->excludes(file);
    add_value(command, "--seed", task.spec.seed, "K", "seed of the matrix and the right sides");
    auto* right = add_right_side_flags(command, task.right_file, task.n_right);
    command
        .add_flag("--known-solution", task.known_solution,
                  "right sides are the sums of the matrix's rows: report the errors of the "
                  "solution, which is 1")
        ->excludes(right);
}

}  // namespace

void solve_sparse(const SolveSparseOptions& options) {
    if (options.precision == "float")
        solve_sparse_as<float>(options);
    else
        solve_sparse_as<double>(options);
}

bool is_sparse_file(const std::string& path) {
    constexpr int kLeastRows = 1000, kLeastElements = 50;
    auto extents = sparse_extents(with_home(path));
    return extents.rows >= kLeastRows &&
           extents.entries <=
               static_cast<std::int64_t>(extents.rows) * extents.cols / kLeastElements;
}

void add_solve_sparse_command(CLI::App& solve) {
    auto o = std::make_shared<SolveSparseOptions>();
    auto& family = find_row(solver_families(), "sparse", "family of solvers");
    auto* command = solve.add_subcommand(family.id, family.help);
    add_input_flags(*command, o->task);
    add_device_option(*command, o->device);
    add_value(*command, "--precision", o->precision, "TYPE", "float or double")
        ->check(CLI::IsMember({"float", "double"}));
    command->add_option("--out", o->out, "also write PREFIX_X.npy and PREFIX.json")
        ->type_name("PREFIX");
    add_json_option(*command, o->json);
    add_sparse_setting_flags(*command, o->task.settings);
    command->callback([o] {
        if (o->task.file.empty() && o->task.spec.rows == 0)
            throw UsageError("solve sparse needs a matrix: --input FILE, or --rows N");
        solve_sparse(*o);
    });
}

}  // namespace tl

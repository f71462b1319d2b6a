// `treelight solve lu|rref|solve|inverse|lstsq|pinv|matmul`: solves with a matrix from a file or a
// generator, and writes the results.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/text_table.h"
#include "app/solve/dense/dense_devices.h"
#include "app/solve/dense/dense_out_of_core.h"
#include "app/solve/dense/dense_problem.h"
#include "app/solve/dense/dense_ranks.h"
#include "app/solve/dense/dense_row.h"
#include "app/solve/dense/dense_text.h"
#include "app/solve/dense/stored_factors.h"
#include "app/solve/sparse/sparse_row.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/paths.h"
#include "core/device/registry.h"
#include "solvers/dense/matrix_files.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

/// The mode of systems that passes a sparse matrix on to the sparse solver.
constexpr const char* kSparseMode = "sparse";

/// Whether a problem takes a matrix in parts, over ranks or over devices.
bool takes_parts(DenseProblem problem) {
    return problem == DenseProblem::lu || problem == DenseProblem::solve;
}

struct SolveDenseOptions {
    DenseTask task;
    std::string device = "auto", precision = "double", out, json;
    bool out_of_core = false;  ///< lu of a matrix in host memory
    double device_memory = 0;  ///< GiB that it uses of the device; 0: most of what is free
    DenseRankFlags ranks;

    [[nodiscard]] bool is_on_ranks() const { return !ranks.grid.empty(); }
    /// Whether the matrix is spread over devices of this process.
    [[nodiscard]] bool is_spread() const {
        return takes_parts(task.problem) && is_device_list(device);
    }
};

/// File name endings of a problem's results; the report comes last.
std::vector<std::string> dense_endings(const SolveDenseOptions& o) {
    auto& task = o.task;
    std::vector<std::string> endings{"_X.npy"};
    if (task.problem == DenseProblem::rref) endings = {"_R.npy"};
    if (task.problem == DenseProblem::lu) endings = {"_L.npy", "_U.npy", "_p.npy"};
    if (task.problem == DenseProblem::lu && (task.packed || o.out_of_core || o.is_on_ranks()))
        endings = {"_LU.npy", "_p.npy"};
    if (moves_columns(task.mode)) endings.emplace_back("_q.npy");
    endings.emplace_back(".json");
    return endings;
}

/// Checks before solving that the files can be written, and that factors will all be of one run.
void check_dense_output(const SolveDenseOptions& o) {
    auto endings = dense_endings(o);
    for (auto& ending : endings) require_writable(o.out + ending);
    if (o.task.problem != DenseProblem::lu) return;
    for (auto& ending : factor_endings())
        if (std::ranges::find(endings, ending) == endings.end() &&
            std::filesystem::exists(o.out + ending))
            throw UserError(o.out + ending +
                            ": is of earlier factors, and would stay beside the new ones; remove "
                            "it, or choose another --out");
}

/// Writes the files of a result. All are complete before the first replaces an older one; the
/// report comes last.
template <class T>
void write_dense_result(const std::string& prefix, const DenseFiles<T>& result,
                        const Json& report) {
    std::vector<std::unique_ptr<FileWriter>> files;
    auto add = [&](const std::string& ending) -> FileWriter& {
        return *files.emplace_back(std::make_unique<FileWriter>(prefix + ending));
    };
    auto add_matrix = [&]<class Number>(const std::string& ending,
                                        const HostMatrix<Number>& matrix) {
        auto& file = add(ending + ".npy");
        const std::size_t shape[] = {static_cast<std::size_t>(matrix.rows),
                                     static_cast<std::size_t>(matrix.cols)};
        write_npy_header(file, kNpyType<Number>, shape, true);
        auto bytes = std::as_bytes(std::span(matrix.data));
        file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    };
    for (auto& [ending, matrix] : result.matrices) add_matrix(ending, matrix);
    for (auto& [ending, matrix] : result.complex_matrices) add_matrix(ending, matrix);
    for (auto& [ending, order] : result.orders) {
        auto& file = add(ending + ".npy");
        const std::size_t shape[] = {order.size()};
        write_npy_header(file, "<i4", shape);
        auto bytes = std::as_bytes(std::span(order));
        file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    add(".json").write(json_text(report));
    std::vector<FileWriter*> in_order;
    for (auto& file : files) in_order.push_back(file.get());
    finish_together(in_order);
}

void print_dense_report(const Json& report) {
    print("%s of %dx%d %s%s by %s on %s: %s s\n", text_of(report, "kind"),
          report["rows"].get<int>(), report["cols"].get<int>(),
          report.contains("numbers") ? "complex " : "", text_of(report, "precision"),
          text_of(report, "mode"), text_of(report, "device"),
          three_digits(report["seconds"].get<double>()).c_str());
    for (auto& entry : dense_accuracy(report["kind"], report, report["precision"] == "float"))
        print_entry(entry.name, entry.value);
    constexpr int kDigits = 9;
    for (auto& [key, value] : report["results"].items())
        if (!value.is_array()) print_entry(dense_name(key), dense_value(key, value, kDigits));
    print_stages_of(report);
}

Json report_of_input(const SolveDenseOptions& o) {
    return {{"schema", 1},
            {"kind", id_of(o.task.problem)},
            {"machine", machine_report()},
            {"device", ""},
            {"matrix", matrix_json(o.task.input)},
            {"precision", o.precision},
            {"settings", o.task.settings}};
}

void solve_on_ranks(const SolveDenseOptions& o) {
    if (!o.task.settings.empty())
        throw UsageError("--grid does not take " + o.task.settings.begin()->first +
                         ", which is a setting of another mode");
    DenseRankTask task{o.task, o.ranks, o.device, o.out, [&] { check_dense_output(o); }};
    auto report = report_of_input(o);
    if (o.precision == "float")
        run_on_ranks<float>(task, report);
    else
        run_on_ranks<double>(task, report);
    print_dense_report(report);
    for (std::size_t rank = 0; rank < report["rank_memory_mb"].size(); ++rank)
        print_entry("rank " + std::to_string(rank),
                    three_digits(report["rank_memory_mb"][rank].get<double>()) + " MB at most");
}

void solve_on_devices(const SolveDenseOptions& o) {
    const char* other = o.is_on_ranks()           ? "--grid"
                        : o.out_of_core           ? "--out-of-core"
                        : !o.task.factors.empty() ? "--factors"
                                                  : nullptr;
    if (other) throw UsageError("--device " + o.device + ": " + other + " takes one device");
    DenseDevicesTask task{o.task, o.device, o.out, [&] { check_dense_output(o); }};
    auto report = report_of_input(o);
    if (o.precision == "float")
        run_on_devices<float>(task, report);
    else
        run_on_devices<double>(task, report);
    print_dense_report(report);
    if (!o.json.empty()) write_json(o.json, report);
}

template <class T>
void solve_dense(const SolveDenseOptions& o) {
    if (!o.out.empty()) check_dense_output(o);
    if (o.out_of_core && is_complex(o.task))
        throw UsageError("solve lu: --out-of-core takes real matrices");
    Device& device = find_device(o.device);
    auto stream = device.create_stream();
    SolverRun run;
    DenseFiles<T> files;
    auto solved =
        o.out_of_core
            ? run_out_of_core<T>(*stream, o.task,
                                 static_cast<std::uint64_t>(o.device_memory * 0x1p30), run, o.out)
            : run_dense<T>(*stream, o.task, run, o.out.empty() ? nullptr : &files);
    auto report = report_of_input(o);
    report["device"] = device.id();
    if (!o.task.factors.empty()) report["factors"] = o.task.factors;
    report.update(solved);
    print_dense_report(report);
    if (!o.json.empty()) write_json(o.json, report);
    if (!o.out.empty()) write_dense_result(o.out, files, report);
}

/// Adds the flags of right sides that are read, random or known.
void add_right_flags(CLI::App& command, DenseTask& task) {
    auto* right = add_right_side_flags(command, task.right_file, task.n_right);
    add_known_solution(command, task.known_solution, task.problem);
    command.get_option("--known-solution")->excludes(right);
}

void add_factor_flags(CLI::App& command, DenseTask& task) {
    auto* factors =
        command
            .add_option("--factors", task.factors,
                        "solve with factors that solve lu --out PREFIX has written; the matrix is "
                        "then needed for its backward error alone")
            ->type_name("PREFIX");
    command.add_flag("--transposed", task.transposed, "solve A^T X = B with the stored factors")
        ->needs(factors);
    factors->excludes(command.get_option("--mode"));
}

void add_rref_flags(CLI::App& command, DenseTask& task) {
    name_number(
        add_value(command, "--tolerance", task.tolerance, "T",
                  "magnitudes up to which there is no pivot; auto: 8 max(rows, columns) eps times "
                  "the largest length of a column")
            ->check(between(-1.0, 1e300)),
        "auto", "-1");
    add_known_solution(command, task.known_solution, task.problem);
    add_value(command, "--right-columns", task.right_cols, "K",
              "columns at the end that are right sides, without pivots, with --mode complete")
        ->check(between(0, 1 << 20))
        ->excludes(command.get_option("--known-solution"));
}

void add_ratio_flag(CLI::App& command, DenseTask& task) {
    name_number(
        add_value(
            command, "--rcond", task.rcond, "R",
            "singular values up to R times the largest count as zero; auto: max(rows, columns) "
            "eps")
            ->check(between(-1.0, 1.0)),
        "auto", "-1");
}

/// The two matrices by their files, and the columns of a random right one.
void add_product_flags(CLI::App& command, DenseTask& task) {
    auto* left = command.add_option("A", task.input.file, "left matrix: .npy or .mtx");
    auto* right = command.add_option("B", task.right_file,
                                     "right matrix: .npy or .mtx; default: uniform random");
    for (const char* flag : {"--input", "--kind", "--rows", "--cols", "--cond"})
        left->excludes(command.get_option(flag));
    name_number(add_value(command, "--right-cols", task.right_cols, "N",
                          "columns of a random right matrix; auto: as many as the left one has")
                    ->check(between(0, 1 << 20))
                    ->excludes(right),
                "auto");
}

void add_out_of_core_flags(CLI::App& command, SolveDenseOptions& o) {
    auto* flag = command.add_flag(
        "--out-of-core", o.out_of_core,
        "keep the matrix in host memory, for one that the device does not hold: its factors go "
        "into PREFIX_LU.npy, and their accuracy is that of a solved system");
    flag->excludes(command.get_option("--mode"));
    name_number(
        add_value(command, "--device-memory", o.device_memory, "GIB",
                  "memory of the device that --out-of-core uses; auto: nine tenths of what is free")
            ->check(between(0.0, 1e6))
            ->needs(flag),
        "auto");
}

void check_dense_task(const DenseTask& task, const std::string& name) {
    if (task.problem == DenseProblem::rref && task.right_cols > 0 && !moves_columns(task.mode))
        throw UsageError("--right-columns has no effect without --mode complete");
    bool has_matrix = !task.input.file.empty() || task.input.spec.rows > 0;
    if (!task.factors.empty() && task.known_solution && !has_matrix)
        throw UsageError(name + ": --known-solution needs the matrix: --input FILE, or --rows N");
    if (task.factors.empty()) return;
    auto is_complex_matrix = [](const std::string& file) {
        return is_matrix_file(file) && is_complex_file(with_home(file));
    };
    bool has_complex = task.input.complex;
    for (auto& ending : {"_LU.npy", "_L.npy"})
        if (auto file = task.factors + ending; std::filesystem::exists(with_home(file)))
            has_complex = has_complex || is_complex_matrix(file);
    for (auto& file : {task.input.file, task.right_file})
        has_complex = has_complex || (!file.empty() && is_complex_matrix(file));
    if (has_complex)
        throw UsageError(name + ": --factors takes those of real matrices, and real right sides");
}

/// Whether a system is solved as a sparse one: by request, or because its file is one.
bool takes_sparse(const DenseTask& task) {
    if (task.problem != DenseProblem::solve || !task.factors.empty()) return false;
    if (!task.mode.empty()) return task.mode == kSparseMode;
    if (task.input.complex) return false;
    return !task.settings.empty() || (!task.input.file.empty() && is_sparse_file(task.input.file));
}

void solve_as_sparse(const SolveDenseOptions& o) {
    if (o.task.input.file.empty())
        throw UsageError(
            "solve solve --mode sparse needs --input FILE.mtx; solve sparse makes matrices");
    SolveSparseOptions sparse{{}, o.device, o.precision, o.out, o.json};
    sparse.task.file = o.task.input.file;
    sparse.task.spec.seed = o.task.input.spec.seed;
    sparse.task.right_file = o.task.right_file;
    sparse.task.n_right = o.task.n_right;
    sparse.task.known_solution = o.task.known_solution;
    sparse.task.settings = o.task.settings;
    solve_sparse(sparse);
}

/// Adds --mode, whose help lists the modes of all devices.
void add_mode_flag(CLI::App& command, DenseTask& task) {
    auto ids = dense_mode_ids(task.problem);
    if (task.problem == DenseProblem::solve)
        ids += std::string(", ") + kSparseMode +
               "; default of .mtx files with coordinates, 1000 rows and few entries: sparse";
    if (takes_parts(task.problem)) ids += std::string("; with --grid: ") + kRankModes;
    auto* mode = command
                     .add_option("--mode", task.mode,
                                 "way to solve it, first of the device by default: " + ids)
                     ->type_name("ID");
    if (task.problem == DenseProblem::rref)
        mode->check(CLI::IsMember(dense_modes(task.problem, DeviceKind::cpu)));
}

void add_dense_solver(CLI::App& solve, DenseProblem problem, const char* out_help) {
    auto o = std::make_shared<SolveDenseOptions>();
    o->task.problem = problem;
    o->task.input.spec.rows = o->task.input.spec.cols = 0;
    auto& family = find_row(solver_families(), id_of(problem), "family of solvers");
    auto* command = solve.add_subcommand(family.id, family.help);
    add_matrix_flags(*command, o->task.input, "seed of the matrix");
    if (problem == DenseProblem::lu || problem == DenseProblem::solve)
        add_complex_flag(*command, o->task.input);
    if (problem != DenseProblem::pinv) add_mode_flag(*command, o->task);
    if (problem == DenseProblem::solve || problem == DenseProblem::lstsq)
        add_right_flags(*command, o->task);
    if (problem == DenseProblem::solve) add_factor_flags(*command, o->task);
    if (problem == DenseProblem::rref) add_rref_flags(*command, o->task);
    if (problem == DenseProblem::lstsq || problem == DenseProblem::pinv)
        add_ratio_flag(*command, o->task);
    if (problem == DenseProblem::matmul) add_product_flags(*command, o->task);
    if (problem == DenseProblem::lu) add_out_of_core_flags(*command, *o);
    if (problem == DenseProblem::lu)
        command->add_flag("--packed", o->task.packed,
                          "write L and U in one matrix: U on and above the diagonal, L below it");
    if (takes_parts(problem)) add_rank_flags(*command, o->ranks);
    if (takes_parts(problem))
        add_device_list_option(*command, o->device, "spreads the matrix over several GPUs");
    else
        add_device_option(*command, o->device);
    add_value(*command, "--precision", o->precision, "TYPE", "float or double")
        ->check(CLI::IsMember({"float", "double"}));
    command->add_option("--out", o->out, out_help)->type_name("PREFIX");
    add_json_option(*command, o->json);
    if (problem == DenseProblem::lu || problem == DenseProblem::inverse)
        add_dense_setting_flags(*command, o->task.settings);
    if (problem == DenseProblem::solve) add_sparse_setting_flags(*command, o->task.settings);
    command->callback([o, name = "solve " + family.id] {
        if (o->is_on_ranks() && !o->json.empty())
            throw UsageError(name + ": --grid takes no --json; --out writes the report as well");
        begin_report(o->json);
        check_dense_task(o->task, name);
        bool may_be_sparse = o->task.mode == kSparseMode || !o->is_spread();
        if (!o->is_on_ranks() && may_be_sparse && takes_sparse(o->task)) return solve_as_sparse(*o);
        if (o->task.factors.empty()) complete_matrix(o->task.input, name);
        if (o->task.input.spec.cols == 0) o->task.input.spec.cols = o->task.input.spec.rows;
        if (o->is_spread())
            solve_on_devices(*o);
        else if (o->is_on_ranks())
            solve_on_ranks(*o);
        else if (o->precision == "float")
            solve_dense<float>(*o);
        else
            solve_dense<double>(*o);
    });
}

}  // namespace

void add_solve_dense_commands(CLI::App& solve) {
    add_dense_solver(solve, DenseProblem::lu,
                     "also write PREFIX_L.npy, PREFIX_U.npy (or PREFIX_LU.npy), PREFIX_p.npy with "
                     "A[p] = L U, PREFIX_q.npy where columns are exchanged, and PREFIX.json");
    add_dense_solver(solve, DenseProblem::rref,
                     "also write PREFIX_R.npy, PREFIX_q.npy with --mode complete, and PREFIX.json "
                     "with pivots");
    for (auto problem : {DenseProblem::solve, DenseProblem::inverse, DenseProblem::lstsq,
                         DenseProblem::pinv, DenseProblem::matmul})
        add_dense_solver(solve, problem, "also write PREFIX_X.npy and PREFIX.json");
}

}  // namespace tl

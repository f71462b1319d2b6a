// `treelight solve svd`: decomposes a matrix from a file or a generator and writes the results.

#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/text_table.h"
#include "app/solve/svd/svd_problem.h"
#include "app/solve/svd/svd_row.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/device/registry.h"
#include "solvers/dense/matrix_files.h"
#include "solvers/svd/svd_checks.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct SolveSvdOptions {
    MatrixInput input;
    std::string mode = "auto", device = "auto", vectors = "thin", precision = "double";
    int rank = 0;
    std::string out, json;
    std::map<std::string, std::string> settings;
};

SvdRequest request_of(const SolveSvdOptions& o) {
    SvdRequest request;
    request.vectors = vectors_of(o.vectors);
    request.rank = o.rank;
    request.seed = o.input.spec.seed;
    return request;
}

/// Paths of the files of --out.
struct ResultPaths {
    std::string values, u, v, report;
    explicit ResultPaths(const std::string& prefix)
        : values(prefix + "_S.npy"),
          u(prefix + "_U.npy"),
          v(prefix + "_V.npy"),
          report(prefix + ".json") {}
};

/// Checks before solving that the files can be written and will all be of one run.
void check_output(const SolveSvdOptions& o) {
    ResultPaths paths(o.out);
    bool with_vectors = o.vectors != "none";
    for (auto* path : {&paths.u, &paths.v}) {
        if (with_vectors)
            require_writable(*path);
        else if (std::filesystem::exists(*path))
            throw UserError(*path +
                            ": is of an earlier decomposition, and --vectors none would leave it "
                            "beside the new values; remove it, or choose another --out");
    }
    require_writable(paths.values);
    require_writable(paths.report);
}

/// Bytes of the elements that a decomposition writes.
std::uint64_t result_bytes(int rows, int cols, const SvdRequest& request, std::size_t element) {
    auto m = static_cast<std::uint64_t>(rows), n = static_cast<std::uint64_t>(cols);
    auto n_values = request.rank > 0 ? static_cast<std::uint64_t>(request.rank) : std::min(m, n);
    std::uint64_t vectors = 0;
    if (request.vectors == SvdVectors::thin) vectors = (m + n) * n_values;
    if (request.vectors == SvdVectors::full) vectors = m * m + n * n;
    return (n_values + vectors) * element;
}

/// Writes the files of a result. All are complete before the first replaces an older one; the
/// report comes last.
template <class T>
void write_result(Stream& stream, const SolveSvdOptions& o, const SvdResult<T>& result,
                  const Json& report) {
    ResultPaths paths(o.out);
    std::vector<std::unique_ptr<FileWriter>> files;
    auto add = [&](const std::string& path) -> FileWriter& {
        return *files.emplace_back(std::make_unique<FileWriter>(path));
    };
    std::vector<RealOf<T>> rounded(result.values.begin(), result.values.end());
    write_npy<RealOf<T>>(add(paths.values), static_cast<int>(rounded.size()), 0, rounded);
    if (result.u.cols() > 0) {
        auto add_matrix = [&](const std::string& path, const Matrix<T>& matrix) {
            write_npy<T>(add(path), matrix.rows(), matrix.cols(), matrix.download(stream));
        };
        add_matrix(paths.u, result.u);
        add_matrix(paths.v, result.v);
    }
    add(paths.report).write(json_text(report));
    std::vector<FileWriter*> in_order;
    for (auto& file : files) in_order.push_back(file.get());
    finish_together(in_order);
}

void print_report(const Json& report, const std::vector<double>& values) {
    print("%dx%d %s%s by %s on %s\n", report["rows"].get<int>(), report["cols"].get<int>(),
          report.contains("numbers") ? "complex " : "", text_of(report, "precision"),
          text_of(report, "mode"), text_of(report, "device"));
    print("%zu values, largest %.17g, smallest %.17g\n", values.size(), values.front(),
          values.back());
    double unit = rounding_unit(report["rows"].get<int>(), report["cols"].get<int>(),
                                report["precision"] == "float");
    for (auto& [key, value] : report["accuracy"].items()) {
        auto accuracy = svd_accuracy(key, value, unit, report["rank"].get<int>());
        print_entry(accuracy.name, accuracy.value);
    }
    print_stages_of(report);
}

template <class T>
Json report_of(const SolveSvdOptions& o, const Device& device, int rows, int cols,
               const SvdResult<T>& result, const Json& accuracy) {
    return {{"schema", 1},
            {"kind", "svd"},
            {"machine", machine_report()},
            {"device", device.id()},
            {"matrix", matrix_json(o.input)},
            {"rows", rows},
            {"cols", cols},
            {"precision", o.precision},
            {"mode", result.mode},
            {"vectors", o.vectors},
            {"rank", o.rank},
            {"settings", o.settings},
            {"accuracy", accuracy},
            {"stages", stages_json(result.stages)}};
}

/// Checks that the results of a matrix fit where they are written.
void check_result_size(const SolveSvdOptions& o, int rows, int cols, const SvdRequest& request,
                       std::size_t element) {
    check_request(rows, cols, request);
    if (!o.out.empty())
        require_writable(ResultPaths(o.out).report, result_bytes(rows, cols, request, element));
}

template <class T>
void solve_with(const SolveSvdOptions& o, Stream& stream, SvdSolver& solver) {
    auto blas = make_blas(stream);
    auto request = request_of(o);
    std::vector<double> known;
    if (o.input.file.empty())
        require_svd_memory(stream.device(), solver, o.input.spec, request, sizeof(T));
    auto a = make_svd_input<T>(*blas, o.input, known);
    check_result_size(o, a.rows(), a.cols(), request, sizeof(T));
    SolverRun run;
    auto result = solver.solve(stream, MatrixView<const T>(a.view()), request, run);
    auto report = report_of(o, stream.device(), a.rows(), a.cols(), result,
                            accuracy_json<T>(*blas, a.view(), result, known));
    if (kIsComplex<T>) report["numbers"] = "complex";
    print_report(report, result.values);
    if (!o.json.empty()) {
        auto with_values = report;
        with_values["values"] = result.values;
        write_json(o.json, with_values);
    }
    if (!o.out.empty()) write_result(stream, o, result, report);
}

template <class T>
void solve_svd(const SolveSvdOptions& o) {
    begin_report(o.json);
    if (!o.out.empty()) check_output(o);
    Device& device = find_device(o.device);
    auto stream = device.create_stream();
    auto solver = make_configured_svd(o.mode, device, o.settings);
    check_svd_settings(o.settings, {o.mode}, "--mode");
    if (is_complex(o.input))
        solve_with<Complex<T>>(o, *stream, *solver);
    else
        solve_with<T>(o, *stream, *solver);
}

}  // namespace

void add_solve_svd_command(CLI::App& solve) {
    auto o = std::make_shared<SolveSvdOptions>();
    auto& family = find_row(solver_families(), "svd", "family of solvers");
    auto* svd = solve.add_subcommand(family.id, family.help);
    add_matrix_flags(*svd, o->input, "seed of the matrix and of the randomised mode");
    add_complex_flag(*svd, o->input);
    add_value(*svd, "--mode", o->mode, "ID", "way to solve it: " + ids_of(svd_solvers()));
    add_device_option(*svd, o->device);
    add_value(*svd, "--vectors", o->vectors, "WHICH", "singular vectors: thin, full or none")
        ->check(CLI::IsMember({"thin", "full", "none"}));
    name_number(add_value(*svd, "--rank", o->rank, "R", "only the largest triplets")
                    ->check(CLI::Range(0, 1 << 20)),
                "all");
    add_value(*svd, "--precision", o->precision, "TYPE", "float or double")
        ->check(CLI::IsMember({"float", "double"}));
    svd->add_option("--out", o->out,
                    "also write PREFIX_U.npy, PREFIX_S.npy, PREFIX_V.npy and PREFIX.json")
        ->type_name("PREFIX");
    add_json_option(*svd, o->json);
    add_svd_setting_flags(*svd, o->settings);
    svd->callback([o] {
        complete_matrix(o->input, "solve svd");
        if (o->precision == "float")
            solve_svd<float>(*o);
        else
            solve_svd<double>(*o);
    });
}

}  // namespace tl

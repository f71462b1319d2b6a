// `treelight solve svd`: decomposes a matrix from a file or a generator and writes the results.
#include <cstdio>

#include "accel/parallel/error.h"
#include "accel/parallel/registry.h"
#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/machine_report.h"
#include "app/solve/svd/svd_job.h"
#include "app/solve/svd/svd_row.h"
#include "solvers/dense/matrix_files.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct SolveSvdOptions {
    SvdInput input;
    std::string mode = "auto", device = "auto", vectors = "thin", precision = "double";
    int rank = 0;
    std::string out;
    std::map<std::string, std::string> settings;
};

SvdRequest request_of(const SolveSvdOptions& o) {
    SvdRequest request;
    request.vectors = vectors_of(o.vectors);
    request.rank = o.rank;
    request.seed = o.input.spec.seed;
    return request;
}

template <class T>
void write_result(Stream& stream, const SolveSvdOptions& o, const SvdResult<T>& result,
                  const Json& report) {
    std::vector<T> values(result.values.begin(), result.values.end());
    write_npy<T>(o.out + "_S.npy", static_cast<int>(values.size()), 0, values);
    if (result.u.cols() > 0) {
        write_npy<T>(o.out + "_U.npy", result.u.rows(), result.u.cols(), result.u.download(stream));
        write_npy<T>(o.out + "_V.npy", result.v.rows(), result.v.cols(), result.v.download(stream));
    }
    write_json(o.out + ".json", report);
}

void print_report(const Json& report, const std::vector<double>& values) {
    std::printf("%dx%d %s by %s on %s\n", report["rows"].get<int>(), report["cols"].get<int>(),
                text_of(report, "precision"), text_of(report, "mode"), text_of(report, "device"));
    std::printf("%zu values, largest %.17g, smallest %.17g\n", values.size(), values.front(),
                values.back());
    for (auto& [name, value] : report["accuracy"].items())
        std::printf("%-20s %.3g\n", name.c_str(), value.get<double>());
    for (auto& stage : report["stages"])
        std::printf("%-20s %.3f ms\n", text_of(stage, "name"), stage["ms"].get<double>());
}

template <class T>
void solve_svd(const SolveSvdOptions& o) {
    Device& device = find_device(o.device);
    auto stream = device.create_stream();
    auto blas = make_blas(*stream);
    auto solver = make_configured_svd(o.mode, device, o.settings);
    check_svd_settings(o.settings, {o.mode}, "--mode");
    auto request = request_of(o);
    std::vector<double> known;
    if (o.input.file.empty()) require_svd_memory(device, *solver, o.input.spec, request, sizeof(T));
    auto a = make_input<T>(*blas, o.input, &known);
    SolverRun run;
    auto result = solver->solve(*stream, MatrixView<const T>(a.view()), request, run);
    Json report{{"schema", 1},
                {"kind", "svd"},
                {"machine", machine_report()},
                {"device", device_id(device.kind())},
                {"matrix", o.input.file.empty() ? Json{{"kind", o.input.spec.kind},
                                                       {"condition", o.input.spec.condition},
                                                       {"seed", o.input.spec.seed}}
                                                : Json{{"file", o.input.file}}},
                {"rows", a.rows()},
                {"cols", a.cols()},
                {"precision", o.precision},
                {"mode", result.mode},
                {"vectors", o.vectors},
                {"rank", o.rank},
                {"settings", o.settings},
                {"accuracy", accuracy_json<T>(*blas, a.view(), result, known)},
                {"stages", stages_json(result.stages)}};
    print_report(report, result.values);
    if (!o.out.empty()) write_result(*stream, o, result, report);
}

}  // namespace

void add_solve_svd_command(CLI::App& solve) {
    auto o = std::make_shared<SolveSvdOptions>();
    auto& family = find_row(solver_families(), "svd", "family of solvers");
    auto* svd = solve.add_subcommand(family.id, family.help);
    auto* input = svd->add_option("--input", o->input.file, "matrix to read: .npy or .mtx")
                      ->type_name("FILE");
    auto* kind = add_value(*svd, "--kind", o->input.spec.kind, "KIND",
                           "kind of matrix to make: " + ids_of(matrix_kinds()));
    kind->excludes(input);
    auto add_extent = [&](const char* flag, int& extent, const char* help) {
        svd->add_option(flag, extent, help)
            ->type_name("N")
            ->check(between(1, 1 << 20))
            ->excludes(input);
    };
    add_extent("--rows", o->input.spec.rows, "rows of the matrix to make");
    add_extent("--cols", o->input.spec.cols,
               "columns of the matrix to make; default: as many as rows");
    add_value(*svd, "--cond", o->input.spec.condition, "C",
              "condition number of the matrix to make, where the kind has one")
        ->excludes(input);
    add_value(*svd, "--seed", o->input.spec.seed, "K",
              "seed of the matrix and of the randomised mode");
    add_value(*svd, "--mode", o->mode, "ID", "way to solve it: " + ids_of(svd_solvers()));
    add_device_option(*svd, o->device);
    add_value(*svd, "--vectors", o->vectors, "WHICH", "singular vectors: thin, full or none")
        ->check(CLI::IsMember({"thin", "full", "none"}));
    add_value(*svd, "--rank", o->rank, "R", "only the largest triplets; 0: all");
    add_value(*svd, "--precision", o->precision, "TYPE", "float or double")
        ->check(CLI::IsMember({"float", "double"}));
    svd->add_option("--out", o->out,
                    "also write PREFIX_U.npy, PREFIX_S.npy, PREFIX_V.npy and PREFIX.json")
        ->type_name("PREFIX");
    add_svd_setting_flags(*svd, o->settings);
    svd->callback([o] {
        auto& spec = o->input.spec;
        if (o->input.file.empty() && spec.rows == 0)
            throw UsageError("solve svd needs a matrix: --input FILE, or --rows N");
        if (spec.cols == 0) spec.cols = spec.rows;
        if (o->precision == "float")
            solve_svd<float>(*o);
        else
            solve_svd<double>(*o);
    });
}

}  // namespace tl

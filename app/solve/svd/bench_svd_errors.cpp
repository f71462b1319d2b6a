// `treelight bench svd-errors`: errors of each singular value, its vectors and the product, by
// every mode, over random matrices of each size and kind (Lahabar 2010, section 3.3 and
// figure 3.6).
#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/bench_progress.h"
#include "app/jobs/format.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/solve/solver_bench.h"
#include "app/solve/svd/svd_errors.h"
#include "app/solve/svd/svd_problem.h"
#include "app/solve/svd/svd_row.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/device/registry.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct SvdErrorOptions {
    std::vector<std::string> sizes{"256x256"};
    std::vector<std::string> kinds{"uniform"};
    std::vector<std::string> modes{"divide-conquer", "golub-reinsch"};
    bool peers = false;
    std::string device = "auto", precision = "double", vectors = "thin", json, csv;
    int rank = 0, seeds = 10;
    std::uint64_t seed = 0;
    double condition = 1e14;
    std::map<std::string, std::string> settings;
};

/// Returns the studies to run, one for each size and kind.
std::vector<SvdErrorSpec> specs_of(const SvdErrorOptions& o, const Device& device) {
    std::vector<SvdErrorSpec> specs;
    for (auto& size : o.sizes) {
        auto [rows, cols] = extents_of_size(size);
        for (auto& kind : o.kinds)
            specs.push_back({.matrix = {kind, rows, cols, o.condition, o.seed},
                             .seeds = o.seeds,
                             .single = o.precision == "float",
                             .vectors = vectors_of(o.vectors),
                             .rank = o.rank,
                             .modes = svd_modes_to_measure(o.modes, o.peers, device),
                             .settings = o.settings});
    }
    return specs;
}

SvdErrors measure(Blas& blas, const SvdErrorSpec& spec, BenchProgress& progress) {
    SvdErrorStudy study(blas, spec);
    for (int i = 0; i < spec.seeds; ++i) {
        progress.begin(formatted("%dx%d %s, matrix %d", spec.matrix.rows, spec.matrix.cols,
                                 spec.matrix.kind.c_str(), i + 1));
        SolverRun run;
        study.add_matrix(run);
        progress.end();
    }
    return study.errors();
}

void write_report(const SvdErrorOptions& o, const Device& device,
                  const std::vector<SvdErrors>& all) {
    if (!o.json.empty()) {
        Json matrices = Json::array();
        for (auto& errors : all) matrices.push_back(errors_json(errors));
        write_json(o.json, {{"schema", 1},
                            {"kind", "svd-errors"},
                            {"machine", machine_report()},
                            {"device", device.name()},
                            {"precision", o.precision},
                            {"vectors", o.vectors},
                            {"rank", o.rank},
                            {"seeds", o.seeds},
                            {"seed", o.seed},
                            {"settings", o.settings},
                            {"matrices", std::move(matrices)}});
    }
    if (o.csv.empty()) return;
    FileWriter file(o.csv);
    file.write(errors_csv(all));
    file.finish();
}

void bench_svd_errors(const SvdErrorOptions& o) {
    Device& device = find_device(o.device);
    check_svd_settings(o.settings, o.modes, "--modes");
    auto specs = specs_of(o, device);
    auto stream = device.create_stream();
    auto blas = make_blas(*stream);
    for (auto& spec : specs) SvdErrorStudy(*blas, spec);  // reports faults before the work
    begin_report(o.json);
    if (!o.csv.empty()) require_writable(o.csv);
    print("%s\n", device.name().c_str());
    std::vector<SvdErrors> all;
    BenchProgress progress(specs.size() * static_cast<std::size_t>(o.seeds), "matrices");
    int n_failed = 0;
    for (auto& spec : specs) {
        all.push_back(measure(*blas, spec, progress));
        print("%s", errors_table(all.back()).c_str());
        for (auto& mode : all.back().modes) n_failed += mode.error.empty() ? 0 : 1;
    }
    write_report(o, device, all);
    if (n_failed > 0)
        throw UserError("modes that failed: " + std::to_string(n_failed) + "; the table tells why");
}

}  // namespace

void add_bench_svd_errors_command(CLI::App& bench) {
    auto o = std::make_shared<SvdErrorOptions>();
    auto* errors = bench.add_subcommand(
        "svd-errors",
        "Errors of singular values, entries of U and V, and U S V^T over random matrices, mode by "
        "mode");
    add_list(*errors, "--sizes", o->sizes, "MxN,...", "sizes of matrices");
    add_list(*errors, "--kinds", o->kinds, "KIND,...", "kinds of matrices, as in solve svd");
    add_list(*errors, "--modes", o->modes, "ID,...", "ways to solve, as in solve svd");
    errors->add_flag("--peers", o->peers, "also measure every library of the device");
    add_device_option(*errors, o->device);
    add_value(*errors, "--precision", o->precision, "TYPE", "float or double")
        ->check(CLI::IsMember({"float", "double"}));
    add_value(*errors, "--seeds", o->seeds, "N", "number of matrices of each size and kind")
        ->check(between(1, 1000));
    add_value(*errors, "--seed", o->seed, "K", "seed of the first matrix");
    add_value(*errors, "--vectors", o->vectors, "WHICH",
              "singular vectors: thin, compared with LAPACK's, or none")
        ->check(CLI::IsMember({"thin", "none"}));
    name_number(add_value(*errors, "--rank", o->rank, "R", "only the largest values")
                    ->check(CLI::Range(0, 1 << 20)),
                "all");
    add_value(*errors, "--cond", o->condition, "C", "condition number, where the kind has one");
    add_svd_setting_flags(*errors, o->settings);
    add_json_option(*errors, o->json);
    errors->add_option("--csv", o->csv, "also write a row for each mode and value as CSV")
        ->type_name("FILE");
    errors->callback([o] { bench_svd_errors(*o); });
}

}  // namespace tl

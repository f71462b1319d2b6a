// `treelight solve eig`: solves a batch of matrices from a file or a generator, in parts that fit
// into memory, and writes the results.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <type_traits>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/jobs/text_table.h"
#include "app/solve/accuracy_text.h"
#include "app/solve/eig/eig_problem.h"
#include "app/solve/eig/eig_row.h"
#include "core/base/console.h"
#include "core/base/files.h"
#include "core/device/registry.h"
#include "solvers/complex/complex_eigen.h"
#include "solvers/dense/matrix_files.h"
#include "solvers/eigen/matrix_batch.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct SolveEigOptions {
    std::string file;
    std::vector<std::size_t> extents;  ///< n and the number of matrices, of a generated batch
    std::string kind = "random";
    std::uint64_t seed = 0;
    bool complex = false;  ///< the generated matrices have two parts of the kind
    bool values_only = false, real_only = false;
    std::string mode = "auto", device = "auto";
    std::string precision;  ///< "": the file's, double for a generated batch
    std::string out, json;
    std::map<std::string, std::string> settings;

    [[nodiscard]] EigenPairs pairs() const {
        return values_only ? EigenPairs::values : real_only ? EigenPairs::real : EigenPairs::all;
    }
};

/// The matrices: read from a file, or generated part by part.
template <class Number>
struct Input {
    BatchOf<Number> batch;  ///< without elements if it is generated
    BatchSpec spec;

    /// `count` matrices from number `first` on, whose elements become To.
    template <class To>
    [[nodiscard]] std::vector<To> part(std::size_t first, std::size_t count) const {
        std::vector<To> elements;
        auto size = static_cast<std::size_t>(batch.n) * batch.n;
        elements.reserve(count * size);
        if (!batch.data.empty()) {
            for (std::size_t e = first * size; e < (first + count) * size; ++e)
                elements.push_back(converted<To>(batch.data[e]));
            return elements;
        }
        auto made = make_batch(spec, first, count);
        if constexpr (kIsComplex<Number>) {
            auto other = spec;
            ++other.seed;
            auto imaginary = make_batch(other, first, count);
            for (std::size_t e = 0; e < made.size(); ++e)
                elements.push_back(converted<To>(Number(made[e], imaginary[e])));
        } else {
            elements.assign(made.begin(), made.end());
        }
        return elements;
    }

  private:
    template <class To>
    static To converted(Number x) {
        using Real = RealOf<To>;
        if constexpr (kIsComplex<Number>)
            return {static_cast<Real>(x.re), static_cast<Real>(x.im)};
        else
            return static_cast<To>(x);
    }
};

/// The numbers of To's precision that are complex where From is.
template <class From, class T>
using NumberAs = std::conditional_t<kIsComplex<From>, Complex<T>, T>;

/// Writers of the files of --out. All are complete before the first replaces an older one; the
/// report comes last.
class ResultFiles {
  public:
    /// Throws UserError if a file cannot be written, or if vectors of an earlier run would stay
    /// beside new values.
    ResultFiles(const std::string& prefix, int rows, std::size_t count, EigenPairs pairs,
                std::size_t element)
        : report_(prefix + ".json") {
        std::string vectors = prefix + "_vectors.npy";
        auto n = static_cast<std::size_t>(rows);
        std::size_t numbers = pairs == EigenPairs::all ? 2 : 1;
        if (pairs == EigenPairs::values && std::filesystem::exists(vectors))
            throw UserError(vectors +
                            ": is of an earlier run, and --values-only would leave it beside the "
                            "new values; remove it, or choose another --out");
        require_writable(prefix + "_values.npy", 2 * count * n * element);
        values_ = std::make_unique<FileWriter>(prefix + "_values.npy");
        const char* complex = element == 8 ? "<c16" : "<c8";
        write_npy_header(*values_, complex, std::vector{count, n});
        if (pairs != EigenPairs::values) {
            require_writable(vectors, numbers * count * n * n * element);
            vectors_ = std::make_unique<FileWriter>(vectors);
            const char* real = element == 8 ? "<f8" : "<f4";
            write_npy_header(*vectors_, numbers == 2 ? complex : real, std::vector{count, n, n});
        }
        require_writable(report_);
    }

    template <class T>
    void add(const HostEigen<T>& part) {
        auto write = [](FileWriter& file, const std::vector<T>& numbers) {
            file.write({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)});
        };
        write(*values_, part.values);
        if (vectors_) write(*vectors_, part.vectors);
    }
    void finish(const Json& report) {
        FileWriter file(report_);
        file.write(json_text(report));
        std::vector<FileWriter*> in_order{values_.get()};
        if (vectors_) in_order.push_back(vectors_.get());
        in_order.push_back(&file);
        finish_together(in_order);
    }

  private:
    std::string report_;
    std::unique_ptr<FileWriter> values_, vectors_;
};

void print_summary(const Json& report, const EigenSummary& s) {
    bool is_complex = report["numbers"] == "complex";
    print("%zu matrices of %d x %d, %s%s, %s by %s on %s\n", s.count, report["n"].get<int>(),
          report["n"].get<int>(), is_complex ? "complex " : "", text_of(report, "precision"),
          text_of(report, "pairs"), text_of(report, "mode"), text_of(report, "device"));
    print_entry("time", three_digits(s.seconds) + " s, " +
                            three_digits(report["matrices_per_second"].get<double>()) +
                            " matrices a second");
    print_entry("QR sweeps", formatted("%.1f for a matrix on average, %d at most",
                                       report["sweeps"]["mean"].get<double>(), s.most_sweeps));
    if (s.n_not_converged > 0)
        print("%zu matrices did not converge: their results are NaN\n", s.n_not_converged);
    if (s.n_not_finite > 0)
        print("%zu matrices are not finite: their results are NaN\n", s.n_not_finite);
    if (!s.failed.empty())
        print("the first of them is matrix %zu%s\n", s.failed.front(),
              report.contains("out") ? "; the report lists more" : "");
    if (s.accuracy.n_vectors > 0)
        print_entry("backward error",
                    formatted("%s at most, of %zu vectors; balanced %s",
                              in_rounding_units(s.accuracy.residual).c_str(), s.accuracy.n_vectors,
                              in_rounding_units(s.accuracy.balanced).c_str()));
    print_entry("error of the trace", in_rounding_units(s.accuracy.trace) + " at most");
    if (s.accuracy.lost_elements())
        print_warning(
            "elements far smaller than the largest one of their matrix were lost, so eigenvalues "
            "may be wrong; solve by --mode auto with --eig-balance true, or with --precision "
            "double");
}

/// A function that solves a part of the batch in device memory, n x n each.
template <class T>
using SolvePart = std::function<EigenResult<T>(View<const T>, int n, std::size_t count)>;
template <class T>
using SolveComplexPart =
    std::function<EigenResult<T>(View<const Complex<T>>, int n, std::size_t count)>;

template <class T>
SolvePart<T> solver_of(const SolveEigOptions& o, Stream& stream, const BatchOf<double>& batch) {
    std::shared_ptr<EigenSolver> solver =
        make_configured_eigen(o.mode, stream.device(), o.settings);
    if (batch.n > solver->most_rows())
        throw UserError("eig mode " + o.mode + " takes matrices of at most " +
                        std::to_string(solver->most_rows()) + " rows; these have " +
                        std::to_string(batch.n));
    return [solver, &stream, pairs = o.pairs()](View<const T> a, int n, std::size_t count) {
        SolverRun run;
        return solver->solve(stream, {a, n, count}, {pairs}, run);
    };
}
template <class T>
SolveComplexPart<T> solver_of(const SolveEigOptions& o, Stream& stream,
                              const BatchOf<Complex<double>>& /*batch*/) {
    auto limits = configured_limits(o.settings);
    return [limits, &o, &stream](View<const Complex<T>> a, int n, std::size_t count) {
        SolverRun run;
        return solve_complex_eigen<T>(stream, {a, n, count}, o.pairs(), o.mode, limits, run);
    };
}

template <class T, class Read>
void solve_eig(const SolveEigOptions& o, const Input<Read>& input) {
    using Number = NumberAs<Read, T>;
    auto& batch = input.batch;
    Device& device = find_device(o.device);
    auto stream = device.create_stream();
    auto solve = solver_of<T>(o, *stream, batch);
    std::unique_ptr<ResultFiles> files;
    if (!o.out.empty())
        files = std::make_unique<ResultFiles>(o.out, batch.n, batch.count, o.pairs(), sizeof(T));
    EigenSummary summary;
    std::string mode;
    std::size_t part = batch_part(device, batch.n, o.pairs(), sizeof(Number), batch.count);
    auto size = static_cast<std::size_t>(batch.n) * batch.n;
    for (std::size_t first = 0; first < batch.count; first += part) {
        auto a = input.template part<Number>(first, std::min(part, batch.count - first));
        DeviceArray<Number> on_device(*stream, std::span<const Number>(a));
        auto result = solve(on_device.view(), batch.n, a.size() / size);
        auto solved = downloaded(*stream, result);
        summary.seconds += result.seconds;
        mode = result.mode;
        // Measures at most the first thousand matrices of each part.
        constexpr std::size_t kMeasured = 1000;
        summary.add(solved, std::span<const Number>(a).first(std::min(a.size(), kMeasured * size)));
        if (files) files->add(solved);
    }
    Json report{{"schema", 1},
                {"kind", "eig"},
                {"machine", machine_report()},
                {"device", device.id()},
                {"batch", o.file.empty() ? Json{{"kind", o.kind}, {"seed", o.seed}}
                                         : Json{{"file", o.file}}},
                {"numbers", kIsComplex<Read> ? "complex" : "real"},
                {"n", batch.n},
                {"count", batch.count},
                {"precision", sizeof(T) == 8 ? "double" : "float"},
                {"mode", mode},
                {"pairs", id_of(o.pairs())},
                {"settings", o.settings}};
    report.update(summary_json(summary));
    if (files) report["out"] = o.out;
    print_summary(report, summary);
    if (!o.json.empty()) write_json(o.json, report);
    if (files) files->finish(report);
}

template <class Read>
void solve_generated(const SolveEigOptions& o) {
    Input<Read> input;
    input.batch.n = static_cast<int>(o.extents[0]);
    input.batch.count = o.extents[1];
    input.spec = {o.kind, input.batch.n, input.batch.count, o.seed};
    (void)find_row(batch_kinds(), o.kind, "kind of matrices");
    if (o.precision == "float")
        solve_eig<float>(o, input);
    else
        solve_eig<double>(o, input);
}

template <class Read>
void solve_batch(const SolveEigOptions& o, BatchOf<Read> batch) {
    if (auto place = first_not_finite(o.file, batch); !place.empty())
        print_warning(place + ": the results of matrices that are not finite are NaN");
    if (o.precision == "float") require_floats(o.file, batch);
    bool is_single = o.precision == "float" || (o.precision.empty() && batch.single);
    Input<Read> input{std::move(batch), {}};
    if (is_single)
        solve_eig<float>(o, input);
    else
        solve_eig<double>(o, input);
}

void run_solve_eig(const SolveEigOptions& o) {
    begin_report(o.json);
    if (!o.file.empty()) {
        if (is_matrix_file(o.file) && is_complex_file(o.file))
            return solve_batch(o, read_complex_batch(o.file));
        return solve_batch(o, read_batch(o.file));
    }
    if (o.extents.empty())
        throw UsageError("solve eig needs matrices: --input FILE, or --random N,COUNT");
    if (o.complex)
        solve_generated<Complex<double>>(o);
    else
        solve_generated<double>(o);
}

}  // namespace

void add_solve_eig_command(CLI::App& solve) {
    auto o = std::make_shared<SolveEigOptions>();
    auto& family = find_row(solver_families(), "eig", "family of solvers");
    auto* eig = solve.add_subcommand(family.id, family.help);
    auto* input =
        eig->add_option(
               "--input", o->file,
               "matrices to read: a .npy file of shape (n, n) or (count, n, n), or a .mtx file")
            ->type_name("FILE");
    eig->add_option("--random", o->extents, "make COUNT matrices of N x N")
        ->type_name("N,COUNT")
        ->delimiter(',')
        ->expected(2)
        ->check(between<std::size_t>(1, 1'000'000'000))
        ->excludes(input);
    add_value(*eig, "--kind", o->kind, "KIND", "kind of matrices to make: " + ids_of(batch_kinds()))
        ->excludes(input);
    add_value(*eig, "--seed", o->seed, "K", "seed of the matrices to make")->excludes(input);
    eig->add_flag("--complex", o->complex,
                  "make complex matrices, whose parts are of the kind; files tell by themselves")
        ->excludes(input);
    auto* values = eig->add_flag("--values-only", o->values_only, "only eigenvalues");
    eig->add_flag("--real-only", o->real_only,
                  "eigenvalues, and the vectors of the real ones, in the order of these")
        ->excludes(values);
    add_value(*eig, "--mode", o->mode, "ID", "way to solve it: " + ids_of(eigen_solvers()));
    add_device_option(*eig, o->device);
    add_value(*eig, "--precision", o->precision, "TYPE",
              "float or double; default: that of the file, else double")
        ->check(CLI::IsMember({"float", "double"}));
    eig->add_option("--out", o->out,
                    "also write PREFIX_values.npy, PREFIX_vectors.npy and PREFIX.json")
        ->type_name("PREFIX");
    add_json_option(*eig, o->json);
    add_eigen_setting_flags(*eig, o->settings);
    eig->callback([o] { run_solve_eig(*o); });
}

}  // namespace tl

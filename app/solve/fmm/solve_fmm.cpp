#include "app/solve/fmm/solve_fmm.h"

#include <nlohmann/json.hpp>
#include <random>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/solve/matrix_input.h"
#include "core/base/console.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/host_memory.h"
#include "core/base/paths.h"
#include "core/base/text.h"
#include "solvers/dense/matrix_files.h"
#include "solvers/dense/npy_file.h"
#include "solvers/fmm/pair_sums.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct SolveFmmOptions {
    std::string points, weights, targets, out, json;
    std::size_t n_random = 0;
    std::uint64_t seed = 0;
    std::string kernel = name_of(PairSumConfig{}.kernel), device = "auto";
    std::string precision;  ///< "": that of the points' file where the tolerance allows it
    PairSumConfig config;
};

/// Numbers of a file, a row for each point.
struct Rows {
    std::vector<double> numbers;
    bool single = false;  ///< the file holds floats
};

/// Reads an array of shape (n, columns), or (n,) for one column, which may have no rows.
Rows read_rows(const std::string& name, std::int64_t columns, const char* what) {
    std::string path = with_home(name);
    NpyFile file(path);
    auto& shape = file.shape();
    bool is_line = columns == 1 && shape.size() == 1;
    if (!is_line && (shape.size() != 2 || shape[1] != columns)) {
        std::vector<std::string> extents;
        for (auto extent : shape) extents.push_back(std::to_string(extent));
        file.fail("the array of " + std::string(what) + " has the shape (" + joined(extents) +
                  "); it has to be " +
                  (columns == 1 ? "(n,)" : "(n, " + std::to_string(columns) + ")"));
    }
    constexpr std::int64_t kMost = 1'000'000'000;
    if (shape[0] > kMost) file.fail("more than " + std::to_string(kMost) + " " + what);
    auto n = static_cast<std::size_t>(shape[0] * columns);
    file.require_elements(n, std::to_string(shape[0]) + " " + what);
    constexpr std::size_t kCopies = 3;  // as read, in rows, and for the device
    require_host_memory(kCopies * n * sizeof(double),
                        path + ": " + std::to_string(shape[0]) + " " + what,
                        "take fewer, or close other programs");
    Rows rows{std::vector<double>(n), file.single()};
    file.read(rows.numbers);
    if (file.column_major() && !is_line) {
        std::vector<double> turned(n);
        auto n_rows = static_cast<std::size_t>(shape[0]);
        for (std::size_t i = 0; i < n; ++i)
            turned[i % n_rows * static_cast<std::size_t>(columns) + i / n_rows] = rows.numbers[i];
        rows.numbers = std::move(turned);
    }
    return rows;
}

/// Points in the unit cube, and weights from -1/2 to 1/2.
void make_points(const SolveFmmOptions& o, Rows& points, std::vector<double>& weights) {
    std::mt19937_64 random(o.seed);
    require_host_memory(4 * o.n_random * sizeof(double), std::to_string(o.n_random) + " points",
                        "ask for fewer");
    auto next = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    points.numbers.resize(3 * o.n_random);
    weights.resize(o.n_random);
    for (double& x : points.numbers) x = next();
    for (double& w : weights) w = next() - 0.5;
}

template <class T>
void write_numbers(FileWriter& file, const std::vector<double>& numbers) {
    std::vector<T> converted(numbers.begin(), numbers.end());
    file.write({reinterpret_cast<const char*>(converted.data()), converted.size() * sizeof(T)});
}

/// Writes sums as an array of shape (n,); with gradients of (n, 4), the sum first.
void write_sums(const std::string& path, const PairSums& sums, const PairSumConfig& config) {
    FileWriter file(path);
    std::size_t n = sums.sums.size();
    std::vector<std::size_t> shape{n};
    std::vector<double> rows;
    if (config.gradient) {
        shape.push_back(4);
        rows.reserve(4 * n);
        for (std::size_t i = 0; i < n; ++i) {
            rows.push_back(sums.sums[i]);
            rows.insert(rows.end(), &sums.gradients[3 * i], &sums.gradients[3 * i] + 3);
        }
    }
    write_npy_header(file, config.single ? "<f4" : "<f8", shape);
    auto& numbers = rows.empty() ? sums.sums : rows;
    if (config.single)
        write_numbers<float>(file, numbers);
    else
        write_numbers<double>(file, numbers);
    file.finish();
}

void print_sums(const Json& report, const PairSums& sums, const PairSumConfig& config) {
    print("%s of %zu points at %zu targets, %s, on %s: %.4g s\n", text_of(report, "kernel"),
          report["points"].get<std::size_t>(), sums.sums.size(), text_of(report, "precision"),
          text_of(report, "device"), sums.seconds);
    if (sums.order > 0)
        print(
            "octree of %zu nodes in %d levels, at most %d points a leaf; lattices of %d x %d x "
            "%d\n",
            sums.n_nodes, sums.n_levels, sums.leaf, sums.order, sums.order, sums.order);
    for (auto& stage : report["stages"])
        print("%-20s %.3f ms\n", text_of(stage, "name"), stage["ms"].get<double>());
    if (sums.n_checked > 0) {
        print("error %.3g at %zu targets, by direct sums in %.3g s\n", sums.error, sums.n_checked,
              sums.check_seconds);
        if (config.gradient) print("error of gradients %.3g\n", sums.gradient_error);
    }
    if (!config.direct && !sums.reaches(config.tolerance))
        print_warning(
            config.order > 0 ? "this order does not reach the tolerance; leave out --order"
            : config.single  ? "single precision does not reach the tolerance for this input; "
                               "ask for --precision double"
                             : "the tolerance is not reached: sums of the input cancel out to "
                               "less than it allows; ask for more, or for --direct");
}

void solve_fmm(SolveFmmOptions& o) {
    auto& config = o.config;
    config.kernel = find_pair_kernel(o.kernel);
    if (o.points.empty() && o.n_random == 0)
        throw UsageError("solve fmm needs points: --points FILE and --weights FILE, or --random N");
    if (!o.out.empty() && !lower_case(o.out).ends_with(".npy"))
        throw UsageError("--out " + o.out + ": it is written as .npy; name it so");
    begin_report(o.json);
    Rows points, targets;
    std::vector<double> weights;
    if (o.points.empty()) {
        make_points(o, points, weights);
    } else {
        points = read_rows(o.points, 3, "points");
        weights = read_rows(o.weights, 1, "weights").numbers;
    }
    if (!o.targets.empty()) targets = read_rows(o.targets, 3, "targets");
    config.single = o.precision == "float" ||
                    (o.precision.empty() && points.single &&
                     (config.direct || config.tolerance >= PairSumConfig::kLeastSingle));
    PairSumInput input{points.numbers, weights, targets.numbers, o.targets.empty()};
    check_pair_sums(input, config);
    if (!o.out.empty())
        require_writable(o.out, input.n_targets() * (config.gradient ? 4 : 1) *
                                    (config.single ? sizeof(float) : sizeof(double)));
    Device& device = find_device(o.device);
    auto stream = device.create_stream();
    SolverRun run;
    auto sums = sum_over_pairs(*stream, input, config, run);
    Json report{{"schema", 1},
                {"kind", "fmm"},
                {"machine", machine_report()},
                {"device", device.id()},
                {"kernel", o.kernel},
                {"points", input.n_points()},
                {"targets", input.n_targets()},
                {"precision", config.single ? "float" : "double"},
                {"mode", config.direct ? "direct" : "fmm"},
                {"gradient", config.gradient},
                {"seconds", sums.seconds},
                {"stages", stages_json(sums.stages)}};
    if (has_length(config.kernel)) report["length"] = config.length;
    if (!config.direct) {
        report["tolerance"] = config.tolerance;
        report["order"] = sums.order;
        report["leaf"] = sums.leaf;
        report["nodes"] = sums.n_nodes;
        report["levels"] = sums.n_levels;
    }
    if (sums.n_checked > 0) {
        report["checked"] = {
            {"targets", sums.n_checked}, {"seconds", sums.check_seconds}, {"error", sums.error}};
        if (config.gradient) report["checked"]["gradient_error"] = sums.gradient_error;
    }
    if (!o.out.empty()) write_sums(o.out, sums, config);
    print_sums(report, sums, config);
    if (!o.json.empty()) write_json(o.json, report);
}

}  // namespace

void add_solve_fmm_command(CLI::App& solve) {
    auto o = std::make_shared<SolveFmmOptions>();
    auto& config = o->config;
    auto* fmm = solve.add_subcommand(
        "fmm", "Sums of a kernel over all pairs of points, by the fast multipole method");
    auto* points = fmm->add_option("--points", o->points, "sources to read: .npy of shape (n, 3)")
                       ->type_name("FILE");
    auto* weights = fmm->add_option("--weights", o->weights, "their weights: .npy of shape (n,)")
                        ->type_name("FILE");
    points->needs(weights);
    weights->needs(points);
    auto* random = fmm->add_option("--random", o->n_random,
                                   "make N points, uniform in a cube, with weights of both signs")
                       ->type_name("N")
                       ->check(between<std::size_t>(1, 1'000'000'000))
                       ->excludes(points);
    add_value(*fmm, "--seed", o->seed, "K", "seed of the points to make")->needs(random);
    fmm->add_option("--targets", o->targets,
                    "where the sums are wanted: .npy of shape (m, 3); default: at the points")
        ->type_name("FILE");
    add_value(
        *fmm, "--kernel", o->kernel, "KERNEL",
        "inverse-distance 1/r, inverse-square 1/r^2, log ln r, yukawa exp(-r/h)/r, gaussian "
        "exp(-(r/h)^2), multiquadric sqrt(r^2+h^2), inverse-multiquadric, thin-plate r^2 ln r");
    add_value(*fmm, "--length", config.length, "H", "the kernel's h, in the points' unit");
    add_value(*fmm, "--tolerance", config.tolerance, "T",
              "largest error, as a part of the root mean square of sums: 1e-12 to 0.1; of "
              "--precision float from 1e-5");
    fmm->add_flag("--gradient", config.gradient,
                  "also the gradients of the sums: --out has four columns then");
    auto* direct =
        fmm->add_flag("--direct", config.direct, "sum all pairs one by one, for comparison");
    add_value(*fmm, "--check", config.n_checked, "N",
              "targets whose sums are compared with direct ones in double precision; with 0 the "
              "error is not known, and the order is not raised where it is too large");
    add_value(*fmm, "--precision", o->precision, "TYPE",
              "float or double; default: float for points of that type, where the tolerance allows "
              "it")
        ->check(CLI::IsMember({"float", "double"}));
    fmm->add_option("--order", config.order,
                    "points of a node's lattice along each axis; default: by the tolerance")
        ->type_name("P")
        ->check(between(PairSumConfig::kLeastOrder, PairSumConfig::kMostOrder))
        ->excludes(direct);
    fmm->add_option("--leaf", config.leaf, "most points of a leaf; default: by the order")
        ->type_name("N")
        ->check(between(1, 1 << 20))
        ->excludes(direct);
    fmm->add_option("-o,--out", o->out, "file to write the sums to, .npy of shape (m,)")
        ->type_name("FILE");
    add_device_option(*fmm, o->device);
    add_json_option(*fmm, o->json);
    fmm->callback([o] { solve_fmm(*o); });
}

}  // namespace tl

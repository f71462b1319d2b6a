// `treelight tune`: measures widths of blocks of dense solvers on this machine, and keeps the
// fastest for later runs.
#include <algorithm>
#include <chrono>
#include <CLI/CLI.hpp>
#include <cmath>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/output.h"
#include "app/jobs/statistics.h"
#include "app/jobs/text_table.h"
#include "core/base/error.h"
#include "solvers/dense/lu/lu.h"
#include "solvers/dense/matrix_kinds.h"
#include "solvers/svd/svd.h"
#include "solvers/tuning/tuning.h"

namespace tl {
namespace {

struct TuneOptions {
    std::string device = "auto";
    std::vector<int> sizes;
    int repeat = 5;
};

/// Widths that are tried; 0 leaves one to the solver.
struct Widths {
    int leaf = 0, block = 0;
};

std::vector<Widths> candidates(const std::string& solver, DeviceKind device) {
    if (solver == "svd") return {{0, 8}, {0, 16}, {0, 24}, {0, 32}, {0, 48}, {0, 64}};
    if (device == DeviceKind::cpu)
        return {{0, 16}, {0, 32}, {0, 48}, {0, 64}, {0, 96}, {0, 128}, {0, 192}};
    return {{32, 32},  {32, 64}, {32, 128}, {64, 64},   {64, 128},
            {64, 256}, {96, 96}, {96, 192}, {128, 128}, {128, 256}};
}

/// Seconds of one solve with given widths.
template <class T>
class TunedSolve {
  public:
    TunedSolve(Stream& stream, const std::string& solver, int n)
        : stream_(stream), solver_(solver), blas_(make_blas(stream)) {
        a_ = make_matrix<T>(*blas_, {"uniform", n, n, 1, 1});
    }
    /// Widths that are 0 are those that the solver chooses by itself.
    [[nodiscard]] double seconds(const Widths& widths) {
        stream_.synchronize();
        auto start = std::chrono::steady_clock::now();
        SolverRun run;
        if (solver_ == "lu") {
            auto mode = make_lu_solver("blocked", stream_.device());
            set_widths(mode->settings(), "lu mode", widths);
            (void)mode->factorise(stream_, a_.view(), run);
        } else {
            auto mode = make_svd_solver("divide-conquer", stream_.device());
            set_widths(mode->settings(), "svd mode", widths);
            (void)mode->solve(stream_, a_.view(), {}, run);
        }
        stream_.synchronize();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

  private:
    static void set_widths(Settings settings, const char* owner, const Widths& widths) {
        if (widths.leaf > 0) find_setting(settings, "leaf", owner).set(std::to_string(widths.leaf));
        if (widths.block > 0)
            find_setting(settings, "block", owner).set(std::to_string(widths.block));
    }

    Stream& stream_;
    std::string solver_;
    std::unique_ptr<Blas> blas_;
    Matrix<T> a_;
};

/// Medians of widths and of the solver's own choice, measured alternately, so that the machine's
/// load is the same for both.
template <class T>
std::pair<double, double> compared(TunedSolve<T>& solve, const Widths& widths, int repeat) {
    std::vector<double> with, without;
    for (int i = 0; i < repeat; ++i) {
        with.push_back(solve.seconds(widths));
        without.push_back(solve.seconds({}));
    }
    return {median(with), median(without)};
}

/// The fastest widths of a size. A candidate counts as faster only if it is so by 2 % in a second
/// round beside the solver's own choice.
template <class T>
TunedWidths tuned(Stream& stream, const std::string& solver, int n, int repeat) {
    constexpr double kGain = 0.98;
    TunedSolve<T> solve(stream, solver, n);
    (void)solve.seconds({});  // warm-up
    Widths best;
    double least = 0;
    for (auto& widths : candidates(solver, stream.device().kind())) {
        std::vector<double> all;
        for (int i = 0; i < repeat; ++i) all.push_back(solve.seconds(widths));
        double middle = median(all);
        if (least == 0 || middle < least) {
            least = middle;
            best = widths;
        }
    }
    auto [with, without] = compared(solve, best, 2 * repeat);
    bool is_gain = with < kGain * without;
    if (!is_gain) best = {};
    return {stream.device().name(),   solver, sizeof(T), n, best.leaf, best.block,
            is_gain ? with : without, without};
}

std::vector<int> default_sizes(const std::string& solver, DeviceKind device) {
    if (device == DeviceKind::cpu)
        return solver == "lu" ? std::vector<int>{256, 512, 1024, 2048} : std::vector<int>{256, 512};
    return solver == "lu" ? std::vector<int>{1024, 2048, 4096, 8192, 16384}
                          : std::vector<int>{512, 1024, 2048, 4096};
}

void print_tuned(TextTable& table, const TunedWidths& row) {
    std::string widths = row.block == 0 ? "own choice"
                         : row.leaf > 0
                             ? std::to_string(row.leaf) + " of " + std::to_string(row.block)
                             : std::to_string(row.block);
    table.row(row.solver)
        .cell("numbers", row.element_size == 8 ? "double" : "float")
        .cell("rows", std::to_string(row.n))
        .cell("fastest columns", widths)
        .number("median ms", row.seconds * 1e3)
        .number("own choice ms", row.default_seconds * 1e3)
        .print();
}

void tune(const TuneOptions& o) {
    Device& device = find_device(o.device);
    auto stream = device.create_stream();
    Tuning tuning = tuning_of_machine();
    use_tuning({});  // solvers choose by themselves
    print("%s\n", device.name().c_str());
    constexpr int kNameWidth = 6;
    TextTable table("solver", kNameWidth);
    std::vector<TunedWidths> rows;
    for (const char* solver : {"lu", "svd"})
        for (int n : o.sizes.empty() ? default_sizes(solver, device.kind()) : o.sizes)
            for (bool is_double : {true, false}) {
                rows.push_back(is_double ? tuned<double>(*stream, solver, n, o.repeat)
                                         : tuned<float>(*stream, solver, n, o.repeat));
                print_tuned(table, rows.back());
            }
    tuning.replace(rows);
    auto path = tuning_file();
    tuning.write(path);
    print("kept in %s\n", path.c_str());
}

}  // namespace

void add_tune_command(CLI::App& program) {
    auto o = std::make_shared<TuneOptions>();
    auto* command = program.add_subcommand(
        "tune", "Measure the fastest widths of blocks of dense solvers on this machine");
    add_device_option(*command, o->device);
    command
        ->add_option("--sizes", o->sizes,
                     "rows and columns of the matrices, separated by commas; default: a range that "
                     "suits the device")
        ->type_name("N,...")
        ->delimiter(',')
        ->check(between(1, 1 << 15));
    add_value(*command, "--repeat", o->repeat, "N", "solves of each width")->check(between(1, 100));
    command->callback([o] { tune(*o); });
}

}  // namespace tl

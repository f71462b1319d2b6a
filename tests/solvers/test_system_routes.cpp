// Modes of `solve system`: results of both processors against those of the CPU's threads and
// against closed forms, and the kernel's compilation.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/base/cancellation.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "solvers/minimal/solver_kernel.h"
#include "solvers/minimal/table_route.h"
#include "tests/device_test.h"
#include "tests/long_test.h"
#include "tests/solvers/compiled_systems.h"
#include "tests/source_path.h"

namespace tl::minimal::system_routes_tests {
namespace {

using test::ChangedVariable;
using test::compiler_script;
using test::TemporaryCache;

constexpr const char* kSquares =
    "system s\nunknowns x y\nparameters a b\nequations x*x - a\nequations y*y - b\n";
constexpr Capability kHopper{9, 0};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Solutions of a table, as TableSolver::solve() writes them.
struct Solved {
    std::vector<double> solutions;
    std::vector<int> counts;
};

/// A system with its compiled solver.
struct Compiled {
    PolynomialSystem system;
    TableSolver solver;

    explicit Compiled(const std::string& text)
        : system(read_system(text, "s.txt")), solver(system) {}
    [[nodiscard]] Solved by_threads(const std::vector<double>& instances) const {
        auto solved = room(instances);
        solver.solve(instances, solved.solutions, solved.counts);
        return solved;
    }
    [[nodiscard]] Solved by(Device& device, const std::string& mode,
                            const std::vector<double>& instances) const {
        auto solved = room(instances);
        auto chosen = make_table_route(system, solver, device, mode, solved.counts.size());
        // A second solve has the memory of the first.
        for (int i = 0; i < 2; ++i) chosen.route->solve(instances, solved.solutions, solved.counts);
        EXPECT_EQ(chosen.mode, mode);
        EXPECT_GT(chosen.route->stages().at(0).seconds, 0);
        return solved;
    }

  private:
    [[nodiscard]] Solved room(const std::vector<double>& instances) const {
        std::size_t count = instances.size() / static_cast<std::size_t>(solver.n_parameters());
        auto n = static_cast<std::size_t>(solver.n_solutions() * solver.n_unknowns());
        return {std::vector<double>(count * n, -1.0), std::vector<int>(count, -1)};
    }
};

std::vector<double> random_numbers(std::size_t count) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> even(-1, 1);
    std::vector<double> numbers(count);
    for (double& x : numbers) x = even(random);
    return numbers;
}

/// Squares by a mode: all signs of the roots, in rising order.
void check_squares(Device& device, const std::string& mode) {
    Compiled squares(kSquares);
    auto solved = squares.by(device, mode, {4, 9, -1, 4, kNan, 1, 1e6, 1e-6, 0.25, 1, 1, INFINITY});
    EXPECT_EQ(solved.counts, (std::vector<int>{4, 0, 0, 4, 4, 0}));
    const double signs[4][2] = {{-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
    const double roots[6][2] = {{2, 3}, {}, {}, {1e3, 1e-3}, {0.5, 1}, {}};
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t k = 0; k < 4; ++k)
            for (std::size_t u = 0; u < 2; ++u) {
                double x = solved.solutions[(i * 4 + k) * 2 + u];
                if (solved.counts[i] == 0)
                    EXPECT_TRUE(std::isnan(x)) << i;
                else
                    EXPECT_NEAR(x, signs[k][u] * roots[i][u], 1e-14 * roots[i][u]) << i << " " << k;
            }
}

/// Several chunks of a system's random instances, among them some of zeros, which are singular, and
/// some that are not finite.
void check_system(const std::string& name, Device& device, const std::string& mode,
                  std::size_t count) {
    Compiled compiled(read_text_file(source_path("tests/solvers/systems/" + name + ".txt")));
    auto n = static_cast<std::size_t>(compiled.solver.n_parameters());
    auto instances = random_numbers(count * n);
    std::fill_n(instances.begin() + static_cast<std::ptrdiff_t>(3 * n), n, 0.0);
    instances[5 * n + 2] = kNan;
    auto expected = compiled.by_threads(instances), solved = compiled.by(device, mode, instances);
    EXPECT_EQ(solved.counts[3], 0);
    EXPECT_EQ(solved.counts[5], 0);
    std::size_t n_numbers = expected.solutions.size() / count, n_different = 0;
    for (std::size_t i = 0; i < count; ++i) {
        bool same = solved.counts[i] == expected.counts[i];
        for (std::size_t k = i * n_numbers; same && k < (i + 1) * n_numbers; ++k) {
            double x = solved.solutions[k], y = expected.solutions[k];
            same = std::isnan(y) ? std::isnan(x) : std::abs(x - y) <= 1e-7 * (1 + std::abs(y));
        }
        n_different += same ? 0 : 1;
    }
    // Rounding decides about two solutions that nearly coincide, as in one of some ten thousand.
    EXPECT_LE(n_different, count / 2000);
}

Device& cpu_device() {
    return find_device("cpu");
}

TEST(SystemRoutes, BothProcessorsFindAllRoots) {
    TL_LONG_TEST();
    TemporaryCache cache;
    check_squares(cpu_device(), "hybrid");
    check_squares(cpu_device(), "threads");
}

TEST(SystemRoutes, BothProcessorsAgreeWithThreads) {
    TL_LONG_TEST();
    TemporaryCache cache;
    check_system("three_quadrics", cpu_device(), "hybrid", 10'001);
}

/// Cancels a solve of several chunks of squares, and repeats it.
void check_cancellation(Device& device, const std::string& mode, std::size_t count) {
    Compiled squares(kSquares);
    auto chosen = make_table_route(squares.system, squares.solver, device, mode, count);
    std::vector<double> instances(2 * count, 1.0), solutions(8 * count);
    std::vector<int> counts(count, -1);
    auto cancel = [](double share) {
        if (share > 0.3) throw Cancelled();
    };
    EXPECT_THROW(chosen.route->solve(instances, solutions, counts, cancel), Cancelled);
    EXPECT_EQ(counts.front(), 4);
    EXPECT_EQ(counts.back(), -1);
    chosen.route->solve(instances, solutions, counts);
    EXPECT_EQ(counts.back(), 4);
    chosen.route->solve({}, {}, {});
}

TEST(SystemRoutes, CancelledSolvesCanBeRepeated) {
    TL_LONG_TEST();
    TemporaryCache cache;
    check_cancellation(cpu_device(), "hybrid", 20'000);
}

TEST(SystemRoutes, ModesAreOfDevices) {
    TL_LONG_TEST();
    TemporaryCache cache;
    Compiled squares(kSquares);
    auto& cpu = cpu_device();
    for (std::size_t count : {std::size_t{1}, kFewInstances})
        EXPECT_EQ(make_table_route(squares.system, squares.solver, cpu, "auto", count).mode,
                  "threads");
    EXPECT_THROW((void)make_table_route(squares.system, squares.solver, cpu, "kernel", 1),
                 UserError);
    EXPECT_THROW((void)make_table_route(squares.system, squares.solver, cpu, "whole", 1),
                 UsageError);
}

/// Message of a kernel that cannot be compiled.
std::string kernel_error(const std::string& compiler) {
    ChangedVariable variable("NVCC", compiler);
    try {
        compile_kernel(read_system(kSquares, "s.txt"), {}, kHopper);
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

TEST(SystemRoutes, MessagesSayWhyThereIsNoKernel) {
    TemporaryCache cache;
    auto message = kernel_error("no-such-nvcc");
    EXPECT_TRUE(message.starts_with("the compiler 'no-such-nvcc' cannot be run: No such file"))
        << message;
    EXPECT_TRUE(message.ends_with("name nvcc in NVCC, or use --mode hybrid")) << message;
    message = kernel_error(compiler_script(cache, "echo 'unsupported gpu'; exit 1"));
    EXPECT_NE(message.find("has failed: unsupported gpu"), std::string::npos) << message;
    EXPECT_TRUE(message.ends_with("name nvcc in NVCC, or use --mode hybrid")) << message;
}

TEST(SystemRoutes, KernelsAreCompiledOnceForEachSystemAndGpu) {
    TL_LONG_TEST();
    TemporaryCache cache;
    auto system = read_system(kSquares, "s.txt");
    auto log = cache.path() + "/runs";
    // A compiler that keeps its source.
    ChangedVariable variable(
        "NVCC", compiler_script(cache, "echo run >> " + log +
                                           "\nwhile [ \"$1\" != -o ]; do shift; done; cp $3 $2"));
    const KernelShape by_threads{false, 1000};
    compile_kernel(system, by_threads, kHopper);
    compile_kernel(system, by_threads, kHopper);
    compile_kernel(system, by_threads, {8, 6});
    EXPECT_EQ(read_text_file(log), "run\nrun\n");
    auto path = kernel_path(system, kHopper);
    EXPECT_TRUE(path.ends_with("-sm_90.cubin")) << path;
    EXPECT_NE(path, kernel_path(read_system(kSquares, "s.txt", "x + 2*y"), kHopper));
    auto source = read_text_file(path);
    EXPECT_EQ(source, kernel_source(system, find_template(system), by_threads));
    // All headers are part of it.
    EXPECT_EQ(source.find("#include \""), std::string::npos);
}

TEST(SystemRoutes, NvccCompilesTheKernel) {
    TL_LONG_TEST();
    if (cuda_compiler().empty()) GTEST_SKIP() << "there is no nvcc";
    TemporaryCache cache;
    auto system = read_system("system s\nunknowns x\nparameters a\nequations x*x - a\n", "s.txt");
    for (bool by_warps : {false, true}) {
        auto path = kernel_path(system, kHopper);
        std::filesystem::remove(path);
        compile_kernel(system, {by_warps, 1000}, kHopper);
        EXPECT_NE(read_file(path).find("treelight_solve"), std::string::npos);
    }
}

/// Runs a check on the GPU, where there is one and, for a kernel, nvcc.
void check_on_gpu(const std::string& mode, const std::function<void(Device&)>& check) {
    auto* gpu = test::device_or_null("cuda");
    if (!gpu) GTEST_SKIP() << cuda_absence();
    if (mode == "kernel" && cuda_compiler().empty()) GTEST_SKIP() << "there is no nvcc";
    TemporaryCache cache;
    check(*gpu);
}

TEST(SystemRoutesOnCuda, KernelsFindAllRoots) {
    check_on_gpu("kernel", [](Device& gpu) { check_squares(gpu, "kernel"); });
}
TEST(SystemRoutesOnCuda, KernelsAgreeWithThreads) {
    check_on_gpu("kernel",
                 [](Device& gpu) { check_system("three_quadrics", gpu, "kernel", 200'001); });
}
TEST(SystemRoutesOnCuda, BothProcessorsFindAllRoots) {
    check_on_gpu("hybrid", [](Device& gpu) { check_squares(gpu, "hybrid"); });
}
TEST(SystemRoutesOnCuda, BothProcessorsAgreeWithThreads) {
    check_on_gpu("hybrid",
                 [](Device& gpu) { check_system("three_quadrics", gpu, "hybrid", 20'001); });
}

// The scratch memory of an instance, 109 kB, fits into shared memory.
TEST(SystemRoutesOnCuda, WarpsInSharedMemoryAgreeWithThreads) {
    check_on_gpu("kernel", [](Device& gpu) { check_system("four_quadrics", gpu, "kernel", 3001); });
}
// 373 kB do not.
TEST(SystemRoutesOnCuda, WarpsInGlobalMemoryAgreeWithThreads) {
    check_on_gpu("kernel", [](Device& gpu) { check_system("katsura_4", gpu, "kernel", 3001); });
}
TEST(SystemRoutesOnCuda, CancelledSolvesCanBeRepeated) {
    check_on_gpu("hybrid", [](Device& gpu) { check_cancellation(gpu, "hybrid", 20'000); });
    check_on_gpu("kernel", [](Device& gpu) { check_cancellation(gpu, "kernel", 200'000); });
}

/// The mode of `auto` with a compiler that fails, and the problem.
std::pair<std::string, std::string> automatic_mode(const Compiled& squares, Device& gpu,
                                                   const TemporaryCache& cache, std::size_t count) {
    ChangedVariable variable("NVCC", compiler_script(cache, "echo 'unsupported gpu'; exit 1"));
    auto chosen = make_table_route(squares.system, squares.solver, gpu, "auto", count);
    return {chosen.mode, chosen.reason};
}

TEST(SystemRoutesOnCuda, AutoDoesWithoutAKernel) {
    auto* gpu = test::device_or_null("cuda");
    if (!gpu) GTEST_SKIP() << cuda_absence();
    TemporaryCache cache;
    Compiled squares(kSquares);
    // nvcc is not even tried for few.
    auto [mode, problem] = automatic_mode(squares, *gpu, cache, kFewInstances - 1);
    EXPECT_EQ(mode, "hybrid");
    EXPECT_EQ(problem, "");
    std::tie(mode, problem) = automatic_mode(squares, *gpu, cache, kFewInstances);
    EXPECT_EQ(mode, "hybrid");
    EXPECT_NE(problem.find("has failed: unsupported gpu"), std::string::npos) << problem;
}

}  // namespace
}  // namespace tl::minimal::system_routes_tests

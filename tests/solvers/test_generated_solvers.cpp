// Generated solvers, compiled as `treelight solve system` does, against the roots of
// system_roots.txt that Singular and mpmath have found (make_system_roots.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <sstream>

#include "core/base/cancellation.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "solvers/minimal/solver_writer.h"
#include "solvers/minimal/table_solver.h"
#include "tests/long_test.h"
#include "tests/solvers/compiled_systems.h"
#include "tests/source_path.h"

namespace tl::minimal {
namespace {

using test::ChangedVariable;
using test::compiler_script;
using test::TemporaryCache;
using Point = std::vector<double>;

struct KnownSystem {
    std::string path;  ///< from the folder of the sources
    int n_solutions = 0;
    std::vector<Point> instances;
    std::vector<std::vector<Point>> roots;  ///< of each instance
};

Point numbers_of(const std::string& line) {
    std::istringstream in(line);
    Point numbers;
    for (double x = 0; in >> x;) numbers.push_back(x);
    return numbers;
}

std::vector<KnownSystem> known_systems() {
    std::istringstream in(read_text_file(source_path("tests/solvers/system_roots.txt")));
    std::vector<KnownSystem> all;
    std::string line;
    while (std::getline(in, line)) {
        if (line.starts_with('#')) continue;
        auto& system = all.emplace_back();
        std::istringstream head(line);
        int n_instances = 0;
        head >> system.path >> system.n_solutions >> n_instances;
        for (int i = 0; i < n_instances; ++i) {
            std::getline(in, line);
            system.instances.push_back(numbers_of(line));
            std::getline(in, line);
            auto& roots = system.roots.emplace_back(std::stoul(line));
            for (auto& root : roots) {
                std::getline(in, line);
                root = numbers_of(line);
            }
        }
    }
    return all;
}

/// The roots of each instance.
std::vector<std::vector<Point>> solved(const TableSolver& solver,
                                       const std::vector<Point>& instances) {
    std::vector<double> parameters;
    for (auto& instance : instances)
        parameters.insert(parameters.end(), instance.begin(), instance.end());
    auto n = static_cast<std::size_t>(solver.n_unknowns());
    auto n_most = static_cast<std::size_t>(solver.n_solutions());
    std::vector<double> solutions(instances.size() * n_most * n);
    std::vector<int> counts(instances.size());
    solver.solve(parameters, solutions, counts);
    std::vector<std::vector<Point>> result;
    for (std::size_t i = 0; i < instances.size(); ++i) {
        auto& roots = result.emplace_back();
        auto at = solutions.begin() + static_cast<std::ptrdiff_t>(i * n_most * n);
        for (int k = 0; k < counts[i]; ++k, at += static_cast<std::ptrdiff_t>(n))
            roots.emplace_back(at, at + static_cast<std::ptrdiff_t>(n));
        for (auto end = solutions.begin() + static_cast<std::ptrdiff_t>((i + 1) * n_most * n);
             at < end; ++at)
            EXPECT_TRUE(std::isnan(*at));
    }
    return result;
}

/// Distance from the nearest of `points`, relative to the size of the point.
double distance(const Point& point, const std::vector<Point>& points) {
    double size = 1, least = std::numeric_limits<double>::infinity();
    for (double x : point) size = std::max(size, std::abs(x));
    for (auto& other : points) {
        double apart = 0;
        for (std::size_t k = 0; k < point.size(); ++k)
            apart = std::max(apart, std::abs(point[k] - other[k]));
        least = std::min(least, apart / size);
    }
    return least;
}

class GeneratedSolver : public testing::TestWithParam<KnownSystem> {};

TEST_P(GeneratedSolver, FindsAllRealSolutions) {
    TL_LONG_TEST();
    auto& known = GetParam();
    TemporaryCache cache;
    auto path = source_path("") + known.path;
    TableSolver solver(read_system(read_text_file(path), path));
    EXPECT_EQ(solver.n_solutions(), known.n_solutions);
    auto result = solved(solver, known.instances);
    for (std::size_t i = 0; i < known.instances.size(); ++i) {
        EXPECT_EQ(result[i].size(), known.roots[i].size()) << "instance " << i;
        // The worst conditioned root, of reimer_3 with y - z below 1e-5, is off by 1.7e-9.
        for (auto& root : known.roots[i])
            EXPECT_LT(distance(root, result[i]), 1e-8)
                << "instance " << i << " " << testing::PrintToString(root);
    }
}

INSTANTIATE_TEST_SUITE_P(Systems, GeneratedSolver, testing::ValuesIn(known_systems()),
                         [](auto& info) {
                             return std::filesystem::path(info.param.path).stem().string();
                         });

const char* const kTwoSquares =
    "system s\nunknowns x y\nparameters a b\nequations x*x - a\nequations y*y - b\n";

TEST(GeneratedSolver, TablesMayHaveAnyNumberOfInstances) {
    TL_LONG_TEST();
    TemporaryCache cache;
    auto system = read_system(kTwoSquares, "squares.txt");
    TableSolver solver(system);
    EXPECT_TRUE(solver.is_new());
    EXPECT_FALSE(TableSolver(system).is_new());
    const double nan = std::numeric_limits<double>::quiet_NaN();
    // Two groups of lanes, the second one not full.
    auto roots = solved(solver, {{4, 9}, {-1, 4}, {nan, 1}, {1e6, 1e-6}, {0.25, 1}, {1, INFINITY}});
    EXPECT_LT(distance({-2, 3}, roots[0]), 1e-14);
    EXPECT_LT(distance({1000, -0.001}, roots[3]), 1e-14);
    for (std::size_t i = 0; i < roots.size(); ++i)
        EXPECT_EQ(roots[i].size(), i == 0 || i == 3 || i == 4 ? 4u : 0u) << i;
    EXPECT_TRUE(solved(solver, {}).empty());
}

/// Message of a compilation that has to fail, and to leave nothing in the cache.
std::string compilation_error(const TemporaryCache& cache, const std::string& compiler) {
    ChangedVariable variable("CXX", compiler);
    std::string message;
    try {
        TableSolver solver(read_system(kTwoSquares, "squares.txt"));
    } catch (const UserError& error) {
        message = error.what();
    }
    EXPECT_TRUE(std::filesystem::is_empty(cache.path() + "/treelight/solvers"));
    return message;
}

TEST(GeneratedSolver, TheCompilerMayHaveWordsBeforeAndAfterIt) {
    TL_LONG_TEST();
    TemporaryCache cache;
    ChangedVariable variable("CXX", " env  LANG=C c++ -O1 ");
    auto roots = solved(TableSolver(read_system(kTwoSquares, "squares.txt")), {{4, 9}});
    EXPECT_LT(distance({-2, 3}, roots[0]), 1e-14);
}

TEST(GeneratedSolver, MessagesSayHowTheCompilerFailed) {
    TemporaryCache cache;
    const std::string memory = "if memory has run out";
    struct Case {
        std::string commands;
        std::vector<std::string> words;
    };
    const Case cases[] = {{"kill -9 $$", {"was ended by signal 9 (Killed)", memory}},
                          {"echo 'cc1plus: out of memory allocating 65536 bytes' >&2; exit 1",
                           {"out of memory allocating 65536 bytes", memory}},
                          {"echo 'syntax error'; exit 1", {"' has failed: syntax error"}}};
    for (auto& [commands, words] : cases) {
        auto message = compilation_error(cache, compiler_script(cache, commands));
        for (auto& word : words) EXPECT_NE(message.find(word), std::string::npos) << message;
        EXPECT_EQ(message.find(memory) == std::string::npos, words.size() == 1) << message;
    }
    auto message = compilation_error(cache, "no-such-compiler -O2");
    EXPECT_TRUE(message.starts_with("the compiler 'no-such-compiler' cannot be run: No such file"))
        << message;
}

TEST(GeneratedSolver, CancelledCompilationsLeaveNothing) {
    TemporaryCache cache;
    auto system = read_system(kTwoSquares, "squares.txt");
    auto started = cache.path() + "/started", ended = cache.path() + "/ended";
    // A compiler that waits for a child of its own.
    auto waiting = compiler_script(cache, "touch " + started + "; (sleep 60; touch " + ended + ")");
    ChangedVariable variable("CXX", waiting);
    auto poll = [&](double) {
        if (std::filesystem::exists(started)) throw Cancelled();
    };
    EXPECT_THROW(TableSolver(system, poll), Cancelled);
    EXPECT_TRUE(std::filesystem::is_empty(cache.path() + "/treelight/solvers"));
    EXPECT_FALSE(std::filesystem::exists(ended));
}

TEST(GeneratedSolver, TablesCanBeCancelled) {
    TL_LONG_TEST();
    TemporaryCache cache;
    TableSolver solver(read_system(kTwoSquares, "squares.txt"));
    const std::size_t count = 1'000'000;
    std::vector<double> instances(2 * count, 1.0), solutions(8 * count);
    std::vector<int> counts(count, -1);
    double seen = 0;
    auto poll = [&](double fraction) {
        seen = fraction;
        throw Cancelled();
    };
    EXPECT_THROW(solver.solve(instances, solutions, counts, poll), Cancelled);
    EXPECT_GT(seen, 0);
    auto n_solved = std::ranges::count(counts, 4);
    EXPECT_EQ(static_cast<std::ptrdiff_t>(seen * count + 0.5), n_solved);
}

TEST(GeneratedSolver, CompiledSolversOfAnOlderFormAreNotUsed) {
    auto system = read_system(kTwoSquares, "squares.txt");
    std::uint64_t hash = 14695981039346656037u;  // FNV-1a
    for (unsigned char c : source_text(system, find_template(system)))
        hash = (hash ^ c) * 1099511628211u;
    EXPECT_EQ(hash, 8550869958500824433u)
        << "the generated source has changed: raise kSourceVersion, and put the "
           "new hash here";
    EXPECT_EQ(kSourceVersion, 1);
}

}  // namespace
}  // namespace tl::minimal

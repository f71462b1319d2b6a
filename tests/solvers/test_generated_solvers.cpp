// Generated solvers, compiled as `treelight solve system` does, against the roots of
// system_roots.txt that Singular and mpmath have found (make_system_roots.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <sstream>

#include "core/base/error.h"
#include "core/base/files.h"
#include "solvers/minimal/solver_writer.h"
#include "solvers/minimal/table_solver.h"
#include "tests/long_test.h"

namespace tl::minimal {
namespace {

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
    std::istringstream in(read_text_file(TL_SOURCE_DIR "/tests/solvers/system_roots.txt"));
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

/// A cache of compiled solvers that is removed in the end.
class TemporaryCache {
  public:
    TemporaryCache() {
        path_ = testing::TempDir() + "treelight-solvers-XXXXXX";
        EXPECT_NE(mkdtemp(path_.data()), nullptr);
        setenv("XDG_CACHE_HOME", path_.c_str(), 1);
    }
    ~TemporaryCache() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

  private:
    std::string path_;
};

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
    SolverRun run;
    solver.solve(run, parameters, solutions, counts);
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
    auto path = std::string(TL_SOURCE_DIR "/") + known.path;
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

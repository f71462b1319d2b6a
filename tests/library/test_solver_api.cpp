// The C interface over batches of eigenproblems and systems of polynomial equations.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "library/api/treelight.h"
#include "tests/long_test.h"

extern "C" int solve_batch_from_c(const char* device);

namespace tl::solver_api_tests {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Known eigenvalues: 1 and 3; 2 + i and 2 - i; none.
template <class T>
void solve_known_batch(const char* device, tl_type type, double tolerance) {
    using Complex = std::complex<T>;
    const T matrices[3][2][2] = {{{2, 1}, {1, 2}}, {{2, -1}, {1, 2}}, {{1, T(kNan)}, {0, 1}}};
    Complex values[3][2], vectors[3][2][2], alone[3][2];
    tl_eig_error errors[3] = {TL_EIG_NOT_CONVERGED, TL_EIG_NOT_CONVERGED, TL_EIG_SOLVED};
    ASSERT_EQ(tl_eig_batch(device, type, matrices, 2, 3, values, vectors, errors, nullptr, nullptr),
              TL_OK)
        << tl_last_error();
    EXPECT_EQ(errors[0], TL_EIG_SOLVED);
    EXPECT_EQ(errors[1], TL_EIG_SOLVED);
    EXPECT_EQ(errors[2], TL_EIG_NOT_FINITE);
    EXPECT_NEAR(std::abs(values[0][0] - values[0][1]), 2, tolerance);
    EXPECT_NEAR(std::abs(values[0][0] + values[0][1] - Complex(4)), 0, tolerance);
    EXPECT_NEAR(std::abs(values[1][0] - Complex(2, 1)), 0, tolerance);
    EXPECT_NEAR(std::abs(values[1][1] - Complex(2, -1)), 0, tolerance);
    EXPECT_TRUE(std::isnan(values[2][0].real()) && std::isnan(vectors[2][1][1].real()));
    for (int m = 0; m < 2; ++m)
        for (int t = 0; t < 2; ++t) {
            Complex v[2] = {vectors[m][0][t], vectors[m][1][t]};
            EXPECT_NEAR(std::norm(v[0]) + std::norm(v[1]), 1, tolerance);
            for (int i = 0; i < 2; ++i) {
                Complex product = matrices[m][i][0] * v[0] + matrices[m][i][1] * v[1];
                EXPECT_NEAR(std::abs(product - values[m][t] * v[i]), 0, tolerance);
            }
        }
    EXPECT_EQ(tl_eig_batch(device, type, matrices, 2, 2, alone, nullptr, nullptr, nullptr, nullptr),
              TL_OK);
    EXPECT_NEAR(std::abs(alone[1][0] - values[1][0]), 0, tolerance);
}

TEST(ApiEigOnCpu, WorksFromC) {
    EXPECT_EQ(solve_batch_from_c("cpu"), 0);
}
TEST(ApiEigOnCuda, WorksFromC) {
    if (!cuda_absence().empty()) GTEST_SKIP() << cuda_absence();
    EXPECT_EQ(solve_batch_from_c("cuda"), 0);
}
TEST(ApiEigOnCpu, BatchesHaveKnownValues) {
    solve_known_batch<double>("cpu", TL_FLOAT64, 1e-14);
    solve_known_batch<float>("cpu", TL_FLOAT32, 1e-6);
}
TEST(ApiEigOnCuda, BatchesHaveKnownValues) {
    if (!cuda_absence().empty()) GTEST_SKIP() << cuda_absence();
    solve_known_batch<double>("cuda", TL_FLOAT64, 1e-14);
    solve_known_batch<float>("cuda", TL_FLOAT32, 1e-6);
}

TEST(ApiEig, WrongArgumentsAreRefused) {
    const double matrices[2] = {3, kNan};
    double values[4] = {};
    auto solve = [&](const char* device, int type, const void* from, int n, void* to) {
        return tl_eig_batch(device, static_cast<tl_type>(type), from, n, 2, to, nullptr, nullptr,
                            nullptr, nullptr);
    };
    EXPECT_EQ(solve("abacus", TL_FLOAT64, matrices, 1, values), TL_UNKNOWN);
    EXPECT_EQ(solve(nullptr, TL_FLOAT64, matrices, 1, values), TL_INVALID);
    EXPECT_EQ(solve("cpu", 7, matrices, 1, values), TL_INVALID);
    EXPECT_EQ(solve("cpu", TL_FLOAT64, nullptr, 1, values), TL_INVALID);
    EXPECT_EQ(solve("cpu", TL_FLOAT64, matrices, 1, nullptr), TL_INVALID);
    EXPECT_EQ(solve("cpu", TL_FLOAT64, matrices, -1, values), TL_INVALID);
    EXPECT_EQ(solve("cpu", TL_FLOAT64, matrices, 1025, values), TL_INVALID);
    EXPECT_EQ(solve("cpu", TL_FLOAT64, nullptr, 0, nullptr), TL_OK);
    // The first matrix without results is an error where the caller takes none for each.
    EXPECT_EQ(solve("cpu", TL_FLOAT64, matrices, 1, values), TL_FAILED);
    EXPECT_NE(std::string(tl_last_error()).find("matrix 1, counted from 0, of 2 has an element"),
              std::string::npos)
        << tl_last_error();
    auto cancel = [](void*, const char*, double) { return 1; };
    EXPECT_EQ(
        tl_eig_batch("cpu", TL_FLOAT64, matrices, 1, 1, values, nullptr, nullptr, cancel, nullptr),
        TL_CANCELLED);
}

/// A cache of compiled solvers that is removed in the end.
class ApiSystem : public testing::Test {
  protected:
    void SetUp() override {
        if (const char* before = std::getenv("XDG_CACHE_HOME")) before_ = before;
        folder_ = testing::TempDir() + "treelight-systems-XXXXXX";
        ASSERT_NE(mkdtemp(folder_.data()), nullptr);
        setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    }
    void TearDown() override {
        tl_system_close(system_);
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
        if (before_.empty())
            unsetenv("XDG_CACHE_HOME");
        else
            setenv("XDG_CACHE_HOME", before_.c_str(), 1);
    }
    tl_system* system_ = nullptr;

  private:
    std::string folder_, before_;
};

const char* const kCircles =
    "system circles\nunknowns x y\nparameters a r\n"
    "equations (x - a)^2 + y^2 - r^2\nequations x^2 + y^2 - 1\n";

TEST_F(ApiSystem, CirclesMeetInTwoPoints) {
    TL_LONG_TEST();
    ASSERT_EQ(tl_system_open(kCircles, nullptr, nullptr, nullptr, &system_), TL_OK)
        << tl_last_error();
    tl_system_info info;
    ASSERT_EQ(tl_system_about(system_, &info), TL_OK);
    EXPECT_STREQ(info.name, "circles");
    ASSERT_EQ(info.n_parameters, 2u);
    ASSERT_EQ(info.n_unknowns, 2u);
    ASSERT_EQ(info.n_solutions, 2u);
    EXPECT_STREQ(info.warning, "");
    EXPECT_NE(std::string(info.summary).find("Solutions: 2"), std::string::npos) << info.summary;
    EXPECT_TRUE(std::filesystem::exists(info.path));
    EXPECT_EQ(info.is_new, 1);
    EXPECT_STREQ(tl_system_unknown(system_, 1), "y");
    EXPECT_EQ(tl_system_unknown(system_, 2), nullptr);
    const double instances[3][2] = {{1, 1}, {3, 1}, {kNan, 1}};
    double solutions[3][2][2];
    int counts[3] = {-1, -1, -1};
    ASSERT_EQ(tl_system_solve(system_, &instances[0][0], 3, &solutions[0][0][0], counts, nullptr,
                              nullptr),
              TL_OK)
        << tl_last_error();
    EXPECT_EQ(counts[0], 2);
    EXPECT_EQ(counts[1], 0);
    EXPECT_EQ(counts[2], 0);
    for (auto& point : solutions[0]) {
        EXPECT_NEAR(point[0], 0.5, 1e-14);
        EXPECT_NEAR(std::abs(point[1]), std::sqrt(0.75), 1e-14);
    }
    EXPECT_LT(solutions[0][0][1] * solutions[0][1][1], 0);
    EXPECT_TRUE(std::isnan(solutions[1][0][0]) && std::isnan(solutions[2][1][1]));
    tl_system* again = nullptr;
    ASSERT_EQ(tl_system_open(kCircles, nullptr, nullptr, nullptr, &again), TL_OK);
    EXPECT_EQ(tl_system_about(again, &info), TL_OK);
    EXPECT_EQ(info.is_new, 0);
    tl_system_close(again);
}

TEST_F(ApiSystem, WrongArgumentsAreRefused) {
    auto open = [&](const char* text, const char* action) {
        return tl_system_open(text, action, nullptr, nullptr, &system_);
    };
    EXPECT_EQ(open(nullptr, nullptr), TL_INVALID);
    EXPECT_EQ(tl_system_open(kCircles, nullptr, nullptr, nullptr, nullptr), TL_INVALID);
    EXPECT_EQ(open("system s\nunknowns x\nequations x +\n", nullptr), TL_INVALID);
    EXPECT_EQ(std::string(tl_last_error()).find("equations:3: "), 0u) << tl_last_error();
    EXPECT_EQ(open(kCircles, "z"), TL_INVALID);
    EXPECT_EQ(open("system s\nunknowns x y\nequations x*y - 1\nequations 2*x*y - 2\n", nullptr),
              TL_FAILED);
    EXPECT_EQ(system_, nullptr);
    EXPECT_EQ(tl_system_about(nullptr, nullptr), TL_INVALID);
    EXPECT_EQ(tl_system_unknown(nullptr, 0), nullptr);
    EXPECT_EQ(tl_system_solve(nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr), TL_INVALID);
    auto cancel = [](void*, const char*, double) { return 1; };
    EXPECT_EQ(tl_system_open(kCircles, nullptr, cancel, nullptr, &system_), TL_CANCELLED);
}

}  // namespace tl::solver_api_tests

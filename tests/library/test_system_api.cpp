// The C interface over systems of polynomial equations.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>

#include "library/api/treelight.h"
#include "tests/long_test.h"

namespace tl::system_api_tests {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

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
    double again_solutions[3][2][2];
    int again_counts[3];
    for (const char* mode : {"threads", "hybrid"}) {
        ASSERT_EQ(tl_system_solve_on(system_, "cpu", mode, &instances[0][0], 3,
                                     &again_solutions[0][0][0], again_counts, nullptr, nullptr),
                  TL_OK)
            << tl_last_error();
        EXPECT_EQ(again_counts[0], 2) << mode;
        EXPECT_EQ(again_counts[1] + again_counts[2], 0) << mode;
        for (std::size_t i = 0; i < 4; ++i)
            EXPECT_NEAR(again_solutions[0][i / 2][i % 2], solutions[0][i / 2][i % 2], 1e-14);
    }
    EXPECT_EQ(tl_system_solve_on(system_, "cpu", "kernel", &instances[0][0], 3,
                                 &again_solutions[0][0][0], again_counts, nullptr, nullptr),
              TL_FAILED);
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
    EXPECT_EQ(
        tl_system_solve_on(nullptr, "cpu", nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr),
        TL_INVALID);
    auto cancel = [](void*, const char*, double) { return 1; };
    EXPECT_EQ(tl_system_open(kCircles, nullptr, cancel, nullptr, &system_), TL_CANCELLED);
}

constexpr const char* kLine =
    "system line\nunknowns a b\nparameters P[2][2]\n"
    "equations a*P[0][0] + b - P[0][1]\nequations a*P[1][0] + b - P[1][1]\n"
    "measurement x y\nresidual a*x + b - y\n";

TEST_F(ApiSystem, ALineIsFittedAmongOutliers) {
    ASSERT_EQ(tl_system_open(kLine, nullptr, nullptr, nullptr, &system_), TL_OK) << tl_last_error();
    tl_system_info info;
    ASSERT_EQ(tl_system_about(system_, &info), TL_OK);
    EXPECT_EQ(info.n_columns, 2u);
    // y = 2 x - 1, and a fifth of the points elsewhere.
    double points[100][2], model[2];
    unsigned char inliers[100];
    for (int i = 0; i < 100; ++i) {
        points[i][0] = i;
        points[i][1] = i % 5 ? 2 * i - 1 : -i * i - 10;
    }
    auto fit = [&](tl_ransac& ransac, std::size_t count, tl_progress progress = nullptr) {
        return tl_system_ransac(system_, "cpu", nullptr, &points[0][0], count, &ransac, model,
                                inliers, progress, nullptr);
    };
    tl_ransac ransac{0.01, 0.999, 1000, 3, 0, 0, 0, 0, 0, 0};
    ASSERT_EQ(fit(ransac, 100), TL_OK) << tl_last_error();
    EXPECT_NEAR(model[0], 2, 1e-12);
    EXPECT_NEAR(model[1], -1, 1e-12);
    EXPECT_EQ(ransac.n_inliers, 80u);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(inliers[i], i % 5 ? 1 : 0) << i;
    EXPECT_EQ(ransac.n_solved, ransac.n_samples);
    EXPECT_LT(ransac.rms, 1e-10);
    EXPECT_EQ(fit(ransac, 2), TL_FAILED);
    EXPECT_STREQ(
        tl_last_error(),
        "the table has 2 measurements; a sample of line has 2, and at least one more must support "
        "its model");
    auto cancel = [](void*, const char*, double) { return 1; };
    EXPECT_EQ(fit(ransac, 100, cancel), TL_CANCELLED);
    ransac.confidence = 1;
    EXPECT_EQ(fit(ransac, 100), TL_INVALID);
    EXPECT_EQ(tl_system_ransac(nullptr, "cpu", nullptr, nullptr, 0, &ransac, model, nullptr,
                               nullptr, nullptr),
              TL_INVALID);
}

}  // namespace tl::system_api_tests

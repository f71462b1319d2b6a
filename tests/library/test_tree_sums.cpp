// Sums over the points of a tree of the C interface, against sums in double precision; sizes of the
// interface's structures.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/library/tree_fixture.h"
#include "tests/unit/temp_folder.h"

namespace tl::tree_sums_tests {

using namespace test;

class TreeSums : public TreeTest {
  public:
    static TreeOwner cloud(const std::vector<float>& positions) {
        auto tree = create();
        build(tree, geometry_of_points(positions));
        return tree;
    }
};

/// The kernel's value at a distance, and its slope over the distance.
struct KernelValue {
    double value, slope;
};
KernelValue kernel_at(const std::string& name, double r, double h) {
    if (name == "gaussian") {
        const double g = std::exp(-r * r / (h * h));
        return {g, -2 * g / (h * h)};
    }
    if (r == 0) return {0, 0};
    if (name == "log") return {std::log(r), 1 / (r * r)};
    return {1 / r, -1 / (r * r * r)};
}

/// Errors of sums and gradients, as parts of the root mean squares of both.
struct SumErrors {
    double wrong = 0, all = 0, wrong_gradient = 0, all_gradient = 0;

    void add(const std::vector<float>& positions, const std::vector<float>& weights, const Point& x,
             const std::string& kernel, double h, float sum, const Point& gradient) {
        double value = 0;
        Point slope{};
        for (std::size_t k = 0; k < positions.size() / 3; ++k) {
            const Point from = minus(x, point_at(positions, k));
            const double r = length(from), w = static_cast<double>(weights[k]);
            if (!std::isfinite(r)) continue;
            const auto at = kernel_at(kernel, r, h);
            value += w * at.value;
            slope = along(slope, w * at.slope, from);
        }
        const double off = static_cast<double>(sum) - value;
        wrong += off * off;
        all += value * value;
        const Point missed = minus(gradient, slope);
        wrong_gradient += dot(missed, missed);
        all_gradient += dot(slope, slope);
    }
    [[nodiscard]] double of_sums() const { return std::sqrt(wrong / all); }
    [[nodiscard]] double of_gradients() const { return std::sqrt(wrong_gradient / all_gradient); }
};

std::vector<float> random_weights(std::size_t n) {
    std::mt19937 random(501);
    std::uniform_real_distribution<float> unit(-1, 1);
    std::vector<float> weights(n);
    for (float& w : weights) w = unit(random);
    return weights;
}

TEST_P(TreeSums, AreThoseOfBruteForceToTheirTolerance) {
    constexpr std::size_t kPoints = 20'000, kN = 300;
    for (Place place : kPlaces) {
        const auto positions = points_about(place, kPoints, 502);
        const auto queries = points_about(place, kN, 503);
        const auto weights = random_weights(kPoints);
        auto tree = cloud(positions);
        const auto in = packed(queries), of = packed(weights);
        for (const char* kernel : {"inverse-distance", "gaussian", "log"})
            for (double tolerance : {1e-3, 1e-6}) {
                SCOPED_TRACE(testing::Message()
                             << kernel << " " << tolerance << " at " << place.middle);
                auto options = tl_fmm_defaults();
                options.kernel = kernel;
                options.length = 0.5 * place.extent;
                options.tolerance = tolerance;
                std::vector<float> sums(kN), gradients(3 * kN);
                tl_fmm_report report{};
                ASSERT_EQ(tl_tree_sum(tree.get(), &of, &in, kN, &options, sums.data(),
                                      gradients.data(), &report, nullptr),
                          TL_OK)
                    << tl_last_error();
                SumErrors errors;
                for (std::size_t i = 0; i < kN - 2; ++i)
                    errors.add(positions, weights, point_at(queries, i), kernel, options.length,
                               sums[i], point_at(gradients, i));
                // And the rounding of float, with which weights of both signs make sums small.
                EXPECT_LT(errors.of_sums(), 1.5 * tolerance + 1e-7);
                EXPECT_LT(errors.of_gradients(), 1.5 * tolerance + 1e-7);
                EXPECT_LE(report.error, tolerance);
                EXPECT_EQ(report.n_checked, 100u);
                for (std::size_t i : {kN - 2, kN - 1}) {
                    EXPECT_TRUE(std::isnan(sums[i]));
                    EXPECT_TRUE(std::isnan(gradients[3 * i + 2]));
                }
            }
    }
}

TEST_P(TreeSums, AtTheirOwnPoints) {
    constexpr std::size_t kPoints = 1000;
    auto positions = points_about({0, 1}, kPoints, 511);
    positions[3 * 17] = kNan;
    auto tree = cloud(positions);
    std::vector<float> sums(kPoints), all(kPoints);
    ASSERT_EQ(tl_tree_sum(tree.get(), nullptr, nullptr, kPoints, nullptr, sums.data(), nullptr,
                          nullptr, nullptr),
              TL_OK)
        << tl_last_error();
    // The points as queries, each of which leaves out itself too.
    const auto in = packed(positions);
    auto options = tl_fmm_defaults();
    options.direct = 1;
    ASSERT_EQ(tl_tree_sum(tree.get(), nullptr, &in, kPoints, &options, all.data(), nullptr, nullptr,
                          nullptr),
              TL_OK);
    SumErrors errors;
    for (std::size_t i = 0; i < kPoints; ++i) {
        if (i == 17 || i >= kPoints - 2) {
            EXPECT_TRUE(std::isnan(sums[i]) && std::isnan(all[i]));
            continue;
        }
        EXPECT_NEAR(sums[i] / all[i], 1, 1e-5);
        errors.add(positions, std::vector<float>(kPoints, 1), point_at(positions, i),
                   "inverse-distance", 1, sums[i], {});
    }
    EXPECT_LT(errors.of_sums(), 2e-6);
}

TEST_P(TreeSums, StridesEmptyTreesAndFaults) {
    const std::vector<float> positions = {0, 0, 0, 2, 0, 0};
    auto tree = cloud(positions);
    // Weights 1 and 3, and queries as structures of arrays.
    const float spaced[] = {1, -9, 3, -9}, planes[] = {1, 4, 0, 0, 0, 0};
    const tl_floats weights{spaced, 8, 0}, queries{planes, 4, 8};
    float sums[2] = {}, gradients[6] = {};
    ASSERT_EQ(
        tl_tree_sum(tree.get(), &weights, &queries, 2, nullptr, sums, gradients, nullptr, nullptr),
        TL_OK)
        << tl_last_error();
    EXPECT_FLOAT_EQ(sums[0], 4);
    EXPECT_FLOAT_EQ(sums[1], 1.75f);
    EXPECT_FLOAT_EQ(gradients[0], -1 + 3);
    EXPECT_FLOAT_EQ(gradients[3], -1.0f / 16 - 3.0f / 4);

    auto expect = [&](tl_status status, tl_status expected, const char* words) {
        EXPECT_EQ(status, expected);
        TL_EXPECT_CONTAINS(std::string(tl_last_error()), words);
    };
    auto sum = [&](const TreeOwner& of, const tl_floats* w, const tl_floats* q, std::size_t n,
                   const tl_fmm_options* options) {
        return tl_tree_sum(of.get(), w, q, n, options, sums, nullptr, nullptr, nullptr);
    };
    expect(sum(tree, nullptr, nullptr, 3, nullptr), TL_INVALID, "2 points");
    auto options = tl_fmm_defaults();
    options.kernel = "gausian";
    expect(sum(tree, nullptr, nullptr, 2, &options), TL_UNKNOWN, "gaussian");
    options = tl_fmm_defaults();
    options.tolerance = 0;
    expect(sum(tree, nullptr, nullptr, 2, &options), TL_INVALID, "tolerance");
    const float bad[] = {1, kNan};
    const tl_floats of_bad{bad, 0, 0};
    expect(sum(tree, &of_bad, nullptr, 2, nullptr), TL_INVALID, "weight 1");
    expect(sum(tree_of(random_soup(3, 0, 1, 1)), nullptr, &queries, 2, nullptr), TL_INVALID,
           "trees of points");
    auto none = cloud({});
    ASSERT_EQ(sum(none, nullptr, &queries, 2, nullptr), TL_OK) << tl_last_error();
    EXPECT_EQ(sums[0] + sums[1], 0);
    EXPECT_EQ(sum(none, nullptr, nullptr, 0, nullptr), TL_OK);
}

TEST_P(TreeSums, FollowTheirQueriesPastThoseThatAreNotFinite) {
    constexpr std::size_t kPoints = 500, kN = 200;
    auto positions = points_about({0, 1}, kPoints, 531);
    const auto weights = random_weights(kPoints);
    const auto finite = points_about({0, 1}, kN, 532);
    auto mixed = finite;
    for (std::size_t i = 0; i < kN; i += 7) mixed[3 * i + i % 3] = i % 2 ? kInf : kNan;
    // Points that are left out need no weight.
    positions[3 * 4 + 2] = kInf;
    auto of_mixed = weights;
    of_mixed[4] = kNan;
    auto tree = cloud(positions);
    const auto in = packed(finite), other = packed(mixed), w = packed(weights),
               of = packed(of_mixed);
    auto options = tl_fmm_defaults();
    options.direct = 1;
    std::vector<float> expected(kN), slopes(3 * kN), sums(kN), gradients(3 * kN);
    ASSERT_EQ(tl_tree_sum(tree.get(), &w, &in, kN, &options, expected.data(), slopes.data(),
                          nullptr, nullptr),
              TL_OK)
        << tl_last_error();
    ASSERT_EQ(tl_tree_sum(tree.get(), &of, &other, kN, &options, sums.data(), gradients.data(),
                          nullptr, nullptr),
              TL_OK)
        << tl_last_error();
    // The last two queries are not finite in either.
    for (std::size_t i = 0; i < kN; ++i) {
        SCOPED_TRACE(i);
        const bool none = i % 7 == 0 || i >= kN - 2;
        EXPECT_EQ(std::isnan(sums[i]), none);
        EXPECT_EQ(std::isnan(gradients[3 * i]), none);
        if (none) continue;
        EXPECT_NEAR(sums[i], expected[i], 1e-6 * std::abs(expected[i]));
        for (std::size_t c = 3 * i; c < 3 * i + 3; ++c)
            EXPECT_NEAR(gradients[c], slopes[c], 1e-5 * std::abs(slopes[c]) + 1e-6);
    }
}

TEST_P(TreeSums, OptionsAndReportsHaveTheirSizes) {
    auto tree = cloud({0, 0, 0, 2, 0, 0});
    const double points[] = {0, 0, 0, 2, 0, 0}, weights[] = {1, 3};
    float sums[2] = {};
    double of_points[2] = {};
    auto both = [&](const tl_fmm_options* options, tl_fmm_report* report) {
        const auto status =
            tl_tree_sum(tree.get(), nullptr, nullptr, 2, options, sums, nullptr, report, nullptr);
        const std::string words = tl_last_error();
        EXPECT_EQ(
            tl_fmm(GetParam(), points, weights, 2, nullptr, 0, options, of_points, nullptr, report),
            status);
        if (status) {
            EXPECT_EQ(words, tl_last_error());
        }
        return status;
    };
    auto options = tl_fmm_defaults();
    EXPECT_EQ(options.struct_size, sizeof options);
    tl_fmm_report report{};
    ASSERT_EQ(both(&options, &report), TL_OK) << tl_last_error();
    EXPECT_FLOAT_EQ(sums[0], 0.5f);
    EXPECT_DOUBLE_EQ(of_points[0], 1.5);
    EXPECT_EQ(report.struct_size, sizeof report);
    EXPECT_EQ(report.n_checked, 2u);
    options.struct_size = 0;
    EXPECT_EQ(both(&options, &report), TL_INVALID);
    TL_EXPECT_CONTAINS(std::string(tl_last_error()), "struct_size of tl_fmm_options is 0");
    report.struct_size = 3;
    EXPECT_EQ(both(nullptr, &report), TL_INVALID);
    TL_EXPECT_CONTAINS(std::string(tl_last_error()), "struct_size of tl_fmm_report is 3");
}

TEST(TreeStructures, OtherSizesAreThoseOfOtherVersions) {
    const auto mesh = random_soup(20, 0, 1, 521);
    auto tree = TreeTest::create_on("cpu");
    TreeTest::build(tree, TreeTest::geometry_of(mesh));
    const Rays rays({0, 1}, 10, 522);
    const auto expected = closest(tree, rays);
    auto expect = [](tl_status status, const char* words) {
        EXPECT_EQ(status, TL_INVALID);
        TL_EXPECT_CONTAINS(std::string(tl_last_error()), words);
    };
    // Structures of a later version.
    struct {
        tl_rays now;
        std::uint64_t later = 0;
    } longer;
    longer.now = rays.in;
    longer.now.struct_size = sizeof longer;
    Hits hits(10);
    auto out = hits.out();
    ASSERT_EQ(tl_tree_closest(tree.get(), &longer.now, &out, nullptr), TL_OK) << tl_last_error();
    EXPECT_EQ(hits.t, expected.t);
    longer.later = 1;
    expect(tl_tree_closest(tree.get(), &longer.now, &out, nullptr),
           "tl_rays has members that this version of the library");
    struct {
        tl_tree_info now;
        std::uint64_t later = 7;
    } about;
    about.now.struct_size = sizeof about;
    ASSERT_EQ(tl_tree_about(tree.get(), &about.now), TL_OK);
    EXPECT_EQ(about.now.n_primitives, 20u);
    EXPECT_EQ(about.now.struct_size, sizeof about);
    EXPECT_EQ(about.later, 7u);

    // Forgotten sizes.
    auto unset = rays.in;
    unset.struct_size = 0;
    expect(tl_tree_occluded(tree.get(), &unset, reinterpret_cast<std::uint8_t*>(hits.t.data()),
                            nullptr),
           "struct_size of tl_rays is 0: set it to sizeof(tl_rays)");
    out.struct_size = 1;
    expect(tl_tree_closest(tree.get(), &rays.in, &out, nullptr), "struct_size of tl_hits is 1");
    about.now.struct_size = 0;
    expect(tl_tree_about(tree.get(), &about.now), "tl_tree_info");
    tl_tree_nodes nodes{};
    nodes.struct_size = 8;
    expect(tl_tree_pointers(tree.get(), &nodes), "tl_tree_nodes");
    tl_closest_points points{};
    points.struct_size = 0;
    const float zero[3] = {};
    const tl_floats at{zero, 0, 0};
    expect(tl_tree_closest_point(tree.get(), &at, 1, kInf, &points, nullptr), "tl_closest_points");
    auto g = TreeTest::geometry_of(mesh);
    g.struct_size = 0;
    expect(tl_tree_refit(tree.get(), &g, nullptr), "tl_geometry");
    EXPECT_EQ(closest(tree, rays).t, expected.t);
    expect(tl_tree_build(tree.get(), &g, nullptr), "tl_geometry");
    expect(tl_tree_build(tree.get(), nullptr, nullptr), "tl_geometry is null");
}

INSTANTIATE_TEST_SUITE_P(OnCpu, TreeSums, testing::Values("cpu"));
INSTANTIATE_TEST_SUITE_P(OnCuda, TreeSums, testing::Values("cuda"));

}  // namespace tl::tree_sums_tests

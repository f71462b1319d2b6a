// Sums over pairs by the multipole method, against direct sums in double precision.
#include <cmath>
#include <functional>
#include <random>

#include "solvers/fmm/pair_sums.h"
#include "tests/device_test.h"
#include "tests/long_test.h"

namespace tl::TL_DEVICE_NAME::test_pair_sums {

using Numbers = std::vector<double>;

struct Cloud {
    Numbers points, weights;
};

/// Points that `place` makes of three numbers from 0 to 1; weights from -1/3 to 2/3.
Cloud cloud_of(std::size_t n,
               const std::function<std::array<double, 3>(double, double, double)>& place) {
    std::mt19937_64 random(11);
    auto next = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    Cloud cloud;
    for (std::size_t i = 0; i < n; ++i) {
        double a = next(), b = next(), c = next();
        for (double x : place(a, b, c)) cloud.points.push_back(x);
        cloud.weights.push_back(next() - 1.0 / 3);
    }
    return cloud;
}
Cloud uniform_cloud(std::size_t n) {
    return cloud_of(n, [](double a, double b, double c) { return std::array{a, b, c}; });
}
/// Two clusters, the second a hundred times smaller, and a few points around them.
Cloud clustered_cloud(std::size_t n) {
    std::size_t i = 0;
    return cloud_of(n, [&](double a, double b, double c) {
        double size = ++i % 20 == 0 ? 1 : i % 2 == 0 ? 0.05 : 5e-4, at = i % 2 == 0 ? 0.1 : 0.7;
        return std::array{at * (size < 1) + size * a, at * (size < 1) + size * b, size * c};
    });
}

/// The kernel and its derivative divided by r.
std::pair<double, double> kernel_at(PairKernel kernel, double r, double h) {
    double s = std::sqrt(r * r + h * h);
    switch (kernel) {
        case PairKernel::inverse_distance:
            return {1 / r, -1 / (r * r * r)};
        case PairKernel::inverse_square:
            return {1 / (r * r), -2 / (r * r * r * r)};
        case PairKernel::log:
            return {std::log(r), 1 / (r * r)};
        case PairKernel::yukawa:
            return {std::exp(-r / h) / r, -std::exp(-r / h) * (1 / h + 1 / r) / (r * r)};
        case PairKernel::gaussian:
            return {std::exp(-r * r / (h * h)), -2 / (h * h) * std::exp(-r * r / (h * h))};
        case PairKernel::multiquadric:
            return {s, 1 / s};
        case PairKernel::inverse_multiquadric:
            return {1 / s, -1 / (s * s * s)};
        case PairKernel::thin_plate:
            return {r * r * std::log(r), 2 * std::log(r) + 1};
    }
    return {};
}

/// Sums and gradients at each target.
std::pair<Numbers, Numbers> direct_sums(const Cloud& cloud, const Numbers& targets,
                                        const PairSumConfig& config) {
    Numbers sums(targets.size() / 3), gradients(targets.size());
    for (std::size_t t = 0; t < sums.size(); ++t)
        for (std::size_t s = 0; s < cloud.weights.size(); ++s) {
            double d[3], square = 0;
            for (int axis = 0; axis < 3; ++axis) {
                d[axis] = targets[3 * t + axis] - cloud.points[3 * s + axis];
                square += d[axis] * d[axis];
            }
            if (square == 0) {
                if (config.kernel == PairKernel::gaussian) sums[t] += cloud.weights[s];
                if (config.kernel == PairKernel::multiquadric)
                    sums[t] += cloud.weights[s] * config.length;
                if (config.kernel == PairKernel::inverse_multiquadric)
                    sums[t] += cloud.weights[s] / config.length;
                continue;
            }
            auto [value, slope] = kernel_at(config.kernel, std::sqrt(square), config.length);
            sums[t] += cloud.weights[s] * value;
            for (int axis = 0; axis < 3; ++axis)
                gradients[3 * t + axis] += cloud.weights[s] * slope * d[axis];
        }
    return {sums, gradients};
}

double relative_error(const Numbers& found, const Numbers& truth) {
    EXPECT_EQ(found.size(), truth.size());
    double wrong = 0, all = 0;
    for (std::size_t i = 0; i < truth.size() && i < found.size(); ++i) {
        wrong += (found[i] - truth[i]) * (found[i] - truth[i]);
        all += truth[i] * truth[i];
    }
    return wrong == 0 ? 0 : std::sqrt(wrong / all);
}

PairSums sums_of(Stream& stream, const Cloud& cloud, const PairSumConfig& config) {
    SolverRun run;
    return sum_over_pairs(stream, {cloud.points, cloud.weights, {}, true}, config, run);
}

/// Expects sums at the points, and what is reported of their error.
void expect_sums(Stream& stream, const Cloud& cloud, const PairSumConfig& config) {
    auto found = sums_of(stream, cloud, config);
    auto [sums, gradients] = direct_sums(cloud, cloud.points, config);
    double error = relative_error(found.sums, sums);
    EXPECT_LE(error, config.tolerance);
    // A hundred targets stand for all; errors of lines and clusters are of few pairs.
    constexpr double kSpread = 30, kRounding = 1e-14;
    EXPECT_LT(found.error, kSpread * error + kRounding);
    EXPECT_GT(kSpread * found.error + kRounding, error);
    EXPECT_EQ(found.gradients.empty(), !config.gradient);
    if (config.gradient) {
        EXPECT_LE(relative_error(found.gradients, gradients), config.tolerance);
    }
}

}  // namespace tl::TL_DEVICE_NAME::test_pair_sums

using namespace tl::TL_DEVICE_NAME::test_pair_sums;

TL_DEVICE_TEST(PairSums, AllKernelsAndTheirGradientsHaveTheRequestedError) {
    auto cloud = uniform_cloud(1500);
    for (auto& row : names_of(PairKernel{}))
        for (double tolerance : {1e-3, 1e-9}) {
            SCOPED_TRACE(row.name + std::string(" to ") + std::to_string(-std::log10(tolerance)));
            PairSumConfig config{.kernel = row.value, .length = 0.3, .tolerance = tolerance};
            config.gradient = true;
            config.leaf = 60;
            expect_sums(stream, cloud, config);
        }
}

TL_DEVICE_TEST(PairSums, ErrorsAreAsRequestedInBothPrecisions) {
    auto cloud = uniform_cloud(3000);
    for (double tolerance : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10}) {
        SCOPED_TRACE(-std::log10(tolerance));
        PairSumConfig config{.tolerance = tolerance};
        config.leaf = 40;
        for (bool single : {false, true}) {
            config.single = single;
            if (!single || tolerance >= PairSumConfig::kLeastSingle)
                expect_sums(stream, cloud, config);
        }
    }
}

TL_DEVICE_TEST(PairSums, EveryOrderIsSummed) {
    auto cloud = uniform_cloud(1500);
    auto [sums, gradients] = direct_sums(cloud, cloud.points, {});
    double last = 1;
    for (int order = PairSumConfig::kLeastOrder; order <= PairSumConfig::kMostOrder; ++order) {
        SCOPED_TRACE(order);
        PairSumConfig config;
        config.order = order;
        config.leaf = 30;
        config.gradient = order % 2 == 0;
        double error = relative_error(sums_of(stream, cloud, config).sums, sums);
        // Each order gains a digit of two, until rounding is all that is left.
        EXPECT_LT(error, std::max(last, 1e-12));
        last = error;
    }
    EXPECT_LT(last, 1e-11);
}

TL_DEVICE_TEST(PairSums, NodesOfUnequalSizeAreSummed) {
    TL_LONG_TEST();
    auto cloud = clustered_cloud(4000);
    for (bool single : {false, true}) {
        PairSumConfig config{.tolerance = single ? 1e-4 : 1e-7};
        // In float, gradients of the closest points are those of their rounded positions.
        config.gradient = !single;
        config.single = single;
        config.leaf = 12;
        expect_sums(stream, cloud, config);
        // Lattices of few points, so that points and lattices exchange more.
        config.order = 4;
        config.gradient = false;
        config.tolerance = 2e-3;
        expect_sums(stream, cloud, config);
    }
}

TL_DEVICE_TEST(PairSums, TargetsMayBeElsewhere) {
    auto cloud = clustered_cloud(3000);
    Numbers targets = uniform_cloud(700).points;
    for (double& x : targets) x = 3 * x - 1;
    // Many of them in one place of the cloud.
    for (std::size_t i = 0; i < 1000; ++i) targets[i] = 0.1 + 0.01 * targets[i];
    PairSumConfig config{.tolerance = 1e-6};
    config.gradient = true;
    config.leaf = 10;
    SolverRun run;
    auto found = sum_over_pairs(stream, {cloud.points, cloud.weights, targets}, config, run);
    auto [sums, gradients] = direct_sums(cloud, targets, config);
    EXPECT_LE(relative_error(found.sums, sums), config.tolerance);
    EXPECT_LE(relative_error(found.gradients, gradients), config.tolerance);
    config.direct = true;
    found = sum_over_pairs(stream, {cloud.points, cloud.weights, targets}, config, run);
    EXPECT_LE(relative_error(found.sums, sums), 1e-13);
    EXPECT_LE(relative_error(found.gradients, gradients), 1e-13);
}

TL_DEVICE_TEST(PairSums, DegenerateCloudsAreSummed) {
    PairSumConfig config{.tolerance = 1e-6};
    config.leaf = 20;
    std::size_t i = 0;
    const Cloud clouds[] = {cloud_of(2000,
                                     [](double a, double b, double) {
                                         return std::array{a, b, -0.25};
                                     }),
                            cloud_of(2000,
                                     [](double a, double, double) {
                                         return std::array{5.0, a, 1e-3};
                                     }),
                            cloud_of(1000,
                                     [](double a, double b, double c) {
                                         return std::array{1e9 + 1e3 * a, -1e9 + 1e3 * b, 1e3 * c};
                                     }),
                            cloud_of(1000,
                                     [](double a, double b, double c) {
                                         return std::array{1e-40 * a, 1e-40 * b, 1e-40 * c};
                                     }),
                            // Every point twice or more, and a thousand of them in one place.
                            cloud_of(2000,
                                     [&](double a, double b, double) {
                                         return ++i % 2 == 0 ? std::array{0.5, 0.25, 0.125}
                                                             : std::array{std::floor(9 * a),
                                                                          std::floor(9 * b), 1.0};
                                     }),
                            uniform_cloud(1), uniform_cloud(2)};
    for (auto& cloud : clouds) {
        SCOPED_TRACE(&cloud - clouds);
        expect_sums(stream, cloud, config);
    }
    // All points in one place give one another nothing.
    auto found = sums_of(stream, {Numbers(300, 0.7), Numbers(100, 1.0)}, config);
    EXPECT_EQ(found.sums, Numbers(100, 0.0));
    config.kernel = PairKernel::gaussian;
    EXPECT_EQ(sums_of(stream, {Numbers(300, 0.7), Numbers(100, 1.0)}, config).sums,
              Numbers(100, 100.0));
    EXPECT_TRUE(sums_of(stream, {}, config).sums.empty());
    SolverRun run;
    EXPECT_EQ(sum_over_pairs(stream, {{}, {}, Numbers(9, 1.0)}, config, run).sums, Numbers(3, 0.0));
}

TL_DEVICE_TEST(PairSums, AreTheSameBitsInEveryRun) {
    TL_LONG_TEST();
    auto cloud = clustered_cloud(3000);
    PairSumConfig config{.tolerance = 1e-5};
    config.leaf = 10;
    config.gradient = true;
    auto first = sums_of(stream, cloud, config), second = sums_of(stream, cloud, config);
    EXPECT_EQ(first.sums, second.sums);
    EXPECT_EQ(first.gradients, second.gradients);
}

TL_DEVICE_TEST(PairSums, RaiseTheOrderWhereTheErrorIsTooLarge) {
    // A narrow Gaussian is less smooth than the kernel by which orders are chosen.
    auto cloud = uniform_cloud(2000);
    PairSumConfig config{.kernel = PairKernel::gaussian, .length = 0.1, .tolerance = 1e-6};
    config.leaf = 30;
    auto found = sums_of(stream, cloud, config);
    EXPECT_TRUE(found.reaches(config.tolerance));
    config.n_checked = 0;
    auto unchecked = sums_of(stream, cloud, config);
    EXPECT_EQ(unchecked.n_checked, 0u);
    EXPECT_GT(found.order, unchecked.order);
    EXPECT_GT(relative_error(unchecked.sums, direct_sums(cloud, cloud.points, config).first),
              config.tolerance);
}

TL_DEVICE_TEST(PairSums, BadInputIsRefusedInWords) {
    auto refusal = [&](const Cloud& cloud, const PairSumConfig& config) -> std::string {
        try {
            (void)sums_of(stream, cloud, config);
        } catch (const UserError& error) {
            return error.what();
        }
        return "";
    };
    const auto cloud = uniform_cloud(10);
    auto expect = [&](const std::string& text, const std::string& words) {
        EXPECT_NE(text.find(words), std::string::npos) << text;
    };
    Cloud wrong = cloud;
    wrong.points[7] = std::nan("");
    expect(refusal(wrong, {}), "point 2, coordinate 1, counted from 0, is nan");
    wrong = cloud;
    wrong.weights[3] = HUGE_VAL;
    expect(refusal(wrong, {}), "weight 3, counted from 0, is inf");
    wrong = cloud;
    wrong.weights.pop_back();
    expect(refusal(wrong, {}), "10 points, but 9 weights");
    wrong = cloud;
    wrong.points[0] = 1e200;
    expect(refusal(wrong, {}), "scale them");
    expect(refusal(cloud, {.tolerance = 1e-15}), "the tolerance is 1e-15: it has to be from 1e-12");
    PairSumConfig single{.tolerance = 1e-8};
    single.single = true;
    expect(refusal(cloud, single), "sum in double precision");
    expect(refusal(cloud, {.kernel = PairKernel::gaussian, .length = 0}), "more than 0");
}

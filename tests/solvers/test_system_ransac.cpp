// RANSAC with generated solvers: models of known measurements with outliers, least squares in
// closed form, and the built-in estimation of poses.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>

#include "core/base/cancellation.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "solvers/pose/estimate_pose.h"
#include "solvers/pose/random_views.h"
#include "solvers/ransac/model_test.h"
#include "solvers/ransac/system_ransac.h"
#include "tests/long_test.h"
#include "tests/solvers/compiled_systems.h"
#include "tests/source_path.h"

namespace tl::minimal::system_ransac_tests {
namespace {

using test::ChangedVariable;
using test::TemporaryCache;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const std::string kCircle =
    "system circle\nunknowns a b r\nparameters P[3][2]\n"
    "equations (P[0][0] - a)^2 + (P[0][1] - b)^2 - r^2\n"
    "equations (P[1][0] - a)^2 + (P[1][1] - b)^2 - r^2\n"
    "equations (P[2][0] - a)^2 + (P[2][1] - b)^2 - r^2\n"
    "measurement x y\ndistance (x - a)^2 + (y - b)^2 - r^2\npositive r\n";
const std::string kLine =
    "system line\nunknowns a b\nparameters x1 y1 x2 y2\n"
    "equations a*x1 + b - y1\nequations a*x2 + b - y2\n"
    "measurement x y\nresidual a*x + b - y\n";

/// A system with its solver, compiled without optimisation, which takes less time.
class Fitter {
  public:
    explicit Fitter(const std::string& text) : system_(read_system(text, "s.txt")) {}

    [[nodiscard]] FittedModel fit(const std::vector<double>& measurements,
                                  const SystemRansacConfig& config,
                                  const ProgressPoll& poll = {}) const {
        return fit_by_ransac(system_, *route_, solver_.n_solutions(), measurements, config, poll);
    }

  private:
    TemporaryCache cache_;
    ChangedVariable compiler_{"CXX", "c++ -O0"};
    PolynomialSystem system_;
    TableSolver solver_{system_};
    std::unique_ptr<TableRoute> route_ =
        make_table_route(system_, solver_, find_device("cpu"), "threads", kFirstSamples).route;
};

double uniform(std::mt19937_64& random, double least, double most) {
    return std::uniform_real_distribution(least, most)(random);
}

/// Points of the circle around (3, -1) of radius 2, and six of ten anywhere but near it.
std::vector<double> circle_points(std::size_t count, double noise) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal(0, 1);
    std::vector<double> points;
    for (std::size_t i = 0; i < count; ++i) {
        double angle = uniform(random, 0, 2 * std::numbers::pi);
        double x = 3 + 2 * std::cos(angle) + noise * normal(random),
               y = -1 + 2 * std::sin(angle) + noise * normal(random);
        while (i % 5 > 1 && std::abs(std::hypot(x - 3, y + 1) - 2) < 0.1) {
            x = uniform(random, -5, 10);
            y = uniform(random, -8, 6);
        }
        points.insert(points.end(), {x, y});
    }
    return points;
}

/// Samples until one is free of outliers with the confidence, if the inliers make this fraction.
std::size_t samples_for(double share, int size, double confidence) {
    return static_cast<std::size_t>(
        std::ceil(std::log(1 - confidence) / std::log(1 - std::pow(share, size))));
}

TEST(SystemRansac, FindsTheCircleOfExactPointsAmongOutliers) {
    auto points = circle_points(5000, 0);
    auto found = Fitter(kCircle).fit(points, {.bound = 1e-3, .confidence = 0.9999});
    EXPECT_NEAR(found.unknowns.at(0), 3, 1e-12);
    EXPECT_NEAR(found.unknowns.at(1), -1, 1e-12);
    EXPECT_NEAR(found.unknowns.at(2), 2, 1e-12);
    EXPECT_EQ(found.n_inliers, 2000u);
    EXPECT_LT(found.rms, 1e-12);
    for (std::size_t i = 0; i < found.inliers.size(); ++i)
        EXPECT_EQ(found.inliers[i], i % 5 < 2 ? 1 : 0) << i;
    // Samples are drawn without repetition, which changes their number by less than one.
    EXPECT_NEAR(static_cast<double>(found.n_samples),
                static_cast<double>(samples_for(0.4, 3, 0.9999)), 1);
    // Three points are on a circle, whose radius has either sign.
    EXPECT_EQ(found.n_solved, found.n_samples);
    EXPECT_EQ(found.n_models, found.n_samples);
}

TEST(SystemRansac, TheCircleOfNoisyPointsHasLeastSquaresOfItsInliers) {
    auto points = circle_points(1000, 0.01);
    auto found = Fitter(kCircle).fit(points, {.bound = 0.03});
    // Errors of the centre have a standard deviation of 0.01 times the root of 2 / 400.
    EXPECT_NEAR(found.unknowns.at(0), 3, 4e-3);
    EXPECT_NEAR(found.unknowns.at(1), -1, 4e-3);
    EXPECT_NEAR(found.unknowns.at(2), 2, 3e-3);
    EXPECT_TRUE(found.is_refined);
    // The distance to first order in closed form, for the flags and for models nearby.
    auto distance = [&](std::size_t i, const std::vector<double>& u) {
        double d = std::hypot(points[2 * i] - u[0], points[2 * i + 1] - u[1]);
        return (d * d - u[2] * u[2]) / (2 * d);
    };
    auto squares = [&](const std::vector<double>& u) {
        double sum = 0;
        for (std::size_t i = 0; i < found.inliers.size(); ++i)
            sum += found.inliers[i] ? distance(i, u) * distance(i, u) : 0;
        return sum;
    };
    for (std::size_t i = 0; i < found.inliers.size(); ++i)
        EXPECT_EQ(found.inliers[i] != 0, std::abs(distance(i, found.unknowns)) <= 0.03) << i;
    double least = squares(found.unknowns);
    EXPECT_NEAR(found.rms, std::sqrt(least / static_cast<double>(found.n_inliers)), 1e-12);
    for (std::size_t k = 0; k < 3; ++k)
        for (double change : {-1e-4, 1e-4}) {
            auto other = found.unknowns;
            other[k] += change;
            EXPECT_GT(squares(other), least) << k;
        }
}

TEST(SystemRansac, ALineIsTheLinearLeastSquaresOfItsInliers) {
    std::mt19937_64 random(3);
    std::vector<double> points;
    for (int i = 0; i < 700; ++i) {
        double x = uniform(random, -3, 3);
        points.insert(points.end(), {x, i % 2 ? uniform(random, -50, 50)
                                              : 0.5 * x - 2 + uniform(random, -0.1, 0.1)});
    }
    auto found = Fitter(kLine).fit(points, {.bound = 0.2});
    long double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (std::size_t i = 0; i < found.inliers.size(); ++i) {
        if (!found.inliers[i]) continue;
        long double x = points[2 * i], y = points[2 * i + 1];
        n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    long double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    EXPECT_GE(found.n_inliers, 350u);
    EXPECT_NEAR(found.unknowns.at(0), static_cast<double>(slope), 1e-12);
    EXPECT_NEAR(found.unknowns.at(1), static_cast<double>((sy - slope * sx) / n), 1e-12);
}

/// Plane rigid motions (c, s; x, y) from three coordinates of two points, with c^2 + s^2 = 1.
const std::string kMotion =
    "system motion\nunknowns c s x y\nparameters p[2][2] q[2][2]\n"
    "equations c^2 + s^2 - 1\n"
    "equations c*p[0][0] - s*p[0][1] + x - q[0][0]\nequations s*p[0][0] + c*p[0][1] + y - q[0][1]\n"
    "equations c*p[1][0] - s*p[1][1] + x - q[1][0]\n"
    "measurement u v U V\nresidual c*u - s*v + x - U\nresidual s*u + c*v + y - V\n";

TEST(SystemRansac, EquationsWithoutParametersHoldAfterRefinement) {
    std::mt19937_64 random(9);
    std::vector<double> pairs;
    for (int i = 0; i < 600; ++i) {
        double u = uniform(random, -1, 1), v = uniform(random, -1, 1);
        double far = i % 2 ? 3 : 0.02;
        pairs.insert(pairs.end(), {u, v, 0.8 * u - 0.6 * v + 5 + uniform(random, -far, far),
                                   0.6 * u + 0.8 * v - 7 + uniform(random, -far, far)});
    }
    auto found = Fitter(kMotion).fit(pairs, {.bound = 0.05});
    EXPECT_TRUE(found.is_refined);
    EXPECT_NEAR(std::hypot(found.unknowns.at(0), found.unknowns.at(1)), 1, 1e-14);
    // The best rotation of centred points (Horn 1987, in the plane).
    double n = 0, mean[4] = {}, dot = 0, cross = 0;
    auto for_inliers = [&](auto&& work) {
        for (std::size_t i = 0; i < found.inliers.size(); ++i)
            if (found.inliers[i]) work(&pairs[4 * i]);
    };
    for_inliers([&](const double* p) {
        for (int k = 0; k < 4; ++k) mean[k] += p[k];
        n += 1;
    });
    for (double& m : mean) m /= n;
    for_inliers([&](const double* p) {
        double u = p[0] - mean[0], v = p[1] - mean[1], U = p[2] - mean[2], V = p[3] - mean[3];
        dot += u * U + v * V;
        cross += u * V - v * U;
    });
    double c = dot / std::hypot(dot, cross), s = cross / std::hypot(dot, cross);
    EXPECT_NEAR(found.unknowns[0], c, 1e-10);
    EXPECT_NEAR(found.unknowns[1], s, 1e-10);
    EXPECT_NEAR(found.unknowns[2], mean[2] - c * mean[0] + s * mean[1], 1e-10);
    EXPECT_NEAR(found.unknowns[3], mean[3] - s * mean[0] - c * mean[1], 1e-10);
}

TEST(SystemRansac, FindsAHomographyInPixels) {
    std::string text = "system plane\nunknowns a b c d e f g h\nparameters p[4][2] q[4][2]\n";
    for (int i = 0; i < 4; ++i) {
        auto p = "p[" + std::to_string(i) + "]", q = "q[" + std::to_string(i) + "]";
        auto bottom = "(g*" + p + "[0] + h*" + p + "[1] + 1)";
        for (auto& [row, k] : {std::pair<std::string, int>{"abc", 0}, {"def", 1}})
            text += "equations " + std::string(1, row[0]) + "*" + p + "[0] + " + row[1] + "*" + p +
                    "[1] + " + row[2] + " - " + q + "[" + std::to_string(k) + "]*" + bottom + "\n";
    }
    text +=
        "measurement x y u v\ndistance a*x + b*y + c - u*(g*x + h*y + 1)\n"
        "distance d*x + e*y + f - v*(g*x + h*y + 1)\n";
    const double known[8] = {0.9, -0.1, 40, 0.2, 1.1, -25, 1e-4, -2e-4};
    std::mt19937_64 random(4);
    std::vector<double> matches;
    for (int i = 0; i < 500; ++i) {
        double x = uniform(random, 0, 1000), y = uniform(random, 0, 800);
        double w = known[6] * x + known[7] * y + 1;
        double u = (known[0] * x + known[1] * y + known[2]) / w;
        double v = (known[3] * x + known[4] * y + known[5]) / w;
        if (i % 2) u = uniform(random, 0, 1000), v = uniform(random, 0, 800);
        matches.insert(matches.end(), {x, y, u, v});
    }
    auto found = Fitter(text).fit(matches, {.bound = 1e-3});
    EXPECT_GE(found.n_inliers, 250u);
    for (std::size_t k = 0; k < 8; ++k)
        EXPECT_NEAR(found.unknowns.at(k), known[k], 1e-9 * (1 + std::abs(known[k]))) << k;
}

TEST(SystemRansac, FivePointsAgreeWithTheBuiltInPose) {
    TL_LONG_TEST();
    ViewsSpec spec{PoseKind::relative, ViewsKind::general, 600, 0.5, 0.4, 21};
    auto views = make_views(spec);
    auto stream = find_device("cpu").create_stream();
    SolverRun run;
    RansacConfig config;
    config.threshold = 1;
    auto built_in = estimate_pose(*stream, spec.pose, views.camera, views.matches, config, run);
    // The same matches in units of the focal length, as is the bound.
    auto& camera = views.camera;
    auto matches = views.matches;
    for (std::size_t i = 0; i < matches.size(); i += 2) {
        matches[i] = (matches[i] - camera.cx) / camera.fx;
        matches[i + 1] = (matches[i + 1] - camera.cy) / camera.fy;
    }
    auto found = Fitter(read_text_file(source_path("tests/solvers/systems/five_matches.txt")))
                     .fit(matches, {.bound = 1 / camera.fx});
    found.unknowns.push_back(1);
    double norm = 0, product = 0, differences = 0;
    for (double x : found.unknowns) norm += x * x;
    for (std::size_t k = 0; k < 9; ++k)
        product += found.unknowns[k] / std::sqrt(norm) * built_in.essential[k];
    for (std::size_t k = 0; k < 9; ++k)
        differences += std::pow(found.unknowns[k] / std::sqrt(norm) -
                                    std::copysign(1.0, product) * built_in.essential[k],
                                2);
    // Both are least squares, of errors and inliers that differ near the bound.
    EXPECT_LT(std::sqrt(differences), 0.01);
    std::size_t n_different = 0;
    for (std::size_t i = 0; i < found.inliers.size(); ++i)
        n_different += found.inliers[i] != built_in.inliers[i] ? 1 : 0;
    EXPECT_LE(n_different, 30u) << found.n_inliers << " and " << built_in.n_inliers;
    EXPECT_GE(found.n_inliers, 300u);
}

TEST(SystemRansac, EqualSeedsGiveEqualResultsOnAnyNumberOfThreads) {
    auto points = circle_points(3000, 0.02);
    Fitter fitter(kCircle);
    auto all = fitter.fit(points, {.bound = 0.03});
    tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    auto alone = fitter.fit(points, {.bound = 0.03});
    EXPECT_EQ(all.unknowns, alone.unknowns);
    EXPECT_EQ(all.inliers, alone.inliers);
    EXPECT_EQ(all.n_samples, alone.n_samples);
    EXPECT_EQ(all.rms, alone.rms);
    // Samples of another seed need not be as many, and lead to nearly the same circle.
    auto other = fitter.fit(points, {.bound = 0.03, .seed = 1});
    EXPECT_NEAR(other.unknowns.at(2), all.unknowns.at(2), 0.01);
}

TEST(SystemRansac, MeasurementsThatAreNotFiniteAreLeftOut) {
    auto points = circle_points(500, 0);
    points[3] = kNan;
    points[10] = INFINITY;
    points[20] = 1e200;  // its square is not finite
    auto found = Fitter(kCircle).fit(points, {.bound = 1e-3});
    EXPECT_EQ(found.n_left_out, 3u);
    EXPECT_EQ(found.inliers.size(), 500u);
    EXPECT_EQ(found.inliers.at(1) + found.inliers.at(5) + found.inliers.at(10), 0);
    EXPECT_NEAR(found.unknowns.at(2), 2, 1e-12);
}

/// The message of a UserError; "" if there is none.
std::string message_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

TEST(SystemRansac, ModelsWithoutSupportAreErrors) {
    Fitter fitter(kCircle);
    auto message = [&](const std::vector<double>& points, int most_samples) {
        return message_of(
            [&] { (void)fitter.fit(points, {.bound = 1e-6, .most_samples = most_samples}); });
    };
    EXPECT_EQ(message({0, 1, 1, 0, 0, -1}, 10),
              "the table has 3 measurements; a sample of circle has 3, and at least one more must "
              "support "
              "its model");
    EXPECT_EQ(
        message({0, 1, 1, 0, kNan, -1, 2, 3}, 10),
        "the table has 4 measurements, of which 1 are not finite; a sample of circle has 3, and at "
        "least one more must support its model");
    // Points on a line are on no circle.
    EXPECT_NE(
        message({0, 0, 1, 0, 2, 0, 3, 0, 4, 0}, 10).find("none of 10 samples has a real solution"),
        std::string::npos);
    EXPECT_NE(message({0, 0, 1, 0, 2, 1, 3, 5, 4, 2.5}, 10)
                  .find("no model of 10 samples has more inliers than its sample of 3 within the "
                        "bound 1e-06"),
              std::string::npos);
}

TEST(SystemRansac, ACancelledRunEnds) {
    auto points = circle_points(2000, 0.02);
    Fitter fitter(kCircle);
    int n_calls = 0;
    auto cancel = [&](double) {
        if (++n_calls == 3) throw Cancelled();
    };
    EXPECT_THROW((void)fitter.fit(points, {.bound = 0.03}, cancel), Cancelled);
    EXPECT_EQ(n_calls, 3);
    EXPECT_GT(fitter.fit(points, {.bound = 0.03}).n_inliers, 650u);
}

TEST(SystemRansac, TextsThatDoNotFitAreErrors) {
    auto message = [](const std::string& lines, const std::string& parameters = "P[2][2]") {
        return message_of([&] {
            (void)read_system("system s\nunknowns a b\nparameters " + parameters +
                                  "\nequations a*a - 1\nequations a*b - 2\n" + lines,
                              "s.txt");
        });
    };
    const std::string good = "measurement x y\nresidual y - a*x - b\n";
    EXPECT_EQ(message(good), "");
    EXPECT_EQ(message(good, "x1 y1 x2 y2"), "");
    EXPECT_EQ(message(good, "P[2] Q[2]"), "");
    EXPECT_EQ(message(good + "positive a\n"), "");
    EXPECT_EQ(message("residual a\n"),
              "s.txt:6: a line residual before 'measurement x y', the columns' names");
    EXPECT_EQ(message("measurement x y\n"),
              "s.txt: has measurements, but no error of one; write 'residual EXPRESSION' or "
              "'distance EXPRESSION'");
    EXPECT_EQ(message("measurement\n"), "s.txt:6: columns are missing; write 'measurement x y'");
    EXPECT_EQ(message(good + "measurement z\n"),
              "s.txt:8: a second line measurement; name all columns in one");
    EXPECT_EQ(message(good + "parameters q\n"),
              "s.txt:8: parameters come before the line measurement; exchange the lines");
    EXPECT_EQ(
        message(good + "equations a - x\n"),
        "s.txt:8: equations come before the line measurement, whose columns they cannot have; "
        "exchange the lines");
    EXPECT_EQ(message(good + "residual a - P[0][1]\n"),
              "s.txt:8: a line residual has 'P'; write it with the unknowns and the columns alone");
    EXPECT_EQ(message(good + "positive a - x\n"),
              "s.txt:8: a line positive has 'x'; write it with the unknowns alone");
    EXPECT_EQ(message(good + "residual x + y\n"),
              "s.txt:8: a line residual has an element without unknowns");
    EXPECT_EQ(message(good + "distance a - b\n"),
              "s.txt:8: a line distance has an element without columns, whose gradient is 0");
    EXPECT_EQ(message(good + "residual\n"),
              "s.txt:8: an expression is missing; write 'residual y - a*x - b'");
    EXPECT_EQ(message("measurement x a\n"), "s.txt:6: 'a' is taken; choose another name");
    EXPECT_EQ(message(good, "P[2][3]"),
              "s.txt: its parameters have 3 columns in all; a measurement has 2 (x, y)");
    EXPECT_EQ(message(good, "P[2] Q[3]"),
              "s.txt: its parameters 'P' and 'Q' have 2 and 3 rows; each needs a row for each "
              "measurement of a sample");
    EXPECT_EQ(message(good, "x1 y1 x2"),
              "s.txt: its sample of 2 measurements lacks the parameter 'y2'");
    EXPECT_EQ(message(good, "x1 y1 q"),
              "s.txt: its parameter 'q' is no column of a measurement (x, y) with a number from 1 "
              "to 16, such as 'x1'");
    EXPECT_NE(message_of([] {
                  (void)read_system(
                      "system s\nunknowns a\nequations a*a - 1\nmeasurement x\n"
                      "residual x - a\n",
                      "s.txt");
              }).find("s.txt: has no parameters that a sample of measurements could be"),
              std::string::npos);
}

TEST(SystemRansac, ADeepSumNeedsNoDeepStack) {
    std::string text =
        "system s\nunknowns a\nparameters P[2][1]\nequations a*P[0] - P[1]\n"
        "measurement x\nlet v0 = x + 1\n";
    const int count = 20'000;
    for (int i = 1; i < count; ++i)
        text += "let v" + std::to_string(i) + " = v" + std::to_string(i - 1) + "*0.5*2 + " +
                (i % 2 ? "x\n" : "2\n");
    text += "residual a - v" + std::to_string(count - 1) + "\n";
    auto system = read_system(text, "s.txt");
    EXPECT_EQ(system.used_name(system.measured.errors.at(0).polynomial, 2, 3), "x");
    EXPECT_EQ(message_of([&] { ModelTest{system}; }),
              "an error of a measurement has more than 20000 terms; write it shorter");
}

TEST(SystemRansac, AnErrorOfTooManyTermsIsRefused) {
    std::string columns, sum;
    for (int i = 0; i < 12; ++i) {
        auto name = "x" + std::string(1, static_cast<char>('a' + i));
        columns += " " + name;
        sum += (i == 0 ? "" : " + ") + name;
    }
    auto system = read_system(
        "system s\nunknowns a\nparameters P[1][12]\n"
        "equations a*P[0][0] - P[0][1]\nmeasurement" +
            columns + "\nresidual a + (" + sum + ")^6\n",
        "s.txt");
    TemporaryCache cache;
    ChangedVariable compiler("CXX", "c++ -O0");
    TableSolver solver(system);
    auto chosen = make_table_route(system, solver, find_device("cpu"), "threads", 1);
    std::vector<double> rows(24, 1.0);
    EXPECT_NE(message_of([&] {
                  (void)fit_by_ransac(system, *chosen.route, 1, rows, SystemRansacConfig());
              }).find("an error of a measurement has more than 20000 terms"),
              std::string::npos);
}

}  // namespace
}  // namespace tl::minimal::system_ransac_tests

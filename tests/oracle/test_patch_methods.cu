// Tests the methods that can miss hits. Roots of the resultant are compared with the eigenvalues of
// its companion matrix. Every method's closest hit is compared with the certified one, on generic
// and hard rays. Prints miss rates, with loose upper bounds, and the numbers of steps.
#include <algorithm>
#include <array>
#include <cstdio>

#include "accel/patch/bernstein_roots.h"
#include "accel/patch/laguerre.h"
#include "accel/patch/method_tests.h"
#include "tests/device_test.h"
#include "tests/oracle/companion_roots.h"
#include "tests/oracle/patch_cases.h"

namespace tl::TL_DEVICE_NAME {
namespace {

/// The roots of a case that a method finds.
struct Found {
    static constexpr std::uint32_t kMost = 18;
    std::uint32_t n = 0, n_steps = 0;
    float u[kMost], v[kMost];

    TL_HD bool add(double at_u, double at_v) {
        if (n == kMost) return true;
        u[n] = static_cast<float>(at_u);
        v[n] = static_cast<float>(at_v);
        return ++n == kMost;
    }
};

struct KeepFound {
    Found& found;
    [[nodiscard]] TL_HD float t_max() const { return kInfinity; }
    TL_HD bool add(const PatchRoot& root) { return found.add(root.u, root.v); }
    TL_HD void count_steps(std::uint32_t n) { found.n_steps += n; }
};

enum class Method { certified, kajiya, kajiya_real, newton, clipping };

template <PolynomialBasis kBasis>
TL_HD Resultant resultant_of(const PatchPoints& points, const PatchWeights* weights,
                             const Ray& ray) {
    PlanePair p = planes_of_ray(ray.origin, ray.direction);
    return bezout_resultant(distance_polynomial<kBasis>(points, weights, p.a, p.origin),
                            distance_polynomial<kBasis>(points, weights, p.b, p.origin));
}

TL_HD void eliminate(const PatchPoints& points, const PatchWeights* weights, const Ray& ray,
                     bool only_real, Found& out) {
    PlanePair p = planes_of_ray(ray.origin, ray.direction);
    constexpr auto kPower = PolynomialBasis::power;
    Bicubic a = distance_polynomial<kPower>(points, weights, p.a, p.origin);
    Bicubic b = distance_polynomial<kPower>(points, weights, p.b, p.origin);
    auto found = [&](double v) {
        if (v < 0 || v > 1) return;
        CommonRoots roots = common_roots(CubicsAt(a, b, v));
        for (int k = 0; k < roots.count; ++k)
            if (roots.u[k] >= 0 && roots.u[k] <= 1) out.add(roots.u[k], v);
    };
    out.n_steps = static_cast<std::uint32_t>(
        only_real ? find_real_roots_bernstein(
                        resultant_of<PolynomialBasis::bernstein>(points, weights, ray), found)
                  : find_real_roots_laguerre(resultant_of<kPower>(points, weights, ray), found));
}

std::vector<Found> answer(Stream& stream, const PatchProblem& p, Method method) {
    auto n = static_cast<std::uint32_t>(p.rays.size());
    DevicePatches patches(stream, p);
    PatchesView view = patches.view();
    DeviceArray<Ray> rays(stream, std::span(p.rays));
    DeviceArray<Found> answers(stream, n);
    auto in = rays.view();
    auto out = answers.view();
    std::uint32_t n_pieces = p.side * p.side;
    parallel_for(
        stream, "answers", n,
        TL_LAMBDA(std::uint32_t i) {
            Found found;
            std::uint32_t patch = i / PatchProblem::kRays;
            if (method == Method::kajiya || method == Method::kajiya_real) {
                eliminate(view.points[patch], view.weights ? view.weights + patch : nullptr, in[i],
                          method == Method::kajiya_real, found);
                out[i] = found;
                return;
            }
            PatchRay ray{in[i].origin, 0, in[i].direction, {}};
            KeepFound keep{found};
            for (std::uint32_t piece = patch * n_pieces; piece < (patch + 1) * n_pieces; ++piece)
                if (method == Method::certified)
                    search_piece(view, piece, ray, keep);
                else
                    search_piece_by(
                        method == Method::newton ? PieceMethod::newton : PieceMethod::clipping,
                        view, piece, ray, keep);
            out[i] = found;
        },
        16);
    return answers.download(stream);
}

/// The fraction of the certified roots that a method does not find.
double miss_rate(Stream& stream, RayClass kind, Method method) {
    constexpr std::size_t kRays = 2000;
    constexpr unsigned kSeed = 31;
    // Pieces of a quarter of a side, as intended for methods that start from a piece.
    constexpr std::uint32_t kSide = 4;
    constexpr const char* kNames[] = {"certified", "kajiya", "kajiya-real", "newton", "clipping"};
    PatchProblem problem = PatchProblemMaker(kind, kSeed).make(kRays, kSide);
    auto certified = answer(stream, problem, Method::certified);
    auto answers = answer(stream, problem, method);
    std::size_t n_roots = 0, n_missed = 0, n_steps = 0;
    for (std::size_t i = 0; i < problem.rays.size(); ++i) {
        n_steps += answers[i].n_steps;
        for (std::uint32_t r = 0; r < certified[i].n; ++r, ++n_roots) {
            bool found = false;
            for (std::uint32_t k = 0; k < answers[i].n; ++k)
                found = found || (std::abs(answers[i].u[k] - certified[i].u[r]) < 1e-3f &&
                                  std::abs(answers[i].v[k] - certified[i].v[r]) < 1e-3f);
            n_missed += !found;
        }
    }
    EXPECT_GE(n_roots, kRays / 10);
    EXPECT_GT(n_steps, n_roots);
    double rate = double(n_missed) / double(n_roots);
    std::printf("%-12s %-10s missed %7.3f %% of %zu roots, %6.1f steps a ray\n",
                kNames[static_cast<int>(method)], kRayClassNames[static_cast<int>(kind)],
                100 * rate, n_roots, double(n_steps) / kRays);
    return rate;
}

/// Prints the rates of all classes; `most` of generic, wild, grazing and silhouette rays.
void expect_few_misses(Stream& stream, Method method, const std::array<double, 4>& most) {
    for (int kind = 0; kind < static_cast<int>(std::size(kRayClassNames)); ++kind) {
        double rate = miss_rate(stream, static_cast<RayClass>(kind), method);
        if (kind < 4) {
            EXPECT_LE(rate, most[static_cast<std::size_t>(kind)]) << kRayClassNames[kind];
        }
    }
}

/// Real roots in (0, 1), not too near its ends for rounding to decide.
std::vector<double> companion_roots(const Resultant& p) {
    return test::companion_roots({p.at, p.at + kResultantDegree + 1}, 0.001, 0.999);
}

/// Real roots of a case's resultant that a finder lists.
struct RootList {
    std::uint32_t n = 0;
    double at[Found::kMost];
};

std::vector<RootList> find_all(Stream& stream, const PatchProblem& p, bool only_real) {
    auto n = static_cast<std::uint32_t>(p.rays.size());
    DeviceArray<PatchPoints> points(stream, std::span(p.points));
    DeviceArray<Ray> rays(stream, std::span(p.rays));
    DeviceArray<RootList> lists(stream, n);
    auto in = rays.view();
    auto patches = points.view();
    auto out = lists.view();
    parallel_for(
        stream, "roots", n, TL_LAMBDA(std::uint32_t i) {
            RootList list;
            auto found = [&](double v) {
                if (list.n < Found::kMost) list.at[list.n++] = v;
            };
            const PatchPoints& own = patches[i / PatchProblem::kRays];
            if (only_real)
                find_real_roots_bernstein(
                    resultant_of<PolynomialBasis::bernstein>(own, nullptr, in[i]), found);
            else
                find_real_roots_laguerre(resultant_of<PolynomialBasis::power>(own, nullptr, in[i]),
                                         found);
            out[i] = list;
        });
    return lists.download(stream);
}

/// The fraction of the companion matrices' real roots in (0, 1) that a finder does not list.
double part_not_listed(Stream& stream, bool only_real) {
    PatchProblem problem = PatchProblemMaker(RayClass::generic, 32).make(500, 1);
    auto lists = find_all(stream, problem, only_real);
    std::size_t n_roots = 0, n_missed = 0;
    for (std::size_t i = 0; i < problem.rays.size(); ++i)
        for (double root : companion_roots(resultant_of<PolynomialBasis::power>(
                 problem.points[i / PatchProblem::kRays], nullptr, problem.rays[i]))) {
            ++n_roots;
            double best = 1;
            for (std::uint32_t k = 0; k < lists[i].n; ++k)
                best = std::min(best, std::abs(lists[i].at[k] - root));
            n_missed += best > 1e-5;
        }
    EXPECT_GT(n_roots, problem.rays.size());
    std::printf("%zu of %zu roots not found\n", n_missed, n_roots);
    return double(n_missed) / double(n_roots);
}

/// Numbers of real and of pairs of complex roots of a resultant.
struct RootKinds {
    std::uint32_t n_real = 0, n_conjugates = 0;
};

std::vector<RootKinds> root_kinds(Stream& stream, const PatchProblem& p) {
    auto n = static_cast<std::uint32_t>(p.rays.size());
    DeviceArray<PatchPoints> points(stream, std::span(p.points));
    DeviceArray<Ray> rays(stream, std::span(p.rays));
    DeviceArray<RootKinds> kinds(stream, n);
    auto in = rays.view();
    auto patches = points.view();
    auto out = kinds.view();
    parallel_for(
        stream, "root kinds", n, TL_LAMBDA(std::uint32_t i) {
            RootKinds own;
            find_roots_laguerre(
                resultant_of<PolynomialBasis::power>(patches[i / PatchProblem::kRays], nullptr,
                                                     in[i]),
                [&](ComplexNumber, bool real) { ++(real ? own.n_real : own.n_conjugates); });
            out[i] = own;
        });
    return kinds.download(stream);
}

/// Continues the search after every root.
struct CountSteps {
    std::uint32_t& n_steps;
    [[nodiscard]] TL_HD float t_max() const { return kInfinity; }
    TL_HD bool add(const PatchRoot&) { return false; }
    TL_HD void count_steps(std::uint32_t n) { n_steps += n; }
};

/// The largest number of steps of rays in the plane of a flat patch with evenly spaced points.
std::uint32_t most_steps_edge_on(Stream& stream) {
    PatchProblem problem = PatchProblemMaker(RayClass::generic, 1).make(PatchProblem::kRays, 1);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            problem.points[0].of_axis[0][4 * i + j] = float(i) / 3;
            problem.points[0].of_axis[1][4 * i + j] = float(j) / 3;
            problem.points[0].of_axis[2][4 * i + j] = 0;
        }
    for (std::uint32_t k = 0; k < PatchProblem::kRays; ++k) {
        float slope = 0.03f * float(k + 1);
        problem.rays[k].origin = {-2, slope, 0};
        problem.rays[k].direction = {1, slope, 0};
    }
    DevicePatches patches(stream, problem);
    PatchesView view = patches.view();
    DeviceArray<Ray> rays(stream, std::span(problem.rays));
    DeviceArray<std::uint32_t> steps(stream, PatchProblem::kRays);
    auto in = rays.view();
    auto out = steps.view();
    parallel_for(
        stream, "steps", PatchProblem::kRays, TL_LAMBDA(std::uint32_t i) {
            std::uint32_t n_steps = 0;
            CountSteps count{n_steps};
            search_piece(view, 0, PatchRay{in[i].origin, 0, in[i].direction, {}}, count);
            out[i] = n_steps;
        });
    auto all = steps.download(stream);
    return *std::max_element(all.begin(), all.end());
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(PatchMethods, LaguerreFindsAsManyRealRootsAsTheCompanionMatrixHas) {
    PatchProblem problem = PatchProblemMaker(RayClass::generic, 33).make(500, 1);
    auto kinds = root_kinds(stream, problem);
    std::size_t n_real = 0, n_expected = 0;
    for (std::size_t i = 0; i < problem.rays.size(); ++i) {
        EXPECT_EQ(kinds[i].n_real + 2 * kinds[i].n_conjugates,
                  static_cast<std::uint32_t>(kResultantDegree));
        n_real += kinds[i].n_real;
        Resultant p = resultant_of<PolynomialBasis::power>(problem.points[i / PatchProblem::kRays],
                                                           nullptr, problem.rays[i]);
        n_expected += test::companion_roots({p.at, p.at + kResultantDegree + 1}, -double(kInfinity),
                                            double(kInfinity))
                          .size();
    }
    EXPECT_GT(n_expected, problem.rays.size());
    // Rounding decides whether two near roots are real.
    EXPECT_NEAR(double(n_real), double(n_expected), 0.02 * double(n_expected));
}
TL_DEVICE_TEST(PatchMethods, LaguerreFindsTheEigenvaluesOfTheCompanionMatrix) {
    EXPECT_LT(part_not_listed(stream, false), 0.01);
}
TL_DEVICE_TEST(PatchMethods, BernsteinFormFindsTheEigenvaluesOfTheCompanionMatrix) {
    EXPECT_LT(part_not_listed(stream, true), 0.01);
}
TL_DEVICE_TEST(PatchMethods, CertifiedCountsItsSteps) {
    for (int kind = 0; kind < static_cast<int>(std::size(kRayClassNames)); ++kind)
        miss_rate(stream, static_cast<RayClass>(kind), Method::certified);
}
TL_DEVICE_TEST(PatchMethods, ARayInThePlaneOfAFlatPatchEnds) {
    // No cell is ever decided: all cells are searched in both precisions, down to the limit.
    std::uint32_t most = most_steps_edge_on(stream);
    EXPECT_GT(most, 1u << 10);
    EXPECT_LT(most, 1u << 18);
}
TL_DEVICE_TEST(PatchMethods, KajiyaMissesLittle) {
    expect_few_misses(stream, Method::kajiya, {0.01, 0.02, 0.02, 0.05});
}
TL_DEVICE_TEST(PatchMethods, KajiyaWithRealRootsMissesLittle) {
    expect_few_misses(stream, Method::kajiya_real, {0.01, 0.02, 0.02, 0.05});
}
TL_DEVICE_TEST(PatchMethods, NewtonMissesWhereRaysGraze) {
    expect_few_misses(stream, Method::newton, {0.3, 0.6, 0.9, 1});
}
TL_DEVICE_TEST(PatchMethods, ClippingMissesLittle) {
    expect_few_misses(stream, Method::clipping, {0.01, 0.02, 0.05, 0.3});
}

// The methods that can miss: roots of the resultant against the eigenvalues of its companion
// matrix, and every method's nearest hit against the certified one on generic and hard rays. How
// often they miss is printed, and bounded loosely.
#include <cstdio>
#include <random>

#include "accel/parallel/parallel_for.h"
#include "accel/patch/bernstein_roots.h"
#include "accel/patch/laguerre.h"
#include "accel/patch/method_tests.h"
#include "accel/patch/patch_surface.h"
#include "accel/patch/pieces.h"
#include "tests/device_test.h"
#include "tests/oracle/companion_roots.h"

namespace tl::TL_DEVICE_NAME {
namespace {

/// A patch, as one piece, and a ray to a known place of it.
struct Case {
    PatchPoints points;
    vec3 origin, direction;
    float u, v;
};

/// `cosine`: of the angle between rays and the normal; 0: any.
std::vector<Case> make_cases(std::size_t n, double cosine) {
    std::mt19937 engine(31);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> unit(0.02, 0.98);
    std::vector<Case> cases(n);
    for (auto& c : cases) {
        for (int k = 0; k < 16; ++k) {
            double at[3] = {k / 4 / 3.0 + 0.05 * normal(engine),
                            k % 4 / 3.0 + 0.05 * normal(engine), 0.15 * normal(engine)};
            for (int axis = 0; axis < 3; ++axis) c.points.of_axis[axis][k] = float(at[axis]);
        }
        c.u = float(unit(engine));
        c.v = float(unit(engine));
        vec3 duv;
        PatchSurface s = evaluate_patch(c.points, nullptr, c.u, c.v, duv);
        glm::dvec3 d(normal(engine), normal(engine), normal(engine));
        if (cosine > 0) {
            glm::dvec3 along = glm::normalize(d.x * glm::dvec3(s.du) + d.y * glm::dvec3(s.dv));
            d = along + cosine * glm::normalize(glm::cross(glm::dvec3(s.du), glm::dvec3(s.dv)));
        }
        c.direction = vec3(glm::normalize(d));
        c.origin = s.position - 3.0f * c.direction;
    }
    return cases;
}

/// What a method finds of a case.
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
};

enum class Method { certified, kajiya, kajiya_real, newton, clipping };

template <PolynomialBasis kBasis>
TL_HD Resultant resultant_of(const Case& c) {
    PlanePair p = planes_of_ray(c.origin, c.direction);
    return bezout_resultant(distance_polynomial<kBasis>(c.points, nullptr, p.a, p.origin),
                            distance_polynomial<kBasis>(c.points, nullptr, p.b, p.origin));
}

TL_HD void eliminate(const Case& c, bool only_real, Found& out) {
    PlanePair p = planes_of_ray(c.origin, c.direction);
    constexpr auto kPower = PolynomialBasis::power;
    Bicubic a = distance_polynomial<kPower>(c.points, nullptr, p.a, p.origin);
    Bicubic b = distance_polynomial<kPower>(c.points, nullptr, p.b, p.origin);
    auto found = [&](double v) {
        if (v < 0 || v > 1) return;
        CommonRoots roots = common_roots(CubicsAt(a, b, v));
        for (int k = 0; k < roots.count; ++k)
            if (roots.u[k] >= 0 && roots.u[k] <= 1) out.add(roots.u[k], v);
    };
    out.n_steps = static_cast<std::uint32_t>(
        only_real ? find_real_roots_bernstein(resultant_of<PolynomialBasis::bernstein>(c), found)
                  : find_real_roots_laguerre(resultant_of<kPower>(c), found));
}

std::vector<Found> answer(Stream& stream, const std::vector<Case>& cases, Method method) {
    // Pieces of a quarter of a side: what methods that start from a piece are made for.
    constexpr std::uint32_t kSide = 4, kPieces = kSide * kSide;
    auto n = static_cast<std::uint32_t>(cases.size());
    DeviceArray<Case> on_device(stream, std::span<const Case>(cases));
    DeviceArray<PatchPiece> pieces(stream, n * kPieces);
    DeviceArray<PatchPoints> points(stream, n), piece_points(stream, n * kPieces);
    DeviceArray<Found> answers(stream, n);
    auto in = on_device.view();
    auto own = pieces.view();
    auto all_points = points.view();
    auto own_points = piece_points.view();
    auto out = answers.view();
    PatchesView view{points.data(), nullptr, pieces.data(), piece_points.data(), nullptr, 0};
    parallel_for(
        stream, "answers", n,
        TL_LAMBDA(std::uint32_t i) {
            Found found;
            all_points[i] = in[i].points;
            if (method == Method::kajiya || method == Method::kajiya_real) {
                eliminate(in[i], method == Method::kajiya_real, found);
                out[i] = found;
                return;
            }
            PatchRay ray(in[i].origin, in[i].direction, 0, {});
            KeepFound keep{found};
            for (std::uint32_t k = 0; k < kPieces; ++k) {
                constexpr float kSize = 1.0f / kSide;
                std::uint32_t piece = i * kPieces + k;
                own[piece] = {
                    i, float(k / kSide) * kSize, float(k % kSide) * kSize, kSize, kSize, 0, 1, 0};
                make_piece(all_points[i], nullptr, own[piece], own_points[piece], nullptr);
                if (method == Method::certified)
                    search_piece(view, piece, ray, keep);
                else
                    search_piece_by(
                        method == Method::newton ? PieceMethod::newton : PieceMethod::clipping,
                        view, piece, ray, keep, found.n_steps);
            }
            out[i] = found;
        },
        16);
    return answers.download(stream);
}

/// The part of the certified roots that a method does not find.
double miss_rate(Stream& stream, double cosine, Method method, const char* name) {
    constexpr std::size_t kCases = 3000;
    auto cases = make_cases(kCases, cosine);
    auto certified = answer(stream, cases, Method::certified);
    auto answers = answer(stream, cases, method);
    std::size_t n_roots = 0, n_missed = 0, n_steps = 0;
    for (std::size_t i = 0; i < kCases; ++i) {
        n_steps += answers[i].n_steps;
        for (std::uint32_t r = 0; r < certified[i].n; ++r, ++n_roots) {
            bool found = false;
            for (std::uint32_t k = 0; k < answers[i].n; ++k)
                found = found || (std::abs(answers[i].u[k] - certified[i].u[r]) < 1e-3f &&
                                  std::abs(answers[i].v[k] - certified[i].v[r]) < 1e-3f);
            n_missed += !found;
        }
    }
    EXPECT_GE(n_roots, kCases);
    double rate = double(n_missed) / double(n_roots);
    std::printf("%-12s cos %-6g missed %7.3f %% of %zu roots, %6.1f steps a ray\n", name, cosine,
                100 * rate, n_roots, double(n_steps) / kCases);
    return rate;
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

std::vector<RootList> find_all(Stream& stream, const std::vector<Case>& cases, bool only_real) {
    auto n = static_cast<std::uint32_t>(cases.size());
    DeviceArray<Case> on_device(stream, std::span<const Case>(cases));
    DeviceArray<RootList> lists(stream, n);
    auto in = on_device.view();
    auto out = lists.view();
    parallel_for(
        stream, "roots", n, TL_LAMBDA(std::uint32_t i) {
            RootList list;
            auto found = [&](double v) {
                if (list.n < Found::kMost) list.at[list.n++] = v;
            };
            if (only_real)
                find_real_roots_bernstein(resultant_of<PolynomialBasis::bernstein>(in[i]), found);
            else
                find_real_roots_laguerre(resultant_of<PolynomialBasis::power>(in[i]), found);
            out[i] = list;
        });
    return lists.download(stream);
}

/// The part of the companion matrices' real roots in (0, 1) that a finder does not list.
double part_not_listed(Stream& stream, bool only_real) {
    auto cases = make_cases(500, 0);
    auto lists = find_all(stream, cases, only_real);
    std::size_t n_roots = 0, n_missed = 0;
    for (std::size_t i = 0; i < cases.size(); ++i)
        for (double root : companion_roots(resultant_of<PolynomialBasis::power>(cases[i]))) {
            ++n_roots;
            double best = 1;
            for (std::uint32_t k = 0; k < lists[i].n; ++k)
                best = std::min(best, std::abs(lists[i].at[k] - root));
            n_missed += best > 1e-5;
        }
    EXPECT_GT(n_roots, cases.size());
    std::printf("%zu of %zu roots not found\n", n_missed, n_roots);
    return double(n_missed) / double(n_roots);
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(PatchMethods, LaguerreFindsTheEigenvaluesOfTheCompanionMatrix) {
    EXPECT_LT(part_not_listed(stream, false), 0.01);
}
TL_DEVICE_TEST(PatchMethods, BernsteinFormFindsTheEigenvaluesOfTheCompanionMatrix) {
    EXPECT_LT(part_not_listed(stream, true), 0.01);
}
TL_DEVICE_TEST(PatchMethods, KajiyaMissesLittle) {
    EXPECT_LT(miss_rate(stream, 0, Method::kajiya, "kajiya"), 0.01);
    EXPECT_LT(miss_rate(stream, 1e-2, Method::kajiya, "kajiya"), 0.02);
    EXPECT_LT(miss_rate(stream, 1e-3, Method::kajiya, "kajiya"), 0.05);
}
TL_DEVICE_TEST(PatchMethods, KajiyaWithRealRootsMissesLittle) {
    EXPECT_LT(miss_rate(stream, 0, Method::kajiya_real, "kajiya-real"), 0.01);
    EXPECT_LT(miss_rate(stream, 1e-2, Method::kajiya_real, "kajiya-real"), 0.02);
    EXPECT_LT(miss_rate(stream, 1e-3, Method::kajiya_real, "kajiya-real"), 0.05);
}
TL_DEVICE_TEST(PatchMethods, NewtonMissesWhereRaysGraze) {
    EXPECT_LT(miss_rate(stream, 0, Method::newton, "newton"), 0.3);
    EXPECT_LT(miss_rate(stream, 1e-2, Method::newton, "newton"), 0.9);
    miss_rate(stream, 1e-3, Method::newton, "newton");
}
TL_DEVICE_TEST(PatchMethods, ClippingMissesLittle) {
    EXPECT_LT(miss_rate(stream, 0, Method::clipping, "clipping"), 0.01);
    EXPECT_LT(miss_rate(stream, 1e-2, Method::clipping, "clipping"), 0.05);
    EXPECT_LT(miss_rate(stream, 1e-3, Method::clipping, "clipping"), 0.3);
}

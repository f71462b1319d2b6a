// Compares all hits of rays on bicubic patches with an oracle that uses only subdivision in long
// double (tests/oracle/patch_oracle.h). The classes of rays are hard for solvers: wild patches,
// grazing rays, silhouettes with double roots, collapsed edges, patches of lower degree, misses,
// several hits per ray, rational patches. TREELIGHT_PATCH_RAYS sets the number per class.
#include <tbb/parallel_for.h>

#include <cstdlib>
#include <mutex>

#include "accel/patch/patch_tests.h"
#include "tests/device_test.h"
#include "tests/long_test.h"
#include "tests/oracle/patch_cases.h"
#include "tests/oracle/patch_oracle.h"

namespace tl::TL_DEVICE_NAME {
namespace {

std::size_t n_rays_of_class() {
    const char* wanted = std::getenv("TREELIGHT_PATCH_RAYS");
    return wanted ? std::strtoull(wanted, nullptr, 10) : 600;
}

/// The roots of a ray, up to a maximum number.
struct RootList {
    static constexpr std::uint32_t kMost = 16;
    PatchRoot roots[kMost];
    std::uint32_t count = 0;
};

struct Answer {
    Hit nearest;
    std::uint32_t any;
    RootList all;
};

/// Collects roots without duplicates, such as those on the border of two cells.
struct KeepAll {
    RootList& list;
    [[nodiscard]] TL_HD float t_max() const { return kInfinity; }
    TL_HD bool add(const PatchRoot& r) {
        constexpr double kSame = 1e-6;
        for (std::uint32_t k = 0; k < list.count; ++k)
            if (fabs(list.roots[k].u - r.u) < kSame && fabs(list.roots[k].v - r.v) < kSame)
                return false;
        if (list.count < RootList::kMost) list.roots[list.count++] = r;
        return false;
    }
    TL_HD void count_steps(std::uint32_t) const {}
};

std::vector<Answer> answer(Stream& stream, const PatchProblem& p) {
    DevicePatches patches(stream, p);
    PatchesView view = patches.view();
    DeviceArray<Ray> rays(stream, std::span(p.rays));
    DeviceArray<Answer> answers(stream, p.rays.size());
    auto in = rays.view();
    auto out = answers.view();
    std::uint32_t n_pieces = p.side * p.side;
    parallel_for(
        stream, "answers", static_cast<std::uint32_t>(p.rays.size()), TL_LAMBDA(std::uint32_t i) {
            Ray ray = in[i];
            PatchRay patch_ray{ray.origin, ray.t_min, ray.direction, ray.on_patch};
            Answer a{};
            KeepAll keep{a.all};
            std::uint32_t first = i / PatchProblem::kRays * n_pieces;
            for (std::uint32_t k = first; k < first + n_pieces; ++k) {
                float t_max = a.nearest.found() ? a.nearest.t : kInfinity;
                meet_piece<false>(view, k, patch_ray, t_max, a.nearest);
                Hit hit;
                if (meet_piece<true>(view, k, patch_ray, kInfinity, hit)) a.any = 1;
                search_piece(view, k, patch_ray, keep);
            }
            out[i] = a;
        });
    return answers.download(stream);
}

/// Results of the comparison.
struct Report {
    std::size_t n_rays = 0, n_roots = 0, n_missed = 0, n_wrong = 0, n_any_wrong = 0, n_false = 0;
    double largest_residual = 0, largest_error = 0;
    double largest_residual_single = 0;  ///< residual of parameters rounded to floats, as in hits

    void add(const Report& r) {
        n_rays += r.n_rays, n_roots += r.n_roots, n_missed += r.n_missed;
        n_wrong += r.n_wrong, n_any_wrong += r.n_any_wrong, n_false += r.n_false;
        largest_residual = std::max(largest_residual, r.largest_residual);
        largest_error = std::max(largest_error, r.largest_error);
        largest_residual_single = std::max(largest_residual_single, r.largest_residual_single);
    }
};

/// Whether a root is so near the patch's border, or so nearly tangent, that rounding decides.
bool is_doubtful(const test::OracleRoot& root) {
    constexpr double kBorder = 1e-9, kSpread = 1e-9;
    return root.u < kBorder || root.u > 1 - kBorder || root.v < kBorder || root.v > 1 - kBorder ||
           root.spread > kSpread;
}

void compare(const Ray& ray, const Answer& a, const test::PatchOracle& oracle, bool at_pole,
             Report& r) {
    auto roots = oracle.roots(ray);
    std::erase_if(roots, [&](auto& root) { return root.t <= double(ray.t_min); });
    ++r.n_rays;
    // Parameters are ill-conditioned near a pole: positions in space are compared there.
    auto differs = [&](const PatchRoot& found, const test::OracleRoot& root) {
        if (at_pole) return std::abs(found.t - root.t);
        return std::max(std::abs(found.u - root.u), std::abs(found.v - root.v));
    };
    auto residual = [&](double u, double v) { return oracle.residual(ray, u, v) / oracle.size(); };
    constexpr double kSame = 1e-5;
    for (auto& root : roots) {
        if (is_doubtful(root)) continue;
        ++r.n_roots;
        double best = 1e30;
        for (std::uint32_t k = 0; k < a.all.count; ++k)
            best = std::min(best, differs(a.all.roots[k], root));
        bool missed = best > kSame + 2 * root.spread;
        r.n_missed += missed;
        if (!missed) r.largest_error = std::max(r.largest_error, best);
    }
    for (std::uint32_t k = 0; k < a.all.count; ++k) {
        const PatchRoot& found = a.all.roots[k];
        r.largest_residual = std::max(r.largest_residual, residual(found.u, found.v));
        r.largest_residual_single = std::max(
            r.largest_residual_single, residual(double(float(found.u)), double(float(found.v))));
        double best = 1e30;
        for (auto& root : roots) best = std::min(best, differs(found, root) - 2 * root.spread);
        r.n_false += best > kSame;
    }
    auto doubtful = [&](auto& root) { return is_doubtful(root); };
    if (std::any_of(roots.begin(), roots.end(), doubtful)) return;
    if (roots.empty() == a.nearest.found() ||
        (!roots.empty() && std::abs(double(a.nearest.t) - roots[0].t) > 1e-5))
        ++r.n_wrong;
    r.n_any_wrong += (a.any != 0) == roots.empty();
}

/// Moves the origins of rays with several roots half way between two distinct roots. Returns the
/// number of these rays.
std::size_t start_among_roots(PatchProblem& p) {
    constexpr double kApart = 1e-5;
    std::size_t n_moved = 0;
    for (std::size_t i = 0; i < p.rays.size(); ++i) {
        std::size_t patch = i / PatchProblem::kRays;
        test::PatchOracle oracle(p.points[patch], p.weights.empty() ? nullptr : &p.weights[patch]);
        auto roots = oracle.roots(p.rays[i]);
        if (roots.size() < 2) continue;
        std::size_t k = i % (roots.size() - 1);
        if (roots[k + 1].t - roots[k].t < kApart) continue;
        p.rays[i].t_min = static_cast<float>((roots[k].t + roots[k + 1].t) / 2);
        ++n_moved;
    }
    return n_moved;
}

void check_class(Stream& stream, RayClass kind, bool among_roots = false) {
    const char* name = kRayClassNames[static_cast<int>(kind)];
    constexpr unsigned kSeed = 20;
    Report total;
    std::mutex mutex;
    std::size_t n_rays = n_rays_of_class();
    std::size_t batch = std::min<std::size_t>(100'000, n_rays / 2);
    for (std::size_t first = 0; first < n_rays; first += batch) {
        // Large pieces, which are cut further, and small ones, most of which are flat.
        std::uint32_t side = first == 0 ? 2 : 8;
        PatchProblem p = PatchProblemMaker(kind, kSeed + static_cast<unsigned>(first / batch))
                             .make(std::min(batch, n_rays - first), side);
        if (among_roots) {
            EXPECT_GT(start_among_roots(p), p.rays.size() / 3) << name;
        }
        auto answers = answer(stream, p);
        tbb::parallel_for(std::size_t{0}, p.points.size(), [&](std::size_t patch) {
            test::PatchOracle oracle(p.points[patch],
                                     p.weights.empty() ? nullptr : &p.weights[patch]);
            Report own;
            for (std::size_t i = patch * PatchProblem::kRays; i < (patch + 1) * PatchProblem::kRays;
                 ++i)
                compare(p.rays[i], answers[i], oracle, kind == RayClass::collapsed, own);
            std::lock_guard lock(mutex);
            total.add(own);
        });
    }
    std::printf(
        "%-10s %zu rays, %zu roots, %zu missed, %zu false, residual %.2g, as floats %.2g, error of "
        "u, v %.2g\n",
        name, total.n_rays, total.n_roots, total.n_missed, total.n_false, total.largest_residual,
        total.largest_residual_single, total.largest_error);
    EXPECT_GT(total.n_rays, n_rays / 2) << name;
    EXPECT_GT(total.n_roots, n_rays / 10) << name;
    EXPECT_EQ(total.n_missed, 0u) << name;
    EXPECT_EQ(total.n_wrong, 0u) << name;
    EXPECT_EQ(total.n_any_wrong, 0u) << name;
    EXPECT_EQ(total.n_false, 0u) << name;
    EXPECT_LT(total.largest_residual, 1e-9) << name;
    EXPECT_LT(total.largest_residual_single, 1e-6) << name;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(PatchPieces, LieInTheirFramesAsTheirNetsSay) {
    PatchProblem problem = PatchProblemMaker(RayClass::generic, 7).make(400, 8);
    DevicePatches patches(stream, problem);
    auto points = patches.piece_points.download(stream);
    auto frames = patches.frames.download(stream);
    auto nets = patches.nets.download(stream);
    std::size_t n_flat = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        auto& f = frames[i];
        for (int k = 0; k < PatchPoints::kCount; ++k) {
            vec3 p;
            for (int axis = 0; axis < 3; ++axis) p[axis] = points[i].of_axis[axis][k];
            vec3 own = in_frame(f, p - f.center), half(f.half_x, f.half_y, f.half_z);
            for (int axis = 0; axis < 3; ++axis) {
                ASSERT_NEAR(own[axis], nets[i].points.of_axis[axis][k], 1e-3f) << i;
                ASSERT_LE(std::abs(nets[i].points.of_axis[axis][k]), half[axis]) << i;
            }
        }
        // Corners of the square, but for the bend.
        EXPECT_NEAR(nets[i].points.of_axis[0][15] - nets[i].points.of_axis[0][0], 1.0f, 0.5f);
        n_flat += bounds_of_flat_piece(nets[i], 0.5f, 0.5f).unique;
    }
    EXPECT_GT(n_flat, points.size() * 9 / 10);
}
TL_DEVICE_TEST(PatchHits, OfRaysThatStartAmongTheRootsEqualTheOracle) {
    TL_LONG_TEST();
    for (RayClass kind : {RayClass::several, RayClass::grazing, RayClass::silhouette})
        check_class(stream, kind, true);
}
TL_DEVICE_TEST(PatchHits, OfGenericRaysEqualTheOracle) {
    check_class(stream, RayClass::generic);
}
TL_DEVICE_TEST(PatchHits, OnWildPatchesEqualTheOracle) {
    check_class(stream, RayClass::wild);
}
TL_DEVICE_TEST(PatchHits, OfGrazingRaysEqualTheOracle) {
    check_class(stream, RayClass::grazing);
}
TL_DEVICE_TEST(PatchHits, AtSilhouettesAreBothTwins) {
    check_class(stream, RayClass::silhouette);
}
TL_DEVICE_TEST(PatchHits, NearCollapsedEdgesEqualTheOracle) {
    check_class(stream, RayClass::collapsed);
}
TL_DEVICE_TEST(PatchHits, OnBilinearPatchesEqualTheOracle) {
    check_class(stream, RayClass::bilinear);
}
TL_DEVICE_TEST(PatchHits, OfRaysThatMissEqualTheOracle) {
    check_class(stream, RayClass::misses);
}
TL_DEVICE_TEST(PatchHits, AlongARayAreAllFound) {
    check_class(stream, RayClass::several);
}
TL_DEVICE_TEST(PatchHits, OnRationalPatchesEqualTheOracle) {
    check_class(stream, RayClass::rational);
}

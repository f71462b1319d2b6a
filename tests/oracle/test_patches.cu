// Every hit of rays on bicubic patches against an oracle that only subdivides, in long double
// (tests/oracle/patch_oracle.h), on the classes of rays that solvers fail at: wild patches, grazing
// rays and silhouettes with twin roots, collapsed edges, patches of a lower degree, misses, several
// hits along a ray, rational patches. TREELIGHT_PATCH_RAYS sets the rays of each class.
#include <tbb/parallel_for.h>

#include <cstdlib>
#include <mutex>
#include <random>

#include "accel/parallel/parallel_for.h"
#include "accel/patch/patch_surface.h"
#include "accel/patch/patch_tests.h"
#include "accel/patch/pieces.h"
#include "tests/device_test.h"
#include "tests/oracle/patch_oracle.h"

namespace tl::TL_DEVICE_NAME {
namespace {

enum class RayClass {
    generic,
    wild,
    grazing,
    silhouette,
    collapsed,
    bilinear,
    misses,
    several,
    rational
};

std::size_t n_rays_of_class() {
    const char* wanted = std::getenv("TREELIGHT_PATCH_RAYS");
    return wanted ? std::strtoull(wanted, nullptr, 10) : 600;
}

/// Patches cut into pieces, and rays, each at a patch of its own.
struct Problem {
    std::vector<PatchPoints> points;
    std::vector<PatchWeights> weights;
    std::vector<PatchPiece> pieces;  ///< kPieces to a patch
    std::vector<Ray> rays;           ///< kRays to a patch
    static constexpr std::uint32_t kSide = 2, kPieces = kSide * kSide, kRays = 4;
};

class Maker {
  public:
    Maker(RayClass kind, unsigned seed) : kind_(kind), engine_(seed) {}

    Problem make(std::size_t n_rays) {
        Problem p;
        std::size_t n_patches = (n_rays + Problem::kRays - 1) / Problem::kRays;
        for (std::uint32_t patch = 0; patch < n_patches; ++patch) {
            p.points.push_back(make_points());
            if (kind_ == RayClass::rational) p.weights.push_back(make_weights(p.points.back()));
            constexpr float kSize = 1.0f / Problem::kSide;
            for (std::uint32_t k = 0; k < Problem::kPieces; ++k)
                p.pieces.push_back({patch, float(k / Problem::kSide) * kSize,
                                    float(k % Problem::kSide) * kSize, kSize, kSize, 0, 1, 0});
            for (std::uint32_t k = 0; k < Problem::kRays; ++k)
                p.rays.push_back(
                    make_ray(p.points.back(), p.weights.empty() ? nullptr : &p.weights.back()));
        }
        return p;
    }

  private:
    double unit() { return std::uniform_real_distribution<double>(0, 1)(engine_); }
    double normal() { return std::normal_distribution<double>()(engine_); }

    PatchPoints make_points() {
        // Three times up or down along u.
        constexpr double kFolds[] = {-1, 3, -3, 1};
        PatchPoints p;
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {
                double noise = kind_ == RayClass::wild ? 0.6 : 0.15;
                glm::dvec3 at(i / 3.0, j / 3.0, 0);
                if (kind_ == RayClass::bilinear)
                    at.z = 0.3 * at.x * at.y;
                else if (kind_ == RayClass::several)
                    at.z = kFolds[i] + 0.1 * normal();
                else
                    at += noise * glm::dvec3(0.3 * normal(), 0.3 * normal(), normal());
                bool pole = kind_ == RayClass::collapsed && j == 0;
                if (pole) at = {0.5, 0, 0.1};
                for (int axis = 0; axis < 3; ++axis) p.of_axis[axis][4 * i + j] = float(at[axis]);
            }
        return p;
    }
    PatchWeights make_weights(PatchPoints& p) {
        PatchWeights w;
        for (int k = 0; k < 16; ++k) {
            w.at[k] = float(std::exp(0.8 * normal()));
            for (auto& axis : p.of_axis) axis[k] *= w.at[k];
        }
        return w;
    }
    Ray make_ray(const PatchPoints& points, const PatchWeights* weights) {
        double u = unit(), v = unit();
        // A quarter right at the pole.
        if (kind_ == RayClass::collapsed && unit() < 0.25) v = std::pow(10.0, -7 * unit());
        vec3 duv;
        PatchSurface s = evaluate_patch(points, weights, float(u), float(v), duv);
        glm::dvec3 direction = glm::normalize(glm::dvec3(normal(), normal(), normal()));
        double cosine = kind_ == RayClass::grazing      ? 1e-2
                        : kind_ == RayClass::silhouette ? 1e-3
                                                        : 0;
        glm::dvec3 across = glm::cross(glm::dvec3(s.du), glm::dvec3(s.dv));
        if (cosine > 0)
            direction = glm::normalize(
                glm::normalize(normal() * glm::dvec3(s.du) + normal() * glm::dvec3(s.dv)) +
                cosine * glm::normalize(across));
        if (kind_ == RayClass::several)
            direction = glm::normalize(glm::dvec3(1, 0.1 * normal(), 0.1 * normal()));
        Ray ray;
        ray.direction = vec3(direction);
        ray.origin = vec3(glm::dvec3(s.position) - 3.0 * direction);
        if (kind_ == RayClass::misses) ray.origin += 0.4f * vec3(normal(), normal(), normal());
        return ray;
    }

    RayClass kind_;
    std::mt19937 engine_;
};

/// All roots of a ray, up to some.
struct RootList {
    static constexpr std::uint32_t kMost = 16;
    Hit roots[kMost];
    std::uint32_t count = 0;
};

struct Answer {
    Hit nearest;
    std::uint32_t any;
    RootList all;
};

/// Collects roots that are not there yet, as those on the border of two cells.
struct KeepAll {
    RootList& list;
    [[nodiscard]] TL_HD float t_max() const { return kInfinity; }
    TL_HD bool add(const PatchRoot& r) {
        constexpr double kSame = 1e-6;
        for (std::uint32_t k = 0; k < list.count; ++k)
            if (fabs(double(list.roots[k].u) - r.u) < kSame &&
                fabs(double(list.roots[k].v) - r.v) < kSame)
                return false;
        if (list.count < RootList::kMost)
            list.roots[list.count++] = {float(r.t), float(r.u), float(r.v), 0};
        return false;
    }
};

std::vector<Answer> answer(Stream& stream, const Problem& p) {
    DeviceArray<PatchPoints> points(stream, std::span(p.points)),
        piece_points(stream, p.pieces.size());
    DeviceArray<PatchWeights> weights, piece_weights;
    DeviceArray<PatchPiece> pieces(stream, std::span(p.pieces));
    DeviceArray<Ray> rays(stream, std::span(p.rays));
    DeviceArray<Answer> answers(stream, p.rays.size());
    if (!p.weights.empty()) {
        weights.assign(stream, p.weights);
        piece_weights.resize_discard(stream, p.pieces.size());
    }
    PatchesView view{points.data(),       weights.data(),       pieces.data(),
                     piece_points.data(), piece_weights.data(), 0};
    auto own = pieces.view();
    auto own_points = piece_points.view();
    auto own_weights = piece_weights.view();
    parallel_for(
        stream, "pieces", static_cast<std::uint32_t>(p.pieces.size()), TL_LAMBDA(std::uint32_t i) {
            bool rational = !own_weights.empty();
            std::uint32_t patch = own[i].patch;
            make_piece(view.points[patch], rational ? view.weights + patch : nullptr, own[i],
                       own_points[i], rational ? &own_weights[i] : nullptr);
        });
    auto in = rays.view();
    auto out = answers.view();
    parallel_for(
        stream, "answers", static_cast<std::uint32_t>(p.rays.size()), TL_LAMBDA(std::uint32_t i) {
            Ray ray = in[i];
            PatchRay patch_ray(ray.origin, ray.direction, ray.t_min, ray.from);
            Answer a{};
            KeepAll keep{a.all};
            std::uint32_t first = i / Problem::kRays * Problem::kPieces;
            for (std::uint32_t k = first; k < first + Problem::kPieces; ++k) {
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

/// What the comparison found.
struct Report {
    std::size_t n_rays = 0, n_roots = 0, n_missed = 0, n_wrong = 0, n_any_wrong = 0, n_false = 0;
    double largest_residual = 0, largest_error = 0;
};

/// Whether a root lies so near the patch's border, or is so flat a touch, that digits decide.
bool is_doubtful(const test::OracleRoot& root) {
    constexpr double kBorder = 1e-9, kSpread = 1e-9;
    return root.u < kBorder || root.u > 1 - kBorder || root.v < kBorder || root.v > 1 - kBorder ||
           root.spread > kSpread;
}

void compare(const Ray& ray, const Answer& a, const test::PatchOracle& oracle, bool at_pole,
             Report& r) {
    auto roots = oracle.roots(ray);
    ++r.n_rays;
    // Parameters of a hit near a pole mean little: places are compared in space there.
    auto differs = [&](const Hit& hit, const test::OracleRoot& root) {
        if (at_pole) return std::abs(double(hit.t) - root.t);
        return std::max(std::abs(double(hit.u) - root.u), std::abs(double(hit.v) - root.v));
    };
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
        const Hit& hit = a.all.roots[k];
        r.largest_residual = std::max(
            r.largest_residual, oracle.residual(ray, double(hit.u), double(hit.v)) / oracle.size());
        double best = 1e30;
        for (auto& root : roots) best = std::min(best, differs(hit, root) - 2 * root.spread);
        r.n_false += best > kSame;
    }
    auto doubtful = [&](auto& root) { return is_doubtful(root); };
    if (std::any_of(roots.begin(), roots.end(), doubtful)) return;
    if (roots.empty() == a.nearest.found() ||
        (!roots.empty() && std::abs(double(a.nearest.t) - roots[0].t) > 1e-5))
        ++r.n_wrong;
    r.n_any_wrong += (a.any != 0) == roots.empty();
}

void check_class(Stream& stream, RayClass kind, const char* name) {
    constexpr unsigned kSeed = 20;
    constexpr std::size_t kBatch = 100'000;
    Report total;
    std::mutex mutex;
    std::size_t n_rays = n_rays_of_class();
    for (std::size_t first = 0; first < n_rays; first += kBatch) {
        Problem p = Maker(kind, kSeed + static_cast<unsigned>(first / kBatch))
                        .make(std::min(kBatch, n_rays - first));
        auto answers = answer(stream, p);
        tbb::parallel_for(std::size_t{0}, p.points.size(), [&](std::size_t patch) {
            test::PatchOracle oracle(p.points[patch],
                                     p.weights.empty() ? nullptr : &p.weights[patch]);
            Report own;
            for (std::size_t i = patch * Problem::kRays; i < (patch + 1) * Problem::kRays; ++i)
                compare(p.rays[i], answers[i], oracle, kind == RayClass::collapsed, own);
            std::lock_guard lock(mutex);
            total.n_rays += own.n_rays, total.n_roots += own.n_roots,
                total.n_missed += own.n_missed;
            total.n_wrong += own.n_wrong, total.n_any_wrong += own.n_any_wrong,
                total.n_false += own.n_false;
            total.largest_residual = std::max(total.largest_residual, own.largest_residual);
            total.largest_error = std::max(total.largest_error, own.largest_error);
        });
    }
    std::printf(
        "%-10s %zu rays, %zu roots, %zu missed, %zu false, largest residual %.2g, error %.2g\n",
        name, total.n_rays, total.n_roots, total.n_missed, total.n_false, total.largest_residual,
        total.largest_error);
    EXPECT_GT(total.n_rays, n_rays / 2) << name;
    EXPECT_GT(total.n_roots, n_rays / 10) << name;
    EXPECT_EQ(total.n_missed, 0u) << name;
    EXPECT_EQ(total.n_wrong, 0u) << name;
    EXPECT_EQ(total.n_any_wrong, 0u) << name;
    EXPECT_EQ(total.n_false, 0u) << name;
    EXPECT_LT(total.largest_residual, 1e-6) << name;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(PatchHits, OfGenericRaysEqualTheOracle) {
    check_class(stream, RayClass::generic, "generic");
}
TL_DEVICE_TEST(PatchHits, OnWildPatchesEqualTheOracle) {
    check_class(stream, RayClass::wild, "wild");
}
TL_DEVICE_TEST(PatchHits, OfGrazingRaysEqualTheOracle) {
    check_class(stream, RayClass::grazing, "grazing");
}
TL_DEVICE_TEST(PatchHits, AtSilhouettesAreBothTwins) {
    check_class(stream, RayClass::silhouette, "silhouette");
}
TL_DEVICE_TEST(PatchHits, NearCollapsedEdgesEqualTheOracle) {
    check_class(stream, RayClass::collapsed, "collapsed");
}
TL_DEVICE_TEST(PatchHits, OnBilinearPatchesEqualTheOracle) {
    check_class(stream, RayClass::bilinear, "bilinear");
}
TL_DEVICE_TEST(PatchHits, OfRaysThatMissEqualTheOracle) {
    check_class(stream, RayClass::misses, "misses");
}
TL_DEVICE_TEST(PatchHits, AlongARayAreAllFound) {
    check_class(stream, RayClass::several, "several");
}
TL_DEVICE_TEST(PatchHits, OnRationalPatchesEqualTheOracle) {
    check_class(stream, RayClass::rational, "rational");
}

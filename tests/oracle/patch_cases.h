// Patches and rays of the classes that are hard for root finders (grazing, silhouettes, poles), and
// the subdivision of the patches on a device. Only files compiled for a device include it.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "accel/patch/patch_surface.h"
#include "accel/patch/pieces.h"
#include "core/device/parallel_for.h"

namespace tl::TL_DEVICE_NAME {

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
inline constexpr const char* kRayClassNames[] = {"generic",    "wild",      "grazing",
                                                 "silhouette", "collapsed", "bilinear",
                                                 "misses",     "several",   "rational"};

/// Patches subdivided into pieces, and rays that are each aimed at one patch.
struct PatchProblem {
    std::vector<PatchPoints> points;
    std::vector<PatchWeights> weights;
    std::vector<PatchPiece> pieces;  ///< side^2 per patch
    std::vector<Ray> rays;           ///< kRays per patch
    std::uint32_t side;
    static constexpr std::uint32_t kRays = 4;
};

class PatchProblemMaker {
  public:
    PatchProblemMaker(RayClass kind, unsigned seed) : kind_(kind), engine_(seed) {}

    PatchProblem make(std::size_t n_rays, std::uint32_t side) {
        PatchProblem p;
        p.side = side;
        std::size_t n_patches = (n_rays + PatchProblem::kRays - 1) / PatchProblem::kRays;
        for (std::uint32_t patch = 0; patch < n_patches; ++patch) {
            p.points.push_back(make_points());
            if (kind_ == RayClass::rational) p.weights.push_back(make_weights(p.points.back()));
            float size = 1 / float(side);
            for (std::uint32_t k = 0; k < side * side; ++k)
                p.pieces.push_back(
                    {patch, float(k / side) * size, float(k % side) * size, size, size, 0, 1, 0});
            for (std::uint32_t k = 0; k < PatchProblem::kRays; ++k)
                p.rays.push_back(
                    make_ray(p.points.back(), p.weights.empty() ? nullptr : &p.weights.back()));
        }
        return p;
    }

  private:
    double unit() { return std::uniform_real_distribution<double>(0, 1)(engine_); }
    double normal() { return std::normal_distribution<double>()(engine_); }

    PatchPoints make_points() {
        // Control values for three folds along u.
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
        // A quarter of the rays is aimed close to the pole.
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

/// The patches and pieces of a problem.
struct DevicePatches {
    DeviceArray<PatchPoints> points, piece_points;
    DeviceArray<PatchWeights> weights, piece_weights;
    DeviceArray<PatchPiece> pieces;
    DeviceArray<PieceFrame> frames;
    DeviceArray<PieceNet> nets;

    DevicePatches(Stream& stream, const PatchProblem& p)
        : points(stream, std::span(p.points)),
          piece_points(stream, p.pieces.size()),
          pieces(stream, std::span(p.pieces)) {
        if (!p.weights.empty()) {
            weights.assign(stream, p.weights);
            piece_weights.resize_discard(stream, p.pieces.size());
        } else {
            frames.resize_discard(stream, p.pieces.size());
            nets.resize_discard(stream, p.pieces.size());
        }
        cut(stream);
    }
    [[nodiscard]] PatchesView view() const {
        return {points.data(),        weights.data(), pieces.data(), piece_points.data(),
                piece_weights.data(), frames.data(),  nets.data(),   0};
    }
    /// Public only because it contains a kernel.
    void cut(Stream& stream) {
        auto own = pieces.view();
        auto of_patch = points.view();
        auto own_points = piece_points.view();
        auto of_weight = weights.view(), own_weights = piece_weights.view();
        auto own_frames = frames.view();
        auto own_nets = nets.view();
        parallel_for(
            stream, "pieces", static_cast<std::uint32_t>(pieces.size()),
            TL_LAMBDA(std::uint32_t i) {
                bool rational = !own_weights.empty();
                std::uint32_t patch = own[i].patch;
                make_piece(of_patch[patch], rational ? &of_weight[patch] : nullptr, own[i],
                           own_points[i], rational ? &own_weights[i] : nullptr,
                           rational ? nullptr : &own_frames[i], rational ? nullptr : &own_nets[i]);
            });
    }
};

}  // namespace tl::TL_DEVICE_NAME

// The relative pose of two views as a problem for RANSAC: its minimal solver, Sampson's error of a
// pair, and the derivatives that refinement needs. With kFocal the views have one unknown focal
// length.
#pragma once

#include "solvers/pose/camera_pose.h"
#include "solvers/pose/lanes.h"
#include "solvers/pose/minimal/essential_kernel.h"
#include "solvers/pose/minimal/focal_kernels.h"
#include "solvers/pose/minimal/sturm_route.h"
#include "solvers/pose/ransac/epipolar_distance.h"

TL_DEVICE_BEGIN

namespace pose {

/// Passes essential matrices on as models.
template <class Team, class Sink>
struct EssentialModels {
    Sink& sink;
    TL_D void essential(typename Team::Mask want, const typename Team::Real* e) {
        sink.model(want, e);
    }
};

/// Matches are pairs x1, y1, x2, y2. Models are F, row by row, of any length, then f with kFocal.
template <bool kFocal>
struct RelativeProblem {
    using Pose = CameraPose;
    static constexpr int kCoordinates = 4;
    static constexpr int kSample = kFocal ? 6 : 5;
    static constexpr int kMostModels = kFocal ? 15 : 10;
    static constexpr int kModel = kFocal ? 10 : 9;
    static constexpr int kResiduals = 1;
    static constexpr int kParameters = kFocal ? 6 : 5;  ///< rotation, two of the translation, focal
    static constexpr int kPoses = 4;                    ///< poses with the same errors

    static constexpr bool kHasFast = !kFocal;     ///< there is solve_fast()
    static constexpr bool kHasReflectors = true;  ///< solve() can eliminate by them
    static constexpr bool kHasLinear = false;

    template <class Real>
    using Storage = std::conditional_t<kFocal, FundamentalStorage<Real>, EssentialStorage<Real>>;
    template <class Real>
    using FastStorage = SturmEssentialStorage<Real>;

    /// Fast solver, for lanes where no solution can be lost; returns the samples that are left to
    /// solve().
    template <class Team, class Sink>
    static TL_D typename Team::Mask solve_fast(const Team& /*team*/,
                                               const typename Team::Real* sample,
                                               typename Team::Mask valid,
                                               FastStorage<typename Team::Real>& storage,
                                               Sink& sink) {
        EssentialModels<Team, Sink> models{sink};
        return essentials_by_sturm<Team>(sample, valid, storage, models);
    }
    /// kReflectors: the template is eliminated by reflectors instead of pivots.
    template <bool kReflectors = false, class Team, class Sink>
    static TL_D void solve(const Team& team, const typename Team::Real* sample,
                           typename Team::Mask valid, Storage<typename Team::Real>& storage,
                           Sink& sink) {
        if constexpr (kFocal) {
            fundamentals_of<kReflectors>(team, sample, valid, storage, sink);
        } else {
            EssentialModels<Team, Sink> models{sink};
            essentials_of<kReflectors>(team, sample, valid, storage, models);
        }
    }

    template <class Real>
    static TL_D Real squared_error(const float* f, const Real* c) {
        return sampson_squared(f, c);
    }

    /// The pose of a model that fits a sample, whose match i is sample(i, coordinates).
    template <class Sample>
    static TL_D CameraPose pose_of(const float* model, const Sample& sample) {
        double e[9];
        double f = kFocal ? model[kModel - 1] : 1;
        // E = K F K for K = diag(f, f, 1).
        for (int j = 0; j < 9; ++j)
            e[j] = static_cast<double>(model[j]) * (j / 3 < 2 ? f : 1) * (j % 3 < 2 ? f : 1);
        auto pair = [&](int i, double* own) {
            sample(i, own);
            for (int k = 0; k < 4; ++k) own[k] /= f;
        };
        CameraPose pose = motion::pose_before_both(e, kSample, pair);
        pose.focal = f;
        return pose;
    }

    using Frame = EpipolarFrame<kParameters>;
    static TL_D Frame frame_of(const CameraPose& pose) {
        Frame frame;
        double e[9], turned[9], tangent[2][3];
        motion::essential_of(pose, e);
        motion::tangents(pose.translation, tangent[0], tangent[1]);
        for (int k = 0; k < 3; ++k) {
            const double axis[3] = {k == 0 ? 1. : 0., k == 1 ? 1. : 0., k == 2 ? 1. : 0.};
            motion::cross_columns(axis, pose.rotation, turned);
            motion::cross_columns(pose.translation, turned, frame.by[k]);
        }
        for (int k = 0; k < 2; ++k)
            motion::cross_columns(tangent[k], pose.rotation, frame.by[3 + k]);
        // F = D E D for D = diag(1, 1, f).
        for (int j = 0; j < 9; ++j) {
            bool row = j / 3 == 2, column = j % 3 == 2;
            double factor = (row ? pose.focal : 1) * (column ? pose.focal : 1);
            frame.f[j] = e[j] * factor;
            for (int k = 0; k < 5; ++k) frame.by[k][j] *= factor;
            if constexpr (kFocal)
                frame.by[5][j] = e[j] * (row && column ? 2 * pose.focal : row || column ? 1 : 0);
        }
        return frame;
    }
    static TL_D CameraPose stepped(const CameraPose& from, const double* step) {
        CameraPose pose = from;
        double tangent[2][3];
        motion::tangents(from.translation, tangent[0], tangent[1]);
        motion::turn(pose.rotation, step);
        for (int i = 0; i < 3; ++i)
            pose.translation[i] += step[3] * tangent[0][i] + step[4] * tangent[1][i];
        motion::normalise(pose.translation);
        if constexpr (kFocal) pose.focal += step[5];
        return pose;
    }

    template <bool kExact, bool kDerivatives, class Real>
    static TL_D void residual(const Frame& frame, const Real* c, Real* r, Real* j) {
        epipolar_residual<kExact, kDerivatives>(frame, c, r, j);
    }

    /// One of the poses with the same matrix.
    static TL_D CameraPose same_errors(const CameraPose& pose, int index) {
        double e[9];
        motion::essential_of(pose, e);
        CameraPose result = motion::pose_of_essential(e, index);
        result.focal = pose.focal;
        return result;
    }
    /// Whether the point of a pair is before both cameras.
    static TL_D bool before(const CameraPose& pose, const double* c) {
        double own[4], depths[2];
        for (int k = 0; k < 4; ++k) own[k] = c[k] / pose.focal;
        motion::depths_of(pose, own, depths);
        return depths[0] > 0 && depths[1] > 0;
    }
};

}  // namespace pose

TL_DEVICE_END

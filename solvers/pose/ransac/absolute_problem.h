// The absolute pose of a view as a problem for RANSAC: its minimal solver, the reprojection error
// of a point, and the derivatives that refinement needs. With kFocal the focal length is unknown.
#pragma once

#include "solvers/pose/lanes.h"
#include "solvers/pose/minimal/focal_kernels.h"
#include "solvers/pose/minimal/four_point_plane.h"
#include "solvers/pose/minimal/three_point.h"

TL_DEVICE_BEGIN

namespace pose {

/// Scratch memory of three-point problems: none.
struct NoStorage {};

/// Matches are x, y, X, Y, Z. Models are the rows of diag(f, f, 1) (R t), then f with kFocal.
template <bool kFocal>
struct AbsoluteProblem {
    using Pose = CameraPose;
    static constexpr int kCoordinates = 5;
    static constexpr int kSample = kFocal ? 4 : 3;
    static constexpr int kMostModels = kFocal ? 9 : 4;
    static constexpr int kModel = kFocal ? 13 : 12;
    static constexpr int kResiduals = 2;
    static constexpr int kParameters = kFocal ? 7 : 6;  ///< rotation, translation, focal length
    static constexpr int kPoses = 1;                    ///< poses with the same errors

    static constexpr bool kHasFast = false;         ///< there is no solve_fast()
    static constexpr bool kHasReflectors = kFocal;  ///< solve() can eliminate by them
    static constexpr bool kHasLinear = false;

    template <class Real>
    using FastStorage = NoStorage;
    template <class Real>
    using Storage = std::conditional_t<kFocal, CameraStorage<Real>, NoStorage>;

    /// kReflectors: the template is eliminated by reflectors instead of pivots.
    template <bool kReflectors = false, class Team, class Sink>
    static TL_D void solve(const Team& team, const typename Team::Real* sample,
                           typename Team::Mask valid, Storage<typename Team::Real>& storage,
                           Sink& sink) {
        if constexpr (kFocal) cameras_of<kReflectors>(team, sample, valid, storage, sink);
        // Lane by lane, since the branches of the closed forms diverge.
        for (int lane = 0; lane < kLanes<double>; ++lane) {
            double own[kSample * kCoordinates];
            for (int i = 0; i < kSample * kCoordinates; ++i) own[i] = of_lane(sample[i], lane);
            if (!lane_is_in(valid, lane)) continue;
            auto found = [&](const CameraPose& pose) {
                typename Team::Real model[13];
                for (int j = 0; j < 12; ++j)
                    model[j] = typename Team::Real(
                        (kFocal && j < 8 ? pose.focal : 1) *
                        (j % 4 < 3 ? pose.rotation[3 * (j / 4) + j % 4] : pose.translation[j / 4]));
                model[12] = typename Team::Real(pose.focal);
                sink.model(mask_of_lane(lane), model);
            };
            if constexpr (kFocal)
                motion::four_point_plane(own, found);
            else
                motion::three_point(own, found);
        }
    }

    /// The squared reprojection error in working coordinates; very large behind the camera.
    template <class Real>
    static TL_D Real squared_error(const float* m, const Real* c) {
        Real x = Real(m[0]) * c[2] + (Real(m[1]) * c[3] + (Real(m[2]) * c[4] + Real(m[3])));
        Real y = Real(m[4]) * c[2] + (Real(m[5]) * c[3] + (Real(m[6]) * c[4] + Real(m[7])));
        Real z = Real(m[8]) * c[2] + (Real(m[9]) * c[3] + (Real(m[10]) * c[4] + Real(m[11])));
        Real inverse = Real(1.0f) / z;
        Real u = x * inverse - c[0], v = y * inverse - c[1];
        return eigen::select(z > Real(0.0f), u * u + v * v, Real(1e30f));
    }

    template <class Sample>
    static TL_D CameraPose pose_of(const float* model, const Sample& /*sample*/) {
        CameraPose pose;
        pose.focal = kFocal ? model[kModel - 1] : 1;
        for (int i = 0; i < 3; ++i) {
            double factor = i < 2 ? 1 / pose.focal : 1;
            for (int j = 0; j < 3; ++j) pose.rotation[3 * i + j] = model[4 * i + j] * factor;
            pose.translation[i] = model[4 * i + 3] * factor;
        }
        motion::orthonormalise(pose.rotation);
        return pose;
    }

    struct Frame {
        CameraPose pose;
    };
    static TL_D Frame frame_of(const CameraPose& pose) { return {pose}; }
    static TL_D CameraPose stepped(const CameraPose& from, const double* step) {
        CameraPose pose = from;
        motion::turn(pose.rotation, step);
        for (int i = 0; i < 3; ++i) pose.translation[i] += step[3 + i];
        if constexpr (kFocal) pose.focal += step[6];
        return pose;
    }

    /// The residuals r of matches c, projected minus observed position, and their derivatives j,
    /// one row after the other.
    template <bool kExact, bool kDerivatives, class Real>
    static TL_D void residual(const Frame& frame, const Real* c, Real* r, Real* j) {
        const double* m = frame.pose.rotation;
        const double* t = frame.pose.translation;
        Real turned[3], p[3];
        for (int i = 0; i < 3; ++i) {
            turned[i] =
                Real(m[3 * i]) * c[2] + (Real(m[3 * i + 1]) * c[3] + Real(m[3 * i + 2]) * c[4]);
            p[i] = turned[i] + Real(t[i]);
        }
        auto before = p[2] > Real(0.0);
        Real inverse = Real(1.0) / eigen::select(before, p[2], Real(1.0));
        Real f(frame.pose.focal);
        for (int axis = 0; axis < 2; ++axis) {
            Real slope = p[axis] * inverse;
            r[axis] = eigen::select(before, f * slope - c[axis], Real(1e30));
            if constexpr (kDerivatives) {
                Real* row = j + axis * kParameters;
                Real scale = f * inverse;
                // Derivatives by the translation; by the rotation, e_k x (R X); by the focal
                // length.
                Real by[3] = {Real(axis == 0 ? 1.0 : 0.0) * scale,
                              Real(axis == 1 ? 1.0 : 0.0) * scale, -(slope * scale)};
                for (int k = 0; k < 3; ++k) row[3 + k] = by[k];
                row[0] = by[2] * turned[1] - by[1] * turned[2];
                row[1] = by[0] * turned[2] - by[2] * turned[0];
                row[2] = by[1] * turned[0] - by[0] * turned[1];
                if constexpr (kFocal) row[6] = slope;
            }
        }
    }

    static TL_D CameraPose same_errors(const CameraPose& pose, int /*index*/) { return pose; }
    /// Points behind the camera have no small error.
    static TL_D bool before(const CameraPose& /*pose*/, const double* /*c*/) { return true; }
};

}  // namespace pose

TL_DEVICE_END

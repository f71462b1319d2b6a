// The fundamental matrix of two uncalibrated views as a problem for RANSAC: seven pairs, Sampson's
// error, the normalised eight-point algorithm, and steps within the matrices of rank 2.
#pragma once

#include "solvers/pose/minimal/seven_pairs.h"
#include "solvers/pose/minimal/svd_three.h"
#include "solvers/pose/ransac/epipolar_distance.h"
#include "solvers/pose/view_matrix.h"

TL_DEVICE_BEGIN

namespace pose {

/// Matches are pairs x1, y1, x2, y2. Models are F, row by row, of Frobenius norm 1.
struct FundamentalProblem {
    using Pose = ViewMatrix;
    static constexpr int kCoordinates = 4;
    static constexpr int kSample = 7;
    static constexpr int kMostModels = 3;
    static constexpr int kModel = 9;
    static constexpr int kResiduals = 1;
    static constexpr int kParameters = 7;
    static constexpr int kPoses = 1;

    static constexpr bool kHasFast = false;
    static constexpr bool kHasReflectors = false;
    static constexpr bool kHasLinear = true;  ///< there are linear_rows() and from_linear()
    static constexpr int kLinearRows = 1;     ///< equations of a match

    template <class Real>
    using Storage = SevenPairStorage<Real>;

    template <class Team, class Sink>
    static TL_D void solve(const Team& /*team*/, const typename Team::Real* sample,
                           typename Team::Mask valid, Storage<typename Team::Real>& storage,
                           Sink& sink) {
        seven_pairs<Team>(sample, valid, storage, sink);
    }

    template <class Real>
    static TL_D Real squared_error(const float* f, const Real* c) {
        return sampson_squared(f, c);
    }

    template <class Sample>
    static TL_D ViewMatrix pose_of(const float* model, const Sample& /*sample*/) {
        double f[9];
        for (int j = 0; j < 9; ++j) f[j] = model[j];
        return of_rank_two(f);
    }

    using Frame = EpipolarFrame<kParameters>;
    /// The derivatives are an orthonormal basis of the directions in which F keeps its rank and
    /// its norm: products of its singular vectors.
    static TL_D Frame frame_of(const ViewMatrix& pose) {
        Frame frame;
        auto svd = motion::svd_three(pose.m);
        const double largest = svd.values[0], second = svd.values[1];
        const double norm = sqrt(largest * largest + second * second);
        constexpr int kLeft[6] = {0, 1, 0, 1, 2, 2}, kRight[6] = {1, 0, 2, 2, 0, 1};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                double first = svd.left[i] * svd.right[j];
                double other = svd.left[3 + i] * svd.right[3 + j];
                frame.f[3 * i + j] = (largest * first + second * other) / norm;
                frame.by[6][3 * i + j] = (largest * other - second * first) / norm;
                for (int q = 0; q < 6; ++q)
                    frame.by[q][3 * i + j] =
                        svd.left[3 * kLeft[q] + i] * svd.right[3 * kRight[q] + j];
            }
        return frame;
    }
    static TL_D ViewMatrix stepped(const ViewMatrix& from, const double* step) {
        Frame frame = frame_of(from);
        for (int q = 0; q < kParameters; ++q)
            for (int j = 0; j < 9; ++j) frame.f[j] += step[q] * frame.by[q][j];
        return of_rank_two(frame.f);
    }

    template <bool kExact, bool kDerivatives, class Real>
    static TL_D void residual(const Frame& frame, const Real* c, Real* r, Real* j) {
        epipolar_residual<kExact, kDerivatives>(frame, c, r, j);
    }

    /// The equation of a match for the elements of F.
    template <class Real>
    static TL_D void linear_rows(const Real* c, Real* rows) {
        epipolar_row(c, rows);
    }
    /// The pose of the elements that solve the equations of scaled matches.
    static TL_D ViewMatrix from_linear(const double* f, const ViewScaling& scaling) {
        return motion::unscaled_fundamental(of_rank_two(f), scaling);
    }

    static TL_D ViewMatrix same_errors(const ViewMatrix& pose, int /*index*/) { return pose; }
    static TL_D bool before(const ViewMatrix& /*pose*/, const double* /*c*/) { return true; }

  private:
    /// The nearest matrix of rank 2, of Frobenius norm 1.
    static TL_D ViewMatrix of_rank_two(const double* f) {
        auto svd = motion::svd_three(f);
        ViewMatrix result;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                result.m[3 * i + j] = svd.values[0] * svd.left[i] * svd.right[j] +
                                      svd.values[1] * svd.left[3 + i] * svd.right[3 + j];
        motion::normalise_matrix(result.m);
        return result;
    }
};

}  // namespace pose

TL_DEVICE_END

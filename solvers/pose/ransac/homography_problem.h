// The homography of two uncalibrated views as a problem for RANSAC: four pairs, Sampson's error in
// two directions, the normalised direct linear transformation, and steps of its eight parameters.
#pragma once

#include "solvers/pose/lanes.h"
#include "solvers/pose/minimal/four_pairs.h"

TL_DEVICE_BEGIN

namespace pose {

/// The two equations (x2, y2) w = (u, v), where (u, v, w) = H (x1, y1, 1), and their derivatives by
/// the points' coordinates; those by x2 and y2 are w.
template <class Real>
struct TransferEquations {
    Real values[2];
    Real by_first[4];  ///< by x1 and y1, equation by equation
    Real w;
    /// Products of the derivatives: those of the first equation, of both, and of the second one.
    Real squares, mixed, others;

    template <class Element>
    TL_D TransferEquations(const Element* h, const Real* p) {
        w = Real(h[6]) * p[0] + (Real(h[7]) * p[1] + Real(h[8]));
        for (int i = 0; i < 2; ++i) {
            const Element* row = h + 3 * i;
            values[i] = p[2 + i] * w - (Real(row[0]) * p[0] + (Real(row[1]) * p[1] + Real(row[2])));
            for (int k = 0; k < 2; ++k)
                by_first[2 * i + k] = p[2 + i] * Real(h[6 + k]) - Real(row[k]);
        }
        squares = by_first[0] * by_first[0] + by_first[1] * by_first[1] + w * w;
        mixed = by_first[0] * by_first[2] + by_first[1] * by_first[3];
        others = by_first[2] * by_first[2] + by_first[3] * by_first[3] + w * w;
    }
};

/// Matches are pairs x1, y1, x2, y2. Models are H, row by row, of Frobenius norm 1, with a positive
/// third component of H x1.
struct HomographyProblem {
    using Pose = ViewMatrix;
    static constexpr int kCoordinates = 4;
    static constexpr int kSample = 4;
    static constexpr int kMostModels = 1;
    static constexpr int kModel = 9;
    static constexpr int kResiduals = 2;
    static constexpr int kParameters = 8;
    static constexpr int kPoses = 1;

    static constexpr bool kHasFast = false;
    static constexpr bool kHasReflectors = false;
    static constexpr bool kHasLinear = true;  ///< there are linear_rows() and from_linear()
    static constexpr int kLinearRows = 2;     ///< equations of a match

    /// Scratch memory of four-pair problems: none.
    template <class Real>
    struct Storage {};

    template <class Team, class Sink>
    static TL_D void solve(const Team& /*team*/, const typename Team::Real* sample,
                           typename Team::Mask valid, Storage<typename Team::Real>& /*storage*/,
                           Sink& sink) {
        for (int lane = 0; lane < kLanes<double>; ++lane) {
            if (!lane_is_in(valid, lane)) continue;
            double own[kSample * kCoordinates];
            for (int i = 0; i < kSample * kCoordinates; ++i) own[i] = of_lane(sample[i], lane);
            ViewMatrix found;
            if (!motion::four_pairs(own, found)) continue;
            typename Team::Real model[9];
            for (int j = 0; j < 9; ++j) model[j] = typename Team::Real(found.m[j]);
            sink.model(mask_of_lane(lane), model);
        }
    }

    /// Sampson's squared error (Hartley and Zisserman 2003, chapter 4.2.6); very large where the
    /// third component is not positive.
    template <class Real>
    static TL_D Real squared_error(const float* h, const Real* c) {
        const TransferEquations<Real> e(h, c);
        const Real x = e.values[0], y = e.values[1];
        Real numerator = e.others * (x * x) - Real(2.0f) * e.mixed * (x * y) + e.squares * (y * y);
        Real error = numerator / (e.squares * e.others - e.mixed * e.mixed);
        return eigen::select(e.w > Real(0.0f), error, Real(1e30f));
    }

    template <class Sample>
    static TL_D ViewMatrix pose_of(const float* model, const Sample& /*sample*/) {
        ViewMatrix pose;
        for (int j = 0; j < 9; ++j) pose.m[j] = model[j];
        motion::normalise_matrix(pose.m);
        return pose;
    }

    struct Frame {
        double h[9];
        double by[kParameters][9];
    };
    /// The derivatives are orthonormal and orthogonal to H: the other columns of the reflector that
    /// moves an axis to H.
    static TL_D Frame frame_of(const ViewMatrix& pose) {
        Frame frame;
        int axis = 0;
        for (int j = 0; j < 9; ++j) {
            frame.h[j] = pose.m[j];
            if (fabs(pose.m[j]) > fabs(pose.m[axis])) axis = j;
        }
        double v[9];
        for (int j = 0; j < 9; ++j) v[j] = pose.m[j];
        v[axis] += pose.m[axis] < 0 ? -1 : 1;
        const double factor = 1 / fabs(v[axis]);  // 2 / v'v for H of length 1
        for (int q = 0; q < kParameters; ++q) {
            int column = q < axis ? q : q + 1;
            for (int j = 0; j < 9; ++j)
                frame.by[q][j] = (j == column ? 1 : 0) - factor * v[column] * v[j];
        }
        return frame;
    }
    static TL_D ViewMatrix stepped(const ViewMatrix& from, const double* step) {
        Frame frame = frame_of(from);
        ViewMatrix pose = from;
        for (int q = 0; q < kParameters; ++q)
            for (int j = 0; j < 9; ++j) pose.m[j] += step[q] * frame.by[q][j];
        motion::normalise_matrix(pose.m);
        return pose;
    }

    /// The two residuals r of matches c and, if requested, their derivatives j, one row after the
    /// other: the displacement, in the four coordinates together, to the nearest pair that fits H,
    /// in an orthonormal basis. It is that of Sampson to first order, or with kExact exact by
    /// steps to that pair. The basis counts as fixed in the derivatives.
    template <bool kExact, bool kDerivatives, class Real>
    static TL_D void residual(const Frame& frame, const Real* c, Real* r, Real* j) {
        Real p[4] = {c[0], c[1], c[2], c[3]};
        TransferEquations<Real> e(frame.h, p);
        if constexpr (kExact) {
            constexpr int kCorrections = 2;
            for (int pass = 0; pass < kCorrections; ++pass) {
                move_to_nearest(e, c, p);
                e = TransferEquations<Real>(frame.h, p);
                add_displacement(e, c, p);
            }
        }
        auto before = e.w > Real(0.0);
        // Cholesky's factor of the products whitens the equations.
        Real first = Real(1.0) / eigen::square_root(eigen::select(before, e.squares, Real(1.0)));
        Real below = e.mixed * first;
        Real rest = eigen::select(before, e.others - below * below, Real(1.0));
        Real second = Real(1.0) / eigen::square_root(rest);
        r[0] = eigen::select(before, e.values[0] * first, Real(1e30));
        r[1] = (e.values[1] - below * (e.values[0] * first)) * second;
        if constexpr (kDerivatives) {
            const Real x1[3] = {p[0], p[1], Real(1.0)};
            for (int q = 0; q < kParameters; ++q) {
                const double* by = frame.by[q];
                Real moved[3];
                for (int i = 0; i < 3; ++i)
                    moved[i] = Real(by[3 * i]) * x1[0] +
                               (Real(by[3 * i + 1]) * x1[1] + Real(by[3 * i + 2]));
                j[q] = (p[2] * moved[2] - moved[0]) * first;
                j[kParameters + q] = (p[3] * moved[2] - moved[1] - below * j[q]) * second;
            }
        }
    }

    /// The equations of a match for the elements of H.
    template <class Real>
    static TL_D void linear_rows(const Real* c, Real* rows) {
        const Real x1[3] = {c[0], c[1], Real(1.0)};
        for (int i = 0; i < 2; ++i)
            for (int k = 0; k < 3; ++k) {
                Real* row = rows + 9 * i;
                row[k] = i == 0 ? -x1[k] : Real(0.0);
                row[3 + k] = i == 1 ? -x1[k] : Real(0.0);
                row[6 + k] = c[2 + i] * x1[k];
            }
    }
    /// The pose of the elements that solve the equations of scaled matches, whose centre is at 0.
    static TL_D ViewMatrix from_linear(const double* h, const ViewScaling& scaling) {
        ViewMatrix scaled;
        for (int j = 0; j < 9; ++j) scaled.m[j] = h[8] < 0 ? -h[j] : h[j];
        return motion::unscaled_homography(scaled, scaling);
    }

    static TL_D ViewMatrix same_errors(const ViewMatrix& pose, int /*index*/) { return pose; }
    /// Matches whose third component is not positive have no small error.
    static TL_D bool before(const ViewMatrix& /*pose*/, const double* /*c*/) { return true; }

  private:
    /// Moves p to the nearest pair to c for which the linearised equations hold.
    template <class Real>
    static TL_D void move_to_nearest(const TransferEquations<Real>& e, const Real* c, Real* p) {
        Real inverse = Real(1.0) / (e.squares * e.others - e.mixed * e.mixed);
        Real first = (e.others * e.values[0] - e.mixed * e.values[1]) * inverse;
        Real second = (e.squares * e.values[1] - e.mixed * e.values[0]) * inverse;
        for (int k = 0; k < 2; ++k)
            p[k] = c[k] - (e.by_first[k] * first + e.by_first[2 + k] * second);
        p[2] = c[2] - e.w * first;
        p[3] = c[3] - e.w * second;
    }
    /// Extrapolates the equations at p linearly to c.
    template <class Real>
    static TL_D void add_displacement(TransferEquations<Real>& e, const Real* c, const Real* p) {
        for (int i = 0; i < 2; ++i)
            e.values[i] += e.by_first[2 * i] * (c[0] - p[0]) +
                           e.by_first[2 * i + 1] * (c[1] - p[1]) + e.w * (c[2 + i] - p[2 + i]);
    }
};

}  // namespace pose

TL_DEVICE_END

// The relative pose of two calibrated views from five points (Stewenius, Engels and Nister 2006;
// Cvrcek 2016, chapter 3): essential matrices by an elimination template, many problems at once.
#pragma once

#include <cstddef>

#include "core/base/macros.h"
#include "core/device/array.h"

namespace tl {

/// A point seen in two views, in calibrated image coordinates: (x, y, 1) is its direction in each.
struct PointPair {
    double x1, y1, x2, y2;
};

/// Solver of five-point problems. action: eigenvectors of the action matrix; no solution is lost.
/// sturm: roots of a polynomial of degree 10, twice as fast where all of its roots are certain;
/// other problems fall back to the action matrix. action_qr: as action, but the template is
/// eliminated by reflectors instead of pivots.
enum class FivePointRoute { action, sturm, action_qr };

/// Most essential matrices that five pairs have.
inline constexpr int kMostEssentials = 10;

}  // namespace tl

/// Computes essential matrices of `count` problems; problem i has the i-th five of `pairs`. Each
/// matrix E has (x2, y2, 1) E (x1, y1, 1)' = 0 for its pairs, is stored row by row, and has
/// Frobenius norm 1. `essentials` has kMostEssentials x 9 numbers for each problem, of which the
/// first n_found[i] matrices are set. Problems with a pair that is not finite have none. Unless
/// null, `n_left` gets the number of problems for which the Sturm route fell back to the action
/// matrix, and the call waits for it.
TL_FOR_DEVICES(void five_point(Stream& stream, View<const PointPair> pairs, std::size_t count,
                               View<double> essentials, View<int> n_found,
                               FivePointRoute route = FivePointRoute::action,
                               std::size_t* n_left = nullptr);)

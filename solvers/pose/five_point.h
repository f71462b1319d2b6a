// The relative pose of two calibrated views from five points (Stewenius, Engels and Nister 2006;
// Cvrcek 2016, chapter 3): essential matrices by an elimination template, many problems at once.
#pragma once

#include <cstddef>

#include "accel/parallel/array.h"
#include "accel/parallel/macros.h"

namespace tl {

/// A point seen in two views, in calibrated image coordinates: (x, y, 1) is its direction in each.
struct PointPair {
    double x1, y1, x2, y2;
};

/// How five-point problems are solved: by the eigenvectors of the action matrix, which loses
/// nothing, or by the roots of a polynomial of degree 10, twice as fast, where all of its roots are
/// sure; the others go to the action matrix.
enum class FivePointRoute { action, sturm };

/// Most essential matrices that five pairs have.
inline constexpr int kMostEssentials = 10;

}  // namespace tl

/// For each five of `pairs` in turn, `count` times, the matrices E, row by row and of Frobenius
/// norm 1, with (x2, y2, 1) E (x1, y1, 1)' = 0 for its pairs: kMostEssentials x 9 numbers of
/// `essentials` for each, of which the first n_found[i] matrices are there. Pairs that are not
/// finite have none. Unless null, `n_left` gets the number of problems that the Sturm route has
/// left to the other one, and the call waits for it.
TL_FOR_DEVICES(void five_point(Stream& stream, View<const PointPair> pairs, std::size_t count,
                               View<double> essentials, View<int> n_found,
                               FivePointRoute route = FivePointRoute::action,
                               std::size_t* n_left = nullptr);)

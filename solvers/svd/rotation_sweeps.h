// Applies the plane rotations of QR sweeps to the columns of the singular vectors (Lahabar 2010,
// algorithms 4 and 5), several sweeps in one pass over memory: a wavefront with one rotation per
// sweep moves over the columns, each sweep one column behind the previous one (Van Zee, van de
// Geijn & Quintana-Orti 2014).
#pragma once

#include "solvers/dense/matrix.h"

namespace tl {

/// Sweeps per pass.
inline constexpr int kSweepsPerPass = 16;

/// A rotation's cosine and sine in the precision of the vectors.
template <class T>
struct RotationPair {
    T c, s;
};

}  // namespace tl

// Rotation j of sweep s is rotations[(j - first) * kSweepsPerPass + s], of columns j and j + 1, for
// j in [first, last); rotations missing from a sweep are {1, 0}. All sweeps go forward (from
// `first`) or all backward. One launch handles both matrices, each with its own rotations.
TL_FOR_DEVICES(template <class T> void apply_sweeps(Stream& stream, MatrixView<T> x,
                                                    View<const RotationPair<T>> x_rotations,
                                                    MatrixView<T> y,
                                                    View<const RotationPair<T>> y_rotations,
                                                    int first, int last, bool forward);)

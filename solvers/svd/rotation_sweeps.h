// Applies the plane rotations of QR sweeps to the columns of the singular vectors (Lahabar 2010,
// algorithms 4 and 5), several sweeps in one pass through memory: a wave of as many rotations as
// there are sweeps moves over the columns, each one column behind the one before it (Van Zee, van
// de Geijn & Quintana-Orti 2014).
#pragma once

#include "solvers/dense/matrix.h"

namespace tl {

/// Sweeps that go together.
inline constexpr int kSweepsPerPass = 16;

/// The rotation's cosine and sine as the device has them.
template <class T>
struct RotationPair {
    T c, s;
};

}  // namespace tl

// Rotation j of sweep s is rotations[(j - first) * kSweepsPerPass + s], of columns j and j + 1, for
// j in [first, last); those that a sweep does not have are {1, 0}. All sweeps go forward (from
// `first`) or all backward. Both matrices are done by one launch, each with its own rotations.
TL_FOR_DEVICES(template <class T> void apply_sweeps(Stream& stream, MatrixView<T> x,
                                                    View<const RotationPair<T>> x_rotations,
                                                    MatrixView<T> y,
                                                    View<const RotationPair<T>> y_rotations,
                                                    int first, int last, bool forward);)

// Maxima of errors that are measured.
#pragma once

#include <algorithm>
#include <span>

namespace tl {

/// The larger error; NaN counts as the largest, whichever comes first.
[[nodiscard]] inline double larger_error(double a, double b) {
    return b <= a || a != a ? a : b;
}
/// Raises `largest` to an error that is larger, or NaN.
inline void keep_larger(double& largest, double error) {
    largest = larger_error(largest, error);
}
/// The largest of errors that are not negative; 0 of none, NaN if one is NaN.
template <class T>
[[nodiscard]] double largest_error(std::span<const T> errors) {
    double largest = 0;
    for (T error : errors) keep_larger(largest, static_cast<double>(error));
    return largest;
}

}  // namespace tl

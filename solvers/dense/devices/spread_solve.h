// Systems with the factors of a matrix that is spread over devices, and their backward error.
#pragma once

#include "solvers/dense/devices/spread_matrix.h"

namespace tl {

/// The diagonal of U: the pivots.
template <class T>
[[nodiscard]] std::vector<T> pivots_over_devices(DeviceGroup& group, SpreadMatrix<T>& lu);

/// A^-1 B for square factors without a zero pivot and the row exchanges of
/// factorise_over_devices(). Block by block, right sides go to the device that has the block; many
/// of them go in as many parts as there are devices, each at another one. Throws UserError where
/// memory is insufficient.
template <class T>
[[nodiscard]] HostMatrix<T> solve_over_devices(DeviceGroup& group, SpreadMatrix<T>& lu,
                                               const std::vector<int>& swaps,
                                               const HostMatrix<T>& b);

/// A X, each device with its own columns of A.
template <class T>
[[nodiscard]] HostMatrix<T> product_over_devices(DeviceGroup& group, SpreadMatrix<T>& a,
                                                 const HostMatrix<T>& x);

/// The largest of ||B - A X|| / (||A|| ||X|| + ||B||) over the columns, in infinity-norms. NaN if
/// an element is not finite.
template <class T>
[[nodiscard]] double backward_error_over_devices(DeviceGroup& group, SpreadMatrix<T>& a,
                                                 const HostMatrix<T>& x, const HostMatrix<T>& b);

}  // namespace tl

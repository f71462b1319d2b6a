// cuSOLVERMg's PLU factorisation over several GPUs, for comparison. In CUDA builds only.
#pragma once

#include "solvers/dense/devices/spread_lu.h"

namespace tl {

/// Columns of a block in NVIDIA's examples of the library.
inline constexpr int kCusolverMgBlock = 256;

/// Whether the library is installed. Opens it.
[[nodiscard]] bool has_cusolver_mg();

/// cusolverMgGetrf: A becomes L and U, by copies that only the factorisation itself leaves out of
/// its seconds. Throws UserError where it fails, and where memory is insufficient for another A.
template <class T>
[[nodiscard]] SpreadLuResult factorise_by_cusolver_mg(DeviceGroup& group, SpreadMatrix<T>& a);

}  // namespace tl

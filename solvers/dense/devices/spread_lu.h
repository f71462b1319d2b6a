// PLU factorisation of a matrix that is spread over the devices of one process, right-looking by
// blocks of columns, with the pivots of one device. A block's owner factorises its panel as one
// device does, and copies it with its row moves to the others; each then moves rows and updates its
// own columns. The owner of the next panel updates and factorises it first, while the rest is
// updated (look-ahead, as in HPL).
#pragma once

#include "solvers/dense/devices/spread_matrix.h"
#include "solvers/dense/lu/lu_blocked.h"
#include "solvers/solver.h"

namespace tl {

/// Sets the widths that are left open by the number of steps and the bytes of an element: as
/// LuBlocks::chosen(), but leaves of doubles have 64 columns at any size. All devices wait for
/// panels, most of whose work is then in products, by a whole GPU.
[[nodiscard]] LuBlocks spread_widths(const LuBlocks& asked, int steps, std::size_t element_size);

struct SpreadLuResult {
    std::vector<int> swaps;  ///< row k was exchanged with row swaps[k], for k = 0, 1, ...
    double seconds = 0;      ///< of the factorisation alone
    /// Milliseconds of panels, with the updates of their own columns, and of all other updates, for
    /// each device. They overlap.
    std::vector<StageTime> stages;
};

/// A becomes L (unit diagonal, not stored) and U. Of `blocks`, pivoting and block have no effect:
/// pivots are partial, and A has its own blocks. Singular matrices have factors too. Throws
/// UserError if an element is not finite or memory is insufficient, and Cancelled; A is then lost.
template <class T>
[[nodiscard]] SpreadLuResult factorise_over_devices(DeviceGroup& group, SpreadMatrix<T>& a,
                                                    const LuBlocks& blocks, SolverRun& run);

}  // namespace tl

// PLU factorisation of a matrix in host memory that the device does not hold, after Toledo &
// Gustavson 1996, "The design and implementation of SOLAR, a portable library for scalable
// out-of-core linear algebra computations". Panels are as wide as the device's memory allows. A
// panel is updated by the columns at its left (left-looking), which stream through two buffers
// while products run, and is then factorised as a matrix of its own.
#pragma once

#include <utility>
#include <vector>

#include "solvers/dense/matrix.h"
#include "solvers/solver.h"

namespace tl {

/// Owns a matrix in host memory that copies to and from a device reach at full speed: pinned
/// memory on CUDA. Elements are uninitialised.
template <class T>
class PinnedMatrix {
  public:
    /// Throws UserError where memory is insufficient.
    PinnedMatrix(Device& device, int rows, int cols);
    ~PinnedMatrix() { device_->free_pinned(data_); }
    PinnedMatrix(const PinnedMatrix&) = delete;
    PinnedMatrix& operator=(const PinnedMatrix&) = delete;

    [[nodiscard]] MatrixView<T> view() { return {data_, rows_, cols_, rows_ > 0 ? rows_ : 1}; }

  private:
    Device* device_;
    T* data_;
    int rows_, cols_;
};

/// Columns that the device holds at a time.
struct OutOfCoreWidths {
    int panel = 0;  ///< of the panel that is factorised
    int block = 0;  ///< of each of the two blocks that update it
};

/// The widest panels of a matrix of elements of `element_size` bytes within `memory` bytes of a
/// device. Throws UserError where these do not hold the narrowest ones.
[[nodiscard]] OutOfCoreWidths out_of_core_widths(int rows, int cols, std::size_t element_size,
                                                 std::uint64_t memory);

struct OutOfCoreResult {
    std::vector<int> swaps;  ///< row k was exchanged with row swaps[k], for k = 0, 1, ...
    int n_panels = 0;
};

/// Factorises a matrix in host memory without gaps (best a PinnedMatrix) on the stream's device.
/// The factors overwrite it: U on and above the diagonal, L below it, whose diagonal is 1. Throws
/// UserError where an element is not finite or memory is insufficient, and Cancelled; the matrix is
/// then lost.
template <class T>
[[nodiscard]] OutOfCoreResult factorise_out_of_core(Stream& stream, MatrixView<T> host,
                                                    const OutOfCoreWidths& widths, SolverRun& run);

}  // namespace tl

// A matrix in blocks of columns, which go cyclically to the devices of a group. Each device has all
// rows of its columns, so that rows are exchanged without a message.
#pragma once

#include "solvers/dense/devices/device_group.h"
#include "solvers/dense/ranks/rank_grid.h"

namespace tl {

/// Columns [first, first + width) of a matrix, all of one device.
struct ColumnBlock {
    int first = 0, width = 0;
    int owner = 0;  ///< index of the device in the group
    int local = 0;  ///< the first column in the owner's part
};

template <class T>
class SpreadMatrix {
  public:
    /// Elements are uninitialised. `block`: columns of a block. Rows, columns and `block` are
    /// positive. Throws UserError, which names the device, where memory is insufficient.
    SpreadMatrix(DeviceGroup& group, int rows, int cols, int block);

    [[nodiscard]] int rows() const { return rows_; }
    [[nodiscard]] int cols() const { return cols_; }
    [[nodiscard]] int block() const { return block_; }
    /// The part of a device.
    [[nodiscard]] CyclicMatrix<T>& part(int member) {
        return parts_[static_cast<std::size_t>(member)];
    }
    [[nodiscard]] MatrixView<T> view(int member) { return part(member).local.view(); }
    /// All blocks from left to right.
    [[nodiscard]] std::vector<ColumnBlock> blocks() const;
    /// A block's columns in the owner's memory.
    [[nodiscard]] MatrixView<T> columns(const ColumnBlock& block) {
        return view(block.owner).columns(block.local, block.width);
    }

  private:
    int rows_, cols_, block_;
    std::vector<CyclicMatrix<T>> parts_;
};

/// Throws UserError unless all elements are finite: "WHO: element (i, j), counted from 0, is not
/// finite: WHY".
template <class T>
void require_finite(DeviceGroup& group, SpreadMatrix<T>& a, const std::string& who,
                    const std::string& why);

/// Copies a matrix on the group's first device to all parts.
template <class T>
void spread(DeviceGroup& group, MatrixView<const T> whole, SpreadMatrix<T>& to);
/// Waits for the group and copies a block to the host.
template <class T>
[[nodiscard]] HostMatrix<T> download_block(DeviceGroup& group, SpreadMatrix<T>& a,
                                           const ColumnBlock& block);
/// Waits for the group and copies all blocks to the host.
template <class T>
[[nodiscard]] HostMatrix<T> download_all(DeviceGroup& group, SpreadMatrix<T>& a);

}  // namespace tl

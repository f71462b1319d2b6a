// Assignment of a product's tiles to blocks. Only files compiled by nvcc include this header.
#pragma once

namespace tl::cuda {

/// Tile of a block. Blocks that run concurrently have neighbouring tiles, kGroup rows of them, so
/// that they share slices in the L2 cache.
template <int kGroup>
__device__ __forceinline__ void place_tile(int block, int n_rows, int n_cols, int& row, int& col) {
    int per_group = kGroup * n_cols, group = block / per_group, within = block % per_group;
    int rows_left = n_rows - group * kGroup, height = rows_left < kGroup ? rows_left : kGroup;
    row = group * kGroup + within % height;
    col = within / height;
}

}  // namespace tl::cuda

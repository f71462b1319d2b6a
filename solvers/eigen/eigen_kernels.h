// The modes' kernels, each of which solves a part of a batch.
#pragma once

#include "solvers/eigen/eigen.h"

namespace tl {

/// Destination of a batch's results: as in EigenResult, from the batch's first matrix on.
template <class T>
struct EigenOutputs {
    T* values;
    T* vectors;
    int* sweeps;
    int* status;
};

/// Matrices `first` to `first + count - 1` of a batch.
struct EigenRange {
    std::size_t first, count;
};

}  // namespace tl

namespace tl::cpu {

// A matrix in each lane of AVX2 registers: four doubles or eight floats.
template <class T>
void eigen_simd(Stream& stream, const EigenBatch<T>& batch, EigenRange range, EigenPairs pairs,
                const EigenLimits& limits, const EigenOutputs<T>& outputs);
// A matrix at a time.
template <class T>
void eigen_scalar(Stream& stream, const EigenBatch<T>& batch, EigenRange range, EigenPairs pairs,
                  const EigenLimits& limits, const EigenOutputs<T>& outputs);

}  // namespace tl::cpu

namespace tl::cuda {

// A thread for each matrix, all of a warp in step.
template <class T>
void eigen_thread(Stream& stream, const EigenBatch<T>& batch, EigenRange range, EigenPairs pairs,
                  const EigenLimits& limits, const EigenOutputs<T>& outputs);
// The same, but threads whose eigenvalues are found take the next matrix from a queue.
template <class T>
void eigen_queue(Stream& stream, const EigenBatch<T>& batch, EigenRange range, EigenPairs pairs,
                 const EigenLimits& limits, const EigenOutputs<T>& outputs);
// Some threads of a warp for each matrix, in shared memory.
template <class T>
void eigen_lanes(Stream& stream, const EigenBatch<T>& batch, EigenRange range, EigenPairs pairs,
                 const EigenLimits& limits, const EigenOutputs<T>& outputs);
// A thread for each column, and blocks that wait for their slowest matrix (Cvrcek 2016, 6.6).
template <class T>
void eigen_columns(Stream& stream, const EigenBatch<T>& batch, EigenRange range, EigenPairs pairs,
                   const EigenLimits& limits, const EigenOutputs<T>& outputs);
// A block for each matrix, for any n.
template <class T>
void eigen_block(Stream& stream, const EigenBatch<T>& batch, EigenRange range, EigenPairs pairs,
                 const EigenLimits& limits, const EigenOutputs<T>& outputs);

}  // namespace tl::cuda

// Exchange between the lattices of far nodes of equal size (M2L): a convolution, which is a product
// of Fourier transforms.
//
// The children of a node's neighbours that are not the node's own children's neighbours are far.
// Lattice points of two nodes of a level are whole steps apart, so the field of a target is the
// convolution of strengths with the kernel at these steps. Transforms of 2 p - 1 elements along
// each axis hold it without wrapping around. They are computed for one frequency of axis 0 at a
// time, so that the transforms of all nodes need little memory, and by matrices, since they are
// short.
#pragma once

#include "solvers/fmm/lattice.h"
#include "solvers/fmm/pair_kernels.h"

// clang-format off
TL_FOR_DEVICES(
    /// Bytes of scratch memory that exchange_lattices() takes.
    template <class Real>
    std::size_t exchange_bytes(const SumTree& tree, int p);

    /// Sets the fields of all nodes to those of the strengths of far nodes of their size. Throws
    /// what `run` does, to which it reports from 0 to 1.
    template <class Real>
    void exchange_lattices(Scratch& scratch, const SumTree& tree,
                           const LatticeTables<Real>& tables, const ScaledKernel& kernel,
                           View<const Real> strengths, View<Real> fields, SolverRun& run);
)
// clang-format on

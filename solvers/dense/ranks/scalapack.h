// ScaLAPACK's PLU factorisation and solution, for comparison, by the ranks of the same job. Its
// library is opened on first use and shares MPI with the job.
#pragma once

#include "solvers/dense/ranks/rank_grid.h"

namespace tl {

template <class T>
class ScalapackSystem {
  public:
    /// Copies a rank's part of the matrix. The grid has all ranks of the job. Collective. Throws
    /// UserError if ScaLAPACK is missing.
    ScalapackSystem(Stream& stream, const RankGrid& grid, const CyclicMatrix<T>& a);
    ~ScalapackSystem();
    ScalapackSystem(const ScalapackSystem&) = delete;
    ScalapackSystem& operator=(const ScalapackSystem&) = delete;

    /// P?GETRF. Collective.
    void factorise();
    /// P?GETRS with this rank's part of the right sides, which becomes that of the solution. They
    /// are spread in the same blocks. Collective.
    void solve(Stream& stream, CyclicMatrix<T>& b);
    /// Number of own rows among the first swaps.size() whose exchange is another one.
    [[nodiscard]] int count_other_pivots(const std::vector<int>& swaps) const;

  private:
    static constexpr int kDescriptor = 9;
    void describe(const CyclicAxis& rows, const CyclicAxis& cols, int* descriptor) const;

    CyclicAxis rows_, cols_;
    HostMatrix<T> a_;
    std::vector<int> pivots_;  ///< counted from 1, of the own rows
    int context_ = 0;
};

}  // namespace tl

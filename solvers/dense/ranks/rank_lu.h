// PLU factorisation of a matrix that is spread over a grid of ranks, right-looking by panels, with
// the pivots of LAPACK's getrf. The next panel is updated and factorised first, and travels while
// the rest is updated (look-ahead, as in HPL). Also the algorithm of Brodtkorb 2007, appendix A.
#pragma once

#include <string>

#include "core/base/error.h"
#include "solvers/dense/ranks/rank_grid.h"

namespace tl {

/// An error that all ranks throw with the same text.
class RankError : public UserError {
  public:
    using UserError::UserError;
};

enum class RankLuMode {
    look_ahead,
    /// Pivots from the rows of one rank, and one step after the other (appendix A.3.1).
    thesis,
};

struct RankLuConfig {
    RankLuMode mode = RankLuMode::look_ahead;
    std::string product = "own";  ///< a mode of multipliers()
};

/// Seconds of one rank.
struct RankLuTimes {
    double panels = 0;     ///< factorising panels, with waits for the column of the grid
    double exchanges = 0;  ///< rows that move, and U
    double updates = 0;    ///< products; on a GPU, only giving them to it
    double waits = 0;      ///< for panels of other ranks
};

/// A becomes L (unit diagonal, not stored) and U. Returns the global row that row k was exchanged
/// with before step k, at all ranks. Collective; every rank has the same kind of device. Singular
/// matrices have factors too. Throws RankError if an element is not finite, or if
/// a column has no pivot in the rows of the one rank that mode `thesis` takes it from.
template <class T>
[[nodiscard]] std::vector<int> factorise_over_ranks(Stream& stream, RankGrid& grid,
                                                    CyclicMatrix<T>& a, const RankLuConfig& config,
                                                    RankLuTimes* times = nullptr);

/// The first column whose pivot is zero, or -1; the same at all ranks. Collective.
template <class T>
[[nodiscard]] int first_zero_pivot_over_ranks(Stream& stream, RankGrid& grid, CyclicMatrix<T>& lu);

}  // namespace tl

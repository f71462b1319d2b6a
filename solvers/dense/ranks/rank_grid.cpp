#include "solvers/dense/ranks/rank_grid.h"

#include "core/base/error.h"

namespace tl {

RankGrid make_rank_grid(RankGroup& all, int rows, int cols) {
    if (rows * cols != all.size())
        throw UsageError("a grid of " + std::to_string(rows) + "x" + std::to_string(cols) +
                         " needs " + std::to_string(rows * cols) + " ranks, but the job has " +
                         std::to_string(all.size()) + ": choose --grid by mpirun -n");
    int row = all.rank() / cols, col = all.rank() % cols;
    return {all, all.split(row, col), all.split(col, row)};
}

}  // namespace tl

#include "app/solve/eig/eig_row.h"

namespace tl {

SolverRow eig_row() {
    return {add_solve_eig_command, add_bench_eig_command};
}

}  // namespace tl

#include "app/solve/pose/pose_row.h"

namespace tl {

SolverRow pose_row() {
    return {add_solve_pose_command, add_bench_pose_command};
}

}  // namespace tl

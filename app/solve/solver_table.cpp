#include "app/solve/solver_table.h"

#include "app/solve/dense/dense_row.h"
#include "app/solve/eig/eig_row.h"
#include "app/solve/fmm/solve_fmm.h"
#include "app/solve/form_factors/solve_form_factors.h"
#include "app/solve/pose/pose_row.h"
#include "app/solve/queue/queue_row.h"
#include "app/solve/sparse/sparse_row.h"
#include "app/solve/svd/svd_row.h"
#include "app/solve/water/water_row.h"

namespace tl {

const std::vector<SolverRow>& solver_rows() {
    static const std::vector<SolverRow> table{
        svd_row(),
        eig_row(),
        pose_row(),
        dense_row(),
        queue_row(),
        water_row(),
        sparse_row(),
        {add_solve_fmm_command},
        {add_solve_form_factors_command},
        {add_solve_system_command, add_bench_system_command},
        {add_solve_ransac_command},
    };
    return table;
}

}  // namespace tl

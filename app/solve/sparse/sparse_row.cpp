#include "app/solve/sparse/sparse_row.h"

#include "app/solve/sparse/sparse_view.h"
#include "core/device/registry.h"
#include "solvers/solver.h"

namespace tl {

SolverRow sparse_row() {
    auto& family = find_row(solver_families(), "sparse", "family of solvers");
    PanelSection section{
        .id = family.id,
        .title = family.title,
        .tab = PanelTab::solvers,
        .draw = draw_sparse_panel,
        .commands = sparse_commands,
        .make_state = []() -> std::unique_ptr<SectionState> {
            return std::make_unique<SparseView>();
        },
        .words = "conjugate gradients cg bicgstab preconditioner jacobi ilu0 multigrid amg csr mtx",
        .widgets = sparse_widgets()};
    return {add_solve_sparse_command, add_bench_sparse_command, section};
}

}  // namespace tl

#include "app/solve/dense/dense_row.h"

#include "app/solve/dense/dense_view.h"

namespace tl {

SolverRow dense_row() {
    PanelSection section{
        .id = "dense",
        .title = "Dense algebra",
        .tab = PanelTab::solvers,
        .draw = draw_dense_panel,
        .commands = dense_commands,
        .make_state = []() -> std::unique_ptr<SectionState> {
            return std::make_unique<DenseView>();
        },
        .words =
            "PLU LU factorisation row echelon form rank linear system right "
            "sides inverse determinant product matmul condition kind least squares "
            "lstsq pseudo-inverse pinv rank",
        .widgets = dense_widgets()};
    return {add_solve_dense_commands, add_bench_dense_commands, section};
}

}  // namespace tl

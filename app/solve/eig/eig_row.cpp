#include "app/solve/eig/eig_row.h"

#include "app/solve/eig/eig_view.h"
#include "core/device/registry.h"
#include "solvers/solver.h"

namespace tl {

SolverRow eig_row() {
    auto& family = find_row(solver_families(), "eig", "family of solvers");
    PanelSection section{
        .id = family.id,
        .title = family.title,
        .tab = PanelTab::solvers,
        .draw = draw_eig_panel,
        .commands = eig_commands,
        .make_state = []() -> std::unique_ptr<SectionState> { return std::make_unique<EigView>(); },
        .words = "batch matrices seed pairs sweeps residual complex plane",
        .widgets = eig_widgets()};
    return {add_solve_eig_command, add_bench_eig_command, section};
}

}  // namespace tl

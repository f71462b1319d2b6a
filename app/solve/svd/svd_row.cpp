#include "app/solve/svd/svd_row.h"

#include "app/solve/svd/svd_view.h"
#include "core/device/registry.h"
#include "solvers/solver.h"

namespace tl {

SolverRow svd_row() {
    auto& family = find_row(solver_families(), "svd", "family of solvers");
    PanelSection section{
        .id = family.id,
        .title = family.title,
        .tab = PanelTab::solvers,
        .draw = draw_svd_panel,
        .commands = svd_commands,
        .make_state = []() -> std::unique_ptr<SectionState> { return std::make_unique<SvdView>(); },
        .widgets = svd_widgets()};
    return {add_solve_svd_command, add_bench_svd_command, section};
}

}  // namespace tl

#include "app/solve/water/water_row.h"

#include "app/solve/water/water_view.h"

namespace tl {

SolverRow water_row() {
    PanelSection section{.id = "water",
                         .title = "Water",
                         .tab = PanelTab::solvers,
                         .draw = draw_water_panel,
                         .present = has_water,
                         .make_state = []() -> std::unique_ptr<SectionState> {
                             return std::make_unique<WaterView>();
                         },
                         .words = "drops volume energy steps second shallow"};
    return {add_solve_water_command, add_bench_water_command, section};
}

}  // namespace tl

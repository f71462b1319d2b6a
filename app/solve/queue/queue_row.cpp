#include "app/solve/queue/queue_row.h"

#include "app/solve/queue/queue_view.h"

namespace tl {

SolverRow queue_row() {
    PanelSection section{.id = "queue",
                         .title = "Queue",
                         .tab = PanelTab::solvers,
                         .draw = draw_queue_panel,
                         .commands = queue_commands,
                         .make_state = []() -> std::unique_ptr<SectionState> {
                             return std::make_unique<QueueView>();
                         },
                         .words =
                             "coprocessor operations tasks timeline lanes overlap copies "
                             "uploads reads streams",
                         .widgets = queue_widgets()};
    return {.add_bench = add_bench_queue_command, .section = section};
}

}  // namespace tl

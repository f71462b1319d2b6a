#include "app/program.h"

#include <CLI/CLI.hpp>

#include "app/commands/commands.h"
#include "app/panels/panels.h"
#include "app/shell_commands.h"
#include "app/solve/solver_table.h"
#include "app/viewer/files/gl_report.h"
#include "app/viewer/view.h"
#include "session/water/water_scenes.h"

namespace tl {

ViewerInterface viewer_interface() {
    auto sections = panel_sections();
    for (auto& row : solver_rows())
        if (row.section) sections.push_back(*row.section);
    return make_interface(draw_interface, std::move(sections));
}

void add_commands(CLI::App& program) {
    add_water_generators();
    add_view_command(program, viewer_interface());
    add_render_command(program);
    add_compare_command(program);
    add_export_command(program);
    auto& bench = add_bench_command(program);
    auto& solve =
        *program.add_subcommand("solve", "Solve a problem of linear algebra, or move water on");
    solve.require_subcommand(1);
    for (auto& row : solver_rows()) {
        if (row.add_solve) row.add_solve(solve);
        if (row.add_bench) row.add_bench(bench);
    }
    add_generate_solver_command(program);
    add_tune_command(program);
    add_info_command(program, report_gl);
    add_shell_commands(program);
}

}  // namespace tl

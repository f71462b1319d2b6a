// `treelight solve fmm`: sums of a kernel over all pairs of points in files, by the fast multipole
// method or one by one.
#pragma once

namespace CLI {
class App;
}

namespace tl {

void add_solve_fmm_command(CLI::App& solve);

}  // namespace tl

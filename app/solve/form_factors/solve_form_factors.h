// `treelight solve form-factors`: writes the form factors between two clusters of a scene's surface
// samples, for `solve svd --input` or NumPy.
#pragma once

namespace CLI {
class App;
}

namespace tl {

void add_solve_form_factors_command(CLI::App& solve);

}  // namespace tl

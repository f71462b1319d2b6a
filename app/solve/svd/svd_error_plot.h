// Plot of the errors of singular values in the SVD panel.
#pragma once

#include "app/solve/svd/svd_errors.h"

namespace tl {

/// Plots each mode's errors over the number of the value, on a logarithmic axis: the mean as a
/// thick line, the maximum as a thin one, with a legend. `absolute`: absolute errors instead of
/// relative ones.
void draw_value_errors(const SvdErrors& errors, bool absolute);

}  // namespace tl

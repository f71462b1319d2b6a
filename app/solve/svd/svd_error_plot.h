// Plot of the errors of singular values and vectors in the SVD panel.
#pragma once

#include "app/solve/svd/svd_errors.h"

namespace tl {

/// Plots each mode's errors of a kind over the number of the value, on a logarithmic axis: the mean
/// as a thick line, the maximum as a thin one. A legend has those over all values, and the
/// residual.
void draw_value_errors(const SvdErrors& errors, const ValueErrorKind& kind);

}  // namespace tl

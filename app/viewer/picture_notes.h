// What a user should be told who sees a picture that looks broken but is not: why, and what to try.
#pragma once

#include <string>
#include <vector>

#include "app/viewer/viewer_model.h"

namespace tl {

/// Notes on what is shown now, without those that the user has closed.
[[nodiscard]] std::vector<std::string> picture_notes(const ViewerModel& model);

}  // namespace tl

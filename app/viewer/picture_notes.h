// Notes to the user on a picture that looks broken but is not: the reason, and what to try.
#pragma once

#include <string>
#include <vector>

namespace tl {

struct ViewerModel;

/// Returns notes on the current picture, without those that the user has closed.
[[nodiscard]] std::vector<std::string> picture_notes(const ViewerModel& model);

}  // namespace tl

// Matches in files: lines of numbers in a text, or an array of NumPy.
#pragma once

#include <string>
#include <vector>

#include "solvers/pose/estimate_pose.h"

namespace tl {

/// Reads matches, match_size(kind) numbers each, as read_number_table() does.
[[nodiscard]] std::vector<double> read_matches(const std::string& path, PoseKind kind);

}  // namespace tl

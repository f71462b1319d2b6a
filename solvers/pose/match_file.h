// Matches in files: lines of numbers in a text, or an array of NumPy.
#pragma once

#include <string>
#include <vector>

#include "solvers/pose/estimate_pose.h"

namespace tl {

/// Reads matches, match_size(kind) numbers each. A .npy file holds an array of shape (count, 4) or
/// (count, 5); any other file is text with a match a line, whose numbers are separated by commas,
/// semicolons or white space. Empty lines, comments from # on, and a first line of names are
/// skipped. Throws UserError with the file and the line.
[[nodiscard]] std::vector<double> read_matches(const std::string& path, PoseKind kind);

}  // namespace tl

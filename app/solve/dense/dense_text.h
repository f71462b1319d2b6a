// Results of dense linear algebra problems as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/solve/accuracy_text.h"

namespace tl {

/// The entries of the "accuracy" of a report, which has the extents of the matrix too. `problem`:
/// its id.
[[nodiscard]] std::vector<AccuracyText> dense_accuracy(const std::string& problem,
                                                       const nlohmann::ordered_json& report,
                                                       bool single);

/// Name of an entry of a report's "results" in plain words: "zero pivot".
[[nodiscard]] std::string dense_name(const std::string& key);
/// Value of such an entry: "0.5 * 2^3", "none", "column 4, counted from 0". `digits`: significant
/// digits of numbers.
[[nodiscard]] std::string dense_value(const std::string& key, const nlohmann::ordered_json& value,
                                      int digits);

}  // namespace tl

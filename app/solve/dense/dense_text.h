// Results of dense linear algebra problems as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tl {

/// Name of an entry of a report's "accuracy" or "results" in plain words: "zero pivot".
[[nodiscard]] std::string dense_name(const std::string& key);
/// Value of such an entry: "0.5 * 2^3", "none", "column 4, counted from 0". `digits`: significant
/// digits of numbers.
[[nodiscard]] std::string dense_value(const std::string& key, const nlohmann::ordered_json& value,
                                      int digits);

}  // namespace tl

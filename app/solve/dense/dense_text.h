// What a problem of dense algebra has found, in words.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tl {

/// The name of an entry of a report's "accuracy" or "results" for people: "zero pivot".
[[nodiscard]] std::string dense_name(const std::string& key);
/// Its value, numbers with so many digits: "0.5 * 2^3", "none", "column 4, counted from 0".
[[nodiscard]] std::string dense_value(const std::string& key, const nlohmann::ordered_json& value,
                                      int digits);

}  // namespace tl

// Measured accuracies of solvers in words. Errors of rounding have one unit, whatever the solver:
// multiples of eps n, for the rounding unit eps of the precision and the larger extent n of the
// matrix. About 1 or less is as good as the arithmetic allows.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tl {

/// The divisor of relative errors: eps n.
[[nodiscard]] double rounding_unit(int rows, int cols, bool single);

/// A multiple of eps n: "0.263 x eps n".
[[nodiscard]] std::string in_rounding_units(double multiple);

/// An entry of a report's "accuracy" in words.
struct AccuracyText {
    std::string name, value;
};
/// `unit`: rounding_unit(), which relative errors of the entry are divided by; 1 for problems whose
/// reports have multiples of eps n already.
[[nodiscard]] AccuracyText accuracy_text(const std::string& key,
                                         const nlohmann::ordered_json& value, double unit);

}  // namespace tl

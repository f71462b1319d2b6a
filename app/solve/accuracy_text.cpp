#include "app/solve/accuracy_text.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/jobs/format.h"

namespace tl {
namespace {

struct AccuracyName {
    const char *key, *name, *unit;
};

constexpr const char* kRounding = " x eps n";

constexpr AccuracyName kAccuracyNames[] = {
    {"residual", "backward error", kRounding},
    {"backward_error", "backward error", kRounding},
    {"substitution_error", "substitution error", kRounding},
    {"gradient_error", "gradient error", kRounding},
    {"orthogonality_u", "orthogonality U", kRounding},
    {"orthogonality_v", "orthogonality V", kRounding},
    {"value_error", "error of values", kRounding},
    {"growth", "growth of elements", ""},
    {"largest_error", "largest error", ""},
    {"mean_error", "mean error", ""},
    {"error", "error", " x eps |A| |B|"},
};

}  // namespace

double rounding_unit(int rows, int cols, bool single) {
    double eps = single ? static_cast<double>(std::numeric_limits<float>::epsilon())
                        : std::numeric_limits<double>::epsilon();
    return eps * std::max({rows, cols, 1});
}

std::string in_rounding_units(double multiple) {
    return three_digits(multiple) + kRounding;
}

AccuracyText accuracy_text(const std::string& key, const nlohmann::ordered_json& value,
                           double unit) {
    auto* known = std::ranges::find(kAccuracyNames, key, [](auto& row) { return row.key; });
    bool is_known = known != std::end(kAccuracyNames);
    auto name = is_known ? std::string(known->name) : key;
    std::ranges::replace(name, '_', ' ');
    if (!value.is_number()) return {name, value.is_string() ? value.get<std::string>() : "none"};
    auto number = value.get<double>();
    if (!is_known) return {name, three_digits(number)};
    return {name, three_digits(known->unit == kRounding ? number / unit : number) + known->unit};
}

}  // namespace tl

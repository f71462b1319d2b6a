#include "app/solve/dense/dense_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/jobs/format.h"

namespace tl {

std::vector<AccuracyText> dense_accuracy(const std::string& problem,
                                         const nlohmann::ordered_json& report, bool single) {
    // The residuals of these two problems are multiples of eps n already.
    bool is_scaled = problem == "lu" || problem == "inverse";
    double unit = rounding_unit(report["rows"].get<int>(), report["cols"].get<int>(), single);
    std::vector<AccuracyText> entries;
    for (auto& [key, value] : report["accuracy"].items())
        entries.push_back(accuracy_text(key, value, is_scaled && key == "residual" ? 1 : unit));
    return entries;
}

std::string dense_name(const std::string& key) {
    auto name = key;
    std::ranges::replace(name, '_', ' ');
    return name;
}

std::string dense_value(const std::string& key, const nlohmann::ordered_json& value, int digits) {
    if (key == "zero_pivot") {
        auto column = value.get<int>();
        return column < 0 ? "none" : formatted("column %d, counted from 0", column);
    }
    if (key == "determinant" && value.contains("imaginary_mantissa"))
        return formatted("(%.*g %+.*g i) * 2^%ld", digits, value["mantissa"].get<double>(), digits,
                         value["imaginary_mantissa"].get<double>(), value["exponent"].get<long>());
    if (key == "determinant")
        return formatted("%.*g * 2^%ld", digits, value["mantissa"].get<double>(),
                         value["exponent"].get<long>());
    if (value.is_number_float()) return formatted("%.*g", digits, value.get<double>());
    if (value.is_string()) return value.get<std::string>();
    if (value.is_array()) return formatted("%zu of them", value.size());
    return value.dump();
}

}  // namespace tl

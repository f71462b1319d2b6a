#include "accel/parallel/settings.h"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "accel/parallel/error.h"
#include "accel/parallel/text.h"

namespace tl {

Setting::Setting(std::string id, Value value, double minimum, double maximum, std::string unit,
                 std::string help, std::vector<std::string> choices)
    : id(std::move(id)),
      value(value),
      minimum(minimum),
      maximum(maximum),
      unit(std::move(unit)),
      help(std::move(help)),
      choices(std::move(choices)),
      default_text(text()) {}

std::string Setting::text() const {
    if (auto* flag = std::get_if<bool*>(&value)) return **flag ? "true" : "false";
    if (auto* real = std::get_if<float*>(&value)) return number_text(**real);
    if (auto* number = std::get_if<int*>(&value)) return std::to_string(**number);
    auto& variable = *std::get_if<EnumVariable>(&value);
    return choices.at(static_cast<std::size_t>(variable.read(variable.at)));
}

std::string Setting::accepts() const {
    if (std::holds_alternative<bool*>(value)) return "true or false";
    if (!choices.empty()) return "one of " + joined(choices);
    std::string list = std::holds_alternative<float*>(value) ? "number " : "integer ";
    list += number_text(static_cast<float>(minimum)) + " to " +
            number_text(static_cast<float>(maximum));
    if (!unit.empty()) list += " " + unit;
    return list;
}

void Setting::set(std::string_view text) {
    bool ok = false;
    if (auto* flag = std::get_if<bool*>(&value)) {
        bool yes = text == "true" || text == "on" || text == "1" || text == "yes";
        bool no = text == "false" || text == "off" || text == "0" || text == "no";
        if ((ok = yes || no)) **flag = yes;
    } else if (auto* real = std::get_if<float*>(&value)) {
        auto number = number_in<float>(text);
        ok = number && std::isfinite(*number) && *number >= minimum && *number <= maximum;
        if (ok) **real = *number;
    } else if (auto* whole = std::get_if<int*>(&value)) {
        auto number = number_in<int>(text);
        ok = number && *number >= minimum && *number <= maximum;
        if (ok) **whole = *number;
    } else if (auto* variable = std::get_if<EnumVariable>(&value)) {
        auto found = std::find(choices.begin(), choices.end(), text);
        if ((ok = found != choices.end()))
            variable->write(variable->at, static_cast<int>(found - choices.begin()));
    }
    if (!ok)
        throw UserError("setting " + id + " does not accept '" + std::string(text) +
                        "': it wants " + accepts());
}

Setting& find_setting(Settings& settings, std::string_view id, std::string_view owner) {
    auto found = std::ranges::find(settings, id, &Setting::id);
    if (found != settings.end()) return *found;
    auto known = joined(settings | std::views::transform(&Setting::id));
    throw UserError(std::string(owner) + " has no setting '" + std::string(id) + "'; " +
                    (known.empty() ? "it has none" : "known: " + known));
}

void mark_advanced(Settings& settings, std::initializer_list<std::string_view> ids) {
    for (auto id : ids) find_setting(settings, id, "the section").advanced = true;
}

}  // namespace tl

#include "accel/parallel/settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "accel/parallel/error.h"

namespace tl {
namespace {

std::string number_text(double value) {
    char buffer[32];
    auto [end, status] = std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value));
    return {buffer, end};
}

template <class T>
bool parse_number(std::string_view text, T& value) {
    auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    return status == std::errc{} && end == text.data() + text.size();
}

}  // namespace

Setting::Setting(std::string id, bool& value, std::string help)
    : id(std::move(id)), value(&value), help(std::move(help)), default_text(text()) {}

Setting::Setting(std::string id, int& value, int minimum, int maximum, std::string unit,
                 std::string help)
    : id(std::move(id)),
      value(&value),
      minimum(minimum),
      maximum(maximum),
      unit(std::move(unit)),
      help(std::move(help)),
      default_text(text()) {}

Setting::Setting(std::string id, float& value, float minimum, float maximum, std::string unit,
                 std::string help)
    : id(std::move(id)),
      value(&value),
      minimum(minimum),
      maximum(maximum),
      unit(std::move(unit)),
      help(std::move(help)),
      default_text(text()) {}

Setting::Setting(std::string id, EnumVariable value, std::vector<std::string> choices,
                 std::string help)
    : id(std::move(id)),
      value(value),
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
    if (!choices.empty()) {
        std::string list = "one of";
        for (auto& choice : choices) {
            list += &choice == &choices[0] ? " " : ", ";
            list += choice;
        }
        return list;
    }
    std::string list = std::holds_alternative<float*>(value) ? "number " : "integer ";
    list += number_text(minimum) + " to " + number_text(maximum);
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
        float number = 0;
        ok = parse_number(text, number) && std::isfinite(number) && number >= minimum &&
             number <= maximum;
        if (ok) **real = number;
    } else if (auto* whole = std::get_if<int*>(&value)) {
        int number = 0;
        ok = parse_number(text, number) && number >= minimum && number <= maximum;
        if (ok) **whole = number;
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
    std::string known;
    for (auto& setting : settings) {
        if (setting.id == id) return setting;
        known += (known.empty() ? "" : ", ") + setting.id;
    }
    throw UserError(std::string(owner) + " has no setting '" + std::string(id) + "'; " +
                    (known.empty() ? "it has none" : "known: " + known));
}

}  // namespace tl

#include "core/base/settings.h"
#include "core/base/near_match.h"
#include "core/base/setting_words.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <ranges>
#include <set>

#include "core/base/console.h"
#include "core/base/error.h"
#include "core/base/setting_words.h"
#include "core/base/text.h"

namespace tl {
namespace {

std::optional<bool> flag_in(std::string_view text) {
    for (const char* yes : {"true", "on", "1", "yes"})
        if (text == yes) return true;
    for (const char* no : {"false", "off", "0", "no"})
        if (text == no) return false;
    return {};
}

[[noreturn]] void throw_unknown(std::string_view owner, std::string_view id, const auto& known) {
    throw UserError(std::string(owner) + " has no setting '" + std::string(id) + "'" +
                    (known.empty() ? "; it has none" : known_names(id, known)));
}

}  // namespace

/// A value of the type of its setting; `whole` is the integer of an enumeration's value.
struct SettingDeclaration::Parsed {
    bool flag = false;
    int whole = 0;
    float real = 0;
    std::string text;
};

SettingDeclaration::Parsed SettingDeclaration::parse(std::string_view text) const {
    auto retired = std::ranges::find(retired_choices, text,
                                     [](auto& row) -> std::string_view { return row.first; });
    if (retired != retired_choices.end()) {
        warn_once("setting " + id + ": '" + retired->first + "' no longer exists; '" +
                  retired->second + "' is used instead");
        return parse(retired->second);
    }
    if (!text.empty() && text == word_of_zero(*this)) return parse("0");
    Parsed value;
    bool is_valid = false;
    switch (type) {
        case SettingType::flag:
            if (auto flag = flag_in(text)) {
                is_valid = true;
                value.flag = *flag;
                value.text = *flag ? "true" : "false";
            }
            break;
        case SettingType::whole:
            if (auto number = number_in<int>(text)) {
                is_valid = *number >= minimum && *number <= maximum;
                value.whole = *number;
                value.text = std::to_string(*number);
            }
            break;
        case SettingType::real:
            if (auto number = number_in<float>(text)) {
                auto real = static_cast<double>(*number);
                is_valid = std::isfinite(real) && real >= minimum && real <= maximum;
                value.real = *number;
                value.text = number_text(*number);
            }
            break;
        case SettingType::choice: {
            auto found = std::ranges::find(choices, text);
            is_valid = found != choices.end();
            if (!is_valid) break;
            value.whole = choice_values[static_cast<std::size_t>(found - choices.begin())];
            value.text = *found;
        }
    }
    if (!is_valid)
        throw UserError("setting " + id + " does not accept '" + std::string(text) +
                        "': it wants " + accepts() + suggestion(text, choices));
    return value;
}

std::string SettingDeclaration::text_at(void* config) const {
    auto variable = member(config);
    if (auto* flag = std::get_if<bool*>(&variable)) return **flag ? "true" : "false";
    if (auto* real = std::get_if<float*>(&variable)) return number_text(**real);
    if (auto* whole = std::get_if<int*>(&variable)) return std::to_string(**whole);
    auto& of_enum = *std::get_if<EnumVariable>(&variable);
    auto found = std::ranges::find(choice_values, of_enum.read(of_enum.at));
    return choices.at(static_cast<std::size_t>(found - choice_values.begin()));
}

void SettingDeclaration::set_at(void* config, std::string_view text) const {
    auto value = parse(text);
    auto variable = member(config);
    if (auto* flag = std::get_if<bool*>(&variable)) **flag = value.flag;
    if (auto* real = std::get_if<float*>(&variable)) **real = value.real;
    if (auto* whole = std::get_if<int*>(&variable)) **whole = value.whole;
    if (auto* of_enum = std::get_if<EnumVariable>(&variable))
        of_enum->write(of_enum->at, value.whole);
}

std::string SettingDeclaration::canonical(std::string_view text) const {
    return parse(text).text;
}

std::string SettingDeclaration::accepts() const {
    if (type == SettingType::flag) return "true or false";
    if (type == SettingType::choice) return "one of " + joined(choices);
    std::string list = type == SettingType::real ? "number " : "integer ";
    list += number_text(static_cast<float>(minimum)) + " to " +
            number_text(static_cast<float>(maximum));
    if (!unit.empty()) list += " " + unit;
    if (auto word = word_of_zero(*this); !word.empty()) list.append(", or ").append(word);
    return list;
}

double Setting::number() const {
    auto variable = this->variable();
    if (auto* whole = std::get_if<int*>(&variable)) return **whole;
    if (auto* real = std::get_if<float*>(&variable)) return static_cast<double>(**real);
    throw UsageError("setting " + declaration_->id + " is not a number");
}

void warn_once(const std::string& text) {
    static std::mutex mutex;
    static std::set<std::string> warned;
    std::scoped_lock lock(mutex);
    if (warned.insert(text).second) print_warning(text);
}

const SettingTable& SettingTable::none() {
    static const SettingTable table;
    return table;
}

const SettingDeclaration* SettingTable::find(std::string_view id) const {
    auto found = std::ranges::find(all_, id, &SettingDeclaration::id);
    return found == all_.end() ? nullptr : &*found;
}

const Setting& find_setting(const Settings& settings, std::string_view id, std::string_view owner) {
    auto id_of = [](const Setting& setting) { return setting->id; };
    auto found = std::ranges::find(settings, id, id_of);
    if (found != settings.end()) return *found;
    throw_unknown(owner, id, settings | std::views::transform(id_of));
}

const SettingDeclaration& find_declaration(const SettingTable& table, std::string_view id,
                                           std::string_view owner) {
    if (auto* found = table.find(id)) return *found;
    throw_unknown(owner, id, table.all() | std::views::transform(&SettingDeclaration::id));
}

}  // namespace tl

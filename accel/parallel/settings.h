// A setting is declared once, beside the Config it belongs to; the panel's widgets, the
// command-line flags, the scene-file keys and the JSON of a benchmark are all produced from that
// declaration.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tl {

/// One live setting: its declaration and a pointer to the value in a Config that outlives it.
struct Setting {
    using Value = std::variant<bool*, int*, float*>;

    std::string id;                    ///< kebab-case, e.g. "max-depth"
    Value value;                       ///< where the value lives; an int with choices is an index
    double minimum = 0;                ///< inclusive; unused for bool and choices
    double maximum = 0;                ///< inclusive
    std::string unit;                  ///< "" when it has none
    std::string help;                  ///< one sentence
    std::vector<std::string> choices;  ///< names of the values of an enumerated int
    std::string default_text;          ///< the value at declaration, as text() gives it

    Setting(std::string id, bool& value, std::string help);
    Setting(std::string id, int& value, int minimum, int maximum, std::string unit,
            std::string help);
    Setting(std::string id, float& value, float minimum, float maximum, std::string unit,
            std::string help);
    Setting(std::string id, int& value, std::vector<std::string> choices, std::string help);

    /// The value as text: "true", "5", "0.25", or the name of the choice.
    [[nodiscard]] std::string text() const;
    /// Parses and stores a value. Throws UserError naming the setting and what it accepts.
    void set(std::string_view text);
    /// "integer 0 to 32", "true or false", "one of a, b".
    [[nodiscard]] std::string accepts() const;
};

using Settings = std::vector<Setting>;

/// The setting `id`; throws UserError that lists the known ones.
[[nodiscard]] Setting& find_setting(Settings& settings, std::string_view id,
                                    std::string_view owner);

}  // namespace tl

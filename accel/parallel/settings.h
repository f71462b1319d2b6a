// A setting is declared once, beside the Config it belongs to; the panel's widgets, the
// command-line flags, the scene-file keys and the JSON of a benchmark are all produced from that
// declaration.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tl {

/// A pointer to an enumeration variable with values from 0 on, read and written as an integer.
struct EnumVariable {
    void* at;
    int (*read)(const void* at);
    void (*write)(void* at, int count);

    template <class E>
    [[nodiscard]] static EnumVariable of(E& variable) {
        return {&variable,
                [](const void* at) { return static_cast<int>(*static_cast<const E*>(at)); },
                [](void* at, int count) { *static_cast<E*>(at) = static_cast<E>(count); }};
    }
};

/// One setting: its declaration and a pointer to its value in a Config that must outlive it.
struct Setting {
    using Value = std::variant<bool*, int*, float*, EnumVariable>;

    std::string id;                    ///< kebab-case, e.g. "max-depth"
    Value value;                       ///< pointer to the variable
    double minimum = 0;                ///< inclusive; numbers only
    double maximum = 0;                ///< inclusive; numbers only
    std::string unit;                  ///< "" when it has none
    std::string help;                  ///< one sentence
    std::vector<std::string> choices;  ///< names of an enumeration's values, in their order
    std::string default_text;          ///< the value at declaration, as text() gives it
    bool advanced = false;             ///< seldom changed: the panel folds it away

    Setting(std::string id, bool& value, std::string help)
        : Setting(std::move(id), Value(&value), 0, 0, "", std::move(help)) {}
    Setting(std::string id, int& value, int minimum, int maximum, std::string unit,
            std::string help)
        : Setting(std::move(id), Value(&value), minimum, maximum, std::move(unit),
                  std::move(help)) {}
    Setting(std::string id, float& value, float minimum, float maximum, std::string unit,
            std::string help)
        : Setting(std::move(id), Value(&value), minimum, maximum, std::move(unit),
                  std::move(help)) {}
    /// `choices` may omit the enumeration's last values, which then cannot be selected.
    template <class E, class = std::enable_if_t<std::is_enum_v<E>>>
    Setting(std::string id, E& value, std::vector<std::string> choices, std::string help)
        : Setting(std::move(id), Value(EnumVariable::of(value)), 0, 0, "", std::move(help),
                  std::move(choices)) {}

    /// The value as text: "true", "5", "0.25", or the name of the choice.
    [[nodiscard]] std::string text() const;
    /// Parses and stores a value. Throws UserError naming the setting and what it accepts.
    void set(std::string_view text);
    /// "integer 0 to 32", "true or false", "one of a, b".
    [[nodiscard]] std::string accepts() const;

  private:
    Setting(std::string id, Value value, double minimum, double maximum, std::string unit,
            std::string help, std::vector<std::string> choices = {});
};

using Settings = std::vector<Setting>;

/// Finds the setting `id`; throws UserError that lists the known ones.
[[nodiscard]] Setting& find_setting(Settings& settings, std::string_view id,
                                    std::string_view owner);
/// Marks the settings of these ids as advanced. All must be there.
void mark_advanced(Settings& settings, std::initializer_list<std::string_view> ids);

}  // namespace tl

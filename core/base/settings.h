// Settings of programs. A Config declares each of its settings once, in a static table:
//
//     const SettingsOf<Config>& Config::declared_settings() {
//         static const SettingsOf<Config> all{
//             {"max-depth", &Config::max_depth, 0, 32, "bounces", "longest chain of reflections"},
//             {"shadows", &Config::shadows, "trace shadow rays"},
//         };
//         return all;
//     }
//
// Panel, flags, scene files, JSON and the library's interface read these tables. The default value
// of a setting is its member's in a default-constructed Config. Help texts are phrases without a
// period. The names of an enumeration's values are declared beside the enumeration: names_of(E)
// returns a range of EnumName<E>.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/enum_names.h"

namespace tl {

/// Pointer to an enumeration variable, read and written as the integer of its value.
struct EnumVariable {
    void* at;                     ///< address of the variable, owned by the Config
    int (*read)(const void* at);  ///< returns the value of the variable at that address
    void (*write)(void* at, int value);

    /// Returns the pointer to `variable`.
    template <class E>
    [[nodiscard]] static EnumVariable of(E& variable) {
        return {&variable,
                [](const void* at) { return static_cast<int>(*static_cast<const E*>(at)); },
                [](void* at, int value) { *static_cast<E*>(at) = static_cast<E>(value); }};
    }
};

/// Pointer to the variable of a setting.
using SettingVariable = std::variant<bool*, int*, float*, EnumVariable>;

/// Type of a setting's variable: bool, int, float or an enumeration.
enum class SettingType { flag, whole, real, choice };

/// Last argument of a declaration: the panel folds the setting away, since it is seldom changed.
inline constexpr bool kAdvanced = true;

/// The declaration of one setting, independent of any Config object.
struct SettingDeclaration {
    std::string id;  ///< kebab-case: "max-depth"
    SettingType type = SettingType::flag;
    double minimum = 0, maximum = 0;   ///< inclusive; numbers only
    std::string unit;                  ///< "" for a number without unit
    std::string help;                  ///< a phrase without a period: "trace shadow rays"
    std::vector<std::string> choices;  ///< names of an enumeration's values
    std::vector<int> choice_values;    ///< the value of each name
    std::string default_text;          ///< default value, as text_at() returns it
    /// Names that are no longer among the choices, each with the choice that replaces it.
    std::vector<std::pair<std::string, std::string>> retired_choices;
    bool advanced = false;  ///< whether the panel folds it away
    /// Returns a pointer to the setting's member in the Config object at this address.
    std::function<SettingVariable(void* config)> member;

    /// Whether the value is an int or a float.
    [[nodiscard]] bool is_number() const {
        return type == SettingType::whole || type == SettingType::real;
    }
    /// Returns the value in a Config object as text: "true", "5", "0.25", or the name of an
    /// enumeration's value.
    [[nodiscard]] std::string text_at(void* config) const;
    /// Sets the value in a Config object to that of `text`. Throws UserError, which names the
    /// setting and its range, if `text` is not valid.
    void set_at(void* config, std::string_view text) const;
    /// Returns the text that text_at() returns after set_at() with `text`. Throws UserError as
    /// set_at() does.
    [[nodiscard]] std::string canonical(std::string_view text) const;
    /// Returns a description of valid values: "integer 0 to 32 bounces", "true or false", "one of
    /// a, b".
    [[nodiscard]] std::string accepts() const;

  private:
    struct Parsed;
    [[nodiscard]] Parsed parse(std::string_view text) const;
};

/// A setting of one Config object.
class Setting {
  public:
    /// Both the declaration and the Config object at address `config` must outlive the setting.
    Setting(const SettingDeclaration& declaration, void* config)
        : declaration_(&declaration), config_(config) {}

    [[nodiscard]] const SettingDeclaration* operator->() const { return declaration_; }
    [[nodiscard]] const SettingDeclaration& declaration() const { return *declaration_; }
    /// Returns a pointer to the Config's member.
    [[nodiscard]] SettingVariable variable() const { return declaration_->member(config_); }
    /// Returns the value of a number. Throws UsageError for other types.
    [[nodiscard]] double number() const;
    /// Returns the value as SettingDeclaration::text_at() does.
    [[nodiscard]] std::string text() const { return declaration_->text_at(config_); }
    /// Sets the value as SettingDeclaration::set_at() does, with the same errors.
    void set(std::string_view text) const { declaration_->set_at(config_, text); }
    [[nodiscard]] bool is_default() const { return text() == declaration_->default_text; }

  private:
    const SettingDeclaration* declaration_;
    void* config_;
};

/// Settings of one Config object, which must outlive them.
using Settings = std::vector<Setting>;

/// One entry of the table of a Config: the declaration of a setting, made from a pointer to member.
template <class Config>
struct SettingEntry : SettingDeclaration {
    /// Declares a flag, or an enumeration whose names names_of() returns.
    template <class T, class Base>
    SettingEntry(std::string id, T Base::*variable, std::string help, bool advanced = false) {
        declare(std::move(id), variable, std::move(help), advanced);
        if constexpr (std::is_enum_v<T>) {
            type = SettingType::choice;
            for (auto& row : names_of(T{})) {
                choices.emplace_back(row.name);
                choice_values.push_back(static_cast<int>(row.value));
            }
        } else {
            static_assert(std::is_same_v<T, bool>, "numbers have a range");
        }
    }
    /// Declares a number from `least` to `most`, both inclusive. `of_unit`: "" for none.
    template <class T, class Base>
    SettingEntry(std::string id, T Base::*variable, double least, double most, std::string of_unit,
                 std::string help, bool advanced = false) {
        static_assert(std::is_same_v<T, int> || std::is_same_v<T, float>);
        declare(std::move(id), variable, std::move(help), advanced);
        type = std::is_same_v<T, int> ? SettingType::whole : SettingType::real;
        minimum = least;
        maximum = most;
        unit = std::move(of_unit);
    }
    /// Returns the same setting, which also accepts `old`, the former name of an enumeration's
    /// value. It then warns and takes the value of the name `now`.
    [[nodiscard]] SettingEntry retired(std::string old, std::string now) && {
        retired_choices.emplace_back(std::move(old), std::move(now));
        return std::move(*this);
    }
    /// Returns the same setting without the enumeration's value of this name.
    [[nodiscard]] SettingEntry without(std::string_view name) && {
        for (std::size_t i = 0; i < choices.size(); ++i)
            if (choices[i] == name) {
                choices.erase(choices.begin() + static_cast<std::ptrdiff_t>(i));
                choice_values.erase(choice_values.begin() + static_cast<std::ptrdiff_t>(i));
            }
        return std::move(*this);
    }

  private:
    template <class T, class Base>
    void declare(std::string of_id, T Base::*variable, std::string of_help, bool is_advanced) {
        static_assert(std::is_base_of_v<Base, Config>);
        id = std::move(of_id);
        help = std::move(of_help);
        advanced = is_advanced;
        member = [variable](void* config) -> SettingVariable {
            T& value = static_cast<Config*>(config)->*variable;
            if constexpr (std::is_enum_v<T>)
                return EnumVariable::of(value);
            else
                return &value;
        };
    }
};

/// The declared settings of any one type of Config, in a form that does not depend on the type.
class SettingTable {
  public:
    /// All declarations, in the order of the table.
    [[nodiscard]] const std::vector<SettingDeclaration>& all() const { return all_; }
    /// Returns a table without settings.
    [[nodiscard]] static const SettingTable& none();
    /// Returns the declaration of the setting `id`, or null if there is none.
    [[nodiscard]] const SettingDeclaration* find(std::string_view id) const;
    /// Ids of settings that no longer exist. Files and flags may still name them.
    [[nodiscard]] const std::vector<std::string>& retired() const { return retired_; }

  protected:
    std::vector<SettingDeclaration> all_;
    std::vector<std::string> retired_;
};

/// The declared settings of one type of Config, built once and kept in a static table.
template <class Config>
class SettingsOf : public SettingTable {
  public:
    SettingsOf() = default;
    SettingsOf(std::initializer_list<SettingEntry<Config>> entries) {
        Config fresh{};
        for (SettingDeclaration entry : entries) {
            entry.default_text = entry.text_at(&fresh);
            all_.push_back(std::move(entry));
        }
    }
    /// Appends the settings of a base class.
    template <class Base>
    [[nodiscard]] SettingsOf with(const SettingsOf<Base>& base) && {
        static_assert(std::is_base_of_v<Base, Config>);
        append(base, [](Config& config) -> Base& { return config; });
        return std::move(*this);
    }
    /// Appends the settings of a part of the Config, which is one of its members.
    template <class Part>
    [[nodiscard]] SettingsOf with(Part Config::*part, const SettingsOf<Part>& settings) && {
        append(settings, [part](Config& config) -> Part& { return config.*part; });
        return std::move(*this);
    }

    /// Appends further settings.
    [[nodiscard]] SettingsOf with(std::initializer_list<SettingEntry<Config>> entries) && {
        for (auto& declaration : SettingsOf(entries).all_) all_.push_back(declaration);
        return std::move(*this);
    }

    /// Keeps these ids of former settings valid. Values set under them have no effect.
    [[nodiscard]] SettingsOf with_retired(std::initializer_list<const char*> ids) && {
        retired_.insert(retired_.end(), ids.begin(), ids.end());
        return std::move(*this);
    }

    /// Returns the settings of `config`, which must outlive them, as must this table.
    [[nodiscard]] Settings of(Config& config) const {
        Settings settings;
        settings.reserve(all_.size());
        for (auto& declaration : all_) settings.emplace_back(declaration, &config);
        return settings;
    }

  private:
    /// Appends the settings of the part that find(config) returns.
    template <class Part, class Find>
    void append(const SettingsOf<Part>& settings, Find find) {
        Config fresh{};
        for (SettingDeclaration entry : settings.all()) {
            entry.member = [inner = entry.member, find](void* config) {
                return inner(&find(*static_cast<Config*>(config)));
            };
            entry.default_text = entry.text_at(&fresh);
            all_.push_back(std::move(entry));
        }
    }
};

/// Writes a warning to the console, each text once a run. May be called by any thread.
void warn_once(const std::string& text);

/// Returns the setting `id`. Throws UserError, which lists the known ids, if there is none.
/// `owner`: name of the object with these settings, such as "film", for the error message.
[[nodiscard]] const Setting& find_setting(const Settings& settings, std::string_view id,
                                          std::string_view owner);
/// Returns the declaration of the setting `id`. Errors and `owner` are as for find_setting().
[[nodiscard]] const SettingDeclaration& find_declaration(const SettingTable& table,
                                                         std::string_view id,
                                                         std::string_view owner);

}  // namespace tl

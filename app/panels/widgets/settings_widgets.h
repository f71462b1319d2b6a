// Widgets generated from the declarations of settings.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/settings.h"

namespace tl {

struct SettingsSection;
struct ViewerModel;

/// A setting as a widget shows it.
struct ShownSetting {
    const SettingDeclaration* declaration;
    std::string text;          ///< value, as SettingDeclaration::text_at() returns it
    std::string default_text;  ///< value after a reset

    /// The current value, and the declared default.
    explicit ShownSetting(const Setting& setting)
        : ShownSetting(setting.declaration(), setting.text()) {}
    ShownSetting(const SettingDeclaration& declaration, std::string text)
        : declaration(&declaration),
          text(std::move(text)),
          default_text(declaration.default_text) {}
};

struct ShownSection {
    std::string id, title;
    std::vector<ShownSetting> settings;

    explicit ShownSection(const SettingsSection& section);
    ShownSection(std::string id, std::string title) : id(std::move(id)), title(std::move(title)) {}
};

/// The object that the drawn settings belong to.
struct SettingsOwner {
    /// Called for each change; an empty value resets.
    void (*change)(ViewerModel& model, const std::string& section, const std::string& id,
                   const std::string& value);
    /// Whether the value is the owner's own; other values are drawn dim. Null: all are its own.
    bool (*has)(const ViewerModel& model, const std::string& section, const std::string& id);
    const char* reset;  ///< tooltip text for an empty value
};
/// The viewer's session: changes go through change_setting(), so that they survive a change of
/// device; a right click or Delete resets to the default.
[[nodiscard]] const SettingsOwner& session_owner();

/// Draws a widget for each setting of a section, the advanced ones in a fold if `folds`.
void draw_settings(ViewerModel& model, const ShownSection& section,
                   const SettingsOwner& owner = session_owner(), bool folds = true);
void draw_settings(ViewerModel& model, const SettingsSection& section,
                   const SettingsOwner& owner = session_owner());
/// Help, value, range and default of a setting, and the way to reset it.
[[nodiscard]] std::string setting_tooltip(const ShownSetting& setting, const SettingsOwner& owner);

}  // namespace tl

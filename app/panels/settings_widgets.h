// Widgets generated from the declarations of settings.
#pragma once

#include "app/viewer/viewer_model.h"

namespace tl {

/// "max-depth" -> "max depth".
[[nodiscard]] std::string setting_label(const std::string& id);

/// Draws a widget for each setting of a section, the advanced ones in a fold. Changes go through
/// change_setting(), so that they survive a change of device; a right click or Delete resets to the
/// default.
void draw_settings(ViewerModel& model, const SettingsSection& section);
/// Owner of the settings that are drawn.
struct SettingsOwner {
    /// Called for each change; an empty value resets.
    void (*change)(ViewerModel& model, const std::string& section, const std::string& id,
                   const std::string& value);
    /// Whether the value is the owner's own; other values are drawn dim. Null: all are its own.
    bool (*has)(const ViewerModel& model, const std::string& section, const std::string& id);
    const char* reset;  ///< meaning of an empty value
};
/// Draws the settings of an owner other than the viewer's session.
void draw_settings(ViewerModel& model, const SettingsSection& section, const SettingsOwner& owner);
/// Tooltip of a setting: its help, value, range and default, and how it is reset.
[[nodiscard]] std::string setting_tooltip(const Setting& setting, const SettingsOwner& owner);

}  // namespace tl

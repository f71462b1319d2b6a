// Widgets generated from the declarations of settings.
#pragma once

#include "app/viewer/viewer_model.h"

namespace tl {

/// Draws a widget for each setting of a section. Changes go through change_setting(), so that they
/// survive a change of device; a right click resets to the default.
void draw_settings(ViewerModel& model, const SettingsSection& section);
/// The same, with `change` called for each change; an empty value resets to the default.
void draw_settings(ViewerModel& model, const SettingsSection& section,
                   void (*change)(ViewerModel& model, const std::string& section,
                                  const std::string& id, const std::string& value));

}  // namespace tl

// Groups of flags in the help of commands. Flags that name no group are in "Flags".
#pragma once

#include <string>

namespace tl {

inline constexpr const char* kFlags = "Flags";
inline constexpr const char* kCameraFlags = "Camera";
inline constexpr const char* kOutputFlags = "Output";
inline constexpr const char* kSequenceFlags = "Sequences";
inline constexpr const char* kWindowFlags = "Window";
inline constexpr const char* kComparisonFlags = "Comparison";
inline constexpr const char* kOffscreenFlags = "Without a window";
/// Seldom used flags: --help-all lists them, --help does not.
inline constexpr const char* kMoreFlags = "More flags";
/// Begins the name of each group of settings, which ends with the section's id. --help-all lists
/// these groups, --help only counts them.
inline constexpr const char* kSettingsOf = "Settings of ";

[[nodiscard]] inline bool is_settings_group(const std::string& group) {
    return group.starts_with(kSettingsOf);
}
/// Whether only --help-all lists the flags of a group.
[[nodiscard]] inline bool is_rare_group(const std::string& group) {
    return group == kMoreFlags || is_settings_group(group);
}

}  // namespace tl

// Lights of scene files, in [[light]], [[add]] and [[override]].
#pragma once

#include "renderer/scene/toml/toml_table.h"

namespace tl {

inline constexpr Choices<LightKind, 5> kLightKinds{{"point", LightKind::point},
                                                   {"spot", LightKind::spot},
                                                   {"directional", LightKind::directional},
                                                   {"rectangle", LightKind::rectangle},
                                                   {"sphere", LightKind::sphere}};

/// The key of a light's brightness: "radiance", "irradiance" or "intensity".
[[nodiscard]] const char* brightness_key(LightKind kind);

/// Reads all keys of a light in a scene that is moved by `offset`.
[[nodiscard]] Light read_new_light(TomlTable& table, const glm::dvec3& offset);
/// The light with those keys changed that the table has.
[[nodiscard]] Light read_light_change(TomlTable& table, const Light& before,
                                      const glm::dvec3& offset);
/// The vector at the key "direction" with unit length. One that has it up to the rounding of floats
/// stays unchanged.
[[nodiscard]] vec3 read_direction(TomlTable& table);

}  // namespace tl

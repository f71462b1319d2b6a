// Keys that [[material]] and [[override]] of scene files share.
#pragma once

#include <optional>

#include "renderer/scene/material_presets.h"
#include "renderer/scene/toml/toml_table.h"

namespace tl {

inline constexpr double kBrightest = 1e9;  ///< largest radiance, intensity and irradiance

/// Names of the kinds of materials. A layered material has no kind.
inline constexpr Choices<std::optional<MaterialKind>, 5> kMaterialKinds{
    {"diffuse", MaterialKind::diffuse},
    {"phong", MaterialKind::phong},
    {"mirror", MaterialKind::mirror},
    {"dielectric", MaterialKind::dielectric},
    {"layered", std::nullopt}};

/// Reads the key `preset`; null without it. Throws UserError where the table also has a `kind`.
[[nodiscard]] const MaterialPreset* read_preset(TomlTable& table);
/// Reads the keys of a material of any kind without layers; missing keys change nothing.
void read_plain_material(TomlTable& table, Material& material);
/// Reads the weights and roughnesses of layers; missing keys change nothing.
void read_layer_keys(TomlTable& table, SurfaceLayers& layers);

}  // namespace tl

// What [[material]] and [[override]] of scene files have in common.
#pragma once

#include <optional>

#include "renderer/scene/toml/toml_table.h"

namespace tl {

inline constexpr double kBrightest = 1e9;  ///< largest radiance, intensity and irradiance

/// No kind: the material has layers.
inline constexpr Choices<std::optional<MaterialKind>, 5> kMaterialKinds{
    {"diffuse", MaterialKind::diffuse},
    {"phong", MaterialKind::phong},
    {"mirror", MaterialKind::mirror},
    {"dielectric", MaterialKind::dielectric},
    {"layered", std::nullopt}};

/// The keys of a material of any kind without layers; what is not given stays.
void read_plain_material(TomlTable& table, Material& material);
/// The shares and roughnesses of layers; what is not given stays.
void read_layer_keys(TomlTable& table, SurfaceLayers& layers);

}  // namespace tl

// Reads MTL text by tinyobjloader: the requested materials of a library, and those of their
// statements that are not used.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/math.h"

namespace tl {

/// A texture of a material.
struct MtlTexture {
    std::string name;               ///< as it is spelled, without quotes; "" for no texture
    std::string whole{};            ///< name with words that may be options or part of it
    vec2 scale{1}, offset{0};       ///< -s, -o: coordinates are multiplied, then moved
    bool clamp = false;             ///< -clamp on
    std::optional<float> strength;  ///< -bm
};

/// A material as the file gives it. Numbers are finite; those that the file lacks are none.
struct MtlMaterial {
    std::string name;
    std::optional<vec3> diffuse, specular, emission, transmittance;  ///< Kd, Ks, Ke, Tf
    std::optional<float> exponent, ior;                              ///< Ns, Ni
    std::optional<float> dissolve;                                   ///< d, or 1 - Tr
    std::optional<float> roughness, metallic, coat, coat_roughness;  ///< Pr, Pm, Pc, Pcr
    int illum = 2;
    MtlTexture color, cutout, normals, bump, emission_map;  ///< map_Kd, map_d, norm, bump, map_Ke
    /// Statements and options that are not used, without repeats; their number is limited.
    std::vector<std::string> ignored;

    /// Notes something that is not used.
    void ignore(std::string_view what);
};

/// Callbacks of the reader of an MTL file.
struct MtlUser {
    /// Whether the material of a name is to be read; asked once for each newmtl statement.
    std::function<bool(const std::string&)> wants;
    /// Gets each of these materials once it is complete, in their order.
    std::function<void(MtlMaterial&)> take;
};

/// Reads the text of an MTL file; never fails. Returns warnings, but those of
/// MtlMaterial::ignored. `file` is its name in messages.
[[nodiscard]] std::vector<std::string> read_mtl(const std::string& text, const std::string& file,
                                                const MtlUser& user);

}  // namespace tl

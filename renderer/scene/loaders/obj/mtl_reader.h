// Parses MTL text: the requested materials of a library, and those of their statements that are not
// used.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/math.h"
#include "renderer/scene/loaders/obj/mtl_texture.h"

namespace tl {

/// A material as the file gives it. Numbers are finite; those that the file lacks are none.
struct MtlMaterial {
    std::string name;
    std::optional<vec3> diffuse, specular, emission, transmittance;  ///< Kd, Ks, Ke, Tf
    std::optional<float> exponent, ior;                              ///< Ns, Ni
    std::optional<float> dissolve, transparency;                     ///< d, Tr
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
[[nodiscard]] std::vector<std::string> read_mtl(std::string_view text, const std::string& file,
                                                const MtlUser& user);

}  // namespace tl

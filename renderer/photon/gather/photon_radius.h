// Search radius of progressive photon mapping (Knaus & Zwicker 2011, "Progressive photon mapping: a
// probabilistic approach").
#pragma once

#include <cstdint>

#include "accel/box.h"
#include "renderer/photon/photon_config.h"

namespace tl {

/// Radius of the first pass, m: the setting's. If that is 0, the radius that would hold about
/// thirty photons if each were stored once on the faces of the scene's bounds.
[[nodiscard]] double first_radius(const PhotonConfig& config, const Box& bounds);
/// Radius of pass i - 1, counted from 0, m: r_i^2 = r_1^2 (1 + alpha) ... (i - 1 + alpha) / i!,
/// equation 20 of Knaus and Zwicker.
[[nodiscard]] float radius_of_pass(const PhotonConfig& config, const Box& bounds,
                                   std::uint32_t pass);

}  // namespace tl

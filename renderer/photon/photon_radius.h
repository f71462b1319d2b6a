// The radius within which photons count.
#pragma once

#include <cstdint>

#include "accel/box.h"
#include "renderer/photon/photon_config.h"

namespace tl {

/// The radius of the first pass, m: the setting's, or as wide as to hold about thirty photons if
/// each lay once on the faces of the scene's bounds.
[[nodiscard]] double first_radius(const PhotonConfig& config, const Box& bounds);
/// The radius of a pass, counted from 0, m: r_i^2 = r_1^2 (1 + alpha) ... (i - 1 + alpha) / i!,
/// equation 20 of Knaus and Zwicker.
[[nodiscard]] float radius_of_pass(const PhotonConfig& config, const Box& bounds,
                                   std::uint32_t pass);

}  // namespace tl

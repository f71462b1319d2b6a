// Fingerprints of a scene's surfaces and materials, to detect changes.
#pragma once

#include "renderer/scene/scene.h"

namespace tl {

/// Fingerprint of all that points are sampled from: surfaces, and the time if the scene is
/// animated. Includes holes of cutouts, but no colours or other material parameters.
[[nodiscard]] std::uint64_t fingerprint_of_surfaces(const Scene& scene, float time);

/// Fingerprint of all else that affects light transport: materials, emission excepted, and the
/// centres of Gaussians.
[[nodiscard]] std::uint64_t fingerprint_of_scattering(const Scene& scene);

/// Fingerprint of the dielectrics as far as links depend on them: smoothness, since light between
/// points passes smooth ones, and transmittance.
[[nodiscard]] std::uint64_t fingerprint_of_glass(const Scene& scene);

/// Whether a dielectric of the scene absorbs light or tints what it transmits.
[[nodiscard]] bool has_dim_dielectrics(const Scene& scene);

/// Fingerprint of what determines which surfaces may send light between points: shapes of lamps,
/// kinds of materials, and which of them are black. Includes the time if the scene is animated.
[[nodiscard]] std::uint64_t fingerprint_of_senders(const Scene& scene, float time);

}  // namespace tl

// A number by which to tell whether a scene's surfaces are still the same.
#pragma once

#include "renderer/scene/scene.h"

namespace tl {

/// Of all that points are sampled from, colours and materials excepted, but for holes: different
/// for other surfaces, and for another time where they move.
[[nodiscard]] std::uint64_t fingerprint_of_surfaces(const Scene& scene, float time);

/// Of what else light meets on its way and of what becomes of it there: all of materials but their
/// emission, and Gaussians.
[[nodiscard]] std::uint64_t fingerprint_of_scattering(const Scene& scene);

/// A fingerprint of the dielectrics as far as links depend on them: which are smooth, so that light
/// between points passes them, and how much of it they transmit.
[[nodiscard]] std::uint64_t fingerprint_of_glass(const Scene& scene);

/// Whether a dielectric of the scene absorbs light or tints what it transmits.
[[nodiscard]] bool has_dim_dielectrics(const Scene& scene);

/// In the same way of what tells surfaces that may send light between points from others: the
/// places of lamps, and which materials are black.
[[nodiscard]] std::uint64_t fingerprint_of_senders(const Scene& scene, float time);

}  // namespace tl

// Light between leaves whose points see each other in part, by the bits of their pairs.
#pragma once

#include "renderer/radiosity/packed_transmittance.h"
#include "renderer/radiosity/visibility_map.h"

TL_DEVICE_BEGIN

/// Adds what points receive from those points of other leaves that they see, where they do not see
/// all of them. `transmittance`: of each link; empty: 1. Never waits.
void add_partial(Stream& stream, const OctreeView& tree, const PartialLinks& partial,
                 View<const PackedTransmittance> transmittance, View<const vec3> radiosity,
                 View<vec3> irradiance);

TL_DEVICE_END

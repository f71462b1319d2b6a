// Radiosity between partially visible leaves, by the visibility bits of their pairs of points.
#pragma once

#include "renderer/radiosity/transport/packed_transmittance.h"
#include "renderer/radiosity/transport/visibility_map.h"

TL_DEVICE_BEGIN

/// Adds the irradiance that points receive by partial links, from the visible points of the source
/// leaves. `transmittance`: of each link; empty: 1. Never waits.
void add_partial(Stream& stream, const OctreeView& tree, const PartialLinks& partial,
                 View<const PackedTransmittance> transmittance, View<const vec3> radiosity,
                 View<vec3> irradiance);

TL_DEVICE_END

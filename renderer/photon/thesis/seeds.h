// Seed selection for final gather: seeds are chosen among the shading points of a picture, more
// densely where positions and normals vary more (Wang et al. 2009, "An efficient GPU-based approach
// for interactive global illumination"; Zeidan 2011, section 6.2.3.1).
//
// A quadtree over the picture stores the variation of each node's points. The seeds of a node are
// distributed among its children in proportion to it. Departure: each seed walks down the tree by
// itself, guided by a number that is evenly spaced among the seeds. So no seeds are lost to
// rounding, and no lists are built. Then k-means moves each seed to the mean of its nearest points,
// in position and normal. A point is compared with the seeds that are close to it in Morton order.
#pragma once

#include "core/device/array.h"
#include "renderer/photon/thesis/shading_points.h"

TL_DEVICE_BEGIN

/// Chooses seeds[k] as indices of existing points; ~0 where no point exists. `random_seed`: any
/// number; the same one gives the same seeds. Never waits.
void choose_seeds(Scratch& scratch, const ShadingGrid& grid, View<const ShadingPoint> points,
                  std::uint32_t random_seed, View<std::uint32_t> seeds);

TL_DEVICE_END

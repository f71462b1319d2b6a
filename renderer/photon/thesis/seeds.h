// Where irradiance is gathered: seeds, chosen among the shading points of a picture so that they
// lie closer where places and normals vary more (Wang et al. 2009, "An efficient GPU-based approach
// for interactive global illumination"; Zeidan 2011, section 6.2.3.1).
//
// A quadtree over the picture has, of each node, how much its points vary. The seeds of a node are
// shared among its children in proportion to that. Here each seed by itself walks down the tree,
// by a number that is evenly spaced among the seeds, so that none are lost to rounding and no lists
// are made. Then k-means moves seeds to the middle of the points that are nearest to them, in place
// and normal; a point is compared with the seeds that are close to it in Morton order.
#pragma once

#include "accel/parallel/array.h"
#include "renderer/photon/thesis/shading_points.h"

TL_DEVICE_BEGIN

/// Chooses seeds[k] among the points that exist, as indices of points; ~0 where no point does.
/// `numbers`: other seeds for another number. Never waits.
void choose_seeds(Scratch& scratch, const ShadingGrid& grid, View<const ShadingPoint> points,
                  std::uint32_t numbers, View<std::uint32_t> seeds);

TL_DEVICE_END

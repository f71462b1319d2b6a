// The fast multipole method over an octree: sums over all pairs of points that a table of links
// covers. Kernels need only be smooth away from 0.
//
// The upward pass builds the expansion of every node from its points or its children. Far links
// turn expansions of sources into fields of targets. The downward pass hands fields on to children
// and points. Near links add the remaining pairs point by point. The links alone decide how each
// pair is summed: see find_links.h.
#pragma once

#include "accel/fmm/fmm_expansion.h"
#include "accel/fmm/links.h"
#include "core/device/stage_timer.h"

// clang-format off
TL_FOR_DEVICES(
    /// sums[i] = the sum of values[j] / |x_i - x_j| over the pairs that `links` covers, except
    /// those at distance 0. Values and sums go by the order of the tree's points. `header` is the
    /// tree's. Waits only for the upload of a table where the expansions are harmonics; stages are
    /// timed. Throws UsageError for orders outside of FmmOrder.
    void sum_by_expansions(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                           const LinkTable& links, FmmExpansion expansion, View<const float> values,
                           View<float> sums, StageTimer& timer);
    /// Irradiance from the radiosity of three colours (see kernels.h), summed in the same way. The
    /// cosines of far links must not be negative.
    void sum_by_expansions(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                           const LinkTable& links, FmmExpansion expansion, View<const vec3> values,
                           View<vec3> sums, StageTimer& timer);
)
// clang-format on

// The fast multipole method over an octree: sums over all pairs of points that a table of links
// covers, of kernels that need only be smooth away from 0.
//
// The upward pass makes every node's expansion of what it sends from its points' or its children's;
// far links give every node the field of what arrives; the downward pass hands fields on to
// children and points; near links add what leaves exchange point by point. Links decide what is
// summed how, and the passes nothing: see find_links.h.
#pragma once

#include "accel/fmm/fmm_form.h"
#include "accel/fmm/links.h"
#include "accel/parallel/stage_timer.h"

// clang-format off
TL_FOR_DEVICES(
    /// sums[i] = the sum of values[j] / |x_i - x_j| over the pairs that `links` covers, but those at
    /// no distance. Values and sums go by the order of the tree's points. `header` is the tree's.
    /// Never waits, but for the copy of a table where the expansions are harmonics; stages are
    /// timed. Throws UsageError for orders that FmmOrder has not.
    void sum_by_expansions(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                           const LinkTable& links, FmmForm form, View<const float> values,
                           View<float> sums, StageTimer& timer);
    /// The same for irradiance from radiosity, of three colours (see kernels.h), where cosines of
    /// far links are not negative.
    void sum_by_expansions(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                           const LinkTable& links, FmmForm form, View<const vec3> values,
                           View<vec3> sums, StageTimer& timer);
)
// clang-format on

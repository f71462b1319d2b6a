#include "accel/fmm/expansions.h"
#include "accel/fmm/kernels.h"

TL_DEVICE_BEGIN

void sum_by_expansions(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                       const LinkTable& links, int order, View<const float> values,
                       View<float> sums, StageTimer& timer) {
    run_passes_of<InverseDistance>(order, scratch, tree, header, links, values, sums, timer);
}

TL_DEVICE_END

#include "accel/fmm/kernels.h"
#include "accel/fmm/sum_by_expansion.h"

TL_DEVICE_BEGIN

void sum_by_expansions(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                       const LinkTable& links, FmmExpansion expansion, View<const float> values,
                       View<float> sums, StageTimer& timer) {
    sum_by_expansion<InverseDistance>(expansion, scratch, {tree, values}, header, links, sums,
                                      timer);
}

TL_DEVICE_END

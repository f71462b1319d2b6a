#include "accel/fmm/kernels.h"
#include "accel/fmm/sum_by_expansion.h"

TL_DEVICE_BEGIN

void sum_by_expansions(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                       const LinkTable& links, FmmExpansion expansion, View<const vec3> values,
                       View<vec3> sums, StageTimer& timer) {
    sum_by_expansion<Radiosity>(expansion, scratch, {tree, values}, header, links, sums, timer);
}

TL_DEVICE_END

#include "accel/fmm/expansions.h"
#include "accel/fmm/kernels.h"

TL_DEVICE_BEGIN

void sum_by_expansions(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                       const LinkTable& links, int order, View<const vec3> values, View<vec3> sums,
                       StageTimer& timer) {
    run_passes_of<Radiosity>(order, scratch, tree, header, links, values, sums, timer);
}

TL_DEVICE_END

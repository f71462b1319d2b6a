#include "accel/fmm/forms.h"
#include "accel/fmm/kernels.h"

TL_DEVICE_BEGIN

void sum_by_expansions(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                       const LinkTable& links, FmmForm form, View<const vec3> values,
                       View<vec3> sums, StageTimer& timer) {
    sum_by_form<Radiosity>(form, scratch, {tree, values}, header, links, sums, timer);
}

TL_DEVICE_END

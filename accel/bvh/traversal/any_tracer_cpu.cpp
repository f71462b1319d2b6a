#define TL_DEVICE_CPU 1
#include "accel/bvh/traversal/any_tracer_functions.h"

namespace tl::cpu {

template Hit trace_any_layout<false>(const TreeView&, const Ray&, bool);
template Hit trace_any_layout<true>(const TreeView&, const Ray&, bool);
template Hit count_any_layout<false, false>(const TreeView&, const Ray&, RayStats&);
template Hit count_any_layout<false, true>(const TreeView&, const Ray&, RayStats&);
template Hit count_any_layout<true, false>(const TreeView&, const Ray&, RayStats&);
template Hit count_any_layout<true, true>(const TreeView&, const Ray&, RayStats&);

}  // namespace tl::cpu

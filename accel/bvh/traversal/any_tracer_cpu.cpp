#define TL_DEVICE_CPU 1
#include "accel/bvh/traversal/any_tracer_functions.h"

namespace tl::cpu {

template Hit trace_any_layout<false>(const TreeView&, const Ray&, bool);
template Hit trace_any_layout<true>(const TreeView&, const Ray&, bool);
template Hit count_any_layout<false>(const TreeView&, const Ray&, bool, RayStats&);
template Hit count_any_layout<true>(const TreeView&, const Ray&, bool, RayStats&);

}  // namespace tl::cpu

#include "accel/bvh/traversal/any_tracer_functions.h"

TL_DEVICE_BEGIN
TL_INSTANTIATE_TRACERS(false, PlainTests<false>)
TL_INSTANTIATE_TRACERS(true, PlainTests<true>)
TL_DEVICE_END

#include "accel/bvh/traversal/any_tracer_functions.h"

TL_DEVICE_BEGIN
TL_INSTANTIATE_TRACERS(true, PatchTests)
TL_DEVICE_END

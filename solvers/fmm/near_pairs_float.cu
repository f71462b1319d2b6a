#include "solvers/fmm/near_pairs_kernels.h"

TL_DEVICE_BEGIN

TL_NEAR_PAIR_INSTANCES(float)

TL_DEVICE_END

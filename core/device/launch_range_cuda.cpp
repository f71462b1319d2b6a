// Apart from the header that all kernels include, since NVTX's headers are long.
#include <nvtx3/nvToolsExt.h>

#include "core/device/launch_range.h"

namespace tl {

LaunchRange::LaunchRange(const char* name) {
    nvtxRangePushA(name);
}

LaunchRange::~LaunchRange() {
    nvtxRangePop();
}

}  // namespace tl

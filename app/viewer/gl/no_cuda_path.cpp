// Stands in for cuda_path.cpp where the build has no CUDA.
#include "app/viewer/gl/pixel_path.h"

namespace tl {

std::unique_ptr<PixelPath> make_cuda_path(Device&, Extent) {
    return nullptr;
}

}  // namespace tl

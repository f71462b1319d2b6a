// Replaces cuda_path.cpp in builds without CUDA.
#include "app/viewer/gl/pixel_path.h"

namespace tl {

std::unique_ptr<PixelPath> make_cuda_path(Device&, Extent) {
    return nullptr;
}

}  // namespace tl

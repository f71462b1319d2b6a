#include "renderer/paths/shade_kernel.h"

TL_DEVICE_BEGIN

template void shade_paths<SceneClass::any, true>(Stream& stream, const ShadeJob& job);
#if defined(__CUDACC__)
template void shade_paths<SceneClass::simple, true>(Stream& stream, const ShadeJob& job);
#endif

TL_DEVICE_END

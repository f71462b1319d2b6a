#include "renderer/paths/shade_kernel.h"

TL_DEVICE_BEGIN

template void shade_paths<SceneClass::any, true>(Stream& stream, const ShadeJob& job);

TL_DEVICE_END

#include "renderer/paths/shade_kernel.h"

TL_DEVICE_BEGIN

template void shade_paths<SceneClass::simple>(Stream& stream, const ShadeJob& job);

TL_DEVICE_END

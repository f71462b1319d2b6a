#include "renderer/whitted/wavefront_shade.h"

TL_DEVICE_BEGIN

bool shade_by_default_tracer(const ShadePass& pass) {
    return visit_default_tracer(pass.frame.scene.tree, pass);
}

TL_DEVICE_END

#include "renderer/whitted/wavefront_shade.h"

#include "renderer/whitted/wavefront_solid.h"

TL_DEVICE_BEGIN

bool shade_by_default_tracer(const ShadePass<false>& pass) {
    return visit_default_tracer(pass.frame.scene.tree, pass);
}

bool trace_solid_by_default_tracer(const SolidPass& pass) {
    return visit_default_tracer(pass.scene.tree, pass);
}

TL_DEVICE_END

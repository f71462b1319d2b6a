#include "renderer/denoise/guide_pass.h"

TL_DEVICE_BEGIN

bool add_guides_by_default_tracer(const AovPass<GuideRays>& pass) {
    return visit_default_tracer(pass.sampler.scene.tree, pass);
}

TL_DEVICE_END

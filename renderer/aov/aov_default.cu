#include "renderer/aov/aov_pass.h"

TL_DEVICE_BEGIN

bool add_means_by_default_tracer(const AovPass<AovMeans>& pass) {
    return visit_default_tracer(pass.sampler.scene.tree, pass);
}

TL_DEVICE_END

// What rays see that leave the scene.
#pragma once

#include "renderer/scene/scene_view.h"

TL_DEVICE_BEGIN

/// Radiance, W/(sr m^2), that arrives against unit `direction` from beyond all geometry.
TL_HD inline vec3 background_radiance(const SceneView& scene, vec3 direction) {
    (void)direction;
    return scene.background;
}

TL_DEVICE_END

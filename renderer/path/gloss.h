// The surfaces from which the Whitted tracer and the Bezier backend distribute rays over a glossy
// lobe (glossy_point.h).
#pragma once

#include "renderer/scene/live/scene_view.h"
#include "renderer/shading/surface.h"

namespace tl {

struct Scene;

/// Kinds of surfaces whose lobes distribute rays in a frame.
struct Gloss {
    bool rough = false;  ///< mirrors and dielectrics that have a roughness and no layers
    bool phong = false;  ///< Phong lobes, beside the diffuse one

    [[nodiscard]] TL_HD bool any() const { return rough || phong; }
};

/// The kinds among `wanted` that the scene has.
[[nodiscard]] Gloss gloss_in(const Scene& scene, Gloss wanted);

}  // namespace tl

TL_DEVICE_BEGIN

/// Whether the material distributes rays.
TL_HD inline bool is_glossy(Gloss gloss, const MaterialData& m) {
    if (m.kind == MaterialKind::phong) return gloss.phong && m.specular != vec3(0);
    return gloss.rough && sends_rays_on(m) && m.alpha > 0 && m.layers < 0;
}

TL_DEVICE_END

#include "renderer/path/gloss.h"

#include "renderer/scene/scene.h"

namespace tl {

Gloss gloss_in(const Scene& scene, Gloss wanted) {
    Gloss found;
    for (const Material& m : scene.materials) {
        bool sends = m.kind == MaterialKind::mirror || m.kind == MaterialKind::dielectric;
        found.rough |= wanted.rough && sends && m.roughness > 0 && !m.layers;
        found.phong |= wanted.phong && m.kind == MaterialKind::phong && m.specular != vec3(0);
    }
    return found;
}

}  // namespace tl

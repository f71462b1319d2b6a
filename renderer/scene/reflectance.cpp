#include "renderer/scene/reflectance.h"

#include <algorithm>
#include <cmath>

#include "accel/parallel/text.h"

namespace tl {
namespace {

/// Sums of decimals such as 0.7 + 0.3 are rounded to a little more than 1.
constexpr float kMost = 1 + 1e-5f;

float largest_of(vec3 color) {
    return std::max({color.x, color.y, color.z});
}

}  // namespace

float reflected_fraction_of(const Material& m) {
    switch (m.kind) {
        case MaterialKind::diffuse:
            return largest_of(m.diffuse);
        case MaterialKind::phong:
            return largest_of(m.diffuse + m.specular);
        case MaterialKind::mirror:
            return largest_of(m.specular);
        case MaterialKind::dielectric:
            return std::max(largest_of(m.specular), largest_of(m.transmission));
    }
    return 0;
}

Material limited_reflectance(Material m) {
    float fraction = reflected_fraction_of(m);
    if (m.layers || !(fraction > kMost)) return m;
    m.diffuse /= fraction;
    m.specular /= fraction;
    m.transmission /= fraction;
    return m;
}

void warn_about_reflectance(Scene& scene, const std::string& name) {
    for (auto& m : scene.materials) {
        float fraction = reflected_fraction_of(m);
        if (m.layers || !(fraction > kMost)) continue;
        bool both = m.kind == MaterialKind::phong;
        double rounded = std::ceil(100 * static_cast<double>(fraction) - 1e-3) / 100;
        scene.warnings.push_back(name + ": material '" + m.name + "' reflects " +
                                 number_text(rounded) + " times the light that it receives" +
                                 (both ? " (diffuse and specular together)" : "") +
                                 "; its colours are divided by that");
    }
}

}  // namespace tl

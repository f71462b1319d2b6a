// Small pictures for tests, rendered as the program renders them.
#pragma once

#include <cmath>

#include "app/session.h"

namespace tl::test {

/// Linear radiance of `scene` after `spp` samples a pixel.
inline ImageF render_radiance(Device& device, std::shared_ptr<const Scene> scene, Extent extent,
                              int spp) {
    Session session(device);
    session.set_scene(std::move(scene));
    session.resize(extent);
    for (int i = 0; i < spp; ++i) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
    }
    return session.film().radiance(session.stream());
}

/// Mean over pixels and channels of |a - b|.
inline double mean_difference(const ImageF& a, const ImageF& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.rgb.size(); ++i)
        for (int c = 0; c < 3; ++c) sum += std::abs(double(a.rgb[i][c]) - double(b.rgb[i][c]));
    return sum / (3.0 * double(a.rgb.size()));
}

inline vec3 mean_of(const ImageF& image) {
    glm::dvec3 sum(0);
    for (vec3 rgb : image.rgb) sum += rgb;
    return sum / double(image.rgb.size());
}

}  // namespace tl::test

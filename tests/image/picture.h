// Renders small pictures for tests, in the same way as the program.
#pragma once

#include <algorithm>
#include <cmath>

#include "session/session.h"

namespace tl::test {

/// Linear radiance of `scene` after `spp` samples per pixel.
inline ImageF render_radiance(Device& device, std::shared_ptr<const Scene> scene, Extent extent,
                              int spp, std::uint64_t seed = 0) {
    Session session(device);
    session.seed = seed;
    session.set_scene(std::move(scene));
    session.resize(extent);
    for (int i = 0; i < spp; ++i) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
    }
    return session.film().radiance(session.stream());
}

/// Ids of the renderers whose films hold radiance.
inline std::vector<std::string> picture_renderers() {
    std::vector<std::string> ids;
    for (auto& row : renderers())
        if (row.output == RendererOutput::picture) ids.push_back(row.id);
    return ids;
}

/// An id as part of a test's name, which has no hyphens.
inline std::string test_name(std::string id) {
    std::ranges::replace(id, '-', '_');
    return id;
}

/// Mean over pixels and channels of |a - b|.
inline double mean_difference(const ImageF& a, const ImageF& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.rgb.size(); ++i)
        for (int c = 0; c < 3; ++c) sum += std::abs(double(a.rgb[i][c]) - double(b.rgb[i][c]));
    return sum / (3.0 * double(a.rgb.size()));
}

/// A bright half plane x > 0 at z = -2 on a black background, seen from the origin along -z.
inline std::shared_ptr<Scene> half_plane_scene() {
    auto scene = std::make_shared<Scene>();
    Material bright;
    bright.emission = vec3(1);
    scene->materials = {bright};
    Mesh half;
    half.positions = {{0, -9, -2}, {9, -9, -2}, {9, 9, -2}, {0, 9, -2}};
    half.triangles = {{0, 1, 2}, {0, 2, 3}};
    half.material_of_triangle = {0, 0};
    scene->meshes = {half};
    scene->camera = {{0, 0, 0}, {0, 0, -1}, {0, 1, 0}, 40};
    return scene;
}

inline vec3 mean_of(const ImageF& image) {
    glm::dvec3 sum(0);
    for (vec3 rgb : image.rgb) sum += rgb;
    return sum / double(image.rgb.size());
}

}  // namespace tl::test

// Scenes and readings that tests of the renderer `radiosity` share.
#pragma once

#include "tests/image/picture.h"

namespace tl::test {

inline constexpr const char* kModes[] = {"direct", "hierarchical", "fmm"};

inline std::shared_ptr<Scene> with_renderer(std::shared_ptr<Scene> scene, const char* points) {
    scene->settings["render"]["renderer"] = "radiosity";
    scene->settings["radiosity"]["points"] = points;
    return scene;
}

/// Sphere from within, lit at its centre: the irradiance of every bounce is uniform.
inline std::shared_ptr<Scene> furnace() {
    auto scene = std::make_shared<Scene>();
    Material grey;
    grey.diffuse = vec3(0.5f, 0.25f, 0.75f);
    scene->materials = {grey};
    scene->spheres = {{{0, 0, 0}, 1, 0}};
    Light light;
    light.kind = LightKind::point;
    light.radiance = vec3(kPi);
    scene->lights = {light};
    scene->camera = {{0.5f, -0.3f, 0.2f}, {1, 1, 1}, {0, 1, 0}, 100};
    return scene;
}

/// Figures about the accuracy of the links, from a first frame of a scene with `check-points`.
inline std::vector<PictureFigure> figures_of(Device& device, const std::shared_ptr<Scene>& scene) {
    Session session(device);
    session.set_scene(scene);
    session.resize({8, 8});
    session.begin_frame();
    session.render_frame();
    session.end_frame();
    return session.inspection().picture_figures();
}

}  // namespace tl::test

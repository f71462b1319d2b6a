#include "renderer/scene/loaders/gltf/gltf_view.h"

#include <algorithm>

#include "renderer/scene/loaders/texture_files.h"

namespace tl {

void GltfView::visit(const tinygltf::Node& node, const glm::dmat4& transform) {
    if (node.camera >= 0 && !found_) find_camera(node.camera, transform);
    if (auto* light = extension_member(node.extensions, "KHR_lights_punctual", "light"))
        add_light(light->GetNumberAsInt(), transform);
}

void GltfView::find_camera(int index, const glm::dmat4& transform) {
    auto& source = file_.at(file_.model().cameras, index, "camera");
    if (source.type != "perspective") {
        warn("orthographic cameras are not used");
        return;
    }
    found_ = true;
    auto degrees = static_cast<float>(glm::degrees(source.perspective.yfov));
    camera_.vertical_fov = std::clamp(degrees, kNarrowestFov, kWidestFov);
    camera_.eye = vec3(transform[3]);
    forward_ = -glm::normalize(glm::dvec3(transform[2]));
    camera_.up = vec3(glm::normalize(glm::dvec3(transform[1])));
}

bool GltfView::place_camera() {
    if (!found_) return false;
    // The target that orbiting needs: as far ahead as the middle of the scene.
    Box bounds = bounds_of(scene_);
    glm::dvec3 middle = 0.5 * (glm::dvec3(bounds.lo) + glm::dvec3(bounds.hi));
    double ahead = glm::dot(middle - glm::dvec3(camera_.eye), forward_);
    double size = glm::length(glm::dvec3(bounds.hi) - glm::dvec3(bounds.lo));
    double least = size > 0 ? 0.01 * size : 1;
    camera_.target = vec3(glm::dvec3(camera_.eye) + std::max(ahead, least) * forward_);
    std::string fault = camera_fault(camera_);
    if (!fault.empty()) {
        warn("its camera is not used: " + fault);
        return false;
    }
    scene_.camera = camera_;
    return true;
}

void GltfView::add_light(int index, const glm::dmat4& transform) {
    auto& source = file_.at(file_.model().lights, index, "light");
    Light light;
    vec3 color(1);
    for (int k = 0; k < 3 && source.color.size() == 3; ++k)
        color[k] = static_cast<float>(source.color[static_cast<std::size_t>(k)]);
    light.radiance = glm::clamp(color * static_cast<float>(source.intensity), 0.0f, 1e9f);
    light.position = vec3(transform[3]);
    glm::dvec3 direction = -glm::dvec3(transform[2]);
    if (source.type == "directional") light.kind = LightKind::directional;
    if (source.type == "spot") {
        light.kind = LightKind::spot;
        auto degrees = [](double angle) { return static_cast<float>(glm::degrees(angle)); };
        light.outer_angle = std::clamp(degrees(source.spot.outerConeAngle), 0.1f, 90.0f);
        light.inner_angle =
            std::clamp(degrees(source.spot.innerConeAngle), 0.0f, light.outer_angle);
    }
    if (light.kind != LightKind::point) {
        if (!(glm::length(direction) > 0)) file_.fail("a light's node has a scale of 0");
        light.direction = vec3(glm::normalize(direction));
    }
    scene_.lights.push_back(light);
}

void GltfView::warn(const std::string& what) {
    warn_once(scene_, file_.path() + ": " + what);
}

}  // namespace tl

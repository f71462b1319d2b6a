#include "renderer/scene/export/export_view.h"

#include <algorithm>
#include <cmath>

#include "renderer/scene/export/export_nodes.h"

namespace tl {
namespace {

using glm::dmat3;
using glm::dvec3;

/// A vector at right angles to a unit vector.
dvec3 any_across(dvec3 v) {
    return glm::normalize(glm::cross(v, std::abs(v.y) < 0.9 ? dvec3(0, 1, 0) : dvec3(1, 0, 0)));
}

/// The columns of the rotation that turns -z to `forward`, and +y near to `up`.
dmat3 looking_along(dvec3 forward, dvec3 up) {
    dvec3 back = -glm::normalize(forward), right = glm::cross(up, back);
    double length = glm::length(right);
    right = length > 1e-9 * glm::length(up) ? right / length : any_across(back);
    return {right, glm::cross(back, right), back};
}

Json node_at(vec3 place, const dmat3& rotation) {
    return {{"translation", json_numbers(place)}, {"rotation", rotation_json(rotation)}};
}

double radians_of(float degrees) {
    return glm::radians(static_cast<double>(degrees));
}

}  // namespace

int add_camera_node(GlbWriter& file, const Camera& camera) {
    constexpr double kNear = 1e-3;  // of the target's distance; the format wants a near plane
    dvec3 view = dvec3(camera.target) - dvec3(camera.eye);
    Json node = node_at(camera.eye, looking_along(view, camera.up));
    node["name"] = "camera";
    node["camera"] = file.cameras.add(
        {{"type", "perspective"},
         {"perspective",
          {{"yfov", radians_of(camera.vertical_fov)}, {"znear", kNear * glm::length(view)}}}});
    return file.nodes.add(node);
}

int add_light_node(GlbWriter& file, const Light& light) {
    constexpr double kNarrower = 1 - 1e-6;  // the inner cone is narrower than the outer one
    file.use("KHR_lights_punctual");
    float strongest = std::max({light.radiance.x, light.radiance.y, light.radiance.z});
    vec3 color = strongest > 0 ? light.radiance / strongest : vec3(1);
    Json source{{"color", json_numbers(color)},
                {"intensity", json_number(static_cast<double>(std::max(strongest, 0.0f)))}};
    if (light.kind == LightKind::spot) {
        source["type"] = "spot";
        double outer = radians_of(light.outer_angle);
        double inner = std::min(radians_of(light.inner_angle), outer * kNarrower);
        source["spot"] = {{"innerConeAngle", inner}, {"outerConeAngle", outer}};
    } else {
        source["type"] = light.kind == LightKind::point ? "point" : "directional";
    }
    Json node = light.kind == LightKind::point
                    ? Json{{"translation", json_numbers(light.position)}}
                    : node_at(light.kind == LightKind::spot ? light.position : vec3(0),
                              looking_along(light.direction, dvec3(0, 1, 0)));
    node["extensions"]["KHR_lights_punctual"]["light"] = file.lights.add(source);
    return file.nodes.add(node);
}

Mesh rectangle_mesh(const Light& light) {
    Mesh mesh;
    mesh.name = "light";
    mesh.positions = {vec3(0), light.edge_u, light.edge_u + light.edge_v, light.edge_v};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    mesh.material_of_triangle = {0, 0};
    return mesh;
}

}  // namespace tl

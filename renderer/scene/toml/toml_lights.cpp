#include "renderer/scene/toml/toml_lights.h"

#include <cmath>

#include "renderer/scene/toml/toml_materials.h"

namespace tl {
namespace {

/// The angles of a spot light, from its axis.
void read_cone(TomlTable& table, Light& light) {
    constexpr float kUsualRim = 0.8f;  // start of the falloff, as a fraction of the outer angle
    light.outer_angle = table.real("outer-angle", light.outer_angle, 0.1, 90);
    light.inner_angle = table.real("inner-angle", kUsualRim * light.outer_angle, 0, 90);
    if (light.inner_angle > light.outer_angle)
        table.fail("inner-angle", "'inner-angle' is larger than 'outer-angle'; swap them");
}

}  // namespace

Light read_new_light(TomlTable& table, const glm::dvec3& offset) {
    Light light;
    table.require("kind");
    light.kind = table.choice("kind", "kind of light", kLightKinds);
    bool is_spot = light.kind == LightKind::spot, is_far = light.kind == LightKind::directional;
    if (light.kind == LightKind::rectangle)
        for (auto* key : {"edge-u", "edge-v"}) table.require(key);
    if (!is_far) {
        table.require("position");
        light.position = table.place("position", vec3(0), offset);
    }
    if (is_far || is_spot) {
        table.require("direction");
        vec3 given = table.vector("direction", vec3(0));
        if (!(glm::length(given) > 0)) table.fail("direction", "a direction of no length");
        light.direction = glm::normalize(given);
    }
    if (is_spot) read_cone(table, light);
    if (light.kind == LightKind::sphere) {
        table.require("radius");
        light.radius = table.real("radius", 1, 1e-9, kLargestCoordinate);
    }
    if (light.kind == LightKind::rectangle) {
        light.edge_u = table.vector("edge-u", vec3(0));
        light.edge_v = table.vector("edge-v", vec3(0));
        if (!(glm::length(glm::cross(light.edge_u, light.edge_v)) > 0))
            table.fail("edge-u", "edge-u and edge-v span no rectangle");
    }
    const char* brightness = brightness_key(light.kind);
    table.require(brightness);
    light.radiance = table.spread(brightness, vec3(0), 0, kBrightest);
    return light;
}

Light read_light_change(TomlTable& table, const Light& before, const glm::dvec3& offset) {
    Light light = before;
    bool is_spot = light.kind == LightKind::spot, is_far = light.kind == LightKind::directional;
    if (!is_far) light.position = table.place("position", light.position, offset);
    if ((is_far || is_spot) && table.has("direction")) light.direction = read_direction(table);
    if (is_spot) {
        light.outer_angle = table.real("outer-angle", light.outer_angle, 0.1, 90);
        light.inner_angle = table.real("inner-angle", light.inner_angle, 0, 90);
        if (light.inner_angle > light.outer_angle)
            table.fail("inner-angle", "'inner-angle' is larger than 'outer-angle'; swap them");
    }
    if (light.kind == LightKind::sphere)
        light.radius = table.real("radius", light.radius, 1e-9, kLargestCoordinate);
    if (light.kind == LightKind::rectangle) {
        light.edge_u = table.vector("edge-u", light.edge_u);
        light.edge_v = table.vector("edge-v", light.edge_v);
        if (!(glm::length(glm::cross(light.edge_u, light.edge_v)) > 0))
            table.fail("edge-u", "edge-u and edge-v span no rectangle");
    }
    light.radiance = table.spread(brightness_key(light.kind), light.radiance, 0, kBrightest);
    return light;
}

vec3 read_direction(TomlTable& table) {
    vec3 given = table.vector("direction", vec3(0));
    if (!(glm::length(given) > 0)) table.fail("direction", "a direction of no length");
    constexpr float kUnit = 1e-6f;
    bool is_unit = std::abs(glm::length(given) - 1) <= kUnit;
    return is_unit ? given : glm::normalize(given);
}

const char* brightness_key(LightKind kind) {
    if (kind == LightKind::directional) return "irradiance";
    return has_surface(kind) ? "radiance" : "intensity";
}

}  // namespace tl

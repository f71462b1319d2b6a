#include "renderer/scene/loaders/gltf/gltf_own.h"

#include <cmath>
#include <glm/matrix.hpp>

#include "renderer/scene/gltf_extras.h"
#include "renderer/scene/limits.h"

namespace tl {
namespace {

/// A member of extras; null if it is missing.
const tinygltf::Value* own_member(const tinygltf::Value& extras, const char* key) {
    return extras.IsObject() && extras.Has(key) ? &extras.Get(key) : nullptr;
}

bool is_place(const glm::dvec3& p) {
    return std::abs(p.x) <= kLargestCoordinate && std::abs(p.y) <= kLargestCoordinate &&
           std::abs(p.z) <= kLargestCoordinate;
}

}  // namespace

std::optional<vec3> own_background(const tinygltf::Scene& scene) {
    constexpr double kBrightest = 1e9;
    auto* list = own_member(scene.extras, kGltfBackground);
    if (!list || !list->IsArray() || list->ArrayLen() != 3) return {};
    vec3 color;
    for (int k = 0; k < 3; ++k) {
        double value = list->Get(k).IsNumber() ? list->Get(k).GetNumberAsDouble() : -1;
        if (!(value >= 0 && value <= kBrightest)) return {};
        color[k] = static_cast<float>(value);
    }
    return color;
}

std::string own_shape(const tinygltf::Node& node) {
    auto* shape = own_member(node.extras, kGltfShape);
    if (!shape || !shape->IsString()) return {};
    auto& name = shape->Get<std::string>();
    for (auto* known :
         {kGltfSphere, kGltfPoints, kGltfSplats, kGltfSphereLight, kGltfRectangleLight})
        if (name == known) return name;
    return {};
}

double own_radius(const tinygltf::Node& node) {
    auto* radius = own_member(node.extras, kGltfRadius);
    return radius && radius->IsNumber() ? radius->GetNumberAsDouble() : 0;
}

std::optional<Sphere> sphere_at(const glm::dmat4& transform, std::int32_t material) {
    constexpr double kRounding = 1e-5;
    glm::dvec3 x(transform[0]), y(transform[1]), z(transform[2]), center(transform[3]);
    double radius = glm::length(x);
    if (!(radius >= 1e-9 && radius <= kLargestCoordinate) || !is_place(center)) return {};
    double skew = std::max({std::abs(glm::length(y) - radius), std::abs(glm::length(z) - radius),
                            std::abs(glm::dot(x, y)) / radius, std::abs(glm::dot(y, z)) / radius,
                            std::abs(glm::dot(z, x)) / radius});
    if (!(skew <= kRounding * radius)) return {};
    return Sphere{
        .center = vec3(center), .radius = static_cast<float>(radius), .material = material};
}

Light sphere_light(const Sphere& sphere, vec3 radiance) {
    Light light;
    light.kind = LightKind::sphere;
    light.position = sphere.center;
    light.radius = sphere.radius;
    light.radiance = radiance;
    return light;
}

std::optional<Light> rectangle_light(std::span<const vec3> corners, const glm::dmat4& transform,
                                     vec3 radiance) {
    constexpr double kRounding = 1e-5;
    if (corners.size() != 4) return {};
    glm::dvec3 at[4];
    for (std::size_t k = 0; k < 4; ++k) {
        at[k] = glm::dvec3(transform * glm::dvec4(glm::dvec3(corners[k]), 1));
        if (!is_place(at[k])) return {};
    }
    glm::dvec3 u = at[1] - at[0], v = at[3] - at[0];
    double size = glm::length(u) + glm::length(v);
    if (!(glm::length(at[2] - at[0] - u - v) <= kRounding * size)) return {};
    // Mirrored, its outside stays outside.
    if (glm::determinant(glm::dmat3(transform)) < 0) std::swap(u, v);
    if (!(glm::length(glm::cross(u, v)) > 0)) return {};
    Light light;
    light.kind = LightKind::rectangle;
    light.position = vec3(at[0]);
    light.edge_u = vec3(u);
    light.edge_v = vec3(v);
    light.radiance = radiance;
    return light;
}

}  // namespace tl

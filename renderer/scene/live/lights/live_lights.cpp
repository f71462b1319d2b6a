#include "renderer/scene/live/lights/live_lights.h"

#include <algorithm>
#include <cmath>

#include "renderer/scene/live/lights/surface_lights.h"

namespace tl {
namespace {

LightData light_of_triangle(const EmissiveTriangle& t) {
    LightData data{};
    data.kind = LightKind::triangle;
    data.radiance = t.emission.radiance;
    data.surface = t.index;
    data.textured_material = t.emission.textured_material;
    place_triangle_light(data, t.corners, t.outside);
    return data;
}

LightData light_of_patch(const EmissivePatch& p) {
    LightData data{};
    data.kind = LightKind::patch;
    data.radiance = p.emission.radiance;
    data.surface = p.index;
    float area = area_of_net(p.points);
    data.area = area > 0 ? area : 1;  // at rest; only selection weights depend on it
    data.textured_material = p.emission.textured_material;
    return data;
}

LightData light_of_sphere(const EmissiveSphere& s) {
    Light light;
    light.kind = LightKind::sphere;
    light.position = s.center;
    light.radius = s.radius;
    light.radiance = s.emission.radiance;
    LightData data = light_data(light);
    data.textured_material = s.emission.textured_material;
    return data;
}

LightData light_of_splat(const EmissiveSplat& s) {
    LightData data{};
    data.kind = LightKind::splat;
    data.position = s.corner;
    data.normal = s.normal;
    data.edge_u = s.edge_u;
    data.edge_v = s.edge_v;
    data.area = glm::length(glm::cross(s.edge_u, s.edge_v));
    data.radius = s.radius;
    data.radiance = s.radiance;
    data.surface = s.index;
    data.textured_material = -1;
    return data;
}

float mean_of(vec3 color) {
    return (color.x + color.y + color.z) / 3;
}

/// Bounds for the light tree of a light with mean radiance `radiance`. Lights at infinity have
/// power 0 there.
LightBounds bounds_of(const LightData& light, vec3 radiance) {
    LightBounds b;
    float mean = mean_of(radiance);
    vec3 u = light.edge_u, v = light.edge_v;
    b.box.extend(light.position);
    switch (light.kind) {
        case LightKind::triangle:
            return bounds_of_triangle_light(light, mean);
        case LightKind::rectangle:
            b.box.extend(light.position + u + v);
            b.box.extend(light.position + u);
            b.box.extend(light.position + v);
            b.axis = light.normal;
            b.power = kPi * light.area * mean;
            break;
        case LightKind::sphere:
            b.box.extend(light.position - light.radius);
            b.box.extend(light.position + light.radius);
            b.cos_cone = -1;
            b.power = 4 * kPi * kPi * light.radius * light.radius * mean;
            break;
        case LightKind::point:
            b.cos_cone = -1;
            b.power = 4 * kPi * mean;
            break;
        case LightKind::spot:
            b.axis = light.normal;
            b.cos_falloff = light.cos_outer;
            b.power = 2 * kPi * (1 - light.cos_outer - light.cos_falloff / 2) * mean;
            break;
        case LightKind::patch:  // see bounds_of_patch_light
        case LightKind::splat:  // see bounds_of_splat
        case LightKind::directional:
        case LightKind::environment:
            break;
    }
    return b;
}

/// Bounds of a splat's cell.
LightBounds bounds_of_splat(const EmissiveSplat& s) {
    Box box;
    for (vec3 edge : {vec3(0), s.edge_u, s.edge_v, s.edge_u + s.edge_v})
        box.extend(s.corner + edge);
    LightBounds b = bounds_of_surface(box, s.area, mean_of(s.radiance));
    b.axis = s.normal;
    return b;
}

/// Approximate power that a light at infinity sends through the scene's bounds, W. The mean
/// projected area of a convex body is a quarter of its surface (Cauchy).
float far_power(const LightData& light, const Surroundings& around) {
    float mean_area = around.bounds.half_area() / 2;
    if (light.kind == LightKind::environment) return around.environment * mean_area;
    vec3 d = glm::abs(light.normal), size = around.bounds.hi - around.bounds.lo;
    float area = d.x * size.y * size.z + d.y * size.z * size.x + d.z * size.x * size.y;
    // A flat scene seen edge-on still has a thickness when photons are emitted.
    return mean_of(light.radiance) * std::max(area, mean_area / 100);
}

/// Gives moving lights that are dark at rest, such as triangles without area, the mean power of the
/// moving ones. They may emit later, and need a leaf in the tree and a probability above 0.
void let_shine_later(const std::vector<MovingLight>& moving, std::vector<LightBounds>& bounds) {
    double sum = 0, n = 0;
    for (auto& light : moving) {
        auto power = double(bounds[light.light].power);
        sum += power, n += power > 0 ? 1 : 0;
    }
    auto mean = static_cast<float>(n > 0 ? sum / n : 1);
    for (auto& light : moving)
        if (!(bounds[light.light].power > 0)) bounds[light.light].power = mean;
}

bool is_far(const LightData& light) {
    return light.kind == LightKind::directional || light.kind == LightKind::environment;
}

}  // namespace

LightData light_data(const Light& light) {
    LightData data{};
    data.position = light.position;
    data.kind = light.kind;
    data.edge_u = light.edge_u;
    data.edge_v = light.edge_v;
    data.radiance = light.radiance;
    data.normal = light.direction;
    if (light.kind == LightKind::rectangle) {
        vec3 normal = glm::cross(light.edge_u, light.edge_v);
        data.area = glm::length(normal);
        data.normal = data.area > 0 ? normal / data.area : vec3(0, -1, 0);
    }
    data.radius = light.radius;
    data.cos_outer = std::cos(glm::radians(light.outer_angle));
    data.cos_falloff = std::cos(glm::radians(light.inner_angle)) - data.cos_outer;
    return data;
}

LiveLights::LiveLights(Stream& stream, std::vector<LightData> lights,
                       const std::vector<std::int32_t>& material_lights,
                       const EmissiveSurfaces& emissive, std::size_t n_spheres,
                       const Surroundings& surroundings)
    : n_described_(static_cast<std::uint32_t>(lights.size())) {
    std::vector<LightBounds> bounds;
    std::vector<std::uint32_t> far;
    bool replaced = surroundings.default_lights && !emissive.empty();
    has_all_in_tree_ = emissive.are_all && emissive.splats.empty() && !replaced &&
                       surroundings.environment == 0 && surroundings.background == vec3(0);
    for (auto& light : lights) {
        if (is_far(light) && !replaced) far.push_back(static_cast<std::uint32_t>(bounds.size()));
        bounds.push_back(replaced ? LightBounds{} : bounds_of(light, light.radiance));
    }
    auto add = [&](const LightData& light, const LightBounds& its_bounds) {
        has_textures_ = has_textures_ || light.textured_material >= 0;
        lights.push_back(light);
        bounds.push_back(its_bounds);
    };
    std::vector<std::int32_t> of_triangle = emissive.of_triangle;
    std::vector<MovingLight> moving;
    for (auto& t : emissive.triangles) {
        if (t.moves)
            moving.push_back({static_cast<std::uint32_t>(lights.size()), 0, t.instance,
                              mean_of(t.emission.mean)});
        LightData light = light_of_triangle(t);
        add(light, bounds_of(light, t.emission.mean));
    }
    for (std::size_t i = 0; i < std::min(emissive.n_own, of_triangle.size()); ++i)
        if (of_triangle[i] >= 0) of_triangle[i] += static_cast<std::int32_t>(n_described_);
    std::vector<std::int32_t> of_sphere(emissive.spheres.empty() ? 0 : n_spheres, -1);
    for (auto& s : emissive.spheres) {
        of_sphere[s.index] = static_cast<std::int32_t>(lights.size());
        LightData light = light_of_sphere(s);
        add(light, bounds_of(light, s.emission.mean));
    }
    std::vector<std::int32_t> of_patch(emissive.patches.empty() ? 0 : emissive.n_patches, -1);
    for (auto& p : emissive.patches) {
        of_patch[p.index] = static_cast<std::int32_t>(lights.size());
        if (p.moves)
            moving.push_back({static_cast<std::uint32_t>(lights.size()), 0,
                              MovingLight::kNoInstance, mean_of(p.emission.mean)});
        add(light_of_patch(p),
            bounds_of_patch_light(p.points, p.is_rational, mean_of(p.emission.mean)));
    }
    first_splat_light_ = static_cast<std::int32_t>(lights.size());
    for (auto& s : emissive.splats) add(light_of_splat(s), bounds_of_splat(s));
    let_shine_later(moving, bounds);
    LightTree tree = build_light_tree(bounds);
    if (tree.splits.size() == 1) only_in_tree_ = tree.splits[0].child & ~LightChild::kLeaf;
    std::vector<double> powers;
    for (std::size_t i = 0; i < lights.size(); ++i)
        powers.push_back(double(is_far(lights[i]) && !replaced ? far_power(lights[i], surroundings)
                                                               : bounds[i].power));
    powers.push_back(double(mean_of(surroundings.background)) * 4 * double(kPi) *
                     double(surroundings.bounds.half_area()) / 2);
    lights_.assign(stream, lights);
    material_lights_.assign(stream, material_lights);
    tree_.assign(stream, tree.nodes);
    trails_.assign(stream, tree.trails);
    far_lights_.assign(stream, far);
    triangle_lights_.assign(stream, of_triangle);
    sphere_lights_.assign(stream, of_sphere);
    patch_lights_.assign(stream, of_patch);
    photon_sources_.assign(stream, make_alias_table(powers));
    moving_ = MovingLights(stream, std::move(moving), tree, bounds);
}

void LiveLights::update(Stream& stream, const SceneView& scene) {
    if (move()) moving_.update(stream, scene, lights_.view(), tree_.to_write());
}

void LiveLights::show(SceneView& view) const {
    view.lights = lights_.data();
    view.material_lights = material_lights_.data();
    view.n_lights = n_described_;
    view.has_textured_lights = has_textures_;
    view.search = {tree_.view(),          trails_.data(),
                   far_lights_.data(),    static_cast<std::uint32_t>(far_lights_.size()),
                   has_all_in_tree_,      triangle_lights_.data(),
                   sphere_lights_.data(), patch_lights_.data(),
                   first_splat_light_,    only_in_tree_.value_or(LightSearch::kSeveral)};
    view.photon_sources = {photon_sources_.data(),
                           static_cast<std::uint32_t>(photon_sources_.size())};
}

std::size_t LiveLights::bytes() const {
    return lights_.bytes() + material_lights_.bytes() + tree_.bytes() + trails_.bytes() +
           far_lights_.bytes() + triangle_lights_.bytes() + sphere_lights_.bytes() +
           patch_lights_.bytes() + photon_sources_.bytes() + moving_.bytes();
}

}  // namespace tl

#include "renderer/radiosity/points/scene_fingerprint.h"

#include <algorithm>

#include "renderer/radiosity/points/fingerprint.h"

namespace tl {

std::uint64_t fingerprint_of_surfaces(const Scene& scene, float time) {
    Fingerprint print;
    for (auto& mesh : scene.meshes) {
        print.add(mesh.positions);
        print.add(mesh.normals);
        print.add(mesh.triangles);
        print.add_value(mesh.instanced);
    }
    for (auto& set : scene.patches) {
        print.add(set.points);
        print.add(set.weights);
    }
    for (auto& instance : scene.instances) {
        print.add_value(instance.mesh);
        print.add_value(instance.transform);
    }
    for (auto& sphere : scene.spheres) {
        print.add_value(sphere.center);
        print.add_value(sphere.radius);
    }
    for (auto& splat : scene.splats) {
        print.add_value(splat.center);
        print.add_value(splat.radius);
        print.add_value(splat.normal);
    }
    for (auto& material : scene.materials) {
        print.add_value(material.alpha_texture);
        print.add_value(material.alpha_cutoff);
    }
    if (scene.duration > 0) print.add_value(time);
    return print.value();
}

std::uint64_t fingerprint_of_scattering(const Scene& scene) {
    Fingerprint print;
    auto add = [&](const auto&... values) { (print.add_value(values), ...); };
    for (auto& m : scene.materials) {
        add(m.kind, m.diffuse, m.specular, m.exponent, m.roughness, m.ior, m.transmission,
            m.absorption, m.priority, m.diffuse_texture, m.alpha_texture, m.alpha_cutoff,
            m.normal_texture, m.normal_scale, m.layers.has_value());
        if (auto& l = m.layers)
            add(l->base, l->metallic, l->roughness, l->reflectance, l->transmission, l->coat,
                l->coat_roughness, l->texture);
    }
    for (auto& set : scene.gaussians) print.add(set.centers);
    return print.value();
}

std::uint64_t fingerprint_of_glass(const Scene& scene) {
    Fingerprint print;
    for (auto& m : scene.materials) {
        bool is_dielectric = m.kind == MaterialKind::dielectric;
        print.add_value(is_dielectric && m.roughness == 0 && !m.layers);
        if (!is_dielectric) continue;
        print.add_value(m.transmission);
        print.add_value(m.absorption);
        print.add_value(m.priority);
    }
    return print.value();
}

bool has_dim_dielectrics(const Scene& scene) {
    return std::ranges::any_of(scene.materials, [](const Material& m) {
        return m.kind == MaterialKind::dielectric &&
               (m.absorption != vec3(0) || m.transmission != vec3(1));
    });
}

std::uint64_t fingerprint_of_senders(const Scene& scene, float time) {
    Fingerprint print;
    for (auto& light : scene.lights) {
        if (!has_surface(light.kind)) continue;
        print.add_value(light.kind);
        print.add_value(light.position);
        print.add_value(light.edge_u);
        print.add_value(light.edge_v);
        print.add_value(light.radius);
    }
    for (auto& material : scene.materials) {
        print.add_value(material.kind);
        print.add_value(material.diffuse != vec3(0));
    }
    if (scene.duration > 0) print.add_value(time);
    return print.value();
}

}  // namespace tl

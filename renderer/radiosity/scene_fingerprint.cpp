#include "renderer/radiosity/scene_fingerprint.h"

#include <cstring>
#include <span>

namespace tl {
namespace {

class Fingerprint {
  public:
    /// Of plain data, eight bytes at a time.
    void add(const void* data, std::size_t n_bytes) {
        auto* bytes = static_cast<const unsigned char*>(data);
        add_word(n_bytes);
        for (; n_bytes >= sizeof(std::uint64_t); n_bytes -= sizeof(std::uint64_t)) {
            std::uint64_t word;
            std::memcpy(&word, bytes, sizeof word);
            add_word(word);
            bytes += sizeof word;
        }
        std::uint64_t rest = 0;
        if (n_bytes > 0) std::memcpy(&rest, bytes, n_bytes);
        add_word(rest);
    }
    template <class T>
    void add(const std::vector<T>& values) {
        add(values.data(), values.size() * sizeof(T));
    }
    template <class T>
    void add_value(const T& value) {
        add(&value, sizeof value);
    }
    [[nodiscard]] std::uint64_t value() const { return hash_; }

  private:
    void add_word(std::uint64_t word) {
        hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15u;
        hash_ ^= hash_ >> 32;
    }

    std::uint64_t hash_ = 0x7261646961746500u;
};

}  // namespace

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
    for (auto& material : scene.materials) print.add_value(material.alpha_texture);
    if (scene.duration > 0) print.add_value(time);
    return print.value();
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

#include "renderer/scene/points/surface_samples.h"

#include <algorithm>
#include <cmath>

#include "core/base/host_memory.h"
#include "core/base/random.h"
#include "renderer/images/srgb.h"
#include "renderer/scene/instances.h"
#include "renderer/scene/points/in_chunks.h"
#include "renderer/scene/points/poisson_disk.h"

namespace tl {
namespace {

using glm::dmat3;
using glm::dmat4;
using glm::dvec3;

/// Texture coordinate in [0, 1] that a coordinate beyond that range maps to.
float wrapped(float coordinate, TextureWrap wrap) {
    if (wrap == TextureWrap::clamp) return std::clamp(coordinate, 0.0f, 1.0f);
    float whole = std::floor(coordinate), part = coordinate - whole;
    bool is_mirrored = wrap == TextureWrap::mirror && std::fmod(std::abs(whole), 2.0f) == 1;
    return is_mirrored ? 1 - part : part;
}

/// Texel at texture coordinates, with linear colours in [0, 1].
vec4 texel_at(const Texture& texture, vec2 uv) {
    if (texture.rgba.empty()) return vec4(1);
    auto index = [](float part, int n) {
        return std::clamp(static_cast<int>(part * static_cast<float>(n)), 0, n - 1);
    };
    int x = index(wrapped(uv.x, texture.wrap_u), texture.width);
    int y = texture.height - 1 - index(wrapped(uv.y, texture.wrap_v), texture.height);
    std::size_t at = 4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(texture.width) +
                          static_cast<std::size_t>(x));
    auto* bytes = texture.rgba.data() + at;
    vec4 texel = vec4(bytes[0], bytes[1], bytes[2], bytes[3]) / 255.0f;
    if (!texture.lower.empty()) {
        auto* lower = texture.lower.data() + at;
        texel = texel * (255 * 256 / 65535.0f) +
                vec4(lower[0], lower[1], lower[2], lower[3]) / 65535.0f;
    }
    if (texture.is_srgb)
        for (int k = 0; k < 3; ++k) texel[k] = linear_from_srgb(texel[k]);
    return texel;
}

/// Point on a triangle or sphere, before its shading data is known.
struct SurfacePoint {
    dvec3 position{0};
    dvec3 normal{0, 0, 1};          ///< face normal, unit length
    std::size_t part = 0;           ///< index of a mesh; the number of meshes for spheres
    std::size_t triangle = 0;       ///< index of the triangle, or of the sphere
    double weights[3] = {1, 0, 0};  ///< barycentric coordinates
};

class SurfaceSampler {
  public:
    SurfaceSampler(const SurfacesToSample& surfaces, std::uint64_t seed)
        : surfaces_(surfaces), scene_(*surfaces.scene), seed_(seed) {
        for (auto& part : surfaces.meshes) {
            first_.push_back(n_pieces_);
            n_pieces_ += part.mesh->triangles.size();
            matrices_.emplace_back(part.transform);
            for_normals_.push_back(glm::transpose(dmat3(inverse_transform(part.transform))));
        }
        first_.push_back(n_pieces_);
        n_pieces_ += surfaces.spheres.size();
        require_host_memory(n_pieces_ * sizeof(double), "sampling the surfaces",
                            "sample fewer of them at a time");
        add_areas();
    }
    [[nodiscard]] double area() const { return n_pieces_ == 0 ? 0 : area_up_to_.back(); }

    [[nodiscard]] Dart dart(std::uint64_t number) const {
        SurfacePoint point = place_of(number);
        return {vec3(point.position), vec3(point.normal), !is_hole(point)};
    }
    [[nodiscard]] vec3 normal_at(const SurfacePoint& point) const {
        if (point.part == surfaces_.meshes.size()) return vec3(point.normal);
        auto& mesh = *surfaces_.meshes[point.part].mesh;
        if (mesh.normals.empty()) return vec3(point.normal);
        dvec3 normal = for_normals_[point.part] * dvec3(interpolated(mesh.normals, point));
        double length = glm::length(normal);
        return length > 0 && std::isfinite(length) ? vec3(normal / length) : vec3(point.normal);
    }
    [[nodiscard]] vec3 color_at(const SurfacePoint& point) const {
        auto& material = scene_.materials[static_cast<std::size_t>(material_of(point))];
        vec3 color = material.layers ? material.layers->base : material.diffuse;
        if (material.diffuse_texture >= 0)
            color *= vec3(texel_at(texture(material.diffuse_texture), uv_of(point)));
        return glm::clamp(color * own_color(point), 0.0f, 1.0f);
    }
    [[nodiscard]] vec3 emission_at(const SurfacePoint& point) const {
        auto& material = scene_.materials[static_cast<std::size_t>(material_of(point))];
        if (is_on_sphere(point) && surfaces_.spheres[point.triangle].emission != vec3(0))
            return surfaces_.spheres[point.triangle].emission + material.emission;
        if (material.emission == vec3(0) || material.emission_texture < 0) return material.emission;
        return material.emission * vec3(texel_at(texture(material.emission_texture), uv_of(point)));
    }
    [[nodiscard]] SurfacePoint place_of(std::uint64_t number) const {
        constexpr std::uint32_t kStream =
            0x706F696E;  // random stream apart from others of the seed
        Philox4 bits = philox4x32(
            static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32), kStream,
            0, static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32));
        double chosen = (bits.v[0] + bits.v[1] * 0x1p-32) * 0x1p-32 * area();
        auto above = std::ranges::upper_bound(area_up_to_, chosen);
        // Rounding may lead beyond the last piece; the last one with an area is taken.
        if (above == area_up_to_.end()) above = std::ranges::lower_bound(area_up_to_, area());
        auto piece = static_cast<std::size_t>(above - area_up_to_.begin());
        double u = (bits.v[2] + 0.5) * 0x1p-32, v = (bits.v[3] + 0.5) * 0x1p-32;
        return piece >= first_.back() ? on_sphere(piece, u, v) : on_triangle(piece, u, v);
    }

  private:
    void add_areas() {
        area_up_to_.resize(n_pieces_);
        for (std::size_t part = 0; part < surfaces_.meshes.size(); ++part)
            for_each_point(surfaces_.meshes[part].mesh->triangles.size(), [&](std::size_t k) {
                dvec3 p[3];
                corners_of(part, k, p);
                area_up_to_[first_[part] + k] =
                    glm::length(glm::cross(p[1] - p[0], p[2] - p[0])) / 2;
            });
        for (std::size_t i = 0; i < surfaces_.spheres.size(); ++i) {
            auto radius = static_cast<double>(surfaces_.spheres[i].radius);
            area_up_to_[first_.back() + i] = 4 * double{kPi} * radius * radius;
        }
        double sum = 0;
        for (double& area : area_up_to_) area = sum += std::isfinite(area) ? area : 0;
    }

    void corners_of(std::size_t part, std::size_t triangle, dvec3* p) const {
        auto& mesh = *surfaces_.meshes[part].mesh;
        for (int k = 0; k < 3; ++k)
            p[k] = dvec3(matrices_[part] *
                         glm::dvec4(dvec3(mesh.positions[mesh.triangles[triangle][k]]), 1));
    }

    [[nodiscard]] SurfacePoint on_triangle(std::size_t piece, double u, double v) const {
        SurfacePoint point;
        auto above = std::ranges::upper_bound(first_, piece);
        point.part = static_cast<std::size_t>(above - first_.begin()) - 1;
        point.triangle = piece - first_[point.part];
        double root = std::sqrt(u);
        point.weights[0] = 1 - root;
        point.weights[1] = root * (1 - v);
        point.weights[2] = root * v;
        dvec3 p[3];
        corners_of(point.part, point.triangle, p);
        for (int k = 0; k < 3; ++k) point.position += point.weights[k] * p[k];
        dvec3 normal = glm::cross(p[1] - p[0], p[2] - p[0]);
        // A mirrored instance has the same outside as the mesh.
        if (glm::determinant(dmat3(matrices_[point.part])) < 0) normal = -normal;
        if (double length = glm::length(normal); length > 0) point.normal = normal / length;
        return point;
    }

    [[nodiscard]] SurfacePoint on_sphere(std::size_t piece, double u, double v) const {
        SurfacePoint point;
        point.part = surfaces_.meshes.size();
        point.triangle = piece - first_.back();
        double z = 1 - 2 * u, around = std::sqrt(std::max(1 - z * z, 0.0));
        double angle = 2 * double{kPi} * v;
        point.normal = {around * std::cos(angle), around * std::sin(angle), z};
        auto& sphere = surfaces_.spheres[point.triangle];
        point.position = dvec3(sphere.center) + static_cast<double>(sphere.radius) * point.normal;
        return point;
    }

    template <class T>
    [[nodiscard]] T interpolated(const std::vector<T>& values, const SurfacePoint& point) const {
        auto corners = surfaces_.meshes[point.part].mesh->triangles[point.triangle];
        T sum(0);
        for (int k = 0; k < 3; ++k)
            sum += static_cast<float>(point.weights[k]) * values[corners[k]];
        return sum;
    }
    [[nodiscard]] bool is_on_sphere(const SurfacePoint& point) const {
        return point.part == surfaces_.meshes.size();
    }
    [[nodiscard]] std::int32_t material_of(const SurfacePoint& point) const {
        if (is_on_sphere(point)) return surfaces_.spheres[point.triangle].material;
        auto& part = surfaces_.meshes[point.part];
        return part.material >= 0 ? part.material : part.mesh->material_of_triangle[point.triangle];
    }
    /// Colour of the vertices, or of the sphere.
    [[nodiscard]] vec3 own_color(const SurfacePoint& point) const {
        if (is_on_sphere(point)) return surfaces_.spheres[point.triangle].color;
        auto& mesh = *surfaces_.meshes[point.part].mesh;
        return mesh.colors.empty() ? vec3(1) : interpolated(mesh.colors, point);
    }
    [[nodiscard]] vec2 uv_of(const SurfacePoint& point) const {
        if (is_on_sphere(point)) {  // same mapping as in the renderers
            dvec3 n = point.normal;
            return {0.5 + std::atan2(n.x, n.z) / (2 * double{kPi}),
                    std::acos(std::clamp(-n.y, -1.0, 1.0)) / double{kPi}};
        }
        auto& mesh = *surfaces_.meshes[point.part].mesh;
        return mesh.uvs.empty() ? vec2(0) : interpolated(mesh.uvs, point);
    }
    [[nodiscard]] const Texture& texture(int index) const {
        return scene_.textures[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] bool is_hole(const SurfacePoint& point) const {
        auto& material = scene_.materials[static_cast<std::size_t>(material_of(point))];
        return material.alpha_texture >= 0 &&
               texel_at(texture(material.alpha_texture), uv_of(point)).w < material.alpha_cutoff;
    }

    const SurfacesToSample& surfaces_;
    const Scene& scene_;
    std::uint64_t seed_;
    std::size_t n_pieces_ = 0;        ///< triangles, then spheres
    std::vector<std::size_t> first_;  ///< first piece of each mesh, then of the spheres
    std::vector<dmat4> matrices_;     ///< transform of each mesh
    std::vector<dmat3> for_normals_;
    std::vector<double> area_up_to_;  ///< prefix sum of the areas of pieces
};

}  // namespace

SurfaceSamples sample_surfaces(const SurfacesToSample& surfaces, std::size_t n, std::uint64_t seed,
                               const std::function<void(double)>& progress) {
    SurfaceSamples samples;
    SurfaceSampler sampler(surfaces, seed);
    double area = sampler.area();
    if (!(area > 0)) return samples;
    auto disk = throw_darts(
        n, area, [&](std::uint64_t number) { return sampler.dart(number); }, progress);
    std::size_t n_found = disk.darts.size();
    samples.positions.resize(n_found);
    samples.normals.resize(n_found);
    samples.colors.resize(n_found);
    samples.emission.resize(n_found);
    for_each_point(n_found, [&](std::size_t i) {
        auto point = sampler.place_of(disk.darts[i]);
        samples.positions[i] = vec3(point.position);
        samples.normals[i] = sampler.normal_at(point);
        samples.colors[i] = sampler.color_at(point);
        samples.emission[i] = sampler.emission_at(point);
    });
    if (std::ranges::all_of(samples.emission, [](vec3 emission) { return emission == vec3(0); }))
        samples.emission = {};
    samples.area = area * disk.present;
    samples.distance = disk.distance;
    return samples;
}

}  // namespace tl

#include "renderer/scene/instances.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <span>

#include "core/base/error.h"
#include "core/base/random.h"
#include "renderer/scene/limits.h"

namespace tl {

std::string transform_fault(const mat4& transform) {
    const glm::dmat4 m(transform);
    for (int column = 0; column < 4; ++column)
        for (int row = 0; row < 3; ++row)
            if (!(std::abs(m[column][row]) <= kLargestCoordinate))
                return "a number of its transform is not finite or beyond 1e15";
    for (int column = 0; column < 4; ++column)
        if (m[column][3] != (column == 3 ? 1 : 0))
            return "its transform is not affine: the last row is not 0 0 0 1";
    // Relative to the volume that perpendicular axes of these lengths would span.
    constexpr double kFlattest = 1e-6, kShortest = 1e-9;
    const glm::dmat3 linear(m);
    double lengths = 1;
    for (int column = 0; column < 3; ++column) {
        double length = glm::length(linear[column]);
        if (!(length >= kShortest)) return "its transform is singular: a scale of 0";
        lengths *= length;
    }
    if (!(std::abs(glm::determinant(linear)) >= kFlattest * lengths))
        return "its transform is singular: it flattens the mesh";
    return "";
}

mat4 inverse_transform(const mat4& transform) {
    return mat4(glm::inverse(glm::dmat4(transform)));
}

WalkCycle cycle_of(const Walk& walk, float duration) {
    float around = 2 * kPi * std::abs(walk.radius);
    if (!(around > 0) || !(duration > 0)) return {};
    float turns = std::max(1.0f, std::round(walk.speed * duration / around));
    return {walk.radius, turns, std::max(1.0f, std::round(turns * around / walk.stride)), walk.bob};
}

void check_instances(const Scene& scene) {
    for (std::size_t i = 0; i < scene.instances.size(); ++i) {
        const Instance& instance = scene.instances[i];
        std::string fault;
        if (instance.mesh >= scene.meshes.size())
            fault = "there is no mesh " + std::to_string(instance.mesh);
        else if (!scene.meshes[instance.mesh].instanced)
            fault = "mesh '" + scene.meshes[instance.mesh].name + "' is not marked as instanced";
        else if (instance.material < -1 ||
                 instance.material >= static_cast<std::int32_t>(scene.materials.size()))
            fault = "there is no material " + std::to_string(instance.material);
        else
            fault = transform_fault(instance.transform);
        if (!fault.empty()) throw UserError("instance " + std::to_string(i) + ": " + fault);
    }
}

void scatter_instances(Scene& scene, const Instance& base, const Scatter& scatter) {
    auto count = static_cast<double>(scatter.count);
    double n_columns = std::clamp(
        std::ceil(std::sqrt(count * double(scatter.size.x) / double(scatter.size.y))), 1.0, count);
    double n_rows = std::ceil(count / n_columns);
    for (std::int64_t i = 0; i < scatter.count; ++i) {
        RandomStream random(scatter.seed, static_cast<std::uint32_t>(i), 0);
        float r[4];
        for (float& number : r) number = random.next();
        auto in_cell = [&](float number) { return 0.5f + scatter.jitter * (number - 0.5f); };
        auto cell = static_cast<double>(i);
        double row = std::floor(cell / n_columns), column = cell - row * n_columns;
        auto x = static_cast<float>((column + in_cell(r[0])) / n_columns - 0.5) * scatter.size.x;
        auto z = static_cast<float>((row + in_cell(r[1])) / n_rows - 0.5) * scatter.size.y;

        Instance& copy = scene.instances.emplace_back(base);
        copy.transform = glm::translate(copy.transform, vec3(x, 0, z));
        if (scatter.turn) copy.transform = glm::rotate(copy.transform, 2 * kPi * r[2], {0, 1, 0});
        copy.transform =
            glm::scale(copy.transform, vec3(glm::mix(scatter.scale.x, scatter.scale.y, r[3])));
        if (random.next_uint() & 1) copy.walk.radius = -copy.walk.radius;
    }
}

void merge_meshes(Scene& scene, std::size_t first) {
    if (scene.meshes.size() < first + 2) return;
    Mesh& merged = scene.meshes[first];
    bool normals = false, uvs = false, colors = false;
    for (auto& mesh : std::span(scene.meshes).subspan(first)) {
        normals = normals || !mesh.normals.empty();
        uvs = uvs || !mesh.uvs.empty();
        colors = colors || !mesh.colors.empty();
    }
    // A zero normal means the triangle's geometric normal.
    if (normals) merged.normals.resize(merged.positions.size(), vec3(0));
    if (uvs) merged.uvs.resize(merged.positions.size(), vec2(0));
    if (colors) merged.colors.resize(merged.positions.size(), vec3(1));
    auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    for (auto& mesh : std::span(scene.meshes).subspan(first + 1)) {
        auto base = static_cast<std::uint32_t>(merged.positions.size());
        append(merged.positions, mesh.positions);
        append(merged.normals, mesh.normals);
        append(merged.uvs, mesh.uvs);
        append(merged.colors, mesh.colors);
        if (normals) merged.normals.resize(merged.positions.size(), vec3(0));
        if (uvs) merged.uvs.resize(merged.positions.size(), vec2(0));
        if (colors) merged.colors.resize(merged.positions.size(), vec3(1));
        for (auto triangle : mesh.triangles) merged.triangles.push_back(triangle + base);
        append(merged.material_of_triangle, mesh.material_of_triangle);
    }
    scene.meshes.resize(first + 1);
}

}  // namespace tl

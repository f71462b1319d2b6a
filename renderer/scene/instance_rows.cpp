#include "renderer/scene/instance_rows.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include "core/base/random.h"
#include "renderer/scene/scene_items.h"

namespace tl {
namespace {

/// Least part of a copy's width that the first and last of a filled row keep.
constexpr float kLeastPart = 0.05f;

/// Appends one row of copies from the origin of `frame`. `lo` and `width`: of the mesh, along x.
void line_up(Scene& scene, Instance copy, const mat4& frame, const Row& row, float lo, float width,
             RandomStream random) {
    // In double precision: a hundred million steps along a row are each longer than its rounding.
    const double length = double(glm::mix(row.length.x, row.length.y, random.next()));
    const double first_part = double(glm::mix(kLeastPart, 1.0f, random.next()));
    for (double x = 0; x < length;) {
        vec3 mixed;
        for (int axis = 0; axis < 3; ++axis)
            mixed[axis] = row.one_scale && axis > 0 ? mixed[0] : random.next();
        vec3 scale = glm::mix(row.scale.first, row.scale.second, mixed);
        const double uncut = double(scale.x) * double(width);
        double extent = row.fill && x == 0 ? first_part * uncut : uncut;
        const double least_left = double(row.gap) + double(kLeastPart) * uncut;
        if (row.fill && x + extent + least_left > length) extent = length - x;
        if (x + extent > length) return;
        scale.x = static_cast<float>(extent / double(width));
        copy.transform = glm::translate(frame, vec3(float(x) - scale.x * lo, 0, 0));
        copy.transform = glm::scale(copy.transform, scale);
        scene.instances.push_back(copy);
        x += extent + double(row.gap);
    }
}

}  // namespace

double Row::most_copies(float width) const {
    double least = double(width) * double(std::min(scale.first.x, scale.second.x)) + double(gap);
    // The ends of a filled row may be short.
    double of_row = std::floor(double(std::max(length.x, length.y)) / least) + (fill ? 2 : 0);
    return static_cast<double>(rows) * of_row;
}

void line_up_instances(Scene& scene, const Instance& base, const Row& row) {
    Box own = bounds_of_points(scene.meshes[base.mesh].positions);
    for (std::int64_t i = 0; i < row.rows; ++i)
        line_up(scene, base, glm::translate(base.transform, row.step * static_cast<float>(i)), row,
                own.lo.x, own.hi.x - own.lo.x,
                RandomStream(row.seed, static_cast<std::uint32_t>(i), 0));
}

void vary_materials(Scene& scene, std::size_t first, std::span<const std::int32_t> materials,
                    std::uint64_t seed) {
    // A sample number of its own: sizes and positions of the copies are drawn from others.
    constexpr std::uint32_t kSample = 1;
    for (std::size_t i = first; i < scene.instances.size(); ++i) {
        RandomStream random(seed, static_cast<std::uint32_t>(i - first), kSample);
        auto choice =
            static_cast<std::size_t>(random.next() * static_cast<float>(materials.size()));
        scene.instances[i].material = materials[std::min(choice, materials.size() - 1)];
    }
}

}  // namespace tl

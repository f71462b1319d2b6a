// Rows of instances side by side, and materials of many instances.
#pragma once

#include <span>
#include <utility>

#include "renderer/scene/scene.h"

namespace tl {

/// Parameters of rows of copies, side by side along x from the origin.
struct Row {
    vec2 length{1};                                 ///< least and greatest length of a row
    float gap = 0;                                  ///< between neighbours
    std::pair<vec3, vec3> scale{vec3(1), vec3(1)};  ///< least and greatest scale factors of a copy
    bool one_scale = false;  ///< one random number for the scale factors of all axes
    std::int64_t rows = 1;
    vec3 step{0};       ///< from one row to the next
    bool fill = false;  ///< scale the first and last copy along x, so that the row has its length
    std::uint64_t seed = 1;

    /// Upper bound of the number of copies; `width`: of the mesh, along x.
    [[nodiscard]] double most_copies(float width) const;
};

/// Appends `row.rows` rows of copies of `base`, each of as many as fit; then the transform of
/// `base` moves all of them. Neighbours touch by the bounds of the mesh, which must extend along x;
/// heights and depths are scaled about the mesh's origin. The same arguments give the same
/// instances everywhere.
void line_up_instances(Scene& scene, const Instance& base, const Row& row);

/// Gives each instance from `first` on one of `materials`, of which there is at least one, at
/// random. The same arguments give the same materials everywhere.
void vary_materials(Scene& scene, std::size_t first, std::span<const std::int32_t> materials,
                    std::uint64_t seed);

}  // namespace tl

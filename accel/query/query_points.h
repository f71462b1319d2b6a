// The points of a list of queries: a caller's array, or the points of a grid.
#pragma once

#include "accel/query/shapes.h"

namespace tl {

/// Points of queries, and the order in which threads take them.
struct QueryPoints {
    StridedFloats points;
    std::uint32_t count = 0;
    /// The query of each thread; null: thread i takes query i.
    const std::uint32_t* order = nullptr;
    /// Points of a grid, if its size is not 0; neighbouring threads then take a tile of 4 x 4 x 2.
    glm::uvec3 size{0};
    vec3 origin{0}, spacing{0};

    /// A grid of at most 2^31 points.
    [[nodiscard]] static QueryPoints grid(glm::uvec3 size, vec3 origin, vec3 spacing) {
        QueryPoints q;
        q.count = size.x * size.y * size.z;
        q.size = size;
        q.origin = origin;
        q.spacing = spacing;
        return q;
    }
    [[nodiscard]] TL_HD glm::uvec3 tiles() const {
        return glm::uvec3((size.x + 3) / 4, (size.y + 3) / 4, (size.z + 1) / 2);
    }
    /// The number of threads to start.
    [[nodiscard]] TL_HD std::uint32_t n_threads() const {
        if (size.x == 0) return count;
        glm::uvec3 t = tiles();
        return 32 * t.x * t.y * t.z;
    }
    /// The query that a thread takes; `count` or more for none.
    [[nodiscard]] TL_HD std::uint32_t query_of(std::uint32_t thread) const {
        if (size.x == 0) return thread >= count ? count : order ? order[thread] : thread;
        if (thread >= n_threads()) return count;
        glm::uvec3 t = tiles(), at;
        std::uint32_t tile = thread / 32, in_tile = thread % 32;
        at.x = tile % t.x * 4 + in_tile % 4;
        at.y = tile / t.x % t.y * 4 + in_tile / 4 % 4;
        at.z = tile / t.x / t.y * 2 + in_tile / 16;
        if (at.x >= size.x || at.y >= size.y || at.z >= size.z) return count;
        return (at.z * size.y + at.y) * size.x + at.x;
    }
    /// The index of a grid's query along each axis.
    [[nodiscard]] TL_HD glm::uvec3 grid_point(std::uint32_t query) const {
        return glm::uvec3(query % size.x, query / size.x % size.y, query / size.x / size.y);
    }
    [[nodiscard]] TL_HD vec3 operator()(std::uint32_t query) const {
        if (size.x == 0) return points.vector(query);
        return origin + spacing * vec3(grid_point(query));
    }
};

}  // namespace tl

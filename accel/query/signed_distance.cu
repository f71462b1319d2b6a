// Signs of a grid. A winding number is a harmonic function of the point wherever there is no
// surface, and no surface is closer to a cell's centre than the closest point. If the number at
// the centre is far enough from 1/2, the cell lies on one side and needs no further sum. Otherwise
// the cell is split into eight.
#include "accel/query/signed_distance.h"

#include "accel/query/closest_point.h"
#include "accel/query/winding_sum.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

#if defined(__CUDACC__)
constexpr bool kTogether = true;
#else
constexpr bool kTogether = false;
#endif

/// Points along each edge of the largest cells.
constexpr std::uint32_t kLargestCell = 4;
/// Largest error of a winding number with the accuracy of signs.
constexpr float kSignError = 0.065f;

/// Returns how much a harmonic function can change from the centre of a ball to a point `ratio`
/// radii away. It must change by less than 1 in the whole ball. Source: the Schwarz lemma of
/// harmonic functions (Axler, Bourdon and Ramey 2001, theorem 6.16).
TL_HD float most_change(float ratio) {
    const float square = ratio * ratio;
    return (1 - (1 - square) / sqrtf(1 + square)) / ratio;
}

/// The cells of one size.
struct CellLevel {
    std::uint32_t edge;  ///< points along each edge of a cell
    glm::uvec3 n_cells;

    CellLevel(const QueryPoints& grid, std::uint32_t edge)
        : edge(edge), n_cells((grid.size + (edge - 1)) / edge) {}
    [[nodiscard]] std::uint32_t count() const { return n_cells.x * n_cells.y * n_cells.z; }
    [[nodiscard]] TL_HD glm::uvec3 cell(std::uint32_t i) const {
        return glm::uvec3(i % n_cells.x, i / n_cells.x % n_cells.y, i / n_cells.x / n_cells.y);
    }
    [[nodiscard]] TL_HD std::uint32_t index(glm::uvec3 cell) const {
        return (cell.z * n_cells.y + cell.y) * n_cells.x + cell.x;
    }
    [[nodiscard]] TL_HD bool contains(glm::uvec3 cell) const {
        return cell.x < n_cells.x && cell.y < n_cells.y && cell.z < n_cells.z;
    }
};

/// Indices of cells that are on both sides, or not known to be on one.
struct CellList {
    View<std::uint32_t> cells;
    View<std::uint32_t> count;  ///< one element

    CellList(Scratch& scratch, const CellLevel& level)
        : cells(scratch.take<std::uint32_t>(level.count())), count(scratch.take<std::uint32_t>(1)) {
        scratch.stream().device().fill_zero(scratch.stream(), count.data, sizeof(std::uint32_t));
    }
};

/// Negates the distances of the level's cells that lie inside, and lists those that are undecided.
struct CellSigner {
    WindingSum winding;
    QueryPoints grid;
    float* distances;
    CellLevel level;
    View<std::uint32_t> undecided, n_undecided;  ///< not written for cells of one point

    /// Called by all lanes of a warp.
    TL_D void sign(glm::uvec3 cell, bool has_cell) const {
        const glm::uvec3 first = cell * level.edge;
        const glm::uvec3 last = glm::min(first + (level.edge - 1), grid.size - 1u);
        const vec3 center = grid.origin + grid.spacing * (0.5f * (vec3(first) + vec3(last)));
        float most = 0.5f;
        if (has_cell && level.edge > 1) {
            const float radius = glm::length(0.5f * grid.spacing * (vec3(last) - vec3(first)));
            const float free = free_radius(first, last, center);
            most = radius < free ? 0.5f - kSignError - most_change(radius / free) : 0;
        }
        const float number = winding.sum<kTogether>(center, has_cell && most > 0);
        if (!has_cell) return;
        if (level.edge == 1 || (most > 0 && fabsf(number - 0.5f) > 0.5f - most))
            write(first, last, number > 0.5f);
        else
            undecided[atomic_add(n_undecided.data, 1u)] = level.index(cell);
    }

  private:
    /// A lower bound of the distance of the centre, from the distances of the points around it.
    TL_D float free_radius(glm::uvec3 first, glm::uvec3 last, vec3 center) const {
        const glm::uvec3 sum = first + last;
        float most = 0;
        for (std::uint32_t k = 0; k < 8; ++k) {
            const glm::uvec3 at = (sum + glm::uvec3(k & 1u, k >> 1u & 1u, k >> 2u)) / 2u;
            const std::uint32_t query = (at.z * grid.size.y + at.y) * grid.size.x + at.x;
            most = maximum(most, distances[query] - glm::length(grid(query) - center));
        }
        return most < kInfinity ? most : 0;
    }
    TL_D void write(glm::uvec3 first, glm::uvec3 last, bool inside) const {
        if (!inside) return;
        for (std::uint32_t z = first.z; z <= last.z; ++z)
            for (std::uint32_t y = first.y; y <= last.y; ++y)
                for (std::uint32_t x = first.x; x <= last.x; ++x) {
                    float& distance = distances[(z * grid.size.y + y) * grid.size.x + x];
                    distance = -distance;
                }
    }
};

/// Decides all cells of the largest level.
void sign_largest(Stream& stream, const CellSigner& signer) {
    const QueryPoints cells = QueryPoints::grid(signer.level.n_cells, vec3(0), vec3(1));
    parallel_for(
        stream, "signs of cells", cells.n_threads(),
        TL_LAMBDA(std::uint32_t thread) {
            const std::uint32_t i = cells.query_of(thread);
            signer.sign(signer.level.cell(i), i < cells.count);
        },
        64);
}

/// Decides the eight children of each cell of a list.
void sign_children(Stream& stream, const CellSigner& signer, const CellLevel& parent_level,
                   const CellList& parents) {
    const View<const std::uint32_t> cells = parents.cells, count = parents.count;
    parallel_for(
        stream, "signs of cells", 8 * parent_level.count(),
        TL_LAMBDA(std::uint32_t thread) {
            const std::uint32_t parent = thread / 8, k = thread % 8;
            glm::uvec3 cell(0);
            bool has_cell = parent < count[0];
            if (has_cell) {
                cell = 2u * parent_level.cell(cells[parent]) +
                       glm::uvec3(k & 1u, k >> 1u & 1u, k >> 2u);
                has_cell = signer.level.contains(cell);
            }
            signer.sign(cell, has_cell);
        },
        64);
}

}  // namespace

void find_signed_distances(Scratch& scratch, const WindingTree& tree, QueryPoints queries,
                           float* distances) {
    ClosestPointsOut closest;
    closest.distances = distances;
    find_closest_points(scratch, tree.tree, queries, kInfinity, closest);
    if (queries.size.x == 0)
        return find_winding_numbers(scratch, tree, queries, {nullptr, nullptr, distances});
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto signer = [&](const CellLevel& level, const CellList& list) {
        return CellSigner{{tree}, queries, distances, level, list.cells, list.count};
    };
    CellLevel level(queries, kLargestCell);
    CellList undecided(scratch, level);
    sign_largest(stream, signer(level, undecided));
    while (level.edge > 1) {
        const CellLevel smaller(queries, level.edge / 2);
        const CellList parents = undecided;
        if (smaller.edge > 1) undecided = CellList(scratch, smaller);
        sign_children(stream, signer(smaller, undecided), level, parents);
        level = smaller;
    }
}

TL_DEVICE_END

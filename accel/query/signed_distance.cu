// Signs of a grid. Within the distance of a cell's centre to the surface, the winding number
// changes only with the solid angle of the mesh's boundary, none in a closed mesh. By the law of
// Biot and Savart, its gradient at a point x is at most the integral of dl / (4 pi |y - x|^2) over
// the boundary. If the number at the centre is further from 1/2 than it can change in the cell, the
// cell lies on one side and needs no further sum. Otherwise the cell is split into eight.
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

/// Largest radius of a cell, as a part of the distance to the surface, that is decided at once.
constexpr float kMostRatio = 0.7f;

/// Bounds the integral of dl / |y - p|^2 over the boundary of a mesh.
struct BoundaryIntegral {
    WindingTree winding;

    /// Whether the integral may be more than `most`. `free`: a lower bound of the distance of p to
    /// the surface.
    [[nodiscard]] TL_D bool exceeds(float most, vec3 p, float free) const {
        const TreeView& tree = winding.tree.tree;
        if (tree.bvh2.header->n_valid == 0) return false;
        const NodeRef root = NodeRef::inner(tree.bvh2.header->root);
        if (bound_of(root, p, free) <= most) return false;
        TraversalStack stack;
        Traversal way(root, stack);
        float sum = 0;
        while (!way.done() && !(sum > most)) {
            if (way.ref.is_leaf()) {
                for (std::uint32_t k = 0; k < way.ref.count(); ++k)
                    sum += along_edges(way.ref.first() + k, p);
                way.go_on(NodeRef::missing());
                continue;
            }
            // A node with a small part of the allowed integral is not looked into.
            constexpr float kSmallPart = 1.0f / 16;
            const float bound = bound_of(way.ref, p, free);
            if (bound <= kSmallPart * most) {
                sum += bound;
                way.go_on(NodeRef::missing());
                continue;
            }
            const BvhNode& node = tree.bvh2.nodes[way.ref.bits];
            const NodeRef child0 = node.child0, child1 = node.child1;
            if (!child1.is_missing()) way.push(child1);
            way.go_on(child0);
        }
        way.report(tree.bvh2.header);
        return !(sum <= most);
    }

  private:
    TL_D float bound_of(NodeRef inner, vec3 p, float free) const {
        const WindingNode& node = winding.nodes[inner.bits];
        const float distance = maximum(free, glm::length(node.center - p) - node.radius);
        return node.boundary / (distance * distance);
    }
    TL_D float along_edges(std::uint32_t slot, vec3 p) const {
        const vec3 weights = winding.boundary[slot];
        if (weights.x + weights.y + weights.z == 0) return 0;
        const TriangleEdges t(load_words(winding.tree.tree.primitives + slot));
        const vec3 a = t.vertex - p, b = a + t.edge1, c = a + t.edge2;
        float sum = 0;
        if (weights.x > 0) sum += weights.x * along_edge(a, b);
        if (weights.y > 0) sum += weights.y * along_edge(b, c);
        if (weights.z > 0) sum += weights.z * along_edge(a, c);
        return sum;
    }
    /// The integral from a to b about the origin: the angle between them over the distance of their
    /// line.
    TL_D static float along_edge(vec3 a, vec3 b) {
        const float sine = glm::length(glm::cross(a, b)), cosine = glm::dot(a, b);
        const float length = glm::length(b - a);
        // On a line with the origin, which is outside of the edge.
        if (sine <= 1e-4f * fabsf(cosine)) return 1.001f * length / fabsf(cosine);
        return length * atan2f(sine, cosine) / sine;
    }
};

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
    BoundaryIntegral boundary;
    QueryPoints grid;
    float* distances;
    CellLevel level;
    View<std::uint32_t> undecided, n_undecided;  ///< not written for cells of one point

    /// Called by all lanes of a warp.
    TL_D void sign(glm::uvec3 cell, bool has_cell) const {
        const glm::uvec3 first = cell * level.edge;
        const glm::uvec3 last = glm::min(first + (level.edge - 1), grid.size - 1u);
        const vec3 center = grid.origin + grid.spacing * (0.5f * (vec3(first) + vec3(last)));
        const bool is_point = level.edge == 1;
        float radius = 0, free = 0;
        if (has_cell && !is_point) {
            radius = glm::length(0.5f * grid.spacing * (vec3(last) - vec3(first)));
            free = free_radius(first, last, center);
        }
        const bool is_free = is_point || radius < kMostRatio * free;
        const float number = winding.sum<kTogether>(center, has_cell && is_free);
        if (!has_cell) return;
        if (is_point || (is_free && is_on_one_side(number, center, radius, free)))
            write(first, last, number > 0.5f);
        else
            undecided[atomic_add(n_undecided.data, 1u)] = level.index(cell);
    }

  private:
    /// Whether the winding number, which is given at the centre, cannot be 1/2 within the radius.
    TL_D bool is_on_one_side(float number, vec3 center, float radius, float free) const {
        const float margin = fabsf(number - 0.5f) - kSignError;
        if (!(margin > 0)) return false;
        // |y - x| is at least (1 - radius / free) |y - center| along the way from the centre.
        const float most = margin * 4 * kPi * (1 - radius / free) / radius;
        return radius == 0 || !boundary.exceeds(most, center, free);
    }
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
    if (queries.size.x == 0 || tree.boundary.empty())
        return find_winding_numbers(scratch, tree, queries, {nullptr, nullptr, distances});
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto signer = [&](const CellLevel& level, const CellList& list) {
        return CellSigner{{tree}, {tree}, queries, distances, level, list.cells, list.count};
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

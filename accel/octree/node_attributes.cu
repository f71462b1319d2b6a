// Leaves sum their points; then the last child of a node to be complete sums all of them, in their
// order, and goes on to the parent, so that one launch climbs the whole tree (as Karras 2012 has
// boxes). Sums are therefore the same whatever the order of work. They are also the same on both
// devices: this file is compiled without fused multiplication and addition, and takes square roots
// and quotients alone, which round in one way.
//
// Second moments are about each node's centroid, and are moved to the parent's by the parallel axis
// theorem (Chan, Golub & LeVeque 1983), since sums of squares of coordinates would lose all digits
// far from the origin. The cone of normals is about the sum of area times normal; a child's cone is
// turned to the parent's axis (Sederberg & Meyers 1988), which may widen it, never the reverse.
#include "accel/octree/node_attributes.h"

#include "accel/parallel/atomics.h"
#include "accel/parallel/block.h"
#include "accel/parallel/whole_copy.h"

TL_DEVICE_BEGIN

namespace {

/// The direction of a vector of any length; zero for zero.
TL_D vec3 direction_of(vec3 v) {
    float most = largest(glm::abs(v));
    if (!(most > 0)) return vec3(0);
    v /= most;
    return v / glm::sqrt(glm::dot(v, v));
}

/// The cosine of the cone about `axis` that holds a child's.
TL_D float cosine_about(vec3 axis, vec3 child_normal, float child_cosine) {
    float turn = minimum(glm::dot(axis, direction_of(child_normal)), 1.0f);
    if (turn + child_cosine <= 0) return -1;  // half a turn or more
    float turn_sine = glm::sqrt(maximum(1 - turn * turn, 0.0f));
    float child_sine = glm::sqrt(maximum(1 - child_cosine * child_cosine, 0.0f));
    return turn * child_cosine - turn_sine * child_sine;
}

TL_D void add_moments(float (&moments)[6], float area, vec3 d) {
    vec3 a = area * d;
    moments[0] += a.x * d.x;
    moments[1] += a.y * d.y;
    moments[2] += a.z * d.z;
    moments[3] += a.x * d.y;
    moments[4] += a.x * d.z;
    moments[5] += a.y * d.z;
}

/// Whether the normals of some points or nodes have a direction in the mean.
TL_D bool has_axis(vec3 axis) {
    return axis.x != 0 || axis.y != 0 || axis.z != 0;
}

TL_D OctreeAttributes sum_of_points(const Surfel* points, std::uint32_t n) {
    OctreeAttributes sum{};
    vec3 origin = points[0].position, shift(0);
    for (std::uint32_t i = 0; i < n; ++i) {
        Surfel point = load_whole(points[i]);
        sum.box.extend(point.position);
        sum.area += point.area;
        shift += point.area * (point.position - origin);
        sum.normal += point.area * point.normal;
    }
    sum.centroid = sum.area > 0 ? origin + shift / sum.area : sum.box.center();
    vec3 axis = direction_of(sum.normal);
    sum.cone_cosine = has_axis(axis) ? 1.0f : -1.0f;
    for (std::uint32_t i = 0; i < n; ++i) {
        Surfel point = load_whole(points[i]);
        add_moments(sum.moments, point.area, point.position - sum.centroid);
        bool has_normal = has_axis(point.normal);
        sum.cone_cosine =
            minimum(sum.cone_cosine, has_normal ? glm::dot(axis, point.normal) : -1.0f);
    }
    return sum;
}

/// The first two words of attributes.
struct alignas(16) AttributeHead {
    vec3 centroid;
    float area;
    vec3 normal;
    float cone_cosine;
};

/// The sum of one or more nodes that other threads have written.
TL_D OctreeAttributes sum_of_nodes(const OctreeAttributes* parts, std::uint32_t n) {
    OctreeAttributes sum{};
    vec3 origin = load_fresh(reinterpret_cast<const AttributeHead*>(parts)).centroid, shift(0);
    for (std::uint32_t i = 0; i < n; ++i) {
        auto head = load_fresh(reinterpret_cast<const AttributeHead*>(parts + i));
        sum.area += head.area;
        shift += head.area * (head.centroid - origin);
        sum.normal += head.normal;
    }
    sum.centroid = origin + (sum.area > 0 ? shift / sum.area : vec3(0));
    vec3 axis = direction_of(sum.normal);
    sum.cone_cosine = has_axis(axis) ? 1.0f : -1.0f;
    for (std::uint32_t i = 0; i < n; ++i) {
        OctreeAttributes part = load_fresh(parts + i);
        sum.box.extend(part.box);
        add_moments(sum.moments, part.area, part.centroid - sum.centroid);
        for (int k = 0; k < 6; ++k) sum.moments[k] += part.moments[k];
        sum.cone_cosine =
            minimum(sum.cone_cosine, cosine_about(axis, part.normal, part.cone_cosine));
    }
    if (!(sum.area > 0)) sum.centroid = sum.box.center();
    return sum;
}

/// Leaves of the last level may have any number of points: those of more than a piece are summed
/// piece by piece, and the pieces eight by eight, by a block each.
struct LargeLeaves {
    static constexpr std::uint32_t kPiece = OctreeConfig::kMostLeafSize;
    static constexpr std::uint32_t kTogether = 8;
    static constexpr int kThreads = 256;

    View<std::uint32_t> leaves;
    View<OctreeAttributes> pieces;  ///< room for those of each leaf, and of sums of them
    View<std::uint32_t> counts;     ///< of leaves and of pieces

    TL_HD static std::uint32_t parts_of(std::uint32_t n, std::uint32_t size) {
        return (n + size - 1) / size;
    }
    /// Pieces and their sums of a leaf of `n` points, but the last sum.
    TL_HD static std::uint32_t room_for(std::uint32_t n) {
        std::uint32_t room = 0;
        for (n = parts_of(n, kPiece); n > 1; n = parts_of(n, kTogether)) room += n;
        return room;
    }
    /// Room for leaves of `n` points in total: each has two pieces or more, and the sums of m
    /// pieces are fewer than m / 7 + 10.
    static LargeLeaves take(Scratch& scratch, std::size_t n) {
        std::size_t n_leaves = n / (kPiece + 1), n_pieces = n / kPiece + n_leaves;
        return {scratch.take<std::uint32_t>(n_leaves + 1),
                scratch.take<OctreeAttributes>(n_pieces + n_pieces / 7 + 10 * n_leaves),
                scratch.take<std::uint32_t>(2)};
    }
};

struct Climb {
    OctreeView tree;
    View<std::uint32_t> arrived;  ///< how many children of each node are complete
    LargeLeaves large;

    struct Shared {
        std::uint32_t first_piece;
    };

    /// Sums leaf k and the nodes above that it completes; does nothing for other nodes.
    TL_D void climb_from_leaf(std::uint32_t k) const {
        if (k >= tree.header[0].n_nodes) return;
        OctreeNode node = load_whole(tree.nodes[k]);
        if (!node.is_leaf()) return;
        if (node.count() > LargeLeaves::kPiece) {
            large.leaves[atomic_append(&large.counts[0])] = k;
            return;
        }
        store_whole(tree.attributes[k], sum_of_points(&tree.points[node.first], node.count()));
        climb_above(k);
    }
    TL_D void climb_above(std::uint32_t k) const {
        while (k > 0) {
            k = tree.parents[k];
            OctreeNode node = load_whole(tree.nodes[k]);
            std::uint32_t n_children = node.end_child - node.first_child;
            if (n_children > 1 && atomic_arrive(&arrived[k]) + 1 < n_children) return;
            store_whole(tree.attributes[k],
                        sum_of_nodes(&tree.attributes[node.first_child], n_children));
        }
    }
    /// Sums the large leaves.
    TL_D void operator()(const Block<LargeLeaves::kThreads>& block, Shared& shared) const {
        for (std::uint32_t l = block.index; l < large.counts[0]; l += block.n_blocks) {
            std::uint32_t k = large.leaves[l];
            OctreeNode node = tree.nodes[k];
            block.sync();
            if (block.rank == 0)
                shared.first_piece =
                    atomic_add(&large.counts[1], LargeLeaves::room_for(node.count()));
            block.sync();
            OctreeAttributes* pieces = &large.pieces[shared.first_piece];
            std::uint32_t n = LargeLeaves::parts_of(node.count(), LargeLeaves::kPiece);
            for (std::uint32_t i = block.rank; i < n; i += block.size)
                pieces[i] = sum_of_piece(node, i);
            while (n > 1) {
                block.sync();
                std::uint32_t n_sums = LargeLeaves::parts_of(n, LargeLeaves::kTogether);
                OctreeAttributes* sums = n_sums > 1 ? pieces + n : &tree.attributes[k];
                for (std::uint32_t i = block.rank; i < n_sums; i += block.size) {
                    std::uint32_t first = i * LargeLeaves::kTogether;
                    std::uint32_t rest = n - first;
                    sums[i] =
                        sum_of_nodes(pieces + first,
                                     rest < LargeLeaves::kTogether ? rest : LargeLeaves::kTogether);
                }
                pieces = sums;
                n = n_sums;
            }
            block.sync();
            if (block.rank == 0) climb_above(k);
        }
    }
    TL_D OctreeAttributes sum_of_piece(const OctreeNode& node, std::uint32_t i) const {
        std::uint32_t first = node.first + i * LargeLeaves::kPiece;
        std::uint32_t rest = node.end - first;
        return sum_of_points(&tree.points[first],
                             rest < LargeLeaves::kPiece ? rest : LargeLeaves::kPiece);
    }
};

}  // namespace

void sum_attributes(Scratch& scratch, const OctreeView& tree) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    Climb climb{tree, scratch.take<std::uint32_t>(tree.nodes.size),
                LargeLeaves::take(scratch, tree.points.size)};
    auto zero = [&](View<std::uint32_t> view) {
        stream.device().fill_zero(stream, view.data, view.size * sizeof(std::uint32_t));
    };
    zero(climb.arrived);
    zero(climb.large.counts);
    parallel_for(
        stream, "octree attributes", static_cast<std::uint32_t>(tree.nodes.size),
        TL_LAMBDA(std::uint32_t k) { climb.climb_from_leaf(k); });
    launch_blocks<LargeLeaves::kThreads, Climb::Shared>(stream, "large leaves", 132, climb);
}

TL_DEVICE_END

// Bottom-up aggregation of node attributes. One thread sums the points of each leaf. Then threads
// climb from the nodes whose children are all leaves. At any other node, the thread of the last
// inner child to be complete continues. One launch thus climbs the whole tree, as Karras 2012 does
// for boxes.
//
// Sums are the same bits in every run. Up to eight parts are added by halves in a fixed order,
// whatever the order of work. Sums are also the same on both devices. This file is compiled without
// fused multiply-adds, and the square roots and quotients that it uses round alike on both.
//
// Second moments are about each node's centroid. They are moved to the parent's centroid by the
// parallel axis theorem (Chan, Golub & LeVeque 1983), since sums of squares of coordinates would
// lose all digits far from the origin. The cone of normals is about the sum of area times normal. A
// child's cone is converted to the parent's axis (Sederberg & Meyers 1988), which may widen it but
// never narrows it.
#include "accel/octree/node_attributes.h"

#include "core/device/atomics.h"
#include "core/device/block.h"
#include "core/device/vectorized_copy.h"

TL_DEVICE_BEGIN

namespace {

/// Returns the unit vector along v; zero if v has nearly no length.
TL_D vec3 direction_of(vec3 v) {
    constexpr float kLeast = 1e-30f;  // the reciprocal of a greater length is finite
    float most = largest(glm::abs(v));
    if (!(most > kLeast)) return vec3(0);
    v *= 1 / most;
    return v * (1 / glm::sqrt(glm::dot(v, v)));
}

/// Returns the cosine of the cone about `axis` that contains a child's cone.
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

TL_D bool has_axis(vec3 axis) {
    return axis.x != 0 || axis.y != 0 || axis.z != 0;
}

/// Maximum number of parts that sum_of_parts() adds.
constexpr std::uint32_t kParts = 8;

/// Sums of the first pass, which give the centroid and the axis of the cone.
struct FirstSums {
    float area = 0;
    vec3 shift{0};  ///< area times position from an origin near by
    vec3 normal{0};
    Box box;

    TL_D void add(const FirstSums& other) {
        area += other.area;
        shift += other.shift;
        normal += other.normal;
        box.extend(other.box);
    }
};
/// Sums of the second pass, about the centroid and the axis.
struct SecondSums {
    float moments[6] = {};
    float cone_cosine = 1;

    TL_D void add(const SecondSums& other) {
        for (int k = 0; k < 6; ++k) moments[k] += other.moments[k];
        widen(other.cone_cosine);
    }
    /// Widens the cone to `cosine`. Does not use minimum(), which may return either of two zeros.
    TL_D void widen(float cosine) { cone_cosine = cosine < cone_cosine ? cosine : cone_cosine; }
};

/// Returns the sum of work(part) for the first n of eight parts, added by halves. Part 4 is added
/// to part 0, and 6 to 2, the second of these sums to the first, and so on.
template <class Sums, class Work>
TL_D Sums sum_of_parts(std::uint32_t n, const Work& work) {
    auto pair = [&](std::uint32_t part) {
        Sums sums = work(part);
        if (part + 4 < n) sums.add(work(part + 4));
        return sums;
    };
    auto four = [&](std::uint32_t part) {
        Sums sums = pair(part);
        if (part + 2 < n) sums.add(pair(part + 2));
        return sums;
    };
    Sums sums = four(0);
    if (n > 1) sums.add(four(1));
    return sums;
}

TL_D OctreeAttributes joined(const FirstSums& first, vec3 centroid, const SecondSums& second) {
    OctreeAttributes sum;
    sum.centroid = first.area > 0 ? centroid : first.box.center();
    sum.area = first.area;
    sum.normal = first.normal;
    sum.cone_cosine = second.cone_cosine;
    sum.box = first.box;
    for (int k = 0; k < 6; ++k) sum.moments[k] = second.moments[k];
    return sum;
}

TL_D OctreeAttributes sum_of_points(const Surfel* points, std::uint32_t n) {
    FirstSums first;
    SecondSums second;
    vec3 origin = points[0].position;
    for (std::uint32_t i = 0; i < n; ++i) {
        Surfel point = load_vectorized(points[i]);
        vec3 d = point.position - origin;
        first.box.extend(point.position);
        first.area += point.area;
        first.shift += point.area * d;
        first.normal += point.area * point.normal;
        add_moments(second.moments, point.area, d);
    }
    vec3 shift = first.area > 0 ? first.shift / first.area : vec3(0);
    add_moments(second.moments, -first.area, shift);
    vec3 axis = direction_of(first.normal);
    for (std::uint32_t i = 0; i < n; ++i) {
        vec3 normal = load_vectorized(points[i]).normal;  // loads whole words, not single floats
        bool has_cone = has_axis(axis) && has_axis(normal);
        second.widen(has_cone ? glm::dot(axis, normal) : -1.0f);
    }
    return joined(first, origin + shift, second);
}

/// Returns the sum of up to eight nodes, which other threads may have written.
TL_D OctreeAttributes sum_of_nodes(const OctreeAttributes* parts, std::uint32_t n) {
    vec3 origin = load_fresh(&parts[0]).centroid;
    auto first = sum_of_parts<FirstSums>(n, [&](std::uint32_t k) {
        const OctreeAttributes part = load_fresh(&parts[k]);
        FirstSums sums;
        sums.box = part.box;
        sums.area = part.area;
        sums.shift = part.area * (part.centroid - origin);
        sums.normal = part.normal;
        return sums;
    });
    vec3 centroid = origin + (first.area > 0 ? first.shift / first.area : vec3(0));
    vec3 axis = direction_of(first.normal);
    auto second = sum_of_parts<SecondSums>(n, [&](std::uint32_t k) {
        const OctreeAttributes part = load_fresh(&parts[k]);
        SecondSums sums;
        add_moments(sums.moments, part.area, part.centroid - centroid);
        for (int m = 0; m < 6; ++m) sums.moments[m] += part.moments[m];
        sums.widen(has_axis(axis) ? cosine_about(axis, part.normal, part.cone_cosine) : -1.0f);
        return sums;
    });
    return joined(first, centroid, second);
}

/// List of the leaves of more than kPiece points: leaves of the last level may have any number. A
/// block sums each of these in pieces of kPiece points, and then the pieces eight by eight.
struct LargeLeaves {
    static constexpr std::uint32_t kPiece = OctreeConfig::kMostLeafSize;

    View<std::uint32_t> leaves;
    View<OctreeAttributes> pieces;  ///< attributes of the pieces, and of sums of them
    View<std::uint32_t> counts;     ///< two elements: numbers of leaves and of pieces in use

    TL_HD static std::uint32_t parts_of(std::uint32_t n, std::uint32_t size) {
        return (n + size - 1) / size;
    }
    /// Number of pieces and of their sums for a leaf of `n` points, without the last sum.
    TL_HD static std::uint32_t room_for(std::uint32_t n) {
        std::uint32_t room = 0;
        for (n = parts_of(n, kPiece); n > 1; n = parts_of(n, kParts)) room += n;
        return room;
    }
    /// Reserves capacity for leaves of `n` points in total. Each leaf has two pieces or more, and
    /// the sums of m pieces are fewer than m / 7 + 10.
    static LargeLeaves take(Scratch& scratch, std::size_t n) {
        std::size_t n_leaves = n / (kPiece + 1), n_pieces = n / kPiece + n_leaves;
        return {scratch.take<std::uint32_t>(n_leaves + 1),
                scratch.take<OctreeAttributes>(n_pieces + n_pieces / 7 + 10 * n_leaves),
                scratch.take<std::uint32_t>(2)};
    }
};

/// Range of the children of a node.
struct Children {
    std::uint32_t first, n;

    TL_D explicit Children(const OctreeNode& node)
        : first(node.first_child), n(node.end_child - node.first_child) {}
    /// Returns the number of children that are inner nodes.
    [[nodiscard]] TL_D std::uint32_t n_inner(const OctreeView& tree) const {
        std::uint32_t count = 0;
        for (std::uint32_t i = 0; i < n; ++i) count += tree.nodes[first + i].is_leaf() ? 0 : 1;
        return count;
    }
};

/// List of the nodes whose children are all leaves. These are at most half of all nodes, since each
/// has a child of its own.
struct StartNodes {
    View<std::uint32_t> nodes;
    View<std::uint32_t> count;

    TL_D void add_if(const OctreeView& tree, const OctreeNode& node, std::uint32_t k) const {
        if (Children(node).n_inner(tree) == 0) nodes[atomic_append(&count[0])] = k;
    }
};

/// Sums the leaves, and lists the nodes from which the climb starts.
struct LeafPass {
    static constexpr int kThreads = 256;

    OctreeView tree;
    LargeLeaves large;
    StartNodes starts;

    struct Shared {
        std::uint32_t first_piece;
    };

    /// Sums node k if it is a leaf of at most kPiece points; lists larger leaves, and nodes whose
    /// children are all leaves.
    TL_D void sum(std::uint32_t k) const {
        if (k >= tree.header[0].n_nodes) return;
        OctreeNode node = load_vectorized(tree.nodes[k]);
        if (!node.is_leaf()) return starts.add_if(tree, node, k);
        if (node.count() <= LargeLeaves::kPiece)
            store_vectorized(tree.attributes[k],
                             sum_of_points(&tree.points[node.first], node.count()));
        else
            large.leaves[atomic_append(&large.counts[0])] = k;
    }
    /// Sums the large leaves, one block each.
    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
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
                std::uint32_t n_sums = LargeLeaves::parts_of(n, kParts);
                OctreeAttributes* sums = n_sums > 1 ? pieces + n : &tree.attributes[k];
                for (std::uint32_t i = block.rank; i < n_sums; i += block.size) {
                    std::uint32_t first = i * kParts, rest = n - first;
                    sums[i] = sum_of_nodes(pieces + first, rest < kParts ? rest : kParts);
                }
                pieces = sums;
                n = n_sums;
            }
        }
    }
    TL_D OctreeAttributes sum_of_piece(const OctreeNode& node, std::uint32_t i) const {
        std::uint32_t first = node.first + i * LargeLeaves::kPiece;
        std::uint32_t rest = node.end - first;
        return sum_of_points(&tree.points[first],
                             rest < LargeLeaves::kPiece ? rest : LargeLeaves::kPiece);
    }
};

/// Sums the inner nodes, bottom-up, after all leaves are complete.
struct ClimbPass {
    OctreeView tree;
    View<std::uint32_t> arrived;  ///< number of complete inner children of each node

    /// Sums node k, whose children are complete, and the nodes above that it completes.
    TL_D void climb_from(std::uint32_t k) const {
        Children children(load_vectorized(tree.nodes[k]));
        while (true) {
            // Loads the parent's data before the sum, so that both latencies overlap.
            std::uint32_t parent = tree.parents[k];
            Children siblings(load_vectorized(tree.nodes[parent]));
            std::uint32_t n_parts = siblings.n_inner(tree);
            store_vectorized(tree.attributes[k],
                             sum_of_nodes(&tree.attributes[children.first], children.n));
            // The last of several inner children to arrive continues at the parent.
            if (k == 0 || (n_parts > 1 && atomic_arrive(&arrived[parent]) + 1 < n_parts)) return;
            k = parent;
            children = siblings;
        }
    }
};

}  // namespace

void sum_attributes(Scratch& scratch, const OctreeView& tree) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto zero = [&](View<std::uint32_t> view) {
        stream.device().fill_zero(stream, view.data, view.size * sizeof(std::uint32_t));
    };
    auto most = static_cast<std::uint32_t>(tree.nodes.size);
    StartNodes starts{scratch.take<std::uint32_t>(most / 2 + 1), scratch.take<std::uint32_t>(1)};
    LeafPass leaves{tree, LargeLeaves::take(scratch, tree.points.size), starts};
    zero(leaves.large.counts);
    zero(starts.count);
    parallel_for(
        stream, "sums of leaves", most, TL_LAMBDA(std::uint32_t k) { leaves.sum(k); });
    launch_blocks<LeafPass::kThreads>(stream, "sums of large leaves", 132, leaves);
    ClimbPass climb{tree, scratch.take<std::uint32_t>(most)};
    zero(climb.arrived);
    parallel_for(
        stream, "sums of nodes", most / 2 + 1, TL_LAMBDA(std::uint32_t i) {
            if (i < starts.count[0]) climb.climb_from(starts.nodes[i]);
        });
}

TL_DEVICE_END

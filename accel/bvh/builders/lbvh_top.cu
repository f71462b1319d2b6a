// Clusters of a linear BVH, found in the bottom-up pass that builds it (see lbvh.cu). The pass
// builds the whole linear BVH with its boxes, so that the nodes above the clusters have boxes too.
// It takes a fraction of the time of the builders below the clusters. A cluster is a node whose
// primitives share the prefix, below a parent whose primitives do not.
#include "accel/bvh/builders/lbvh_top.h"

#include <algorithm>

#include "core/device/atomics.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

/// Boundaries between clusters: the positions where the prefix of the codes changes.
struct ClusterCut {
    CurveOrder curve;
    int shift;  ///< bits of a code after the prefix

    /// Whether positions i and i + 1 belong to different clusters.
    TL_HD bool between(std::uint32_t i) const { return curve.distance(i).of_codes >> shift; }
};

struct TopClimber {
    View<const Box> boxes;
    ClusterCut cut;
    BinaryTree tree;
    View<const std::uint32_t> cluster_at;  ///< number of the cluster that starts at each position
    View<SubtreeTask> tasks;
    View<NodeRef> roots;
    View<std::uint64_t> first_arrival;

    TL_D Box box_of(NodeRef ref) const {
        if (ref.is_leaf()) return boxes[tree.order[ref.first()]];
        return load_fresh(&tree.nodes[ref.node()]).box();
    }
    TL_D void add_cluster(std::uint32_t first, std::uint32_t last, std::uint32_t parent,
                          NodeRef root) const {
        std::uint32_t cluster = cluster_at[first];
        tasks[cluster] = {first, last - first + 1, parent};
        roots[cluster] = root;
    }
    TL_D void climb_from(std::uint32_t place) const {
        std::uint32_t n = tree.header[0].n_valid;
        if (place == 0) tree.header[0].n_nodes = n < 2 ? n : n - 1;
        if (place >= n) return;
        std::uint32_t first = place, last = place;
        Box box = boxes[tree.order[place]];
        NodeRef ref = NodeRef::leaf(place, 1);
        bool within_cluster = true;
        if (n == 1) {
            write_single_leaf(tree, box);
            return add_cluster(0, 0, SubtreeTask::kNoParent, ref);
        }
        for (;;) {
            bool left = cut.curve.is_left_child(first, last, n);
            std::uint32_t parent = left ? last : first - 1;
            bool parent_within_cluster = within_cluster && !cut.between(parent);
            if (within_cluster && !parent_within_cluster)
                add_cluster(first, last, SubtreeTask::child_of(parent, left ? 0 : 1), ref);
            std::uint64_t mine = std::uint64_t(left ? first : last) << 32 | ref.bits;
            std::uint64_t other = atomic_exchange(&first_arrival[parent], mine);
            if (other == kUnvisited) return;
            (left ? last : first) = static_cast<std::uint32_t>(other >> 32);
            NodeRef other_ref{static_cast<std::uint32_t>(other)};
            box.extend(box_of(other_ref));
            tree.nodes[parent] = {box.lo, left ? ref : other_ref, box.hi, left ? other_ref : ref};
            ref = NodeRef::inner(parent);
            within_cluster = parent_within_cluster;
            if (first != 0 || last != n - 1) continue;
            tree.header[0].root = parent;
            if (within_cluster) add_cluster(first, last, SubtreeTask::kNoParent, ref);
            return;
        }
    }
};

}  // namespace

LbvhTop build_lbvh_top(Scratch& scratch, const BuildInput& input, BinaryTree& tree, CodeBits bits,
                       int prefix_bits) {
    auto& stream = scratch.stream();
    std::size_t n = input.boxes.size;
    std::size_t max_clusters = std::min(n, std::size_t(1) << prefix_bits);
    ClusterCut cut{sort_along_curve(scratch, input, tree, bits),
                   (bits == CodeBits::bits30 ? 30 : 63) - prefix_bits};
    LbvhTop top;
    top.clusters.tasks = scratch.take<SubtreeTask>(max_clusters);
    top.clusters.n_tasks = scratch.take<std::uint32_t>(1);
    auto roots = scratch.take<NodeRef>(max_clusters);
    top.roots = roots;
    auto starts = scratch.take<std::uint32_t>(n);
    auto cluster_at = scratch.take<std::uint32_t>(n);
    auto first_arrival = scratch.take<std::uint64_t>(tree.nodes.size);
    auto header = tree.header;
    parallel_for(
        stream, "cluster starts", static_cast<std::uint32_t>(n), TL_LAMBDA(std::uint32_t place) {
            starts[place] =
                place < header[0].n_valid && (place == 0 || cut.between(place - 1)) ? 1 : 0;
            if (place < first_arrival.size) first_arrival[place] = kUnvisited;
        });
    exclusive_scan<std::uint32_t>(scratch, starts, cluster_at);
    exclusive_scan_tail<std::uint32_t>(stream, starts, cluster_at, top.clusters.n_tasks);
    TopClimber climber{input.boxes,        cut,   tree,         cluster_at,
                       top.clusters.tasks, roots, first_arrival};
    parallel_for(
        stream, "lbvh top", static_cast<std::uint32_t>(n),
        TL_LAMBDA(std::uint32_t place) { climber.climb_from(place); });
    return top;
}

TL_DEVICE_END

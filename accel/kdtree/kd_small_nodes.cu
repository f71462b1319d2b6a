// Small nodes of the SAH kd-tree, after Zhou et al. 2008 as described by Zeidan 2011, section
// 4.4.2. The candidate planes of a small root are the sides of its references' boxes. Each has two
// masks of the references below and above it. A node is a mask of references, so bit counts give
// the counts of both sides, and two ANDs the children. Departs from them in three points. A warp
// builds the whole subtree of a small root in one launch. Nodes keep the tight boxes of their
// references within their cells, and leaves those of clipped triangles. Leaves are limited to the
// layout's size: a larger leaf that the heuristic favours is halved.
#include "accel/kdtree/kd_nodes.h"

#include "accel/bvh/builders/sah_bins.h"

TL_DEVICE_BEGIN

namespace {

using Warp = Block<32>;

TL_D std::uint32_t count_bits(std::uint64_t mask) {
    return static_cast<std::uint32_t>(bit_count(static_cast<std::uint32_t>(mask)) +
                                      bit_count(static_cast<std::uint32_t>(mask >> 32)));
}

/// Node below a small root.
struct KdLocalNode {
    std::uint64_t references;  ///< one bit per reference
    Box box;                   ///< box of the node's references within its cell
    std::uint16_t left;        ///< left child, followed by its sibling; 0 for leaves
    std::uint16_t level;
    /// A leaf's first slot, or an inner node's number, both relative to those of the small root.
    std::uint16_t number;
    std::uint16_t unused;

    [[nodiscard]] TL_HD bool is_leaf() const { return left == 0; }
};

struct SmallShared {
    static constexpr std::uint32_t kSize = KdBuild::kSmallSize;
    /// Maximum number of references in all leaves of a small root: cuts may double their number.
    static constexpr std::uint32_t kMostReferences = 2 * kSize;
    static constexpr std::uint64_t kNone = ~0ull;

    std::uint64_t below[6 * kSize], above[6 * kSize];  ///< masks of the candidates
    std::uint64_t best;
    Box boxes[kSize];
    std::uint32_t primitives[kSize];
    std::uint32_t unsorted[kSize];  ///< primitives in the order of the root's references
    KdLocalNode nodes[2 * kMostReferences];
    std::uint64_t sides[2];  ///< references of both sides of a split
    Box cells[2];            ///< cells of both sides
    OrderedBox tight[2];     ///< boxes of both sides' references
    std::uint32_t n_nodes,
        n_references;  ///< of leaves and of nodes that are still to split
    std::uint32_t first_place, first_node, has_room;

    /// Returns the axis of candidate c, one of the six sides of the box of reference c / 6.
    TL_D static int axis_of(std::uint32_t c) { return static_cast<int>(c % 6 >> 1); }
    /// Returns the coordinate of candidate c along its axis.
    TL_D float plane_of(std::uint32_t c) const {
        const Box& box = boxes[c / 6];
        return c & 1 ? box.hi[axis_of(c)] : box.lo[axis_of(c)];
    }
};

struct SmallPass : KdBuild {
    static constexpr std::uint16_t kMostLevels = 24;  ///< deeper nodes are halved

    TL_D static Box intersection(const Box& a, const Box& b) {
        Box box;
        box.lo = glm::max(a.lo, b.lo);
        box.hi = glm::min(a.hi, b.hi);
        return box;
    }
    /// Loads the references in the order of their primitives. The large nodes leave them in any
    /// order, which would decide between planes of equal cost: two builds could differ.
    TL_D void load(const Warp& warp, const KdSmallRoot& root, SmallShared& s) const {
        const KdReference* from = buffers[root.buffer].data + root.first;
        for (std::uint32_t i = warp.rank; i < root.count; i += warp.size)
            s.unsorted[i] = from[i].primitive;
        warp.sync();
        for (std::uint32_t i = warp.rank; i < root.count; i += warp.size) {
            KdReference reference = from[i];
            std::uint32_t place = 0;
            for (std::uint32_t k = 0; k < root.count; ++k) {
                std::uint32_t other = s.unsorted[k];
                bool before =
                    other < reference.primitive || (other == reference.primitive && k < i);
                place += before ? 1 : 0;
            }
            s.boxes[place] = reference.box();
            s.primitives[place] = reference.primitive;
        }
        warp.sync();
        for (std::uint32_t c = warp.rank; c < 6 * root.count; c += warp.size) {
            int axis = SmallShared::axis_of(c);
            float plane = s.plane_of(c);
            std::uint64_t below = 0, above = 0;
            for (std::uint32_t i = 0; i < root.count; ++i) {
                float lo = s.boxes[i].lo[axis], hi = s.boxes[i].hi[axis];
                // A box in the plane counts as below.
                if (lo < plane || hi <= plane) below |= std::uint64_t(1) << i;
                if (hi > plane) above |= std::uint64_t(1) << i;
            }
            s.below[c] = below;
            s.above[c] = above;
        }
    }
    /// Returns a sort key: a candidate's cost in the upper half, its index in the lower one.
    /// Rejects planes outside of the node, and planes whose cuts would exceed the capacity for
    /// references.
    TL_D std::uint64_t evaluate(const SmallShared& s, const KdLocalNode& node, std::uint32_t c,
                                std::uint32_t n_cuts_left) const {
        if (!(node.references >> c / 6 & 1)) return SmallShared::kNone;
        int axis = SmallShared::axis_of(c);
        float plane = s.plane_of(c);
        if (!(plane > node.box.lo[axis] && plane < node.box.hi[axis])) return SmallShared::kNone;
        std::uint32_t n_below = count_bits(node.references & s.below[c]);
        std::uint32_t n_above = count_bits(node.references & s.above[c]);
        if (n_below == 0 || n_above == 0) return SmallShared::kNone;
        if (n_below + n_above > count_bits(node.references) + n_cuts_left)
            return SmallShared::kNone;
        Box below = node.box, above = node.box;
        below.hi[axis] = above.lo[axis] = plane;
        float cost = static_cast<float>(n_below) * below.half_area() +
                     static_cast<float>(n_above) * above.half_area();
        return std::uint64_t(cost_bits(cost)) << 32 | c;
    }
    /// Splits node i at a candidate plane. Called by one thread.
    TL_D static void part_by_plane(SmallShared& s, std::uint32_t i, std::uint32_t c) {
        const KdLocalNode& node = s.nodes[i];
        int axis = SmallShared::axis_of(c);
        s.cells[0] = s.cells[1] = node.box;
        s.cells[0].hi[axis] = s.cells[1].lo[axis] = s.plane_of(c);
        s.sides[0] = node.references & s.below[c];
        s.sides[1] = node.references & s.above[c];
    }
    /// Splits node i without cuts: by the references' centres at the middle of the longest axis, or
    /// in half. Called by one thread.
    TL_D static void part_whole(SmallShared& s, std::uint32_t i, std::uint32_t count) {
        const KdLocalNode& node = s.nodes[i];
        vec3 extent = node.box.hi - node.box.lo;
        int axis =
            extent.x >= extent.y ? (extent.x >= extent.z ? 0 : 2) : (extent.y >= extent.z ? 1 : 2);
        float middle = 0.5f * node.box.lo[axis] + 0.5f * node.box.hi[axis];
        s.cells[0] = s.cells[1] = node.box;
        std::uint64_t below = 0, first_half = 0, rest = node.references;
        for (std::uint32_t k = 0; k < count; ++k) {
            std::uint64_t bit = rest & (~rest + 1);
            Box box = intersection(s.boxes[count_bits(bit - 1)], node.box);
            if (0.5f * box.lo[axis] + 0.5f * box.hi[axis] < middle) below |= bit;
            if (k < count / 2) first_half |= bit;
            rest ^= bit;
        }
        bool parts = below != 0 && below != node.references && node.level < kMostLevels;
        s.sides[0] = parts ? below : first_half;
        s.sides[1] = node.references & ~s.sides[0];
    }
    /// Computes the boxes of both sides' references within their cells. Called by all threads;
    /// starts and ends with a barrier.
    TL_D static void find_boxes(const Warp& warp, std::uint32_t n, SmallShared& s) {
        if (warp.rank == 0)
            for (auto& box : s.tight) box.clear();
        warp.sync();
        for (int side = 0; side < 2; ++side) {
            Box box, cell = s.cells[side];
            for (std::uint32_t r = warp.rank; r < n; r += warp.size)
                if (s.sides[side] >> r & 1) box.extend(intersection(s.boxes[r], cell));
            s.tight[side].extend_by_all(box);
        }
        warp.sync();
    }
    /// Appends both children of node i. Called by one thread.
    TL_D static void add_children(SmallShared& s, std::uint32_t i) {
        KdLocalNode& node = s.nodes[i];
        node.left = static_cast<std::uint16_t>(s.n_nodes);
        auto level = static_cast<std::uint16_t>(node.level + 1);
        s.n_references -= count_bits(node.references);
        for (int side = 0; side < 2; ++side) {
            s.n_references += count_bits(s.sides[side]);
            s.nodes[s.n_nodes++] = {s.sides[side], s.tight[side].box(), 0, level, 0, 0};
        }
    }
    /// Whether splitting node i as computed by find_boxes() costs less than a leaf.
    TL_D bool split_pays(const SmallShared& s, std::uint32_t i, std::uint32_t count) const {
        float area = s.nodes[i].box.half_area();
        float cost = input.leaves.node_cost * area;
        for (int side = 0; side < 2; ++side)
            cost += static_cast<float>(count_bits(s.sides[side])) * s.tight[side].box().half_area();
        return cost < static_cast<float>(count) * area;
    }
    /// Splits node i or makes it a leaf. Called by all threads; ends with a barrier.
    TL_D void split_node(const Warp& warp, std::uint32_t i, std::uint32_t n, std::uint32_t most,
                         SmallShared& s) const {
        KdLocalNode node = s.nodes[i];
        std::uint32_t count = count_bits(node.references);
        if (count == 1) return;
        std::uint32_t n_cuts_left = most - s.n_references;
        warp.sync();
        if (warp.rank == 0) s.best = SmallShared::kNone;
        warp.sync();
        std::uint64_t best = SmallShared::kNone;
        if (node.level < kMostLevels)
            for (std::uint32_t c = warp.rank; c < 6 * n; c += warp.size) {
                std::uint64_t key = evaluate(s, node, c, n_cuts_left);
                best = key < best ? key : best;
            }
        if (best != SmallShared::kNone) block_min(&s.best, best);
        warp.sync();
        best = s.best;
        if (best != SmallShared::kNone) {
            if (warp.rank == 0) part_by_plane(s, i, static_cast<std::uint32_t>(best));
            find_boxes(warp, n, s);
            bool pays = split_pays(s, i, count);
            warp.sync();
            if (pays) {
                if (warp.rank == 0) add_children(s, i);
                warp.sync();
                return;
            }
        }
        if (count <= input.leaves.max_size) return;
        if (warp.rank == 0) part_whole(s, i, count);
        find_boxes(warp, n, s);
        if (warp.rank == 0) add_children(s, i);
        warp.sync();
    }
    /// Builds the nodes below a root of `count` references, with at most `most` references in all
    /// leaves.
    TL_D void split(const Warp& warp, std::uint32_t count, std::uint32_t most,
                    SmallShared& s) const {
        if (warp.rank == 0) {
            Box all;
            for (std::uint32_t r = 0; r < count; ++r) all.extend(s.boxes[r]);
            s.nodes[0] = {count == 64 ? ~0ull : (1ull << count) - 1, all, 0, 0, 0, 0};
            s.n_nodes = 1;
            s.n_references = count;
        }
        warp.sync();
        for (std::uint32_t i = 0; i < s.n_nodes; ++i) split_node(warp, i, count, most, s);
    }
    /// Numbers leaf slots and nodes and reserves them. Returns false if the capacity does not
    /// suffice for the references that cuts have added. Called by one thread.
    TL_D bool take_room(const KdSmallRoot& root, SmallShared& s) const {
        if (!take_references(*this, s.n_references - root.count)) return false;
        std::uint32_t n_places = 0, n_inner = 0;
        for (std::uint32_t i = 0; i < s.n_nodes; ++i) {
            KdLocalNode& node = s.nodes[i];
            node.number = static_cast<std::uint16_t>(node.is_leaf() ? n_places : n_inner);
            if (node.is_leaf())
                n_places += count_bits(node.references);
            else
                ++n_inner;
        }
        // A tree of a single leaf still has one node.
        if (n_inner == 0 && root.parent == SubtreeTask::kNoParent) n_inner = 1;
        s.first_place = atomic_add(&counters->n_places, n_places);
        s.first_node = atomic_add(&tree.header[0].n_nodes, n_inner);
        return true;
    }
    TL_D NodeRef reference_to(const SmallShared& s, std::uint32_t i) const {
        const KdLocalNode& node = s.nodes[i];
        if (node.is_leaf())
            return NodeRef::leaf(s.first_place + node.number, count_bits(node.references));
        return NodeRef::inner(s.first_node + node.number);
    }
    TL_D void write_leaf(SmallShared& s, KdLocalNode& node) const {
        std::uint32_t place = s.first_place + node.number;
        Box all;
        for (std::uint64_t rest = node.references; rest != 0; rest &= rest - 1) {
            std::uint32_t r = count_bits((rest & (~rest + 1)) - 1);
            Box whole = s.boxes[r], box = intersection(whole, node.box);
            if (box.lo != whole.lo || box.hi != whole.hi)
                box = clip(input.triangles, KdReference::of(whole, s.primitives[r]), node.box);
            boxes[place] = box;
            primitive_of[place] = s.primitives[r];
            tree.order[place] = place;
            ++place;
            all.extend(box);
        }
        node.box = all;
    }
    TL_D void write(const Warp& warp, const KdSmallRoot& root, SmallShared& s) const {
        for (std::uint32_t i = warp.rank; i < s.n_nodes; i += warp.size)
            if (s.nodes[i].is_leaf()) write_leaf(s, s.nodes[i]);
        warp.sync();
        // Backwards, since children come after their parents.
        if (warp.rank == 0)
            for (std::uint32_t i = s.n_nodes; i-- > 0;) {
                KdLocalNode& node = s.nodes[i];
                if (node.is_leaf()) continue;
                node.box = s.nodes[node.left].box;
                node.box.extend(s.nodes[node.left + 1].box);
            }
        warp.sync();
        for (std::uint32_t i = warp.rank; i < s.n_nodes; i += warp.size) {
            const KdLocalNode& node = s.nodes[i];
            if (node.is_leaf()) continue;
            tree.nodes[s.first_node + node.number] = {node.box.lo, reference_to(s, node.left),
                                                      node.box.hi, reference_to(s, node.left + 1u)};
        }
        if (warp.rank != 0) return;
        NodeRef top = reference_to(s, 0);
        if (root.parent == SubtreeTask::kNoParent && top.is_leaf()) {
            tree.nodes[s.first_node] = {s.nodes[0].box.lo, top, s.nodes[0].box.hi,
                                        NodeRef::missing()};
            top = NodeRef::inner(s.first_node);
        }
        link_child(tree, root.parent, top);
    }
    TL_D void operator()(const Warp& warp, SmallShared& s) const {
        std::uint32_t n_roots = counters->n_small_roots;
        for (std::uint32_t k = warp.index; k < n_roots; k += warp.n_blocks) {
            warp.sync();  // all lanes have read the previous round's values
            KdSmallRoot root = small_roots[k];
            load(warp, root, s);
            split(warp, root.count, SmallShared::kMostReferences, s);
            if (warp.rank == 0) s.has_room = take_room(root, s) ? 1 : 0;
            warp.sync();
            if (!s.has_room) {
                // The capacity does not suffice: splits again, without cuts.
                split(warp, root.count, root.count, s);
                if (warp.rank == 0) take_room(root, s);
                warp.sync();
            }
            write(warp, root, s);
        }
    }
};

}  // namespace

void split_small_kd_nodes(Stream& stream, const KdBuild& build) {
    // Number of warps that can be resident on 132 SMs; they loop over the roots.
    std::size_t n_blocks = build.small_roots.size < 132 * 16 ? build.small_roots.size : 132 * 16;
    launch_blocks<32, SmallShared>(stream, "kd subtrees", static_cast<std::uint32_t>(n_blocks),
                                   SmallPass{build});
    BinaryTree tree = build.tree;
    parallel_for(
        stream, "kd output sizes", static_cast<std::uint32_t>(tree.nodes.size),
        TL_LAMBDA(std::uint32_t i) {
            bool used = i < tree.header[0].n_nodes;
            tree.output_sizes[i] =
                used ? output_size_of_children(tree.nodes[i].left, tree.nodes[i].right) : 0;
        });
}

TL_DEVICE_END

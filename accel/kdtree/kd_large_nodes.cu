// Large nodes of the SAH kd-tree, after Zhou et al. 2008 ("Real-time kd-tree construction on
// graphics hardware") as described by Zeidan 2011, section 4.4.1. Level by level, empty space is
// cut off cells, which are then halved at their middle. Triangles on both sides are clipped.
// Departs from them in three points. Nodes keep the tight boxes of their references, so that
// cutting off empty space needs no node. Bounds, counts and splits of all nodes take two launches
// per level over chunks of references, without sorting or scanning flags. If the cuts of a plane
// make it cost at least as much as no split, the references are divided into two parts instead,
// without cuts.
#include "accel/bvh/builders/level_chunks.h"
#include "accel/bvh/builders/valid_references.h"
#include "accel/kdtree/kd_nodes.h"

TL_DEVICE_BEGIN

namespace {

/// Rule that assigns a node's references to its children.
enum KdMode : std::uint32_t {
    kPlane,    ///< by the plane; references that it cuts go to both
    kCenters,  ///< by the side of the plane that contains their centre
    kPlaces,   ///< by position: the first half goes left, the second half right
};

struct KdNode {
    std::uint32_t first, count;
    std::uint32_t parent;
    std::uint32_t n_done;  ///< chunks that have been counted
    Box cell;
    OrderedBox bounds;                             ///< bounds of the references within the cell
    std::uint32_t n_below, n_cut, n_center_below;  ///< references by their side of the plane
    std::uint32_t mode;
    std::uint32_t axis;
    float plane;
    std::uint32_t child_count[2];
    std::uint32_t child_first[2];
    std::uint32_t child_buffer[2];
    std::uint32_t child[2];  ///< NewNode::index
    std::uint32_t n_placed[2];

    TL_HD static KdNode start(std::uint32_t first, std::uint32_t count, std::uint32_t parent,
                              const Box& cell) {
        KdNode node;
        node.first = first;
        node.count = count;
        node.parent = parent;
        node.cell = cell;
        node.n_done = node.n_below = node.n_cut = node.n_center_below = 0;
        node.n_placed[0] = node.n_placed[1] = 0;
        node.bounds.clear();
        return node;
    }
    /// Returns an unbounded cell: all of space, empty outside of the references' bounds.
    TL_HD static Box unbounded_cell() {
        Box cell;
        cell.lo = cell.hi = vec3(std::numeric_limits<float>::quiet_NaN());
        return cell;
    }
    /// Cuts empty space off the cell, and puts the plane in the cell's middle.
    TL_HD void choose_plane(float empty_space) {
        Box tight = bounds.box();
        float longest = 0;
        plane = tight.lo.x;
        axis = 0;
        for (int a = 0; a < 3; ++a) {
            float enough = empty_space * (cell.hi[a] - cell.lo[a]);
            // The negated comparison also holds for NaN, which unbounded cells give.
            if (!(tight.lo[a] - cell.lo[a] <= enough)) cell.lo[a] = tight.lo[a];
            if (!(cell.hi[a] - tight.hi[a] <= enough)) cell.hi[a] = tight.hi[a];
            float extent = cell.hi[a] - cell.lo[a];
            float middle = 0.5f * cell.lo[a] + 0.5f * cell.hi[a];
            if (extent > longest && middle > tight.lo[a] && middle < tight.hi[a]) {
                longest = extent;
                axis = static_cast<std::uint32_t>(a);
                plane = middle;
            }
        }
    }
    /// Whether part of a box is below the plane; a box in the plane counts as below.
    TL_HD bool below(const Box& box) const {
        auto a = static_cast<int>(axis);
        return box.lo[a] < plane || box.hi[a] <= plane;
    }
    /// Whether part of a box is above the plane.
    TL_HD bool above(const Box& box) const { return box.hi[static_cast<int>(axis)] > plane; }
    TL_HD bool center_below(const Box& box) const {
        auto a = static_cast<int>(axis);
        return 0.5f * box.lo[a] + 0.5f * box.hi[a] <= plane;
    }
};

using Level = LevelNodes<KdNode>;

struct LargeKdNodes : KdBuild, LevelPass<Level> {
    TL_D void add_small(const KdSmallRoot& root) const {
        small_roots[atomic_add(&counters->n_small_roots, 1)] = root;
    }
};

struct CountShared {
    KdNode node;
    std::uint32_t n_below, n_cut, n_center_below;
    std::uint32_t is_last;
    NewNode children[2];
};

/// First launch of a level: counts the references on each side of the planes, and appends the
/// children.
struct CountPass : LargeKdNodes {
    TL_D std::uint32_t choose_mode(const KdNode& node, const Box& tight) const {
        if (halve) return kPlaces;
        Box below = tight, above = tight;
        auto axis = static_cast<int>(node.axis);
        below.hi[axis] = above.lo[axis] = node.plane;
        std::uint32_t n_above = node.count - node.n_below;
        float cost = static_cast<float>(node.n_below + node.n_cut) * below.half_area() +
                     static_cast<float>(n_above) * above.half_area();
        bool saves = cost < static_cast<float>(node.count) * tight.half_area() &&
                     node.n_below + node.n_cut > 0 && n_above > 0;
        if (saves && take_references(*this, node.n_cut)) return kPlane;
        bool parted = node.n_center_below > 0 && node.n_center_below < node.count;
        return parted ? kCenters : kPlaces;
    }
    /// Writes the node and appends its children. n_below counts references that are only below.
    TL_D void split(CountShared& shared) const {
        KdNode& node = shared.node;
        Box tight = node.bounds.box();
        node.mode = choose_mode(node, tight);
        if (node.mode == kPlane) {
            node.child_count[0] = node.n_below + node.n_cut;
            node.child_count[1] = node.count - node.n_below;
        } else {
            node.child_count[0] = node.mode == kCenters ? node.n_center_below : node.count / 2;
            node.child_count[1] = node.count - node.child_count[0];
        }
        std::uint32_t id = atomic_add(&tree.header[0].n_nodes, 1);
        tree.nodes[id] = {tight.lo, NodeRef::missing(), tight.hi, NodeRef::missing()};
        link_child(tree, node.parent, NodeRef::inner(id));
        for (int side = 0; side < 2; ++side) {
            std::uint32_t count = node.child_count[side];
            std::uint32_t parent = SubtreeTask::child_of(id, side);
            bool large = count > kSmallSize;
            std::uint32_t first = atomic_add(
                large ? &next.counters->n_references : &counters->n_small_references, count);
            node.child_first[side] = first;
            node.child_buffer[side] = large ? buffer ^ 1 : kSmallBuffer;
            node.n_placed[side] = 0;
            shared.children[side] = {};
            if (large) {
                Box cell = node.mode == kPlane ? node.cell : tight;
                if (node.mode == kPlane)
                    (side ? cell.lo : cell.hi)[static_cast<int>(node.axis)] = node.plane;
                shared.children[side] = next.add(KdNode::start(first, count, parent, cell), count);
            } else {
                add_small({first, count, parent, kSmallBuffer});
            }
            node.child[side] = shared.children[side].index;
        }
    }
    /// Merges the block's counts into the node's. Returns true in the last block to do so, with the
    /// merged counts in `shared`.
    TL_D bool merge(const LevelBlock& block, CountShared& shared, KdNode& node) const {
        if (block.rank == 0) {
            atomic_add(&node.n_below, shared.n_below);
            atomic_add(&node.n_cut, shared.n_cut);
            atomic_add(&node.n_center_below, shared.n_center_below);
            bool is_last = is_last_chunk(&node.n_done, LevelChunk::count_of(shared.node.count));
            shared.is_last = is_last ? 1 : 0;
            shared.node.n_below = load_fresh(&node.n_below);
            shared.node.n_cut = load_fresh(&node.n_cut);
            shared.node.n_center_below = load_fresh(&node.n_center_below);
        }
        block.sync();
        return shared.is_last;
    }
    TL_D void operator()(const LevelBlock& block, CountShared& shared) const {
        now.walk(block, [&](LevelChunk chunk, KdNode& node) {
            if (block.rank == 0) {
                shared.node = node;
                shared.node.choose_plane(empty_space);
                shared.n_below = shared.n_cut = shared.n_center_below = 0;
            }
            block.sync();
            std::uint32_t n_below = 0, n_cut = 0, n_center_below = 0;
            const KdReference* from = buffers[buffer].data + shared.node.first + chunk.offset;
            std::uint32_t size = chunk.size_in(shared.node.count);
            for (std::uint32_t i = block.rank; i < size; i += block.size) {
                Box box = from[i].box();
                bool below = shared.node.below(box), above = shared.node.above(box);
                n_below += below && !above ? 1 : 0;
                n_cut += below && above ? 1 : 0;
                n_center_below += shared.node.center_below(box) ? 1 : 0;
            }
            block_add(&shared.n_below, n_below);
            block_add(&shared.n_cut, n_cut);
            block_add(&shared.n_center_below, n_center_below);
            block.sync();
            if (!merge(block, shared, node)) return;
            if (block.rank == 0) {
                split(shared);
                node = shared.node;
            }
            block.sync();
            for (auto& child : shared.children) next.write_chunks(block, child);
        });
    }
};

struct SortShared {
    KdNode node;
    std::uint32_t n[2];
    std::uint32_t start[2];
    OrderedBox bounds[2];
    std::uint16_t slots[2][LevelChunk::kSize];  ///< rank of each reference on either side
};

/// Second launch of a level: moves references to the children; clips those that go to both.
struct SortPass : LargeKdNodes {
    static constexpr std::uint16_t kNowhere = 0xffff;

    TL_D void place(SortShared& shared, const Box& box, std::uint32_t i,
                    std::uint32_t offset) const {
        const KdNode& node = shared.node;
        bool left = false, right = false;
        if (node.mode == kPlane) {
            left = node.below(box);
            right = node.above(box);
        } else {
            left = node.mode == kCenters ? node.center_below(box) : offset < node.child_count[0];
            right = !left;
        }
        shared.slots[0][i] = shared.slots[1][i] = kNowhere;
        if (left) shared.slots[0][i] = static_cast<std::uint16_t>(block_append(&shared.n[0]));
        if (right) shared.slots[1][i] = static_cast<std::uint16_t>(block_append(&shared.n[1]));
    }
    TL_D void write(const SortShared& shared, int side, std::uint32_t i,
                    const KdReference& reference, const Box& box, Box& bounds) const {
        bounds.extend(box);
        std::uint32_t to = shared.start[side] + shared.slots[side][i];
        buffers[shared.node.child_buffer[side]][to] = KdReference::of(box, reference.primitive);
    }
    TL_D void operator()(const LevelBlock& block, SortShared& shared) const {
        now.walk(block, [&](LevelChunk chunk, KdNode& node) {
            if (block.rank == 0) {
                shared.node = node;
                for (int side = 0; side < 2; ++side) {
                    shared.n[side] = 0;
                    shared.bounds[side].clear();
                }
            }
            block.sync();
            const KdReference* from = buffers[buffer].data + shared.node.first + chunk.offset;
            std::uint32_t size = chunk.size_in(shared.node.count);
            for (std::uint32_t i = block.rank; i < size; i += block.size)
                place(shared, from[i].box(), i, chunk.offset + i);
            block.sync();
            for (std::uint32_t side = block.rank; side < 2; side += block.size)
                shared.start[side] = shared.node.child_first[side] +
                                     atomic_add(&node.n_placed[side], shared.n[side]);
            block.sync();
            Box bounds[2];
            for (std::uint32_t i = block.rank; i < size; i += block.size) {
                KdReference reference = from[i];
                Box box = reference.box();
                bool left = shared.slots[0][i] != kNowhere, right = shared.slots[1][i] != kNowhere;
                if (left && right) {
                    Box half = box;
                    auto axis = static_cast<int>(shared.node.axis);
                    half.hi[axis] = shared.node.plane;
                    Box below = clip(input.triangles, reference, half);
                    half = box;
                    half.lo[axis] = shared.node.plane;
                    Box above = clip(input.triangles, reference, half);
                    write(shared, 0, i, reference, below, bounds[0]);
                    write(shared, 1, i, reference, above, bounds[1]);
                } else if (left) {
                    write(shared, 0, i, reference, box, bounds[0]);
                } else {
                    write(shared, 1, i, reference, box, bounds[1]);
                }
            }
            shared.bounds[0].extend_by_all(bounds[0]);
            shared.bounds[1].extend_by_all(bounds[1]);
            block.sync();
            for (std::uint32_t i = block.rank; i < 12; i += block.size) {
                std::uint32_t side = i / 6, child = shared.node.child[side];
                if (child != NewNode::kNone)
                    next.nodes[child].bounds.extend_side(static_cast<int>(i % 6),
                                                         shared.bounds[side]);
            }
        });
    }
};

/// Writes references of the valid boxes in `order`, and appends the root over all of them.
struct RootPass : LargeKdNodes {
    View<const std::uint32_t> order;

    struct Shared {
        NewNode root;
    };
    TL_D void operator()(const LevelBlock& block, Shared& shared) const {
        std::uint32_t n = tree.header[0].n_valid;
        for (std::uint32_t i = block.index * block.size + block.rank; i < n;
             i += block.n_blocks * block.size) {
            std::uint32_t reference = order[i];
            std::uint32_t primitive =
                input.primitive_of.empty() ? reference : input.primitive_of[reference];
            buffers[0][i] = KdReference::of(input.boxes[reference], primitive);
        }
        if (block.index != 0) return;
        if (block.rank == 0) {
            shared.root = {};
            counters->n_live = n;
            if (n > kSmallSize)
                shared.root = now.add(
                    KdNode::start(0, n, SubtreeTask::kNoParent, KdNode::unbounded_cell()), n);
            else if (n > 0)
                add_small({0, n, SubtreeTask::kNoParent, 0});
        }
        block.sync();
        now.write_chunks(block, shared.root);
    }
};

/// Computes the bounds of the root.
struct BoundsPass : LargeKdNodes {
    struct Shared {
        OrderedBox bounds;
    };
    TL_D void operator()(const LevelBlock& block, Shared& shared) const {
        if (block.rank == 0) shared.bounds.clear();
        Box bounds;
        now.walk(block, [&](LevelChunk chunk, const KdNode& node) {
            std::uint32_t size = chunk.size_in(node.count);
            for (std::uint32_t i = block.rank; i < size; i += block.size)
                bounds.extend(buffers[0][chunk.offset + i].box());
        });
        block.sync();
        shared.bounds.extend_by_all(bounds);
        block.sync();
        if (now.counters->n_chunks > 0)
            for (std::uint32_t k = block.rank; k < 6; k += block.size)
                now.nodes[0].bounds.extend_side(static_cast<int>(k), shared.bounds);
    }
};

}  // namespace

void split_large_kd_nodes(Scratch& scratch, const KdBuild& build) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    std::size_t n = build.input.boxes.size;
    auto order = scratch.take<std::uint32_t>(n);
    append_valid(stream, build.input.boxes, order, build.tree.header);
    Level levels[2] = {Level::take(scratch, build.capacity, KdBuild::kSmallSize),
                       Level::take(scratch, build.capacity, KdBuild::kSmallSize)};
    std::size_t first_chunks = LevelChunk::most(n, 0), most_chunks = levels[0].chunks.size;
    launch_levels(
        scratch, LargeKdNodes{build, {}}, levels, n, KdBuild::kSmallSize,
        [&](const LargeKdNodes& pass) {
            launch_walk<RootPass::Shared>(stream, "kd references", first_chunks,
                                          RootPass{pass, order});
            launch_walk<BoundsPass::Shared>(stream, "kd bounds", first_chunks, BoundsPass{pass});
        },
        [&](const LargeKdNodes& pass) {
            launch_walk<CountShared>(stream, "kd count", most_chunks, CountPass{pass});
            launch_walk<SortShared>(stream, "kd sort", most_chunks, SortPass{pass});
        });
}

TL_DEVICE_END

// Full-sweep SAH of small nodes, after Lauterbach et al. 2009 as described by Zeidan 2011, section
// 4.5.2. A block takes a small root and builds its subtree in shared memory, in one launch. Every
// split between two references in sorted order along each axis is evaluated: the exact surface-area
// heuristic. Departs from them in three points. The references are sorted along the axes once and
// kept sorted by stable partitions. A block splits all nodes of a level at once by segmented scans
// over the boxes, with one thread per position; threads stay busy, where the paper's queue
// processes one node after another. On the CPU each subtree is one task.
#include "accel/bvh/builders/sah_small_nodes.h"

#include "accel/bvh/builders/sah_bins.h"

#if !defined(__CUDACC__)
#include <algorithm>
#include <numeric>
#endif

TL_DEVICE_BEGIN

namespace {

struct SmallNodes {
    View<const Box> boxes;
    BinaryTree tree;
    SahOrder order;
    SmallRoots small;
};

/// Difference in size between the sides of a split; breaks ties of cost.
TL_HD std::uint32_t unevenness(std::uint32_t first, std::uint32_t split, std::uint32_t last) {
    std::uint32_t n_left = split - first + 1, n_right = last - split;
    return n_left > n_right ? n_left - n_right : n_right - n_left;
}

#if defined(__CUDACC__)

__device__ Box shuffle_up(const Box& box, unsigned delta) {
    Box other;
    for (int axis = 0; axis < 3; ++axis) {
        other.lo[axis] = __shfl_up_sync(0xffffffffu, box.lo[axis], delta);
        other.hi[axis] = __shfl_up_sync(0xffffffffu, box.hi[axis], delta);
    }
    return other;
}
__device__ Box shuffle_down(const Box& box, unsigned delta) {
    Box other;
    for (int axis = 0; axis < 3; ++axis) {
        other.lo[axis] = __shfl_down_sync(0xffffffffu, box.lo[axis], delta);
        other.hi[axis] = __shfl_down_sync(0xffffffffu, box.hi[axis], delta);
    }
    return other;
}

template <int kThreads>
struct SweepShared {
    std::uint64_t keys[kThreads];  ///< sort keys: coordinate and reference
    float lo[3][kThreads], hi[3][kThreads];
    std::uint32_t references[kThreads];
    std::uint16_t ids[3][kThreads];         ///< sorted along each axis, within each node
    Box warp_boxes[2][kThreads / 32];       ///< warp totals of the forward and the backward scan
    float area_from[kThreads + 1];          ///< area of the boxes from a position to its node's end
    std::uint32_t best_cost[kThreads];      ///< least cost, at a node's first position
    std::uint32_t best_split[kThreads];     ///< encoded best split, at a node's first position
    std::uint8_t goes_left[kThreads];       ///< indexed by id, not by position
    std::uint32_t lefts[3][kThreads / 32];  ///< one bit per position: goes left
};

/// Node of a thread: the range of positions that contains the thread's position.
struct Segment {
    std::uint32_t first, last;
    std::uint32_t parent;
};

template <int kThreads>
struct SweepPass : SmallNodes {
    using Shared = SweepShared<kThreads>;

    __device__ void load_and_sort(std::uint32_t p, const SmallRoot& root, Shared& s) const {
        std::uint32_t n = root.task.count;
        vec3 center(0);
        if (p < n) {
            std::uint32_t reference = order.buffers[root.buffer][root.task.first + p];
            Box box = boxes[reference];
            center = box.center();
            s.references[p] = reference;
            for (int axis = 0; axis < 3; ++axis) {
                s.lo[axis][p] = box.lo[axis];
                s.hi[axis][p] = box.hi[axis];
            }
        }
        for (int axis = 0; axis < 3; ++axis) {
            // Equal coordinates are sorted by reference, so that the order is deterministic.
            std::uint64_t key = 0;
            if (p < n) {
                key = std::uint64_t(ordered_from_float(center[axis])) << 32 | s.references[p];
                s.keys[p] = key;
            }
            __syncthreads();
            if (p < n) {
                std::uint32_t rank = 0;
                for (std::uint32_t i = 0; i < n; ++i) rank += s.keys[i] < key ? 1 : 0;
                s.ids[axis][rank] = static_cast<std::uint16_t>(p);
            }
            __syncthreads();
        }
    }
    __device__ Box box_at(const Shared& s, int axis, std::uint32_t p) const {
        std::uint32_t id = s.ids[axis][p];
        Box box;
        box.lo = vec3(s.lo[0][id], s.lo[1][id], s.lo[2][id]);
        box.hi = vec3(s.hi[0][id], s.hi[1][id], s.hi[2][id]);
        return box;
    }
    /// Returns the box of the references from the segment's first to position p. Sets area_from[p]
    /// to the area of those from p to the segment's last. Called by all threads; has two barriers.
    __device__ Box scan(Shared& s, std::uint32_t p, const Segment& segment, const Box& own) const {
        unsigned lane = p % 32, warp = p / 32;
        Box before = own, after = own;
        for (unsigned delta = 1; delta < 32; delta *= 2) {
            Box other_before = shuffle_up(before, delta);
            Box other_after = shuffle_down(after, delta);
            if (lane >= delta && p - delta >= segment.first) before.extend(other_before);
            if (lane + delta < 32 && p + delta <= segment.last) after.extend(other_after);
        }
        if (lane == 31) s.warp_boxes[0][warp] = before;
        if (lane == 0) s.warp_boxes[1][warp] = after;
        __syncthreads();
        for (unsigned w = segment.first / 32; w < warp; ++w) before.extend(s.warp_boxes[0][w]);
        for (unsigned w = segment.last / 32; w > warp; --w) after.extend(s.warp_boxes[1][w]);
        s.area_from[p] = after.half_area();
        __syncthreads();
        return before;
    }
    /// Finds the split of each node; returns it as unevenness << 16 | axis << 8 | position. Thread
    /// p evaluates the splits after position p. At a node's last position, `box` becomes the node's
    /// box. Called by all threads.
    __device__ std::uint32_t find_split(Shared& s, std::uint32_t p, std::uint32_t n,
                                        const Segment& segment, Box& box) const {
        s.best_cost[p] = s.best_split[p] = 0xffffffffu;
        std::uint32_t cost = 0xffffffffu, split = 0;
        for (int axis = 0; axis < 3; ++axis) {
            Box before = scan(s, p, segment, p < n ? box_at(s, axis, p) : Box{});
            if (axis == 0) box = before;
            if (p >= segment.last) continue;
            auto n_before = static_cast<float>(p - segment.first + 1);
            auto n_after = static_cast<float>(segment.last - p);
            std::uint32_t of_axis =
                cost_bits(n_before * before.half_area() + n_after * s.area_from[p + 1]);
            if (of_axis < cost) {
                cost = of_axis;
                split = unevenness(segment.first, p, segment.last) << 16 |
                        static_cast<std::uint32_t>(axis) << 8 | p;
            }
        }
        if (p < segment.last) atomicMin(&s.best_cost[segment.first], cost);
        __syncthreads();
        if (p < segment.last && cost == s.best_cost[segment.first])
            atomicMin(&s.best_split[segment.first], split);
        __syncthreads();
        return s.best_split[segment.first];
    }
    /// Partitions the three orders by the segments' splits. Called by all threads.
    __device__ void part(Shared& s, std::uint32_t p, const Segment& segment, std::uint32_t axis,
                         std::uint32_t split) const {
        bool active = segment.first < segment.last;
        unsigned lane = p % 32, warp = p / 32;
        if (active) s.goes_left[s.ids[axis][p]] = p <= split ? 1 : 0;
        __syncthreads();
        std::uint16_t ids[3] = {0, 0, 0};
        bool left[3] = {false, false, false};
        for (int a = 0; a < 3; ++a) {
            if (active) {
                ids[a] = s.ids[a][p];
                left[a] = s.goes_left[ids[a]] != 0;
            }
            unsigned bits = __ballot_sync(0xffffffffu, left[a]);
            if (lane == 0) s.lefts[a][warp] = bits;
        }
        __syncthreads();
        if (active)
            for (int a = 0; a < 3; ++a) {
                std::uint32_t n_left = 0;  // positions in [first, p) that go left
                for (unsigned w = segment.first / 32; w <= warp; ++w) {
                    unsigned bits = s.lefts[a][w];
                    if (w == segment.first / 32) bits &= ~0u << segment.first % 32;
                    if (w == warp) bits &= (1u << lane) - 1;
                    n_left += static_cast<std::uint32_t>(__popc(bits));
                }
                std::uint32_t to =
                    left[a] ? segment.first + n_left : split + 1 + (p - segment.first - n_left);
                s.ids[a][to] = ids[a];
            }
        __syncthreads();
    }
    __device__ void write_node(const SubtreeTask& task, const Segment& segment, std::uint32_t split,
                               const Box& box) const {
        std::uint32_t id = task.first + split;
        NodeRef left = split == segment.first ? NodeRef::leaf(id, 1) : NodeRef::missing();
        NodeRef right = split + 1 == segment.last ? NodeRef::leaf(id + 1, 1) : NodeRef::missing();
        tree.nodes[id] = {box.lo, left, box.hi, right};
        link_child(tree, segment.parent, NodeRef::inner(id));
    }
    __device__ void operator()(const Block<kThreads>& block, Shared& s) const {
        std::uint32_t n_roots = small.n_roots[0], p = block.rank;
        for (std::uint32_t r = block.index; r < n_roots; r += block.n_blocks) {
            SmallRoot root = small.roots[r];
            std::uint32_t n = root.task.count;
            load_and_sort(p, root, s);
            Segment segment{p < n ? 0 : p, p < n ? n - 1 : p, root.task.parent};
            for (int level = 0;; ++level) {
                bool active = segment.first < segment.last;
                if (!__syncthreads_or(active)) break;
                Box box;
                std::uint32_t found = find_split(s, p, n, segment, box);
                std::uint32_t axis = found >> 8 & 3, split = found & 0xff;
                if (level >= kSweptLevels) {
                    axis = 0;
                    split = (segment.first + segment.last) / 2;
                }
                part(s, p, segment, axis, split);
                if (!active) continue;
                if (p == segment.last) write_node(root.task, segment, split, box);
                segment.parent = SubtreeTask::child_of(root.task.first + split, p > split ? 1 : 0);
                (p > split ? segment.first : segment.last) = p > split ? split + 1 : split;
            }
            if (p < n) order.leaves[root.task.first + p] = s.references[s.ids[0][p]];
            __syncthreads();
        }
    }
};

template <int kThreads>
void launch_sweep(Stream& stream, const SmallNodes& nodes) {
    // Number of blocks that can be resident on 132 SMs, at most 32 on each.
    std::size_t most = std::size_t(132) * (2048 / kThreads < 32 ? 2048 / kThreads : 32);
    std::size_t n_roots = nodes.small.roots.size;
    launch_blocks<kThreads, SweepShared<kThreads>>(
        stream, "sah sweep", static_cast<std::uint32_t>(n_roots < most ? n_roots : most),
        SweepPass<kThreads>{nodes});
}

#else

/// Builds the subtree of one small root on the CPU.
struct Sweep : SmallNodes {
    SubtreeTask task;
    Box box_of[kMaxSmallSize];
    std::uint32_t references[kMaxSmallSize];
    std::uint32_t ids[3][kMaxSmallSize];  ///< sorted along each axis, within each node
    float area_from[kMaxSmallSize];
    bool goes_left[kMaxSmallSize];

    struct Split {
        std::uint32_t cost = 0xffffffffu, uneven = 0, axis = 0, last_left = 0;
    };

    void load_and_sort(const SmallRoot& root) {
        task = root.task;
        for (std::uint32_t i = 0; i < task.count; ++i) {
            references[i] = order.buffers[root.buffer][task.first + i];
            box_of[i] = boxes[references[i]];
        }
        for (int axis = 0; axis < 3; ++axis) {
            std::iota(ids[axis], ids[axis] + task.count, 0u);
            std::sort(ids[axis], ids[axis] + task.count, [&](std::uint32_t a, std::uint32_t b) {
                float x = box_of[a].center()[axis], y = box_of[b].center()[axis];
                return x != y ? x < y : references[a] < references[b];
            });
        }
    }
    Box find_split(std::uint32_t first, std::uint32_t last, Split& best) {
        Box whole;
        for (std::uint32_t axis = 0; axis < 3; ++axis) {
            Box after;
            for (std::uint32_t p = last; p > first; --p) {
                after.extend(box_of[ids[axis][p]]);
                area_from[p] = after.half_area();
            }
            Box before;
            for (std::uint32_t p = first; p < last; ++p) {
                before.extend(box_of[ids[axis][p]]);
                auto n_before = static_cast<float>(p - first + 1);
                auto n_after = static_cast<float>(last - p);
                Split split{cost_bits(n_before * before.half_area() + n_after * area_from[p + 1]),
                            unevenness(first, p, last), axis, p};
                if (split.cost < best.cost ||
                    (split.cost == best.cost && split.uneven < best.uneven))
                    best = split;
            }
            if (axis == 0) {
                whole = before;
                whole.extend(box_of[ids[0][last]]);
            }
        }
        return whole;
    }
    void build(std::uint32_t first, std::uint32_t last, std::uint32_t parent, int level) {
        if (first == last) return link_child(tree, parent, NodeRef::leaf(task.first + first, 1));
        Split split;
        Box box = find_split(first, last, split);
        if (level >= kSweptLevels) split = {0, 0, 0, (first + last) / 2};
        for (std::uint32_t p = first; p <= last; ++p)
            goes_left[ids[split.axis][p]] = p <= split.last_left;
        for (auto& sorted : ids)
            std::stable_partition(sorted + first, sorted + last + 1,
                                  [&](std::uint32_t id) { return goes_left[id]; });
        std::uint32_t id = task.first + split.last_left;
        tree.nodes[id] = {box.lo, NodeRef::missing(), box.hi, NodeRef::missing()};
        link_child(tree, parent, NodeRef::inner(id));
        build(first, split.last_left, SubtreeTask::child_of(id, 0), level + 1);
        build(split.last_left + 1, last, SubtreeTask::child_of(id, 1), level + 1);
    }
    void run(const SmallRoot& root) {
        load_and_sort(root);
        build(0, task.count - 1, task.parent, 0);
        for (std::uint32_t i = 0; i < task.count; ++i)
            order.leaves[task.first + i] = references[ids[0][i]];
    }
};

#endif

}  // namespace

void sweep_small_nodes(Stream& stream, const BuildInput& input, const BinaryTree& tree,
                       const SahOrder& order, const SmallRoots& small,
                       [[maybe_unused]] std::uint32_t small_size) {
    SmallNodes nodes{input.boxes, tree, order, small};
#if defined(__CUDACC__)
    if (small_size <= 32)
        launch_sweep<32>(stream, nodes);
    else if (small_size <= 64)
        launch_sweep<64>(stream, nodes);
    else if (small_size <= 128)
        launch_sweep<128>(stream, nodes);
    else
        launch_sweep<kMaxSmallSize>(stream, nodes);
#else
    parallel_for(
        stream, "sah sweep", small.n_roots[0],
        [&](std::uint32_t i) {
            Sweep sweep;
            static_cast<SmallNodes&>(sweep) = nodes;
            sweep.run(small.roots[i]);
        },
        1);
#endif
}

TL_DEVICE_END

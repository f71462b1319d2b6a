// Small subtrees of the binned builders on CUDA, in one launch. A warp loads the boxes of up to 256
// references into shared memory and builds their subtree there. Nodes of more than 32 references
// are split by bins, one after another. Below, all nodes of a level are split at once by full-sweep
// SAH, one reference per lane. Each lane evaluates the three planes through its reference's centre.
#include "accel/bvh/builders/binned_cuda.h"

namespace tl::cuda {

namespace {

constexpr int kWarpLanes = 32;
/// Blocks of one warp: shared memory allows about 20 on each of 132 SMs.
constexpr unsigned kSmallGrid = 132 * 20;

/// Node still to be split; `begin` is relative to the task.
struct PendingNode {
    std::uint32_t begin, count, parent;
};

struct SmallShared {
    float box[6][kSmallBinnedNode];
    std::uint32_t reference[kSmallBinnedNode];
    std::uint16_t code[kSmallBinnedNode];   ///< bins of the box at each position
    std::uint16_t index[kSmallBinnedNode];  ///< index of the loaded box at each position
    std::uint16_t moved[kSmallBinnedNode];  ///< scratch of partition()
    /// Stack of nodes to split. The smaller child is split first, so at most nine are pending.
    PendingNode pending[12];
    std::uint32_t bins[kBinWords];
    float tile[6][kWarpLanes];             ///< box of each lane's reference
    std::uint32_t tile_index[kWarpLanes];  ///< index of each lane's loaded box
    std::uint32_t least[kWarpLanes];       ///< bits of the least cost, at a segment's first lane
    /// Plane of least cost as choose_in_segment() encodes it, at a segment's first lane.
    std::uint32_t least_at[kWarpLanes];
    std::uint32_t n_left[kWarpLanes];  ///< left references, at a segment's first lane
};

struct SmallBuilder {
    View<const Box> boxes;
    BinaryTree tree;
    Orders orders;
    int n_bins;

    static TL_D std::uint32_t lane() { return threadIdx.x % kWarpLanes; }

    static TL_D Box box_at(const float (*from)[kSmallBinnedNode], std::uint32_t i) {
        Box box;
        for (int axis = 0; axis < 3; ++axis) {
            box.lo[axis] = from[axis][i];
            box.hi[axis] = from[axis + 3][i];
        }
        return box;
    }
    static TL_D Box tile_box(const SmallShared& s, std::uint32_t i) {
        Box box;
        for (int axis = 0; axis < 3; ++axis) {
            box.lo[axis] = s.tile[axis][i];
            box.hi[axis] = s.tile[axis + 3][i];
        }
        return box;
    }
    static TL_D void set_tile_box(SmallShared& s, std::uint32_t i, const Box& box) {
        for (int axis = 0; axis < 3; ++axis) {
            s.tile[axis][i] = box.lo[axis];
            s.tile[axis + 3][i] = box.hi[axis];
        }
    }

    TL_D void build(SmallShared& s, const StagedTask& task) const {
        const std::uint32_t* order = task.buffer ? orders.buffers[1] : orders.buffers[0];
        for (std::uint32_t i = lane(); i < task.count; i += kWarpLanes) {
            std::uint32_t reference = order[task.first + i];
            Box box = boxes[reference];
            for (int axis = 0; axis < 3; ++axis) {
                s.box[axis][i] = box.lo[axis];
                s.box[axis + 3][i] = box.hi[axis];
            }
            s.reference[i] = reference;
            s.index[i] = static_cast<std::uint16_t>(i);
        }
        if (lane() == 0) s.pending[0] = {0, task.count, task.parent};
        __syncwarp();
        int n_pending = 1;
        while (n_pending > 0) {
            PendingNode node = s.pending[--n_pending];
            __syncwarp();
            if (node.count > kWarpLanes)
                n_pending = split_node(s, task.first, node, n_pending);
            else
                finish_tiny(s, task.first, node);
        }
    }

    /// Splits a node by bins and pushes both children; returns the new number of pending nodes.
    TL_D int split_node(SmallShared& s, std::uint32_t first, const PendingNode& node,
                        int n_pending) const {
        OrderedBox centers;
        for (std::uint32_t i = lane(); i < node.count; i += kWarpLanes)
            centers.extend(OrderedBox::from_point(box_at(s.box, s.index[node.begin + i]).center()));
        for (int f = 0; f < 6; ++f) centers.maxima[f] = warp_maximum(centers.maxima[f]);
        for (int word = static_cast<int>(lane()); word < kBinWords; word += kWarpLanes)
            s.bins[word] = 0;
        __syncwarp();
        BinGrid grid(centers, n_bins);
        for (std::uint32_t base = 0; base < node.count; base += kWarpLanes) {
            std::uint32_t at = node.begin + base + lane();
            bool active = base + lane() < node.count;
            Box box;
            std::uint32_t code = 0;
            if (active) {
                box = box_at(s.box, s.index[at]);
                code = grid.code_of(box.center());
                s.code[at] = static_cast<std::uint16_t>(code);
            }
            add_to_bins(s.bins, box, code, active);
        }
        __syncwarp();
        Box box;
        Split split = choose_split(s.bins, node.count, box);
        if (split.axis != Split::kNoPlane) partition(s, node, split);
        std::uint32_t n_right = node.count - split.n_left;
        if (lane() == 0) {
            std::uint32_t index = first + node.begin + split.n_left - 1;
            write_box(tree, index, box);
            link_child(tree, node.parent, NodeRef::inner(index));
            PendingNode left{node.begin, split.n_left, SubtreeTask::child_of(index, 0)};
            PendingNode right{node.begin + split.n_left, n_right, SubtreeTask::child_of(index, 1)};
            bool left_first = split.n_left < n_right;
            s.pending[n_pending] = left_first ? right : left;
            s.pending[n_pending + 1] = left_first ? left : right;
        }
        __syncwarp();
        return n_pending + 2;
    }
    TL_D void partition(SmallShared& s, const PendingNode& node, const Split& split) const {
        std::uint32_t left_at = node.begin, right_at = node.begin + split.n_left;
        unsigned lanes_before = (1u << lane()) - 1;
        for (std::uint32_t base = 0; base < node.count; base += kWarpLanes) {
            std::uint32_t at = node.begin + base + lane();
            bool active = base + lane() < node.count;
            bool left = active && split.goes_left(s.code[at], base + lane());
            unsigned left_lanes = __ballot_sync(kAllLanes, left);
            unsigned right_lanes = __ballot_sync(kAllLanes, active && !left);
            std::uint32_t to = left ? left_at + __popc(left_lanes & lanes_before)
                                    : right_at + __popc(right_lanes & lanes_before);
            if (active) s.moved[to] = s.index[at];
            left_at += __popc(left_lanes);
            right_at += __popc(right_lanes);
        }
        __syncwarp();
        for (std::uint32_t i = lane(); i < node.count; i += kWarpLanes)
            s.index[node.begin + i] = s.moved[node.begin + i];
        __syncwarp();
    }

    /// Builds the subtree of up to 32 references, one per lane. Splits all nodes of a level at
    /// once; a node is a segment of lanes.
    TL_D void finish_tiny(SmallShared& s, std::uint32_t first, const PendingNode& node) const {
        std::uint32_t place = first + node.begin + lane();
        bool active = lane() < node.count;
        std::uint32_t begin = active ? 0 : lane(), count = active ? node.count : 1;
        std::uint32_t parent = node.parent;
        std::uint32_t index = active ? s.index[node.begin + lane()] : 0;
        Box box;
        if (active) box = box_at(s.box, index);
        if (active && count == 1) link_leaf(s, place, parent, index);
        while (__any_sync(kAllLanes, count > 1)) {
            set_tile_box(s, lane(), box);
            s.tile_index[lane()] = index;
            s.least[lane()] = s.least_at[lane()] = kAllLanes;
            __syncwarp();
            vec3 center = box.center();
            choose_in_segment(s, first + node.begin, begin, count, parent, center);
            // Partitions each segment by its chosen plane; `to` is the lane each reference moves
            // to.
            std::uint32_t at = s.least_at[begin] & 0xffu, n_left = s.n_left[begin];
            bool left = false;
            if (count > 1)
                left = !is_after(component(center, at / 32), lane(),
                                 component(tile_box(s, at % 32).center(), at / 32), at % 32);
            unsigned left_lanes = __ballot_sync(kAllLanes, left);
            unsigned segment = (count < 32 ? (1u << count) - 1 : kAllLanes) << begin;
            unsigned before = segment & ((1u << lane()) - 1);
            std::uint32_t to = begin + (left ? __popc(left_lanes & before)
                                             : n_left + __popc(~left_lanes & before));
            __syncwarp();
            if (count > 1) {
                set_tile_box(s, to, box);
                s.tile_index[to] = index;
            }
            __syncwarp();
            if (count > 1) {
                box = tile_box(s, lane());
                index = s.tile_index[lane()];
                std::uint32_t split_node = first + node.begin + begin + n_left - 1;
                bool right_half = lane() >= begin + n_left;
                parent = SubtreeTask::child_of(split_node, right_half ? 1 : 0);
                count = right_half ? count - n_left : n_left;
                if (right_half) begin += n_left;
                if (count == 1) link_leaf(s, place, parent, index);
            }
            __syncwarp();
        }
        if (active) tree.order[place] = s.reference[index];
    }
    TL_D void link_leaf(const SmallShared& s, std::uint32_t place, std::uint32_t parent,
                        std::uint32_t index) const {
        if (parent == SubtreeTask::kNoParent)
            write_single_leaf(tree, box_at(s.box, index));
        else
            link_child(tree, parent, NodeRef::leaf(place, 1));
    }
    /// Returns p[axis] without taking an address, which would move p out of registers.
    static TL_D float component(vec3 p, std::uint32_t axis) {
        return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
    }
    /// Whether centre `a` comes after centre `b` along an axis; lanes break ties.
    static TL_D bool is_after(float a, std::uint32_t lane_a, float b, std::uint32_t lane_b) {
        return a > b || (a == b && lane_a > lane_b);
    }
    /// Chooses the split of the lane's segment and writes its node. Sets the segment's n_left and
    /// least_at (skew << 8 | axis * 32 + lane of the last reference on the left). `first` is the
    /// position of lane 0 in the order.
    TL_D void choose_in_segment(SmallShared& s, std::uint32_t first, std::uint32_t begin,
                                std::uint32_t count, std::uint32_t parent, vec3 center) const {
        Box left[3], right[3];
        std::uint32_t n_left[3] = {0, 0, 0};
        if (count > 1)
            for (std::uint32_t other = begin; other < begin + count; ++other) {
                Box box = tile_box(s, other);
                vec3 other_center = box.center();
#pragma unroll
                for (int axis = 0; axis < 3; ++axis) {
                    if (is_after(other_center[axis], other, center[axis], lane())) {
                        right[axis].extend(box);
                    } else {
                        left[axis].extend(box);
                        ++n_left[axis];
                    }
                }
            }
        std::uint32_t least = kAllLanes, at = kAllLanes, n = 0;
        Box node_box;
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) {
            if (n_left[axis] == count || count == 1) continue;
            float cost = static_cast<float>(n_left[axis]) * left[axis].half_area() +
                         static_cast<float>(count - n_left[axis]) * right[axis].half_area();
            std::uint32_t bits = __float_as_uint(cost);
            std::uint32_t skew = skew_of(n_left[axis], count);
            std::uint32_t skew_and_at = skew << 8 | static_cast<std::uint32_t>(axis * 32) | lane();
            if (bits > least || (bits == least && skew_and_at > at)) continue;
            least = bits;
            at = skew_and_at;
            n = n_left[axis];
            node_box = left[axis];
            node_box.extend(right[axis]);
        }
        if (least != kAllLanes) atomicMin(&s.least[begin], least);
        __syncwarp();
        if (least != kAllLanes && least == s.least[begin]) atomicMin(&s.least_at[begin], at);
        __syncwarp();
        if (least != kAllLanes && at == s.least_at[begin]) {
            s.n_left[begin] = n;
            std::uint32_t index = first + begin + n - 1;
            write_box(tree, index, node_box);
            link_child(tree, parent, NodeRef::inner(index));
        }
        __syncwarp();
    }
};

__global__ void __launch_bounds__(kWarpLanes)
    finish_small_tasks_kernel(SmallBuilder builder, StagedTasks small, std::uint32_t* n_taken) {
    __shared__ SmallShared shared;
    std::uint32_t n_tasks = *small.n_tasks;
    for (;;) {
        std::uint32_t task = threadIdx.x == 0 ? atomicAdd(n_taken, 1u) : 0;
        task = __shfl_sync(kAllLanes, task, 0);
        if (task >= n_tasks) return;
        builder.build(shared, small.tasks[task]);
        __syncwarp();
    }
}

}  // namespace

void finish_small_tasks(Stream& stream, View<const Box> boxes, int n_bins, const BinaryTree& tree,
                        Orders orders, StagedTasks small, View<std::uint32_t> n_taken) {
    launch(stream, "small subtrees", blocks_for(small.tasks.size, 1, kSmallGrid),
           unsigned(kWarpLanes), finish_small_tasks_kernel,
           SmallBuilder{boxes, tree, orders, n_bins}, small, n_taken.data);
}

}  // namespace tl::cuda

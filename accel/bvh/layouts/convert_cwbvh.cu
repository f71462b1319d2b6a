// Converts a binary BVH into a CWBVH in one top-down launch, like H-PLOC's conversion (Benthin et
// al. 2024). A wide node is numbered when its parent is written. A queue maps each number to the
// two-box node that the wide node replaces. Threads claim numbers in order and wait until the queue
// has the entry. The parent of the lowest claimed number is always written already, so some thread
// can always make progress.
#include "accel/bvh/layouts/cwbvh.h"
#include "accel/parallel/atomics.h"
#include "accel/parallel/parallel_for.h"
#if defined(__CUDACC__)
#include "accel/parallel/launch_cuda.h"
#endif

TL_DEVICE_BEGIN

namespace {

/// Marks a queue entry that is not written yet.
constexpr std::uint32_t kNotYet = 0xffffffffu;

/// Input and output of the conversion. `queue` is temporary and as long as `nodes`.
struct CwbvhConversion {
    View<const BvhNode> from;
    View<const std::uint32_t> from_order;
    View<const TreeHeader> header;
    View<CwbvhNode> nodes;
    View<std::uint32_t> order;
    View<CwbvhProgress> progress;
    View<std::uint32_t> queue;
};

/// Returns the exponent bits of the least power of two such that 255 steps from `lo` reach `hi`.
TL_HD std::uint32_t exponent_for(float lo, float hi) {
    float step = (hi - lo) / 255.0f;
    std::uint32_t bits;
    memcpy(&bits, &step, sizeof bits);
    std::uint32_t exponent = bits >> 23;
    if (exponent < 1) exponent = 1;
    for (; exponent < 254; ++exponent) {
        bits = exponent << 23;
        memcpy(&step, &bits, sizeof step);
        if (fmaf(255.0f, step, lo) >= hi) break;
    }
    return exponent < 254 ? exponent : 254;
}

/// Quantises a lower plane to the last step that traversal decodes at or below `p`.
TL_HD std::uint8_t quantize_down(float p, float origin, float scale) {
    float q = floorf(minimum((p - origin) / scale, 255.0f));
    while (q > 0 && fmaf(q, scale, origin) > p) q -= 1;
    return static_cast<std::uint8_t>(q);
}
/// Quantises an upper plane to the first step that traversal decodes at or above `p`.
TL_HD std::uint8_t quantize_up(float p, float origin, float scale) {
    float q = ceilf(minimum((p - origin) / scale, 255.0f));
    while (q < 255 && fmaf(q, scale, origin) < p) q += 1;
    return static_cast<std::uint8_t>(q);
}

/// Assignment of children to slots: bit `axis` of a slot is set if its child lies on the upper
/// side. Greedy: the best pair of child and slot is assigned first, then the best of the rest.
struct Slots {
    int child[kWide];  ///< child in each slot; -1: none

    TL_HD Slots(const WideChildren<kWide>& wide, vec3 center) {
        std::uint32_t free_slots = 0xff, free_children = (1u << wide.count) - 1;
        for (int slot = 0; slot < kWide; ++slot) child[slot] = -1;
        while (free_children) {
            int best_child = 0, best_slot = 0;
            float best = -kInfinity;
            bool found = false;
            for (int c = 0; c < wide.count; ++c) {
                if (!(free_children >> c & 1)) continue;
                vec3 offset = wide.boxes[c].center() - center;
                for (int s = 0; s < kWide; ++s) {
                    if (!(free_slots >> s & 1)) continue;
                    float gain = (s & 1 ? offset.x : -offset.x) + (s & 2 ? offset.y : -offset.y) +
                                 (s & 4 ? offset.z : -offset.z);
                    if (found && !(gain > best)) continue;
                    found = true;
                    best = gain;
                    best_child = c;
                    best_slot = s;
                }
            }
            child[best_slot] = best_child;
            free_slots &= ~(1u << best_slot);
            free_children &= ~(1u << best_child);
        }
    }
};

struct CwbvhConverter {
    CwbvhConversion c;

    /// Publishes a queue entry to waiting threads: a single word, through the L2 cache shared by
    /// all SMs.
    TL_D void announce(std::uint32_t number, std::uint32_t node) const {
        *const_cast<volatile std::uint32_t*>(&c.queue[number]) = node;
    }
    /// Sets origin and scales; returns the node's centre.
    TL_D static vec3 write_grid(CwbvhNode& node, const WideChildren<kWide>& wide) {
        Box box;
        for (int i = 0; i < wide.count; ++i)
            if (wide.boxes[i].hi.x < kInfinity) box.extend(wide.boxes[i]);
        if (!(box.lo.x <= box.hi.x)) box.lo = box.hi = vec3(0);
        node.origin = box.lo;
        for (int axis = 0; axis < 3; ++axis)
            node.exponent[axis] =
                static_cast<std::uint8_t>(exponent_for(box.lo[axis], box.hi[axis]));
        return box.center();
    }
    TL_D static void write_box(CwbvhNode& node, int slot, const Box& box) {
        for (int axis = 0; axis < 3; ++axis) {
            float origin = node.origin[axis], scale = node.scale(axis);
            node.lo[axis][slot] = quantize_down(box.lo[axis], origin, scale);
            node.hi[axis][slot] = quantize_up(box.hi[axis], origin, scale);
        }
    }
    /// Writes wide node `number`, which replaces node `from`, and adds its inner children to the
    /// queue.
    TL_D void write_node(std::uint32_t number, std::uint32_t from) const {
        WideChildren<kWide> wide(c.from.data, from);
        CwbvhNode node{};
        Slots slots(wide, write_grid(node, wide));
        std::uint32_t n_inner = 0, n_primitives = 0;
        for (int i = 0; i < wide.count; ++i) {
            if (wide.refs[i].is_leaf())
                n_primitives += wide.refs[i].count();
            else
                ++n_inner;
        }
        CwbvhProgress& progress = c.progress[0];
        if (n_inner) node.first_child = atomic_add(&progress.n_nodes, n_inner);
        if (n_primitives) node.first_place = atomic_add(&progress.n_places, n_primitives);
        std::uint32_t child = node.first_child, offset = 0;
        for (int slot = 0; slot < kWide; ++slot) {
            if (slots.child[slot] < 0) continue;
            NodeRef ref = wide.refs[slots.child[slot]];
            write_box(node, slot, wide.boxes[slots.child[slot]]);
            if (ref.is_leaf()) {
                std::uint32_t ones = (1u << ref.count()) - 1;
                node.meta[slot] = static_cast<std::uint8_t>(ones << 5 | offset);
                for (std::uint32_t k = 0; k < ref.count(); ++k)
                    c.order[node.first_place + offset++] = c.from_order[ref.first() + k];
            } else {
                node.meta[slot] = static_cast<std::uint8_t>(1u << 5 | (24 + slot));
                node.inner_mask = static_cast<std::uint8_t>(node.inner_mask | 1u << slot);
                announce(child++, ref.node());
            }
        }
        c.nodes[number] = node;
    }
};

#if defined(__CUDACC__)

constexpr int kCwbvhBlock = 128;
constexpr std::size_t kCwbvhGrid = 528;  // four blocks to each of 132 SMs

/// Whether every numbered node is written; no further nodes can then be numbered.
__device__ bool is_over(const CwbvhProgress* progress) {
    std::uint32_t n_done = *const_cast<const volatile std::uint32_t*>(&progress->n_done);
    __threadfence();
    return n_done == *const_cast<const volatile std::uint32_t*>(&progress->n_nodes);
}

/// Each warp claims 32 numbers at a time. A lane whose queue entry is not written yet polls again
/// while other lanes write their nodes.
__global__ void __launch_bounds__(kCwbvhBlock) convert_cwbvh_kernel(CwbvhConverter converter) {
    constexpr unsigned kAll = 0xffffffffu;
    const CwbvhConversion& c = converter.c;
    std::uint32_t lane = threadIdx.x % 32;
    for (;;) {
        std::uint32_t number = 0;
        if (lane == 0) number = atomicAdd(&c.progress[0].n_drawn, 32u);
        number = __shfl_sync(kAll, number, 0) + lane;
        bool waits = number < c.queue.size, ends = !waits;
        while (__any_sync(kAll, waits)) {
            std::uint32_t from = kNotYet;
            if (waits) from = *const_cast<volatile std::uint32_t*>(&c.queue[number]);
            if (from != kNotYet) {
                converter.write_node(number, from);
                __threadfence();
                atomicAdd(&c.progress[0].n_done, 1u);
                waits = false;
            } else if (waits && is_over(&c.progress[0])) {
                waits = false;
                ends = true;
            } else if (waits) {
                __nanosleep(100);
            }
            __syncwarp();
        }
        if (__any_sync(kAll, ends)) return;
    }
}

void convert_nodes(Stream& stream, const CwbvhConverter& converter) {
    launch(stream, "convert to cwbvh", blocks_for(converter.c.queue.size, kCwbvhBlock, kCwbvhGrid),
           kCwbvhBlock, convert_cwbvh_kernel, converter);
}

#else

void convert_nodes(Stream&, const CwbvhConverter& converter) {
    CwbvhProgress& progress = converter.c.progress[0];
    for (; progress.n_done < progress.n_nodes; ++progress.n_done)
        converter.write_node(progress.n_done, converter.c.queue[progress.n_done]);
}

#endif

}  // namespace

void convert_to_cwbvh(Scratch& scratch, View<const BvhNode> nodes, View<const std::uint32_t> order,
                      View<const TreeHeader> header, Cwbvh& wide) {
    auto& stream = scratch.stream();
    wide.nodes.resize_discard(stream, max_wide_nodes(nodes.size));
    wide.order.resize_discard(stream, order.size);
    wide.progress.resize_discard(stream, 1);
    Scratch::Scope scope(scratch);
    auto n = static_cast<std::uint32_t>(wide.nodes.size());
    CwbvhConversion conversion{nodes,
                               order,
                               header,
                               wide.nodes.view(),
                               wide.order.view(),
                               wide.progress.view(),
                               scratch.take<std::uint32_t>(n)};
    parallel_for(
        stream, "cwbvh queue", n, TL_LAMBDA(std::uint32_t i) {
            conversion.queue[i] = i == 0 ? conversion.header[0].root : kNotYet;
            if (i == 0) conversion.progress[0] = {1, 0, 0, 0};
        });
    convert_nodes(stream, CwbvhConverter{conversion});
}

TL_DEVICE_END

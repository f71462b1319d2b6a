// Converts a binary BVH to 4-wide nodes in one launch. Each thread takes a ticket, the number of a
// wide node, and polls until that node is requested. It then writes the node and requests its inner
// children. Tickets are issued in order, so the thread that requests a node is always running
// already.
#include "accel/bvh/layouts/bvh4.h"

#include "accel/bvh/layouts/wide_children.h"
#include "core/device/atomics.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"
#if defined(__CUDACC__)
#include "core/device/launch_cuda.h"
#endif

TL_DEVICE_BEGIN

namespace {

/// Marks a wide node that is not requested yet.
constexpr std::uint32_t kNotAsked = 0xffffffffu;

/// Returns the least float >= the positive `value` whose lower 16 bits are zero.
TL_HD float round_up_to_half_word(float value) {
    std::uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = (bits + 0xffffu) & 0xffff0000u;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

TL_HD std::uint32_t bits_of(float value) {
    std::uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/// Returns the wide node over `children`, without their references. Quantised boxes exceed exact
/// ones by at least a hundredth of a step, since traversal computes planes in single precision.
TL_HD Bvh4Node quantise(const WideChildren<4>& children) {
    Box all;
    for (int k = 0; k < children.count; ++k) all.extend(children.boxes[k]);
    Bvh4Node node{};
    float scales[3];
    for (int axis = 0; axis < 3; ++axis) {
        // Steps are no finer than the float spacing of coordinates of this magnitude.
        float far = maximum(fabsf(all.lo[axis]), fabsf(all.hi[axis]));
        float step = maximum((all.hi[axis] - all.lo[axis]) / 252.0f, maximum(far * 5e-7f, 1e-30f));
        float scale = round_up_to_half_word(minimum(step, 1e36f));
        float origin = all.lo[axis] - 0.5f * scale;
        scales[axis] = scale;
        node.origin[axis] = origin;
        for (int k = 0; k < 4; ++k) {
            float lo = 255, hi = 0;
            if (k < children.count) {
                const Box& box = children.boxes[k];
                lo = floorf((box.lo[axis] - origin) / scale - 0.01f);
                hi = ceilf((box.hi[axis] - origin) / scale + 0.01f);
            }
            auto byte = [](float q) {
                return static_cast<std::uint32_t>(minimum(maximum(q, 0.0f), 255.0f));
            };
            node.lo[axis] |= byte(lo) << (8 * k);
            node.hi[axis] |= byte(hi) << (8 * k);
        }
    }
    node.scale_xy = bits_of(scales[0]) >> 16 | bits_of(scales[1]);
    node.scale_z = scales[2];
    for (auto& child : node.children) child = NodeRef::missing();
    return node;
}

struct Converter {
    const BvhNode* from;
    Bvh4Node* to;
    /// The two-box node that each wide node replaces; kNotAsked before it is requested.
    std::uint32_t* asked;
    std::uint32_t* n_asked;  ///< number of wide nodes requested so far

    /// Writes wide node i and requests its inner children.
    TL_D void convert(std::uint32_t i, std::uint32_t source) const {
        WideChildren<4> children(from, source);
        Bvh4Node node = quantise(children);
        std::uint32_t n_inner = 0;
        for (int k = 0; k < children.count; ++k) n_inner += !children.refs[k].is_leaf();
        std::uint32_t next = n_inner ? atomic_add(n_asked, n_inner) : 0;
        for (int k = 0; k < children.count; ++k) {
            if (children.refs[k].is_leaf()) {
                node.children[k] = children.refs[k];
                continue;
            }
            node.children[k] = NodeRef::inner(next);
            atomic_exchange(&asked[next++], children.refs[k].node());
        }
        to[i] = node;
    }
};

#if defined(__CUDACC__)

constexpr int kConvertBlock = 64;
/// Four blocks for each of 132 SMs: further threads would mostly wait and poll.
constexpr unsigned kConvertGrid = 528;

__global__ void __launch_bounds__(kConvertBlock)
    convert_bvh4_kernel(Converter converter, std::uint32_t* next_ticket, std::uint32_t* n_done,
                        std::uint32_t capacity) {
    std::uint32_t ticket = atomicAdd(next_ticket, 1u);
    for (;;) {
        std::uint32_t source = kNotAsked;
        if (ticket < capacity)
            source = *reinterpret_cast<volatile std::uint32_t*>(&converter.asked[ticket]);
        if (source != kNotAsked) {
            converter.convert(ticket, source);
            __threadfence();
            atomicAdd(n_done, 1u);
            ticket = atomicAdd(next_ticket, 1u);
            continue;
        }
        // Once every requested node is written, no further requests can follow.
        std::uint32_t done = *reinterpret_cast<volatile std::uint32_t*>(n_done);
        __threadfence();
        if (done == *reinterpret_cast<volatile std::uint32_t*>(converter.n_asked)) return;
        __nanosleep(100);
    }
}

#endif

}  // namespace

void convert_to_bvh4(Scratch& scratch, View<const BvhNode> nodes, View<TreeHeader> header,
                     Bvh4& wide) {
    auto& stream = scratch.stream();
    // Every wide node but the root replaces at least one two-box node.
    auto capacity = static_cast<std::uint32_t>(nodes.size);
    wide.nodes.resize_discard(stream, capacity);
    wide.n_nodes.resize_discard(stream, 1);
    Scratch::Scope scope(scratch);
    auto asked = scratch.take<std::uint32_t>(capacity);
    auto counters = scratch.take<std::uint32_t>(2);
    Converter converter{nodes.data, wide.nodes.data(), asked.data, wide.n_nodes.data()};
    fill<std::uint32_t>(stream, asked, kNotAsked);
    parallel_for(
        stream, "bvh4 start", 1, TL_LAMBDA(std::uint32_t) {
            converter.asked[0] = header[0].root;
            *converter.n_asked = 1;
            counters[0] = counters[1] = 0;
        });
#if defined(__CUDACC__)
    launch(stream, "convert to bvh4", blocks_for(capacity / 3 + 1, kConvertBlock, kConvertGrid),
           kConvertBlock, convert_bvh4_kernel, converter, &counters[0], &counters[1], capacity);
#else
    for (std::uint32_t i = 0; i < *converter.n_asked; ++i) converter.convert(i, asked[i]);
#endif
}

TL_DEVICE_END

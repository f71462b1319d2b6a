// Traversal of a tree's nodes inside a program's own C++ and CUDA code, with its own leaf test.
// Needs only the C++ standard library. Compile with nvcc for kernels, or any C++17 compiler for
// trees of the CPU.
//
//     tl_tree_nodes nodes{};
//     tl_tree_pointers(tree, &nodes);
//     treelight::TreeView view(nodes);     // passed to kernels by value
//     ...
//     float t_max = INFINITY;              // shrinks as the functor finds hits
//     treelight::for_each_on_ray(view, origin, direction, 0.0f, t_max, [&](std::uint32_t i) {
//         float t = my_test(i, origin, direction);
//         if (t < t_max) t_max = t;
//         return true;                     // go on
//     });
#ifndef TREELIGHT_TRAVERSAL_H
#define TREELIGHT_TRAVERSAL_H

#include <cmath>
#include <cstdint>

#include "treelight_trees.h"

#if defined(__CUDACC__)
#define TREELIGHT_HD __host__ __device__
#else
#define TREELIGHT_HD
#endif

namespace treelight {

/// Entries of a traversal's stack. A search that needs more leaves out subtrees; no tree of the
/// library's builders was seen to need half of it.
constexpr int kStackSize = 96;

/// A node of 64 bytes with the boxes of both children. A child is an inner node's index; or a leaf,
/// with bit 31 set: its first slot in bits 0 to 27, its number of slots less 1 in bits 28 to 30; or
/// missing, ~0, with a box at infinity.
struct alignas(64) Node {
    struct Side {
        float lower[3];
        std::uint32_t child;
        float upper[3];
        std::uint32_t unused;
    };
    Side sides[2];
};
static_assert(sizeof(Node) == 64, "as the library lays nodes out");

/// The tree, in the memory of its device.
struct TreeView {
    const Node* nodes;
    const std::uint32_t* root;        ///< the root's index, then numbers of nodes and slots
    const std::uint32_t* primitives;  ///< index of the primitive in each leaf slot

    explicit TreeView(const tl_tree_nodes& of)
        : nodes(static_cast<const Node*>(of.nodes)), root(of.root), primitives(of.primitives) {}
};

namespace detail {

constexpr std::uint32_t kMissing = 0xffffffffu;

struct Entry {
    std::uint32_t child;
    float distance;
};

/// Visits subtrees, those with the smaller distance first, as long as distance(side) is below
/// limit(). `visit` gets the index of a primitive and returns whether to go on.
template <class Distance, class Limit, class Visit>
TREELIGHT_HD void traverse(const TreeView& tree, Distance distance, Limit limit, Visit visit) {
    Entry stack[kStackSize];
    int depth = 0;
    std::uint32_t at = *tree.root;
    for (;;) {
        if (at >> 31) {
            const std::uint32_t first = at & 0x0fffffffu, count = (at >> 28 & 7u) + 1;
            for (std::uint32_t k = 0; k < count; ++k)
                if (!visit(tree.primitives[first + k])) return;
            at = kMissing;
        } else {
            const Node& node = tree.nodes[at];
            const float d0 = distance(node.sides[0]), d1 = distance(node.sides[1]), most = limit();
            const bool first1 = d1 < d0;
            const float nearer = first1 ? d1 : d0, farther = first1 ? d0 : d1;
            if (farther < most && depth < kStackSize)
                stack[depth++] = {node.sides[first1 ? 0 : 1].child, farther};
            at = nearer < most ? node.sides[first1 ? 1 : 0].child : kMissing;
        }
        while (at == kMissing) {
            if (depth == 0) return;
            const Entry last = stack[--depth];
            if (last.distance < limit()) at = last.child;
        }
    }
}

TREELIGHT_HD inline float smaller(float a, float b) {
    return a < b ? a : b;
}
TREELIGHT_HD inline float larger(float a, float b) {
    return a > b ? a : b;
}

}  // namespace detail

/// Calls visit(primitive) for the primitives in leaves whose boxes the ray enters between t_min and
/// t_max, nearest boxes first. `t_max`: may be lowered by `visit`, which returns whether to go on.
/// `origin` and `direction` have three components; the latter need not have length 1.
template <class Origin, class Direction, class Visit>
TREELIGHT_HD void for_each_on_ray(const TreeView& tree, const Origin& origin,
                                  const Direction& direction, float t_min, const float& t_max,
                                  Visit visit) {
    float inverse[3], from[3];
    for (int axis = 0; axis < 3; ++axis) {
        const float d = direction[axis];
        inverse[axis] = 1 / (std::fabs(d) > 1e-20f ? d : std::copysign(1e-20f, d));
        from[axis] = origin[axis];
    }
    auto entry = [&](const Node::Side& box) {
        if (box.child == detail::kMissing) return INFINITY;
        float enter = t_min, leave = INFINITY;
        for (int axis = 0; axis < 3; ++axis) {
            const float a = (box.lower[axis] - from[axis]) * inverse[axis];
            const float b = (box.upper[axis] - from[axis]) * inverse[axis];
            enter = detail::larger(enter, detail::smaller(a, b));
            // Wider by a few roundings, so that no box is missed (Ize 2013).
            leave = detail::smaller(leave, detail::larger(a, b) * 1.0000004f);
        }
        return enter <= leave ? enter : INFINITY;
    };
    detail::traverse(
        tree, entry, [&] { return t_max; }, visit);
}

/// Calls visit(primitive) for the primitives in leaves whose boxes are closer to a point than the
/// square root of `square`, nearest boxes first. `visit` may lower `square` and returns whether to
/// go on.
template <class Vector, class Visit>
TREELIGHT_HD void for_each_near(const TreeView& tree, const Vector& point, const float& square,
                                Visit visit) {
    auto distance = [&](const Node::Side& box) {
        if (box.child == detail::kMissing) return INFINITY;
        float sum = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const float outside = detail::larger(
                detail::larger(box.lower[axis] - point[axis], point[axis] - box.upper[axis]), 0.0f);
            sum += outside * outside;
        }
        return sum;
    };
    detail::traverse(
        tree, distance, [&] { return square; }, visit);
}

/// Calls visit(primitive) for the primitives in leaves whose boxes intersect a box.
template <class Lower, class Upper, class Visit>
TREELIGHT_HD void for_each_in_box(const TreeView& tree, const Lower& lower, const Upper& upper,
                                  Visit visit) {
    auto distance = [&](const Node::Side& box) {
        bool apart = box.child == detail::kMissing;
        for (int axis = 0; axis < 3; ++axis)
            apart = apart || box.lower[axis] > upper[axis] || box.upper[axis] < lower[axis];
        return apart ? INFINITY : 0.0f;
    };
    detail::traverse(
        tree, distance, [] { return INFINITY; }, visit);
}

}  // namespace treelight

#endif

// Data shared by the two stages of the SAH kd-tree builder: large nodes and small nodes.
#pragma once

#include "accel/bvh/builders/subtree_task.h"
#include "accel/bvh/passes/split_pieces.h"
#include "accel/tree_builder.h"
#include "core/device/atomics.h"

namespace tl {

/// Reference to the part of a primitive within a cell, with a tight box of that part.
struct alignas(32) KdReference {
    vec3 lo;
    std::uint32_t primitive;
    vec3 hi;
    std::uint32_t unused;

    TL_HD static KdReference of(const Box& box, std::uint32_t primitive) {
        return {box.lo, primitive, box.hi, 0};
    }
    [[nodiscard]] TL_HD Box box() const {
        Box b;
        b.lo = lo;
        b.hi = hi;
        return b;
    }
};
static_assert(sizeof(KdReference) == 32);

/// Node of few references for the small-node stage. Its references are in buffers[buffer].
struct KdSmallRoot {
    std::uint32_t first, count;
    std::uint32_t parent;  ///< as SubtreeTask::parent
    std::uint32_t buffer;
};

/// Counters on the device.
struct KdCounters {
    std::uint32_t n_live = 0;  ///< references of all leaves and of all nodes still to split
    std::uint32_t n_small_roots = 0;
    std::uint32_t n_small_references = 0;
    std::uint32_t n_places = 0;  ///< leaf slots in use
};

/// Input, output and buffers of a build, for both stages.
struct KdBuild {
    /// Maximum number of references of a small node, limited by the bits of its masks.
    static constexpr std::uint32_t kSmallSize = 64;
    static constexpr std::uint32_t kSmallBuffer = 2;  ///< number of the small nodes' buffer

    BuildInput input;
    BinaryTree tree;
    std::uint32_t capacity = 0;  ///< maximum number of references
    float empty_space = 0;       ///< empty fraction of the extent at which a side is cut off
    /// Buffers of references: levels alternate between the first two, the last is for small nodes.
    View<KdReference> buffers[3];
    View<KdSmallRoot> small_roots;
    KdCounters* counters = nullptr;
    View<Box> boxes;                   ///< boxes of the leaves' references
    View<std::uint32_t> primitive_of;  ///< primitives of the leaves' references
};

}  // namespace tl

TL_DEVICE_BEGIN

/// Reserves `n` references of the capacity. If there are too few, returns false and sets the error
/// in the header.
TL_D inline bool take_references(const KdBuild& build, std::uint32_t n) {
    if (n == 0) return true;
    std::uint32_t before = atomic_add(&build.counters->n_live, n);
    if (before + n <= build.capacity) return true;
    atomic_add(&build.counters->n_live, 0u - n);
    atomic_or(&build.tree.header[0].errors, kOutOfReferences);
    return false;
}

/// Returns a box of the part of a reference within `cell`, which must overlap its box. For a
/// triangle it is the box of the clipped polygon.
TL_HD inline Box clip(const TriangleSource& source, const KdReference& reference, const Box& cell) {
    TrianglePiece piece;
    piece.box.lo = glm::max(reference.lo, cell.lo);
    piece.box.hi = glm::min(reference.hi, cell.hi);
    Box within = piece.box;
    if (reference.primitive >= source.count) return within;
    glm::uvec3 corners = source.triangles[reference.primitive];
    for (int k = 0; k < 3; ++k) piece.add(source.positions[corners[k]]);
    for (int side = 0; side < 6; ++side) {
        int axis = side >> 1;
        float at = side & 1 ? within.hi[axis] : within.lo[axis];
        bool beyond = false;
        for (int i = 0; i < piece.n_vertices; ++i) {
            float v = piece.vertices[i][axis];
            beyond = beyond || (side & 1 ? v > at : v < at);
        }
        if (beyond) piece = piece.side({axis, at, 0}, side & 1 ? 0 : 1);
        // Rounding has left no vertices, or too many.
        if (!piece.box.is_valid()) return within;
    }
    return piece.box;
}

TL_DEVICE_END

// clang-format off
TL_FOR_DEVICES(
    /// Splits the valid boxes down to small roots.
    void split_large_kd_nodes(Scratch& scratch, const KdBuild& build);
    /// Builds the subtrees of the small roots, including their leaves.
    void split_small_kd_nodes(Stream& stream, const KdBuild& build);
)
// clang-format on

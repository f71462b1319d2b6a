#include "accel/points/point_levels.h"
#include "core/base/bits.h"
#include "core/device/block.h"
#include "core/device/vectorized_copy.h"

TL_DEVICE_BEGIN

namespace {

using Warp = Block<32>;

/// Cost of a visit to an inner node, relative to a test of a point. It is higher on a GPU, where
/// eight threads test eight points at once.
#if defined(__CUDACC__)
constexpr float kNodeCost = 16;
#else
constexpr float kNodeCost = 4;
#endif

/// Node that is still to be split; sets of points are bit masks.
struct WaitingPoints {
    std::uint32_t set;
    std::uint32_t parent;  ///< parent of a right child; kNoParent for a left child and the root
    Box cell;
};

struct SubtreeShared {
    static constexpr std::uint32_t kMost = PointLevels::kSmall;
    static constexpr std::uint32_t kNoParent = ~0u;
    static constexpr std::uint64_t kNone = ~0ull;

    vec3 positions[kMost];
    std::uint32_t indices[kMost];
    std::uint32_t below[3 * kMost];  ///< per candidate plane: mask of the points on its left
    WaitingPoints waiting[kMost];
    WaitingPoints node;
    std::uint64_t best;
    float margin;
    std::uint32_t n_waiting, n_nodes, n_placed;
};

/// Builds the subtrees of small nodes, one warp each. The candidate planes of a small node go
/// through its points: plane c goes through point c / 3, perpendicular to axis c % 3.
struct SubtreePass {
    PointLevels levels;
    View<const vec3> positions;
    View<const std::uint32_t> order;
    View<PointSubtree> subtrees;
    View<std::uint32_t> node_counts;
    View<TreePoint> points;

    using Shared = SubtreeShared;

    /// Loads the points, and computes the masks of the candidate planes. Points on a plane are
    /// divided by their number, so that it also separates equal points.
    TL_D void load(const Warp& warp, Shared& s, std::uint32_t first, std::uint32_t n) const {
        for (std::uint32_t i = warp.rank; i < n; i += warp.size) {
            s.indices[i] = order[first + i];
            s.positions[i] = positions[s.indices[i]];
        }
        warp.sync();
        for (std::uint32_t c = warp.rank; c < 3 * n; c += warp.size) {
            auto axis = static_cast<int>(c % 3);
            float plane = s.positions[c / 3][axis];
            std::uint32_t below = 0;
            for (std::uint32_t i = 0; i < n; ++i) {
                float at = s.positions[i][axis];
                if (at < plane || (at == plane && i < c / 3)) below |= 1u << i;
            }
            s.below[c] = below;
        }
        if (warp.rank == 0) {
            Box box;
            for (std::uint32_t i = 0; i < n; ++i) box.extend(s.positions[i]);
            vec3 size = box.hi - box.lo;
            s.margin = largest(size);
            s.waiting[0] = {n == 32 ? ~0u : (1u << n) - 1, Shared::kNoParent, box};
            s.n_waiting = 1;
            s.n_nodes = s.n_placed = 0;
        }
        warp.sync();
    }
    /// Returns the volume of the cell grown by `margin`, which is proportional to the probability
    /// that a search visits it.
    [[nodiscard]] TL_D static float volume(const Box& cell, float margin) {
        vec3 size = cell.hi - cell.lo + vec3(margin);
        return size.x * size.y * size.z;
    }
    /// Returns a sort key: the candidate's cost in the upper 32 bits, its number in the lower ones.
    [[nodiscard]] TL_D std::uint64_t evaluate(const Shared& s, std::uint32_t c) const {
        const WaitingPoints& node = s.node;
        if (!(node.set >> c / 3 & 1)) return Shared::kNone;
        std::uint32_t below = node.set & s.below[c];
        if (below == 0) return Shared::kNone;
        auto axis = static_cast<int>(c % 3);
        Box left = node.cell, right = node.cell;
        left.hi[axis] = right.lo[axis] = s.positions[c / 3][axis];
        float cost = static_cast<float>(bit_count(below)) * volume(left, s.margin) +
                     static_cast<float>(bit_count(node.set & ~below)) * volume(right, s.margin);
        return std::uint64_t(ordered_from_float(cost)) << 32 | c;
    }
    [[nodiscard]] TL_D bool split_pays(const Shared& s) const {
        if (s.best == Shared::kNone) return false;
        float cost = float_from_ordered(static_cast<std::uint32_t>(s.best >> 32));
        auto n = static_cast<float>(bit_count(s.node.set));
        float all = volume(s.node.cell, s.margin);
        return kNodeCost * all + cost < n * all;
    }
    /// Splits the current node at the best plane, and pushes both children. Called by one thread.
    TL_D static void split(Shared& s, PointSubtree& subtree) {
        auto c = static_cast<std::uint32_t>(s.best);
        auto axis = static_cast<int>(c % 3);
        float plane = s.positions[c / 3][axis];
        WaitingPoints left = s.node, right = s.node;
        left.set &= s.below[c];
        right.set &= ~s.below[c];
        left.cell.hi[axis] = right.cell.lo[axis] = plane;
        left.parent = Shared::kNoParent;
        right.parent = s.n_nodes;
        subtree.nodes[s.n_nodes++] = PointNode::inner(axis, plane, 0);
        s.waiting[s.n_waiting++] = right;
        s.waiting[s.n_waiting++] = left;
    }
    TL_D void operator()(const Warp& warp, Shared& s) const {
        std::uint32_t n = levels.n_points(), j = warp.index;
        std::uint32_t first = PointLevels::first_of(n, levels.n_levels, j);
        std::uint32_t end = PointLevels::first_of(n, levels.n_levels, j + 1);
        load(warp, s, first, end - first);
        PointSubtree& subtree = subtrees[j];
        while (true) {
            if (warp.rank == 0 && s.n_waiting > 0) {
                s.node = s.waiting[s.n_waiting - 1];
                s.best = Shared::kNone;
            }
            warp.sync();
            if (s.n_waiting == 0) break;
            std::uint64_t best = Shared::kNone;
            for (std::uint32_t c = warp.rank; c < 3 * (end - first); c += warp.size) {
                std::uint64_t key = evaluate(s, c);
                best = key < best ? key : best;
            }
            if (best != Shared::kNone) block_min(&s.best, best);
            warp.sync();
            bool pays = split_pays(s);
            if (!pays)
                for (std::uint32_t i = warp.rank; i < end - first; i += warp.size) {
                    if (!(s.node.set >> i & 1)) continue;
                    auto before =
                        static_cast<std::uint32_t>(bit_count(s.node.set & ((1u << i) - 1)));
                    store_vectorized(points[first + s.n_placed + before],
                                     TreePoint{s.positions[i], s.indices[i]});
                }
            warp.sync();
            if (warp.rank == 0) {
                --s.n_waiting;
                if (s.node.parent != Shared::kNoParent)
                    subtree.nodes[s.node.parent].word |= s.n_nodes;
                if (pays) {
                    split(s, subtree);
                } else {
                    auto count = static_cast<std::uint32_t>(bit_count(s.node.set));
                    subtree.nodes[s.n_nodes++] = PointNode::leaf(first + s.n_placed, count);
                    s.n_placed += count;
                }
            }
            warp.sync();
        }
        if (warp.rank == 0) node_counts[j] = s.n_nodes;
    }
};

}  // namespace

void split_small_points(Stream& stream, View<const vec3> positions, const PointLevels& levels,
                        View<const std::uint32_t> order, View<PointSubtree> subtrees,
                        View<std::uint32_t> node_counts, View<TreePoint> points) {
    launch_blocks<32, SubtreeShared>(
        stream, "point subtrees", levels.n_small(),
        SubtreePass{levels, positions, order, subtrees, node_counts, points});
}

TL_DEVICE_END

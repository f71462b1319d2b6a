// SAH-optimal binary tree over a few subtrees: Karras & Aila 2013 ("Fast parallel construction of
// high-quality bounding volume hierarchies"), section 4. A treelet grows from its root by expanding
// its leaf of the largest area until it has seven leaves. Dynamic programming over subsets of the
// leaves then finds the topology of least cost. Unlike in the paper, all data that lanes share is
// in shared memory, so the same steps run on a warp and on one CPU thread.
#pragma once

#include "accel/bvh/layouts/binary_tree.h"
#include "core/base/bits.h"
#include "core/device/atomics.h"

TL_DEVICE_BEGIN

#if defined(__CUDACC__)
/// Lanes that work on one treelet: a whole warp. Every member function is called by all of them.
struct TreeletTeam {
    /// Runs f(i) for every i in [0, n); its writes are then visible to the whole team.
    template <class F>
    static __device__ void for_each(int n, F&& f) {
        for (int i = static_cast<int>(threadIdx.x % 32); i < n; i += 32) f(i);
        __syncwarp();
    }
    static __device__ void sync() { __syncwarp(); }
};
#else
struct TreeletTeam {
    template <class F>
    static void for_each(int n, F&& f) {
        for (int i = 0; i < n; ++i) f(i);
    }
    static void sync() {}
};
#endif

/// Cost and size of the tree below a reference.
struct Subtree {
    float cost = 0;             ///< SAH cost, not divided by the root's area
    std::uint32_t n_below = 0;  ///< number of primitives

    /// Packs both members into one word, for loads that bypass the L1 cache.
    [[nodiscard]] TL_HD std::uint64_t packed() const {
        std::uint32_t bits;
        memcpy(&bits, &cost, sizeof bits);
        return std::uint64_t(n_below) << 32 | bits;
    }
    TL_HD static Subtree unpacked(std::uint64_t word) {
        Subtree subtree;
        auto bits = static_cast<std::uint32_t>(word);
        memcpy(&subtree.cost, &bits, sizeof bits);
        subtree.n_below = static_cast<std::uint32_t>(word >> 32);
        return subtree;
    }
};

/// SAH cost of a leaf, as in LeafPolicy; infinite for more than policy.max_size primitives.
TL_HD inline float leaf_cost(const LeafPolicy& policy, float area, std::uint32_t n_below) {
    return n_below <= policy.max_size ? static_cast<float>(n_below) * area : kInfinity;
}
/// SAH cost of a subtree, as in LeafPolicy: that of an inner node or of a leaf, whichever is less.
TL_HD inline float subtree_cost(const LeafPolicy& policy, float area, std::uint32_t n_below,
                                float cost_of_children) {
    return minimum(policy.node_cost * area + cost_of_children, leaf_cost(policy, area, n_below));
}

/// Working memory of a team for one treelet. Subsets of the leaves are bit masks.
struct Treelet {
    static constexpr int kMaxLeaves = 7;
    static constexpr int kMaxInner = kMaxLeaves - 1;
    static constexpr std::uint32_t kSubsets = 1u << kMaxLeaves;

    struct Leaf {
        Box box;
        NodeRef ref;
        NodeRef children[2];  ///< set for an inner node
        float area;           ///< area of an inner node; -1 for leaves of the tree
        Subtree subtree;
    };
    Leaf leaves[kMaxLeaves];
    std::uint32_t inner[kMaxInner];  ///< nodes of the treelet, its root first

    float area[kSubsets];
    float cost[kSubsets];            ///< cost of the best tree over each subset
    std::uint8_t left[kSubsets];     ///< leaves of the left child in that tree
    std::uint8_t subset[kMaxInner];  ///< leaves below each inner node
    NodeRef children[kMaxInner][2];

    /// Partition of a subset into two.
    struct Partition {
        float cost;
        std::uint32_t left;
    };
    Partition partitions[32];  ///< the best one found by each lane

    [[nodiscard]] TL_D Box box_of(std::uint32_t s) const {
        Box box;
        for (; s; s &= s - 1) box.extend(leaves[lowest_bit(s)].box);
        return box;
    }
    [[nodiscard]] TL_D std::uint32_t n_below(std::uint32_t s) const {
        std::uint32_t n = 0;
        for (; s; s &= s - 1) n += leaves[lowest_bit(s)].subtree.n_below;
        return n;
    }
    /// Returns the index of the leaf to expand next, or -1.
    [[nodiscard]] TL_D int largest_inner_leaf(int n_leaves) const {
        int largest = -1;
        float area = -1;
        for (int i = 0; i < n_leaves; ++i)
            if (leaves[i].area > area) {
                area = leaves[i].area;
                largest = i;
            }
        return largest;
    }

    /// Grows the treelet of `root` and returns its number of leaves. `load(ref)` makes a Leaf.
    template <class Load>
    TL_D int grow(std::uint32_t root, NodeRef left_of_root, NodeRef right_of_root, Load&& load) {
        TreeletTeam::for_each(2, [&](int side) {
            leaves[side] = load(side ? right_of_root : left_of_root);
            if (side == 0) inner[0] = root;
        });
        int n_leaves = 2;
        while (n_leaves < kMaxLeaves) {
            int opened = largest_inner_leaf(n_leaves);
            if (opened < 0) break;
            NodeRef node = leaves[opened].ref;
            NodeRef left_of_node = leaves[opened].children[0];
            NodeRef right_of_node = leaves[opened].children[1];
            TreeletTeam::sync();  // all lanes have read the leaf before it is overwritten
            TreeletTeam::for_each(2, [&](int side) {
                leaves[side ? n_leaves : opened] = load(side ? right_of_node : left_of_node);
                if (side == 0) inner[n_leaves - 1] = node.node();
            });
            ++n_leaves;
        }
        return n_leaves;
    }

    /// Finds the best tree over every subset of two or more leaves.
    TL_D void solve(int n_leaves, const LeafPolicy& policy) {
        int n_subsets = (1 << n_leaves) - 1;
        TreeletTeam::for_each(n_subsets, [&](int i) {
            auto s = static_cast<std::uint32_t>(i) + 1;
            area[s] = box_of(s).half_area();
            bool single = (s & (s - 1)) == 0;
            cost[s] = single ? leaves[lowest_bit(s)].subtree.cost
                             : leaf_cost(policy, area[s], n_below(s));
        });
        for (int size = 2; size <= n_leaves - 2; ++size)
            TreeletTeam::for_each(n_subsets, [&](int i) {
                auto s = static_cast<std::uint32_t>(i) + 1;
                if (bit_count(s) == size) split_best(s, policy);
            });
        split_best_of_few(n_leaves, n_leaves - 1, policy);
        split_best_of_few(n_leaves, n_leaves, policy);
    }
    TL_D void try_partition(Partition& best, std::uint32_t s, std::uint32_t p) const {
        float both = cost[p] + cost[s ^ p];
        if (both < best.cost) best = {both, p};
    }
    TL_D void take_partition(std::uint32_t s, const Partition& best, const LeafPolicy& policy) {
        left[s] = static_cast<std::uint8_t>(best.left);
        cost[s] = minimum(cost[s], policy.node_cost * area[s] + best.cost);
    }
    TL_D void split_best(std::uint32_t s, const LeafPolicy& policy) {
        Partition best{kInfinity, s & (~s + 1)};
        // Tries each subset with the highest leaf only; its complement is the same partition.
        for (std::uint32_t p = (s - 1) & s; p > (s ^ p); p = (p - 1) & s) try_partition(best, s, p);
        take_partition(s, best, policy);
    }
    /// Finds the best partitions of the subsets of all leaves or of all but one. These have the
    /// most partitions, so several lanes process each subset.
    TL_D void split_best_of_few(int n_leaves, int size, const LeafPolicy& policy) {
        bool is_all = size == n_leaves;
        int n_sets = is_all ? 1 : n_leaves, n_slices = is_all ? 16 : 4;
        std::uint32_t all = (1u << n_leaves) - 1, highest = 1u << (size - 1);
        TreeletTeam::for_each(n_sets * n_slices, [&](int item) {
            int missing = item / n_slices;
            std::uint32_t s = is_all ? all : all ^ 1u << missing;
            Partition best{kInfinity, s & (~s + 1)};
            for (auto i = static_cast<std::uint32_t>(item % n_slices); i < highest - 1;
                 i += static_cast<std::uint32_t>(n_slices)) {
                std::uint32_t p = highest | i;
                if (!is_all) {  // inserts a zero bit for the missing leaf
                    std::uint32_t below = p & ((1u << missing) - 1);
                    p = below | (p ^ below) << 1;
                }
                try_partition(best, s, p);
            }
            partitions[item] = best;
        });
        TreeletTeam::for_each(n_sets, [&](int missing) {
            Partition best = partitions[missing * n_slices];
            for (int slice = 1; slice < n_slices; ++slice) {
                const Partition& other = partitions[missing * n_slices + slice];
                if (other.cost < best.cost) best = other;
            }
            take_partition(is_all ? all : all ^ 1u << missing, best, policy);
        });
    }

    /// Assigns the best tree's subsets and children to the nodes of the treelet, then calls
    /// write(k) to write inner node k.
    template <class Write>
    TL_D void rebuild(int n_leaves, Write&& write) {
        TreeletTeam::for_each(1, [&](int) {
            subset[0] = static_cast<std::uint8_t>((1 << n_leaves) - 1);
            int n_given = 1;
            for (int k = 0; k < n_leaves - 1; ++k)
                for (int side = 0; side < 2; ++side) {
                    std::uint32_t s = subset[k], part = side ? s ^ left[s] : left[s];
                    if ((part & (part - 1)) == 0) {
                        children[k][side] = leaves[lowest_bit(part)].ref;
                    } else {
                        subset[n_given] = static_cast<std::uint8_t>(part);
                        children[k][side] = NodeRef::inner(inner[n_given++]);
                    }
                }
        });
        TreeletTeam::for_each(n_leaves - 1, write);
    }
};

TL_DEVICE_END

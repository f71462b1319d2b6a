#include "solvers/fmm/near_pairs.h"

#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace pairs {

/// Whether two nodes have a point in common, as closed cubes.
TL_D bool touch(const SumNode& a, const SumNode& b) {
    int shift_a = SumTree::kMostLevel - a.level, shift_b = SumTree::kMostLevel - b.level;
    for (int axis = 0; axis < 3; ++axis) {
        if (a.cell[axis] << shift_a > (b.cell[axis] + 1) << shift_b) return false;
        if (b.cell[axis] << shift_b > (a.cell[axis] + 1) << shift_a) return false;
    }
    return true;
}

/// Lists of nodes. Every pair of a target and a source is covered once: by lattices of equal size,
/// or by one list.
struct ListFinder {
    View<const SumNode> nodes;
    View<const std::uint32_t> neighbours;
    std::uint32_t few;

    /// Calls take(list) for each list of the targets of a leaf.
    template <class Take>
    TL_D void of_leaf(std::uint32_t leaf, Take&& take) const {
        // Neighbours of the leaf's size, and smaller ones below them.
        for (int d = 0; d < 27; ++d) {
            std::uint32_t k = neighbours[std::size_t(27) * leaf + d];
            if (k != kNoNode) down_from(leaf, k, take);
        }
        // Larger leaves beside the node's parents.
        for (std::uint32_t k = nodes[leaf].parent; k != kNoNode; k = nodes[k].parent)
            for (int d = 0; d < 27; ++d) {
                std::uint32_t larger = neighbours[std::size_t(27) * k + d];
                if (larger == kNoNode) continue;
                const SumNode& source = nodes[larger];
                if (!source.is_leaf() || source.n_sources() == 0) continue;
                if (touch(source, nodes[leaf]) || !on_lattice(leaf, k, source))
                    take(SourceList{source.source_begin, source.n_sources()});
            }
    }
    /// Calls take(list) for each larger leaf whose points act on the node's lattice.
    template <class Take>
    TL_D void of_lattice(std::uint32_t node, Take&& take) const {
        if (nodes[node].n_targets() <= few) return;
        std::uint32_t parent = nodes[node].parent;
        for (std::uint32_t k = parent; k != kNoNode; k = nodes[k].parent)
            for (int d = 0; d < 27; ++d) {
                std::uint32_t larger = neighbours[std::size_t(27) * k + d];
                if (larger == kNoNode) continue;
                const SumNode& source = nodes[larger];
                if (!source.is_leaf() || source.n_sources() == 0) continue;
                if (touch(source, nodes[parent]) && !touch(source, nodes[node]))
                    take(SourceList{source.source_begin, source.n_sources()});
            }
    }

  private:
    template <class Take>
    TL_D void down_from(std::uint32_t leaf, std::uint32_t top, Take& take) const {
        std::uint32_t stack[8 * SumTree::kMostLevel];
        int n = 0;
        for (stack[n++] = top; n > 0;) {
            std::uint32_t k = stack[--n];
            const SumNode& node = nodes[k];
            if (node.n_sources() == 0) continue;
            bool is_near = touch(node, nodes[leaf]);
            if (is_near && !node.is_leaf()) {
                for (int o = 0; o < 8; ++o)
                    if (node.source_children >> o & 1) stack[n++] = node.child(o);
            } else if (is_near || node.n_sources() <= few) {
                take(SourceList{node.source_begin, node.n_sources()});
            } else {
                take(SourceList{k, SourceList::kLattice});
            }
        }
    }
    /// Whether a leaf beside `above` acts on the lattice of a node from there down to `leaf`, which
    /// it does not touch.
    TL_D bool on_lattice(std::uint32_t leaf, std::uint32_t above, const SumNode& source) const {
        // The largest node that the source does not touch.
        std::uint32_t largest = leaf;
        for (std::uint32_t k = nodes[leaf].parent; k != above && !touch(source, nodes[k]);
             k = nodes[k].parent)
            largest = k;
        return nodes[largest].n_targets() > few;
    }
};

/// Counts or writes the lists and the group of a node.
struct MakeLists {
    ListFinder finder;
    bool of_lattices;
    View<std::uint32_t> n_lists, n_groups;  ///< of each node, and then the sums of those before
    View<TargetGroup> groups;
    View<SourceList> lists;

    [[nodiscard]] TL_D bool has_group(const SumNode& node) const {
        return node.n_targets() > 0 && (of_lattices || node.is_leaf());
    }
    template <class Take>
    TL_D void visit(std::uint32_t k, Take&& take) const {
        if (of_lattices)
            finder.of_lattice(k, take);
        else
            finder.of_leaf(k, take);
    }
    TL_D void count(std::uint32_t k) const {
        std::uint32_t n = 0;
        bool has = has_group(finder.nodes[k]);
        if (has) visit(k, [&](const SourceList&) { ++n; });
        n_lists[k] = n;
        n_groups[k] = has && (n > 0 || !of_lattices) ? 1 : 0;
    }
    TL_D void write(std::uint32_t k) const {
        if (n_groups[k + 1] == n_groups[k]) return;
        const SumNode& node = finder.nodes[k];
        std::uint32_t next = n_lists[k];
        visit(k, [&](const SourceList& list) { lists[next++] = list; });
        groups[n_groups[k]] =
            of_lattices
                ? TargetGroup{0, SourceList::kLattice, n_lists[k], n_lists[k + 1], k, 0}
                : TargetGroup{node.target_begin, node.n_targets(), n_lists[k], n_lists[k + 1], k,
                              node.target_begin};
    }
};

inline void make_lists(Scratch& scratch, const SumTree& tree, const ListFinder& finder,
                       bool of_lattices, PairLists& out) {
    Scratch::Scope scope(scratch);
    Stream& stream = scratch.stream();
    std::uint32_t n = tree.n_nodes();
    MakeLists make{
        finder, of_lattices, scratch.take<std::uint32_t>(n + 1), scratch.take<std::uint32_t>(n + 1),
        {},     {}};
    constexpr std::uint32_t kGrain = 64;
    parallel_for(
        stream, "count lists", n + 1,
        TL_LAMBDA(std::uint32_t k) {
            if (k < n)
                make.count(k);
            else
                make.n_lists[k] = make.n_groups[k] = 0;
        },
        kGrain);
    exclusive_scan<std::uint32_t>(scratch, make.n_lists, make.n_lists);
    exclusive_scan<std::uint32_t>(scratch, make.n_groups, make.n_groups);
    std::uint32_t n_lists = 0, n_groups = 0;
    stream.device().download(stream, &n_lists, &make.n_lists[n], sizeof n_lists);
    stream.device().download(stream, &n_groups, &make.n_groups[n], sizeof n_groups);
    out.lists.resize_discard(stream, n_lists);
    out.groups.resize_discard(stream, n_groups);
    make.lists = out.lists.view();
    make.groups = out.groups.view();
    parallel_for(
        stream, "write lists", n, TL_LAMBDA(std::uint32_t k) { make.write(k); }, kGrain);
}

}  // namespace pairs

void find_pair_lists(Scratch& scratch, const SumTree& tree, int p, PairLists& of_points,
                     PairLists& of_lattices) {
    pairs::ListFinder finder{tree.nodes.view(), tree.neighbours.view(), few_points(p)};
    pairs::make_lists(scratch, tree, finder, false, of_points);
    pairs::make_lists(scratch, tree, finder, true, of_lattices);
}

TL_DEVICE_END

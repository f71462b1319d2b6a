// Binned SAH for large nodes, with data-parallel primitives only (Zeidan 2011, section 4.6). All
// nodes of a level are segments of the order. Each level bounds the nodes' centres and projects
// references to K bins along the longest axis. It then sorts references by bin, reduces each bin's
// boxes as a segment, and evaluates the K - 1 planes. References sorted by bin are partitioned
// already, so no further distribution is needed. The three variants differ only in the projection.
// Departs from the thesis in two points. References of finished nodes keep their positions, as gaps
// between the nodes' segments, instead of moving to separate lists. The boxes of bins are reduced
// without chunks.
#include "accel/bvh/builders/binned_projections.h"

#include <algorithm>

#include "core/device/atomics.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

/// Nodes as segments of the order. Node a (from 1) has number 2a - 1, the gap after it 2a, and the
/// gap before the first node 0.
struct Segments {
    View<std::uint32_t> owner;  ///< number of the node or gap at each position
    View<std::uint32_t> first, count, parent;

    TL_HD static bool is_node(std::uint32_t number) { return number % 2 == 1; }
};

struct ProjectionStage {
    View<const Box> boxes;
    BinaryTree tree;
    std::uint32_t n_bins;
    Segments now, next;
    SubtreeTasks done;
    // One element per position of the order:
    View<float> values;
    View<std::uint32_t> bin, key, head, n_heads, moved;
    // One element per node: the bounds of its centres, the axis of its bins and its split.
    View<float> center_lo[3], center_hi[3];
    View<std::uint32_t> axis, n_left;
    // One element per node and bin:
    View<float> bin_lo[3], bin_hi[3];
    View<std::uint32_t> bin_begin, bin_end;

    TL_D void add_done(const SubtreeTask& task) const {
        done.tasks[atomic_add(&done.n_tasks[0], 1)] = task;
    }
    TL_D void start(const SubtreeTasks& root, std::uint32_t place) const {
        std::uint32_t n = root.n_tasks[0] ? root.tasks[0].count : 0;
        bool is_large = n > kSmallBinnedNode;
        now.owner[place] = !is_large ? 0 : place < n ? 1 : 2;
        if (place > 0) return;
        done.n_tasks[0] = 0;
        if (is_large) {
            now.first[1] = 0;
            now.count[1] = n;
            now.parent[1] = SubtreeTask::kNoParent;
        } else if (n > 0) {
            add_done(root.tasks[0]);
        }
    }
    TL_D void gather_center(std::uint32_t place, int a) const {
        bool in_node = Segments::is_node(now.owner[place]);
        values[place] = in_node ? boxes[tree.order[place]].center()[a] : 0.0f;
    }
    TL_D void gather_bound(std::uint32_t place, int field) const {
        bool in_node = Segments::is_node(now.owner[place]);
        const Box& box = boxes[in_node ? tree.order[place] : 0];
        values[place] = !in_node ? 0.0f : field < 3 ? box.lo[field] : box.hi[field - 3];
    }
    TL_D void choose_axis(std::uint32_t node) const {
        float extent[3];
        for (int a = 0; a < 3; ++a) extent[a] = center_hi[a][node] - center_lo[a][node];
        axis[node] = extent[0] >= extent[1] ? (extent[0] >= extent[2] ? 0 : 2)
                                            : (extent[1] >= extent[2] ? 1 : 2);
    }
    TL_D void project(std::uint32_t place) const {
        std::uint32_t node = now.owner[place], k = 0;
        if (Segments::is_node(node)) {
            std::uint32_t a = axis[node];
            float extent = center_hi[a][node] - center_lo[a][node];
            float scale = extent > 0 ? static_cast<float>(n_bins) * 0.9999f / extent : 0.0f;
            // A node so nearly flat that the scale overflows: all in the first bin.
            if (!(scale < kInfinity)) scale = 0;
            float at =
                (boxes[tree.order[place]].center()[static_cast<int>(a)] - center_lo[a][node]) *
                scale;
            at = minimum(maximum(at, 0.0f), static_cast<float>(n_bins - 1));
            k = static_cast<std::uint32_t>(at);
        }
        bin[place] = k;
        key[place] = node * n_bins + k;
    }
    /// Splits a node, whose references are sorted by bin, at the plane of least SAH cost. Ties go
    /// to the more even split.
    TL_D void split(std::uint32_t node) const {
        std::uint32_t n = now.count[node], bins = node * n_bins;
        if (!Segments::is_node(node) || n == 0) return;
        float right_cost[BinsConfig::kMaxBins];
        Box box;
        std::uint32_t n_right = 0;
        for (std::uint32_t k = n_bins; k-- > 0;) {
            n_right += bin_end[bins + k] - bin_begin[bins + k];
            box.extend(bin_box(bins + k));
            right_cost[k] = static_cast<float>(n_right) * box.half_area();
        }
        Box left_box;
        std::uint32_t n_before = 0, best = 0, least_skew = 0;
        float least = kInfinity;
        for (std::uint32_t k = 0; k + 1 < n_bins; ++k) {
            n_before += bin_end[bins + k] - bin_begin[bins + k];
            left_box.extend(bin_box(bins + k));
            float cost = static_cast<float>(n_before) * left_box.half_area() + right_cost[k + 1];
            std::uint32_t skew = n_before > n - n_before ? 2 * n_before - n : n - 2 * n_before;
            if (n_before == 0 || n_before == n) continue;
            if (cost > least || (cost == least && best && skew >= least_skew)) continue;
            least = cost;
            least_skew = skew;
            best = n_before;
        }
        if (best == 0) best = n / 2;  // no plane splits the node
        n_left[node] = best;
        std::uint32_t first = now.first[node], index = first + best - 1;
        tree.nodes[index].lo = box.lo;
        tree.nodes[index].hi = box.hi;
        link_child(tree, now.parent[node], NodeRef::inner(index));
        if (best <= kSmallBinnedNode) add_done({first, best, SubtreeTask::child_of(index, 0)});
        if (n - best <= kSmallBinnedNode)
            add_done({first + best, n - best, SubtreeTask::child_of(index, 1)});
    }
    TL_D Box bin_box(std::uint32_t b) const {
        Box box;
        if (bin_begin[b] == bin_end[b]) return box;
        for (int a = 0; a < 3; ++a) {
            box.lo[a] = bin_lo[a][b];
            box.hi[a] = bin_hi[a][b];
        }
        return box;
    }
    struct Half {
        std::uint32_t first, count, parent;
    };
    /// Returns the child of `node` that contains a position.
    TL_D Half half_of(std::uint32_t place, std::uint32_t node) const {
        std::uint32_t first = now.first[node], left = n_left[node], index = first + left - 1;
        if (place <= index) return {first, left, SubtreeTask::child_of(index, 0)};
        return {first + left, now.count[node] - left, SubtreeTask::child_of(index, 1)};
    }
    TL_D void flag_head(std::uint32_t place) const {
        std::uint32_t node = now.owner[place];
        head[place] = 0;
        if (!Segments::is_node(node)) return;
        Half half = half_of(place, node);
        head[place] = place == half.first && half.count > kSmallBinnedNode ? 1 : 0;
    }
    TL_D void enter_next(std::uint32_t place) const {
        std::uint32_t node = now.owner[place], number = 2 * n_heads[place];
        if (Segments::is_node(node)) {
            Half half = half_of(place, node);
            if (half.count > kSmallBinnedNode) --number;
            if (head[place]) {
                next.first[number] = half.first;
                next.count[number] = half.count;
                next.parent[number] = half.parent;
            }
        }
        next.owner[place] = number;
    }
    TL_D void flag_bin(std::uint32_t place, std::uint32_t k) const {
        head[place] = Segments::is_node(now.owner[place]) && bin[place] == k ? 1 : 0;
    }
    /// Writes the ranks of references within bin k to `moved`, after a scan of that bin's flags.
    /// The thread at a node's last position writes the bin's size to bin_end.
    TL_D void rank_in_bin(std::uint32_t place, std::uint32_t k) const {
        std::uint32_t node = now.owner[place];
        if (!Segments::is_node(node)) return;
        std::uint32_t first = now.first[node], rank = n_heads[place] - n_heads[first];
        if (head[place]) moved[place] = rank;
        if (place + 1 == first + now.count[node]) bin_end[node * n_bins + k] = rank + head[place];
    }
    /// Returns the new position of a reference. bin_begin must hold the prefix sums of the bins'
    /// sizes.
    TL_D std::uint32_t place_in_bin(std::uint32_t place) const {
        std::uint32_t node = now.owner[place];
        if (!Segments::is_node(node)) return place;
        return now.first[node] + bin_begin[key[place]] - bin_begin[node * n_bins] + moved[place];
    }
};

std::uint32_t count_of(std::size_t size) {
    return static_cast<std::uint32_t>(size);
}

/// Sorts references by bin: one scan of flags per bin gives their ranks within the bin.
void project_by_scans(Scratch& scratch, const ProjectionStage& s) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    std::uint32_t n = count_of(s.key.size);
    fill<std::uint32_t>(stream, s.bin_end, 0);
    for (std::uint32_t k = 0; k < s.n_bins; ++k) {
        parallel_for(
            stream, "flag bin", n, TL_LAMBDA(std::uint32_t i) { s.flag_bin(i, k); });
        exclusive_scan<std::uint32_t>(scratch, s.head, s.n_heads);
        parallel_for(
            stream, "rank in bin", n, TL_LAMBDA(std::uint32_t i) { s.rank_in_bin(i, k); });
    }
    exclusive_scan<std::uint32_t>(scratch, s.bin_end, s.bin_begin);
    auto order = scratch.take<std::uint32_t>(n), keys = scratch.take<std::uint32_t>(n);
    parallel_for(
        stream, "move to bins", n, TL_LAMBDA(std::uint32_t i) {
            std::uint32_t to = s.place_in_bin(i);
            order[to] = s.tree.order[i];
            keys[to] = s.key[i];
        });
    stream.device().copy(stream, s.tree.order.data, order.data, n * sizeof(std::uint32_t));
    stream.device().copy(stream, s.key.data, keys.data, n * sizeof(std::uint32_t));
}

/// Sorts references by bin: one stable segmented partition of all nodes for each bit of the bin
/// number, from the lowest, which is a radix sort.
void project_by_splits(Scratch& scratch, const ProjectionStage& s) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    std::uint32_t n = count_of(s.key.size);
    auto pairs = scratch.take<std::uint64_t>(n), spare = scratch.take<std::uint64_t>(n);
    auto counts = scratch.take<std::uint32_t>(s.now.first.size);
    parallel_for(
        stream, "pair with bins", n,
        TL_LAMBDA(std::uint32_t i) { pairs[i] = std::uint64_t(s.bin[i]) << 32 | s.tree.order[i]; });
    for (std::uint32_t bit = 0; (1u << bit) < s.n_bins; ++bit) {
        parallel_for(
            stream, "flag bit", n,
            TL_LAMBDA(std::uint32_t i) { s.head[i] = pairs[i] >> (32 + bit) & 1 ? 0 : 1; });
        segmented_partition<std::uint64_t>(scratch, pairs, s.head, s.now.owner, spare, counts);
        std::swap(pairs, spare);
    }
    parallel_for(
        stream, "unpair", n, TL_LAMBDA(std::uint32_t i) {
            s.tree.order[i] = static_cast<std::uint32_t>(pairs[i]);
            s.key[i] = s.now.owner[i] * s.n_bins + static_cast<std::uint32_t>(pairs[i] >> 32);
        });
}

/// Sorts references by bin: one radix sort on (node, bin).
void project_by_sort(Scratch& scratch, const ProjectionStage& s) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    std::size_t n = s.key.size;
    Pairs<std::uint32_t> pairs{s.key, s.tree.order};
    Pairs<std::uint32_t> spare{scratch.take<std::uint32_t>(n), scratch.take<std::uint32_t>(n)};
    int n_bits = 0;
    while (s.bin_begin.size >> n_bits) ++n_bits;
    auto sorted = sort_pairs(scratch, pairs, spare, 0, n_bits);
    if (sorted.keys.data == s.key.data) return;
    stream.device().copy(stream, s.key.data, sorted.keys.data, n * sizeof(std::uint32_t));
    stream.device().copy(stream, s.tree.order.data, sorted.values.data, n * sizeof(std::uint32_t));
}

void split_level(Scratch& scratch, const ProjectionStage& s, BinProjection projection) {
    auto& stream = scratch.stream();
    std::uint32_t n = count_of(s.key.size), n_segments = count_of(s.now.first.size);
    for (int a = 0; a < 3; ++a) {
        parallel_for(
            stream, "gather centers", n, TL_LAMBDA(std::uint32_t i) { s.gather_center(i, a); });
        segmented_reduce<float>(scratch, s.values, s.now.owner, s.center_lo[a], Operator::minimum);
        segmented_reduce<float>(scratch, s.values, s.now.owner, s.center_hi[a], Operator::maximum);
    }
    parallel_for(
        stream, "bin axes", n_segments, TL_LAMBDA(std::uint32_t i) { s.choose_axis(i); });
    parallel_for(
        stream, "project", n, TL_LAMBDA(std::uint32_t i) { s.project(i); });
    if (projection == BinProjection::k_scans)
        project_by_scans(scratch, s);
    else if (projection == BinProjection::log2_splits)
        project_by_splits(scratch, s);
    else
        project_by_sort(scratch, s);
    find_sorted_bounds(stream, s.key, s.bin_begin, s.bin_end);
    for (int field = 0; field < 6; ++field) {
        parallel_for(
            stream, "gather bounds", n, TL_LAMBDA(std::uint32_t i) { s.gather_bound(i, field); });
        bool low = field < 3;
        segmented_reduce<float>(scratch, s.values, s.key,
                                low ? s.bin_lo[field] : s.bin_hi[field - 3],
                                low ? Operator::minimum : Operator::maximum);
    }
    parallel_for(
        stream, "split nodes", n_segments, TL_LAMBDA(std::uint32_t i) { s.split(i); });
    parallel_for(
        stream, "flag heads", n, TL_LAMBDA(std::uint32_t i) { s.flag_head(i); });
    inclusive_scan<std::uint32_t>(scratch, s.head, s.n_heads);
    fill<std::uint32_t>(stream, s.next.count, 0);
    parallel_for(
        stream, "enter next level", n, TL_LAMBDA(std::uint32_t i) { s.enter_next(i); });
}

}  // namespace

SubtreeTasks split_by_projection(Scratch& scratch, View<const Box> boxes, const SubtreeTasks& root,
                                 BinProjection projection, int n_bins, const BinaryTree& tree) {
    auto& stream = scratch.stream();
    std::size_t n = tree.order.size;
    SubtreeTasks done{scratch.take<SubtreeTask>(n), scratch.take<std::uint32_t>(1)};
    Scratch::Scope scope(scratch);
    std::size_t n_segments = 2 * (n / (kSmallBinnedNode + 1)) + 3;
    std::size_t max_bins = n_segments * static_cast<std::size_t>(n_bins);
    ProjectionStage s;
    s.boxes = boxes;
    s.tree = tree;
    s.n_bins = static_cast<std::uint32_t>(n_bins);
    s.done = done;
    for (Segments* segments : {&s.now, &s.next}) {
        segments->owner = scratch.take<std::uint32_t>(n);
        for (auto* view : {&segments->first, &segments->count, &segments->parent})
            *view = scratch.take<std::uint32_t>(n_segments);
    }
    s.values = scratch.take<float>(n);
    for (auto* view : {&s.bin, &s.key, &s.head, &s.n_heads, &s.moved})
        *view = scratch.take<std::uint32_t>(n);
    for (int a = 0; a < 3; ++a) {
        s.center_lo[a] = scratch.take<float>(n_segments);
        s.center_hi[a] = scratch.take<float>(n_segments);
        s.bin_lo[a] = scratch.take<float>(max_bins);
        s.bin_hi[a] = scratch.take<float>(max_bins);
    }
    for (auto* view : {&s.axis, &s.n_left}) *view = scratch.take<std::uint32_t>(n_segments);
    for (auto* view : {&s.bin_begin, &s.bin_end}) *view = scratch.take<std::uint32_t>(max_bins);

    fill<std::uint32_t>(stream, s.now.count, 0);
    parallel_for(
        stream, "start root", count_of(n), TL_LAMBDA(std::uint32_t i) { s.start(root, i); });
    // Sufficient for splits that halve nodes, plus six levels for uneven splits.
    int n_levels = n > kSmallBinnedNode ? 6 : 0;
    for (std::size_t size = n; size > kSmallBinnedNode; size /= 2) ++n_levels;
    for (int level = 0; level < n_levels; ++level) {
        split_level(scratch, s, projection);
        std::swap(s.now, s.next);
#if !defined(__CUDACC__)
        if (s.now.count[1] == 0) break;  // no node is left; the CPU's primitives are synchronous
#endif
    }
    parallel_for(
        stream, "keep large nodes", count_of(n_segments), TL_LAMBDA(std::uint32_t i) {
            if (s.now.count[i] > 0) s.add_done({s.now.first[i], s.now.count[i], s.now.parent[i]});
        });
    return done;
}

TL_DEVICE_END

#include "renderer/radiosity/transport/visibility_map.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "core/device/atomics.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"
#include "core/operators/sort_keys.h"
#include "renderer/radiosity/transport/classify_all.h"
#include "renderer/radiosity/transport/leaf_table.h"

TL_DEVICE_BEGIN

namespace {

template <class Visibility>
void find_all_bits(Stream& stream, const FindBits<Visibility>& find) {
    parallel_for<Visibility::kResidentBlocks>(
        stream, "pairs of points", static_cast<std::uint32_t>(find.pairs.size) * LeafBits::kMost,
        TL_LAMBDA(std::uint32_t i) { find(i); }, 32);
}

/// Pairs of one classification, in the order of their queue.
struct ChosenPairs {
    View<std::uint64_t> pairs;
    View<float> fractions;
};

/// Compacts a queue's pairs by classification, and expands pairs to those of children.
class PairChoice {
  public:
    explicit PairChoice(Scratch& scratch) : scratch_(scratch) {}

    /// Returns the near or far pairs of one classification. Waits for the stream.
    ChosenPairs of(View<const std::uint64_t> queue, View<const Seen> seen,
                   NodeVisibility visibility, bool is_near) {
        auto& stream = scratch_.stream();
        auto n = static_cast<std::uint32_t>(queue.size);
        flags_.resize_discard(stream, n);
        first_.resize_discard(stream, n);
        auto flags = flags_.view(), first = first_.view();
        parallel_for(
            stream, "choose pairs", n, TL_LAMBDA(std::uint32_t i) {
                flags[i] =
                    seen[i].visibility == visibility && NodePair(queue[i]).is_near() == is_near ? 1
                                                                                                : 0;
            });
        std::uint32_t n_chosen = scanned();
        ChosenPairs chosen{scratch_.take<std::uint64_t>(n_chosen), scratch_.take<float>(n_chosen)};
        parallel_for(
            stream, "chosen pairs", n, TL_LAMBDA(std::uint32_t i) {
                if (!flags[i]) return;
                chosen.pairs[first[i]] = queue[i];
                chosen.fractions[first[i]] = seen[i].fraction;
            });
        return chosen;
    }
    /// Replaces each pair by those of the larger node's children and the other node, with
    /// `more_flags` set. Pairs of leaves with few pairs of points become near. Waits for the
    /// stream.
    View<std::uint64_t> children(const OctreeView& tree, View<const std::uint64_t> pairs,
                                 std::uint32_t more_flags, FewPairs few) {
        auto& stream = scratch_.stream();
        auto n = static_cast<std::uint32_t>(pairs.size);
        flags_.resize_discard(stream, n);
        first_.resize_discard(stream, n);
        auto counts = flags_.view(), first = first_.view();
        parallel_for(
            stream, "count children", n, TL_LAMBDA(std::uint32_t i) {
                NodePair pair(pairs[i]);
                bool is_first = is_first_split(tree, pair);
                OctreeNode node = load_vectorized(tree.nodes[is_first ? pair.a : pair.b]);
                counts[i] = node.end_child - node.first_child;
            });
        auto out = scratch_.take<std::uint64_t>(scanned());
        parallel_for(
            stream, "children of pairs", n, TL_LAMBDA(std::uint32_t i) {
                NodePair pair(pairs[i]);
                bool is_first = is_first_split(tree, pair);
                OctreeNode node = load_vectorized(tree.nodes[is_first ? pair.a : pair.b]);
                std::uint32_t kept = is_first ? pair.b : pair.a;
                OctreeNode other = load_vectorized(tree.nodes[kept]);
                for (std::uint32_t c = node.first_child; c < node.end_child; ++c) {
                    OctreeNode child = load_vectorized(tree.nodes[c]);
                    std::uint32_t flags = pair.flags | more_flags;
                    if (child.is_leaf() && other.is_leaf() &&
                        std::uint64_t(child.count()) * other.count() <=
                            few_pairs(few, tree.attributes[c].box, tree.attributes[kept].box))
                        flags |= NodePair::kNear;
                    out[first[i] + c - node.first_child] = NodePair(c, kept, flags).word();
                }
            });
        return out;
    }

    [[nodiscard]] TL_D static bool is_first_split(const OctreeView& tree, const NodePair& pair) {
        if (tree.nodes[pair.a].is_leaf()) return false;
        if (tree.nodes[pair.b].is_leaf()) return true;
        const Box &a = tree.attributes[pair.a].box, &b = tree.attributes[pair.b].box;
        return glm::length(a.hi - a.lo) >= glm::length(b.hi - b.lo);
    }

  private:
    /// Writes the exclusive scan of flags_ to first_ and returns their sum. Waits for the stream.
    std::uint32_t scanned() {
        auto& stream = scratch_.stream();
        if (flags_.empty()) return 0;
        Scratch::Scope scope(scratch_);
        View<const std::uint32_t> flags = flags_.view();
        exclusive_scan<std::uint32_t>(scratch_, flags, first_.view());
        auto total = scratch_.take<std::uint32_t>(1);
        exclusive_scan_tail<std::uint32_t>(stream, flags, first_.view(), total);
        std::uint32_t n = 0;
        stream.device().download(stream, &n, total.data, sizeof n);
        return n;
    }

    Scratch& scratch_;
    DeviceArray<std::uint32_t> flags_, first_;
};

/// Sum of counts. Waits for the stream.
std::uint64_t sum_of(Scratch& scratch, View<const std::uint32_t> counts) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto wide = scratch.take<std::uint64_t>(counts.size), sum = scratch.take<std::uint64_t>(1);
    parallel_for(
        stream, "sum of counts", static_cast<std::uint32_t>(counts.size),
        TL_LAMBDA(std::uint32_t i) { wide[i] = counts[i]; });
    reduce<std::uint64_t>(scratch, wide, sum);
    std::uint64_t n = 0;
    stream.device().download(stream, &n, sum.data, sizeof n);
    return n;
}

std::uint64_t rays_of(Scratch& scratch, View<const Seen> seen) {
    Scratch::Scope scope(scratch);
    auto rays = scratch.take<std::uint32_t>(seen.size);
    parallel_for(
        scratch.stream(), "rays of pairs", static_cast<std::uint32_t>(seen.size),
        TL_LAMBDA(std::uint32_t i) { rays[i] = seen[i].n_rays; });
    return sum_of(scratch, rays);
}

/// Growing array of classified pairs on a device, in pieces that are never moved.
class PairPieces {
  public:
    void add(Stream& stream, const ChosenPairs& more) {
        std::size_t n = more.pairs.size;
        if (n == 0) return;
        if (pieces_.empty() || pieces_.back().used + n > pieces_.back().pairs.size()) {
            std::size_t room = std::max({n, kLeast, n_ / 4});
            pieces_.push_back({{stream, room}, {stream, room}, 0});
        }
        Piece& piece = pieces_.back();
        std::uint64_t* pairs = piece.pairs.data() + piece.used;
        float* weights = piece.weights.data() + piece.used;
        parallel_for(
            stream, "settled pairs", static_cast<std::uint32_t>(n), TL_LAMBDA(std::uint32_t i) {
                NodePair pair(more.pairs[i]);
                pairs[i] = LooseLinks::pair_of(pair.a, pair.b);
                weights[i] = more.fractions[i];
            });
        piece.used += n;
        n_ += n;
    }
    [[nodiscard]] std::size_t size() const { return n_; }
    /// Calls use(pairs of a piece, index of its first pair) for each piece.
    template <class Use>
    void for_each(const Use& use) {
        std::size_t first = 0;
        for (auto& piece : pieces_) {
            use(ChosenPairs{{piece.pairs.data(), piece.used}, {piece.weights.data(), piece.used}},
                static_cast<std::uint32_t>(first));
            first += piece.used;
        }
    }
    /// Sets the weight of each pair to its index, bit-cast to float.
    void number(Stream& stream) {
        for_each([&](const ChosenPairs& piece, std::uint32_t first) {
            parallel_for(
                stream, "numbers of pairs", static_cast<std::uint32_t>(piece.pairs.size),
                TL_LAMBDA(std::uint32_t i) { piece.fractions[i] = float_of_bits(first + i); });
        });
    }
    /// Converts the pairs to rows of links, and clears them. Waits for the stream.
    void make_rows(Scratch& scratch, std::uint32_t n_nodes, LinkList& rows) {
        std::vector<WeightedPairs> parts;
        for_each([&](const ChosenPairs& piece, std::uint32_t) {
            parts.push_back({piece.pairs, piece.fractions});
        });
        make_rows_both_ways(scratch, parts, n_nodes, WeightedPairs::kBatch, rows);
        pieces_.clear();
        n_ = 0;
    }

  private:
    static constexpr std::size_t kLeast = 1u << 14;
    struct Piece {
        DeviceArray<std::uint64_t> pairs;
        DeviceArray<float> weights;
        std::size_t used;
    };
    std::vector<Piece> pieces_;
    std::size_t n_ = 0;
};

View<const std::uint64_t> in_order(Scratch& scratch, View<std::uint64_t> queue) {
    auto n = queue.size;
    Pairs<std::uint64_t> now{queue, scratch.take<std::uint32_t>(n)};
    Pairs<std::uint64_t> spare{scratch.take<std::uint64_t>(n), scratch.take<std::uint32_t>(n)};
    return sort_pairs(scratch, now, spare).keys;
}

/// Pairs of a queue that have a given mark, in its order.
struct MarkedPairs {
    View<std::uint32_t> places;  ///< indices in the queue
    View<std::uint64_t> pairs;

    /// Compacts the pairs with a mark, in memory of `scratch`. Waits for the stream.
    static MarkedPairs of(Scratch& scratch, View<const std::uint64_t> queue,
                          View<const std::uint32_t> marks, std::uint32_t mark) {
        auto& stream = scratch.stream();
        auto n = static_cast<std::uint32_t>(queue.size);
        auto places = scratch.take<std::uint32_t>(n);
        auto pairs = scratch.take<std::uint64_t>(n);
        Scratch::Scope scope(scratch);
        auto all = scratch.take<std::uint32_t>(n), flags = scratch.take<std::uint32_t>(n);
        auto count = scratch.take<std::uint32_t>(1);
        parallel_for(
            stream, "marks of pairs", n,
            TL_LAMBDA(std::uint32_t i) { flags[i] = marks[i] == mark ? 1 : 0; });
        iota(stream, all);
        compact<std::uint32_t>(scratch, all, flags, places, count);
        std::uint32_t n_marked = 0;
        stream.device().download(stream, &n_marked, count.data, sizeof n_marked);
        parallel_for(
            stream, "marked pairs", n_marked,
            TL_LAMBDA(std::uint32_t k) { pairs[k] = queue[places[k]]; });
        return {{places.data, n_marked}, {pairs.data, n_marked}};
    }
    /// Marks each pair as known if no ray was occluded, else as unknown.
    void mark(Stream& stream, View<const Seen> found, View<std::uint32_t> marks) const {
        View<const std::uint32_t> to = places;
        parallel_for(
            stream, "pairs past what moves", static_cast<std::uint32_t>(found.size),
            TL_LAMBDA(std::uint32_t k) {
                marks[to[k]] =
                    found[k].is_clear ? VisibilityCache::known : VisibilityCache::unknown;
            });
    }
    /// Scatters results to the pairs' slots in `seen`. Partial pairs that were partial in the
    /// previous search keep the index of their bits there; others get `no_number`.
    void put(Stream& stream, View<const Seen> found, std::uint32_t no_number,
             View<Seen> seen) const {
        View<const std::uint32_t> to = places;
        parallel_for(
            stream, "pairs that were unknown", static_cast<std::uint32_t>(found.size),
            TL_LAMBDA(std::uint32_t k) {
                Seen own = found[k], before = seen[to[k]];
                bool has_number = before.visibility == NodeVisibility::partial;
                if (own.visibility == NodeVisibility::partial)
                    own.fraction = has_number ? before.fraction : float_of_bits(no_number);
                seen[to[k]] = own;
            });
    }
};

/// Classifies pairs of nodes, and the pairs that replace them, recursively. Works in slices, so
/// that pending pairs take little memory.
template <class Visibility>
struct PairSearch {
    Scratch& scratch;
    Visibility visibility;
    OctreeView tree;
    std::uint32_t n_nodes;
    VisibilityMapConfig config;
    VisibilityCache& memory;
    LeafTableView table{};  ///< empty: pairs are classified by rays
    VisibilityMapCounts counts{};
    PairPieces far{}, near{}, partial{};

    /// Makes the table that later pairs query, in memory of `scratch`.
    void make_table(const OctreeHeader& header) {
        LeafTableView made = make_leaf_table(scratch, tree, header);
        auto n_rays = fill_leaf_table(scratch, look_by(visibility, {}, {}), made,
                                      config.threads == LinkThreads::pair_teams);
        counts.rays += sum_of(scratch, n_rays);
        table = made;
    }

    /// Classifies pairs from find_facing_pairs(), which it consumes.
    void look_at(LinkPairs::List pairs, bool is_near) {
        Scratch::Scope scope(scratch);
        std::uint32_t flags = is_near ? NodePair::kNear : 0;
        // Sorted, so that pairs of nearby nodes are adjacent and their rays coherent.
        View<std::uint64_t> queue = pairs.view(), spare = scratch.take<std::uint64_t>(queue.size);
        int n_bits = std::max(1, static_cast<int>(std::bit_width(n_nodes)));
        for (int first_bit : {0, 32}) {
            auto sorted = sort_keys(scratch, queue, spare, first_bit, first_bit + n_bits);
            if (sorted.data != queue.data) std::swap(queue, spare);
        }
        for (std::size_t first = 0; first < queue.size; first += kPairsAtOnce) {
            std::uint64_t* slice = queue.data + first;
            std::size_t n = std::min(kPairsAtOnce, queue.size - first);
            parallel_for(
                scratch.stream(), "queue of pairs", static_cast<std::uint32_t>(n),
                TL_LAMBDA(std::uint32_t i) { slice[i] |= flags; });
            run({slice, n}, false);
        }
    }
    /// Classifies a queue in slices. `are_seen`: the pairs are known to be fully visible.
    void run(View<std::uint64_t> queue, bool are_seen) {
        for (std::size_t first = 0; first < queue.size; first += kPairsAtOnce) {
            scratch.stream().check_cancelled();
            Scratch::Scope scope(scratch);
            std::size_t n = std::min(kPairsAtOnce, queue.size - first);
            run_slice({queue.data + first, n}, are_seen);
        }
    }
    /// Computes the bits of all partial pairs. `known`: bits of the previous search.
    void find_bits(View<const LeafBits> known, DeviceArray<LeafBits>& bits) {
        auto& stream = scratch.stream();
        bits.resize_discard(stream, partial.size());
        partial.for_each([&](const ChosenPairs& piece, std::uint32_t first) {
            Scratch::Scope scope(scratch);
            std::size_t n = piece.pairs.size;
            auto n_rays = scratch.take<std::uint32_t>(n);
            stream.device().fill_zero(stream, n_rays.data, n * sizeof(std::uint32_t));
            find_all_bits(stream, FindBits<Visibility>{visibility,
                                                       tree,
                                                       piece.pairs,
                                                       piece.fractions,
                                                       known,
                                                       memory.clear_way(),
                                                       {bits.data() + first, n},
                                                       n_rays});
            counts.rays += sum_of(scratch, n_rays);
        });
    }

    /// Sets the weight of each partial pair to the index of its bits, and caches the index.
    void number_bits() {
        auto& stream = scratch.stream();
        partial.number(stream);
        partial.for_each([&](const ChosenPairs& piece, std::uint32_t first) {
            memory.keep_numbers(stream, piece.pairs, first);
        });
    }

  private:
    static constexpr std::size_t kPairsAtOnce = 1u << 21;

    template <class Kind>
    [[nodiscard]] ClassifyPair<Kind> look_by(const Kind& kind, View<const std::uint64_t> queue,
                                             View<Seen> seen) const {
        return {kind, judge(), memory.names(), queue, seen, config.rays, config.doubt};
    }
    [[nodiscard]] PairJudge judge() const { return {tree, config.negligible, config.few}; }
    void look(View<const std::uint64_t> queue, View<Seen> seen) {
        if (table.lights.empty())
            classify_all(scratch, look_by(visibility, queue, seen), n_nodes, config.threads);
        else
            classify_all(scratch, LookUpPair{judge(), table, queue, seen}, n_nodes, config.threads);
    }
    /// Classifies a queue's pairs from the cache, and by rays those without a valid result.
    void look_at_unknown(View<const std::uint64_t> queue, View<Seen> seen) {
        auto& stream = scratch.stream();
        Scratch::Scope scope(scratch);
        auto marks = scratch.take<std::uint32_t>(queue.size);
        memory.recall(stream, queue, seen, marks);
        look_past_moved(queue, marks);
        auto pairs = MarkedPairs::of(scratch, queue, marks, VisibilityCache::unknown);
        auto found = scratch.take<Seen>(pairs.pairs.size);
        counts.known += queue.size - found.size;
        look(pairs.pairs, found);
        pairs.put(stream, found, FindBits<Visibility>::kNoNumber, seen);
    }
    /// Marks doubtful pairs as known if their rays miss everything that moved, else as unknown.
    void look_past_moved(View<const std::uint64_t> queue, View<std::uint32_t> marks) {
        Scratch::Scope scope(scratch);
        auto pairs = MarkedPairs::of(scratch, queue, marks, VisibilityCache::doubtful);
        auto found = scratch.take<Seen>(pairs.pairs.size);
        classify_all(scratch, look_by(memory.clear_way(), pairs.pairs, found), n_nodes,
                     config.threads);
        pairs.mark(scratch.stream(), found, marks);
    }
    void run_slice(View<std::uint64_t> queue, bool are_seen) {
        auto& stream = scratch.stream();
        View<const std::uint64_t> given = queue;
        if (is_by_nodes(config.threads)) given = in_order(scratch, queue);
        auto seen = scratch.take<Seen>(queue.size);
        if (memory.knows() && !are_seen)
            look_at_unknown(given, seen);
        else
            look(given, seen);
        if (!are_seen) memory.keep(stream, given, seen);
        counts.pairs += are_seen ? 0 : queue.size;
        counts.rays += rays_of(scratch, seen);
        PairChoice choice(scratch);
        std::size_t n_left = 0;
        auto chosen = [&](NodeVisibility visibility, bool is_near) {
            ChosenPairs found = choice.of(given, seen, visibility, is_near);
            n_left += found.pairs.size;
            return found;
        };
        auto keep = [&](PairPieces& pieces, NodeVisibility visibility, bool is_near) {
            Scratch::Scope scope(scratch);
            ChosenPairs found = chosen(visibility, is_near);
            pieces.add(stream, found);
            return found.pairs.size;
        };
        for (bool is_near : {false, true}) {
            PairPieces& pieces = is_near ? near : far;
            keep(pieces, NodeVisibility::visible, is_near);
            counts.fraction += keep(pieces, NodeVisibility::fraction, is_near);
            counts.partial += keep(partial, NodeVisibility::partial, is_near);
        }
        for (bool is_near : {false, true}) {
            ChosenPairs split = chosen(NodeVisibility::split, is_near),
                        few = chosen(NodeVisibility::few, is_near);
            run(choice.children(tree, split.pairs, 0, config.few), are_seen);
            run(choice.children(tree, few.pairs, NodePair::kSeen, config.few), true);
        }
        counts.hidden += queue.size - n_left;
    }
};

}  // namespace

void VisibilityMap::find(Scratch& scratch, const DiffusePointsView& points,
                         const OctreeHeader& header, const SceneView& scene,
                         std::span<const ScenePart> parts, const VisibilityMapConfig& config,
                         LinkPairs pairs, NodeLinks& links) {
    Scratch::Scope scope(scratch);
    OctreeView tree = points.tree;
    // Results of a table are not cached.
    if (config.visibility != PointVisibility::rays || config.search != LinkSearch::top_down)
        parts = {};
    if (config != config_) memory_.forget();
    config_ = config;
    memory_.begin(scratch, points, header, parts, counts_.pairs);
    if (!memory_.knows()) bits_ = {};
    visit_visibility(config.visibility, points, scene, largest_area(scratch, tree.points),
                     [&](const auto& visibility) {
                         using Visibility = std::remove_cvref_t<decltype(visibility)>;
                         PairSearch<Visibility> search{scratch,        visibility, tree,
                                                       header.n_nodes, config,     memory_};
                         if (config.search == LinkSearch::leaf_table) search.make_table(header);
                         search.look_at(std::move(pairs.far), false);
                         search.look_at(std::move(pairs.near), true);
                         DeviceArray<LeafBits> bits;
                         search.find_bits(memory_.knows() ? bits_.view() : View<LeafBits>(), bits);
                         search.number_bits();
                         memory_.end(parts);
                         std::swap(bits, bits_);
                         counts_ = search.counts;
                         search.partial.make_rows(scratch, header.n_nodes, partial_);
                         search.far.make_rows(scratch, header.n_nodes, links.far);
                         search.near.make_rows(scratch, header.n_nodes, links.near);
                     });
    if (config.visibility == PointVisibility::none) counts_.rays = 0;
}

TL_DEVICE_END

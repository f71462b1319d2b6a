#include "renderer/radiosity/visibility_map.h"

#include <vector>

#include "accel/parallel/operators/operators.h"
#include "accel/parallel/parallel_for.h"
#include "accel/parallel/team.h"
#include "renderer/radiosity/exchange.h"
#include "renderer/radiosity/pair_visibility.h"
#include "renderer/shading/sampler.h"

TL_DEVICE_BEGIN

namespace {

/// Two nodes in a queue, the one of lower index in the upper half of a word.
struct NodePair {
    static constexpr std::uint32_t kNear = 1u << 31, kSeen = 1u << 30;

    std::uint32_t a, b;
    std::uint32_t flags;  ///< kNear: to be summed point by point; kSeen: known to see each other

    TL_HD NodePair(std::uint32_t one, std::uint32_t other, std::uint32_t flags)
        : a(one < other ? one : other), b(one < other ? other : one), flags(flags) {}
    TL_HD explicit NodePair(std::uint64_t word)
        : a(static_cast<std::uint32_t>(word >> 32)),
          b(static_cast<std::uint32_t>(word) & ~(kNear | kSeen)),
          flags(static_cast<std::uint32_t>(word) & (kNear | kSeen)) {}
    [[nodiscard]] TL_HD bool is_near() const { return flags & kNear; }
    [[nodiscard]] TL_HD bool is_seen() const { return flags & kSeen; }
    [[nodiscard]] TL_HD std::uint64_t word() const { return std::uint64_t(a) << 32 | b | flags; }
};

/// What becomes of a pair.
enum class Sight : std::uint8_t {
    visible,  ///< linked as it is
    fraction,
    partial,
    split,  ///< replaced by pairs of children, which see each other in part
    few,    ///< replaced likewise, since they have few points
    hidden,
};

/// What rays tell of a pair.
struct Seen {
    float fraction;
    std::uint16_t n_rays;
    Sight sight;
    std::uint8_t unused;
};
static_assert(sizeof(Seen) == 8);

template <class Visibility>
struct LookAtPair {
    Visibility visibility;
    OctreeView tree;
    View<const std::uint64_t> queue;
    View<Seen> seen;
    std::uint32_t n_rays;
    float negligible, doubt;
    std::uint32_t few_pairs;

    TL_D void operator()(std::uint32_t item) const {
        NodePair pair(queue[item]);
        OctreeNode a = load_whole(tree.nodes[pair.a]), b = load_whole(tree.nodes[pair.b]);
        Seen found{1, 0, Sight::visible, 0};
        float area = maximum(tree.attributes[pair.a].area, tree.attributes[pair.b].area);
        RaySums sums;
        std::uint64_t n_pairs = std::uint64_t(a.count()) * b.count();
        std::uint32_t n = n_rays;
        for (bool looks = !pair.is_seen(); looks;) {
            bool is_every = n_pairs <= n;
            sums = look(pair, a, b, is_every ? static_cast<std::uint32_t>(n_pairs) : n, is_every);
            found.n_rays = static_cast<std::uint16_t>(found.n_rays + sums.n_rays);
            // As long as all rays tell the same, a part as large as one ray's may be otherwise.
            auto wanted = static_cast<std::uint32_t>(
                minimum(sums.mean() * area / doubt, static_cast<float>(kMostRays)));
            looks = !is_every && sums.is_even() && wanted > n;
            n = wanted;
        }
        if (sums.light > 0) found.fraction = sums.is_all() ? 1.0f : sums.passed / sums.light;
        found.sight = judge(pair, a, b, found.fraction, sums.mean() * area);
        seen[item] = found;
    }

  private:
    static constexpr std::uint32_t kMostRays = 1024;

    /// What rays carry, and what of it passes.
    struct RaySums {
        float light = 0, passed = 0;
        std::uint32_t n = 0, n_rays = 0;  ///< pairs of points, and those that face each other

        [[nodiscard]] TL_D float mean() const {
            return n > 0 ? light / static_cast<float>(n) : 0.0f;
        }
        [[nodiscard]] TL_D bool is_all() const { return passed >= light; }
        [[nodiscard]] TL_D bool is_even() const { return is_all() || !(passed > 0); }
    };

    /// Looks along n rays, or between all points.
    TL_D RaySums look(const NodePair& pair, const OctreeNode& a, const OctreeNode& b,
                      std::uint32_t n, bool is_every) const {
        RaySums sums;
        sums.n = n;
        for (std::uint32_t k = 0; k < n; ++k) {
            std::uint32_t i = a.first + k / b.count(), j = b.first + k % b.count();
            if (!is_every) choose(pair, a, b, k, n, i, j);
            float light = exchange(load_whole(tree.points[i]), load_whole(tree.points[j]));
            if (!(light > 0)) continue;
            sums.light += light;
            ++sums.n_rays;
            if (visibility.sees(i, j)) sums.passed += light;
        }
        return sums;
    }
    /// Points of ray k of n: each is in its own of n parts of either node.
    TL_D void choose(const NodePair& pair, const OctreeNode& a, const OctreeNode& b,
                     std::uint32_t k, std::uint32_t n, std::uint32_t& i, std::uint32_t& j) const {
        std::uint32_t hash = hash_bits(pair.a * 0x9e3779b9u ^ hash_bits(pair.b));
        // Parts of b are taken in another order. The stride has no factor in common with any number
        // of rays below it.
        constexpr std::uint32_t kStride = 10'007;
        std::uint32_t other = (k * kStride + hash % n) % n;
        i = a.first + place(k, n, hash_bits(hash + 2 * k), a.count());
        j = b.first + place(other, n, hash_bits(hash + 2 * k + 1), b.count());
    }
    [[nodiscard]] TL_D static std::uint32_t place(std::uint32_t part, std::uint32_t n,
                                                  std::uint32_t random, std::uint32_t count) {
        float at = (static_cast<float>(part) + to_unit_float(random)) / static_cast<float>(n);
        auto point = static_cast<std::uint32_t>(at * static_cast<float>(count));
        return point < count ? point : count - 1;
    }
    [[nodiscard]] TL_D Sight judge(const NodePair& pair, const OctreeNode& a, const OctreeNode& b,
                                   float fraction, float form_factor) const {
        bool are_leaves = a.is_leaf() && b.is_leaf();
        if (fraction >= 1) {
            bool is_few = std::uint64_t(a.count()) * b.count() <= few_pairs;
            return is_few && !are_leaves ? Sight::few : Sight::visible;
        }
        if (form_factor <= negligible) return fraction > 0 ? Sight::fraction : Sight::hidden;
        if (!are_leaves) return fraction > 0 ? Sight::split : Sight::hidden;
        bool has_bits =
            pair.a != pair.b && a.count() <= LeafBits::kMost && b.count() <= LeafBits::kMost;
        if (has_bits) return Sight::partial;
        return fraction > 0 ? Sight::fraction : Sight::hidden;
    }
};

/// One row of bits: those of a point of one leaf.
template <class Visibility>
struct FindBits {
    Visibility visibility;
    OctreeView tree;
    View<const std::uint64_t> pairs;
    View<LeafBits> bits;
    View<std::uint32_t> n_rays;  ///< of each pair

    TL_D void operator()(std::uint32_t item) const {
        NodePair pair(pairs[item / LeafBits::kMost]);
        std::uint32_t row = item % LeafBits::kMost, seen = 0, rays = 0;
        OctreeNode a = load_whole(tree.nodes[pair.a]), b = load_whole(tree.nodes[pair.b]);
        if (row < a.count()) {
            std::uint32_t i = a.first + row;
            Surfel own = load_whole(tree.points[i]);
            for (std::uint32_t k = 0; k < b.count(); ++k) {
                std::uint32_t j = b.first + k;
                if (!(exchange(own, load_whole(tree.points[j])) > 0)) continue;
                ++rays;
                if (visibility.sees(i, j)) seen |= 1u << k;
            }
        }
        bits[item / LeafBits::kMost].rows[row] = static_cast<std::uint16_t>(seen);
        if (rays > 0) atomic_add(&n_rays[item / LeafBits::kMost], rays);
    }
};

template <class Visibility>
void find_all_bits(Stream& stream, const FindBits<Visibility>& find) {
    parallel_for<Visibility::kResidentBlocks>(
        stream, "pairs of points", static_cast<std::uint32_t>(find.pairs.size) * LeafBits::kMost,
        TL_LAMBDA(std::uint32_t i) { find(i); }, 32);
}

/// Weights that are numbers in order, as bits.
void number(Stream& stream, View<float> weights) {
    parallel_for(
        stream, "numbers of bits", static_cast<std::uint32_t>(weights.size),
        TL_LAMBDA(std::uint32_t i) { weights[i] = float_of_bits(i); });
}

/// Pairs that have become the same, in the order of their queue.
struct ChosenPairs {
    View<std::uint64_t> pairs;
    View<float> fractions;
};

/// Tells apart what has become of a queue's pairs.
class PairChoice {
  public:
    explicit PairChoice(Scratch& scratch) : scratch_(scratch) {}

    /// The pairs of one sight that are near ones, or far ones. Waits.
    ChosenPairs of(View<const std::uint64_t> queue, View<const Seen> seen, Sight sight,
                   bool is_near) {
        auto& stream = scratch_.stream();
        auto n = static_cast<std::uint32_t>(queue.size);
        flags_.resize_discard(stream, n);
        first_.resize_discard(stream, n);
        auto flags = flags_.view(), first = first_.view();
        parallel_for(
            stream, "choose pairs", n, TL_LAMBDA(std::uint32_t i) {
                flags[i] =
                    seen[i].sight == sight && NodePair(queue[i]).is_near() == is_near ? 1 : 0;
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
    /// In place of each pair those of the larger node's children and the other node, with more
    /// flags; leaves of few pairs of points are near. Waits.
    View<std::uint64_t> children(const OctreeView& tree, View<const std::uint64_t> pairs,
                                 std::uint32_t more_flags, std::uint32_t few_pairs) {
        auto& stream = scratch_.stream();
        auto n = static_cast<std::uint32_t>(pairs.size);
        flags_.resize_discard(stream, n);
        first_.resize_discard(stream, n);
        auto counts = flags_.view(), first = first_.view();
        parallel_for(
            stream, "count children", n, TL_LAMBDA(std::uint32_t i) {
                NodePair pair(pairs[i]);
                bool is_first = is_first_split(tree, pair);
                OctreeNode node = load_whole(tree.nodes[is_first ? pair.a : pair.b]);
                counts[i] = node.end_child - node.first_child;
            });
        auto out = scratch_.take<std::uint64_t>(scanned());
        parallel_for(
            stream, "children of pairs", n, TL_LAMBDA(std::uint32_t i) {
                NodePair pair(pairs[i]);
                bool is_first = is_first_split(tree, pair);
                OctreeNode node = load_whole(tree.nodes[is_first ? pair.a : pair.b]);
                std::uint32_t kept = is_first ? pair.b : pair.a;
                OctreeNode other = load_whole(tree.nodes[kept]);
                for (std::uint32_t c = node.first_child; c < node.end_child; ++c) {
                    OctreeNode child = load_whole(tree.nodes[c]);
                    std::uint32_t flags = pair.flags | more_flags;
                    if (child.is_leaf() && other.is_leaf() &&
                        std::uint64_t(child.count()) * other.count() <= few_pairs)
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
    /// Scans flags_ into first_, and returns their sum.
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

/// Looks at all pairs of a queue, in one of the ways of giving them to threads. The queue is sorted
/// by its pairs' first nodes where it is given to those.
template <class Visibility>
void look_at_all(Scratch& scratch, const LookAtPair<Visibility>& look, std::uint32_t n_nodes,
                 LinkThreads threads) {
    constexpr int kBlocks = Visibility::kResidentBlocks;
    auto& stream = scratch.stream();
    auto n = static_cast<std::uint32_t>(look.queue.size);
    if (threads == LinkThreads::pairs)
        return parallel_for<kBlocks>(
            stream, "pairs of nodes", n, TL_LAMBDA(std::uint32_t i) { look(i); }, 16);
    Scratch::Scope scope(scratch);
    auto begin = scratch.take<std::uint32_t>(n_nodes + 1);
    View<const std::uint64_t> queue = look.queue;
    parallel_for(
        stream, "pairs of each node", n_nodes + 1, TL_LAMBDA(std::uint32_t node) {
            std::uint32_t first = 0, count = n;
            while (count > 0) {
                std::uint32_t half = count / 2;
                bool is_before = NodePair(queue[first + half]).a < node;
                first = is_before ? first + half + 1 : first;
                count = is_before ? count - half - 1 : half;
            }
            begin[node] = first;
        });
    if (threads == LinkThreads::nodes)
        return parallel_for<kBlocks>(
            stream, "nodes", n_nodes,
            TL_LAMBDA(std::uint32_t node) {
                for (std::uint32_t i = begin[node]; i < begin[node + 1]; ++i) look(i);
            },
            16);
    for_each_team(
        stream, "teams of nodes", n_nodes, TL_LAMBDA(const Team&, std::uint32_t node) {
            for (std::uint32_t i = begin[node] + Team::rank(); i < begin[node + 1];
                 i += Team::kThreads)
                look(i);
        });
}

/// Each pair of nodes that is linked in rows, once. Waits.
void append_pairs(Scratch& scratch, const LinkRows& rows, bool is_near, View<std::uint64_t> queue,
                  std::uint32_t& n) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto n_nodes = static_cast<std::uint32_t>(rows.begin.size) - 1;
    auto counts = scratch.take<std::uint32_t>(n_nodes),
         first = scratch.take<std::uint32_t>(n_nodes);
    auto total = scratch.take<std::uint32_t>(1);
    parallel_for(
        stream, "count links", n_nodes, TL_LAMBDA(std::uint32_t t) {
            std::uint32_t count = 0;
            for (std::uint32_t k = rows.begin[t]; k < rows.begin[t + 1]; ++k)
                if (rows.links[k].source >= t) ++count;
            counts[t] = count;
        });
    exclusive_scan<std::uint32_t>(scratch, counts, first);
    exclusive_scan_tail<std::uint32_t>(stream, counts, first, total);
    std::uint32_t before = n, n_more = 0;
    parallel_for(
        stream, "pairs of links", n_nodes, TL_LAMBDA(std::uint32_t t) {
            std::uint32_t at = before + first[t];
            for (std::uint32_t k = rows.begin[t]; k < rows.begin[t + 1]; ++k)
                if (rows.links[k].source >= t)
                    queue[at++] =
                        NodePair(t, rows.links[k].source, is_near ? NodePair::kNear : 0).word();
        });
    stream.device().download(stream, &n_more, total.data, sizeof n_more);
    n += n_more;
}

/// Waits for the stream.
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

/// All pairs of one kind that rounds have left, and their weights.
using Rounds = std::vector<ChosenPairs>;

std::uint32_t size_of(const Rounds& rounds) {
    std::size_t n = 0;
    for (auto& round : rounds) n += round.pairs.size;
    return static_cast<std::uint32_t>(n);
}

/// Rows with a link in each direction for every pair, and one for a node with itself.
void make_both_ways(Scratch& scratch, const ChosenPairs& all, std::uint32_t n_nodes,
                    LinkList& rows) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto n = static_cast<std::uint32_t>(all.pairs.size);
    auto counts = scratch.take<std::uint32_t>(n), first = scratch.take<std::uint32_t>(n);
    auto total = scratch.take<std::uint32_t>(1);
    parallel_for(
        stream, "count directions", n, TL_LAMBDA(std::uint32_t i) {
            NodePair pair(all.pairs[i]);
            counts[i] = pair.a == pair.b ? 1 : 2;
        });
    std::uint32_t n_links = 0;
    if (n > 0) {
        exclusive_scan<std::uint32_t>(scratch, counts, first);
        exclusive_scan_tail<std::uint32_t>(stream, counts, first, total);
        stream.device().download(stream, &n_links, total.data, sizeof n_links);
    }
    LooseLinks loose{scratch.take<std::uint64_t>(n_links), scratch.take<float>(n_links)};
    parallel_for(
        stream, "both directions", n, TL_LAMBDA(std::uint32_t i) {
            NodePair pair(all.pairs[i]);
            loose.pairs[first[i]] = LooseLinks::pair_of(pair.a, pair.b);
            loose.weights[first[i]] = all.fractions[i];
            if (pair.a == pair.b) return;
            loose.pairs[first[i] + 1] = LooseLinks::pair_of(pair.b, pair.a);
            loose.weights[first[i] + 1] = all.fractions[i];
        });
    make_rows(scratch, loose, n_nodes, rows);
}

/// The pairs of all rounds, one after another.
ChosenPairs joined(Scratch& scratch, const Rounds& rounds) {
    auto& stream = scratch.stream();
    std::uint32_t n = size_of(rounds);
    ChosenPairs all{scratch.take<std::uint64_t>(n), scratch.take<float>(n)};
    std::size_t at = 0;
    for (auto& round : rounds) {
        std::size_t n_round = round.pairs.size;
        if (n_round == 0) continue;
        stream.device().copy(stream, all.pairs.data + at, round.pairs.data,
                             n_round * sizeof(std::uint64_t));
        if (!round.fractions.empty())
            stream.device().copy(stream, all.fractions.data + at, round.fractions.data,
                                 n_round * sizeof(float));
        at += n_round;
    }
    return all;
}

View<const std::uint64_t> in_order(Scratch& scratch, View<std::uint64_t> queue) {
    auto n = queue.size;
    Pairs<std::uint64_t> now{queue, scratch.take<std::uint32_t>(n)};
    Pairs<std::uint64_t> spare{scratch.take<std::uint64_t>(n), scratch.take<std::uint32_t>(n)};
    return sort_pairs(scratch, now, spare).keys;
}

}  // namespace

void VisibilityMap::find(Scratch& scratch, const DiffusePointsView& points,
                         const OctreeHeader& header, const SceneView& scene,
                         const VisibilityMapConfig& config, NodeLinks& links) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    OctreeView tree = points.tree;
    counts_ = {};
    std::size_t n_links = links.far.links.size() + links.near.links.size();
    auto queue = scratch.take<std::uint64_t>(n_links);
    std::uint32_t n_queue = 0;
    append_pairs(scratch, links.far.view(), false, queue, n_queue);
    append_pairs(scratch, links.near.view(), true, queue, n_queue);
    queue.size = n_queue;
    Rounds far, near, partial;
    PairChoice choice(scratch);
    visit_visibility(
        config.visibility, points, scene, largest_area(scratch, tree.points),
        [&](const auto& visibility) {
            using Visibility = std::remove_cvref_t<decltype(visibility)>;
            while (queue.size > 0) {
                stream.check_abandoned();
                View<const std::uint64_t> given = queue;
                if (config.threads != LinkThreads::pairs) given = in_order(scratch, queue);
                auto seen = scratch.take<Seen>(queue.size);
                look_at_all(
                    scratch,
                    LookAtPair<Visibility>{visibility, tree, given, seen, config.rays,
                                           config.negligible, config.doubt, config.few_pairs},
                    header.n_nodes, config.threads);
                counts_.pairs += queue.size;
                counts_.rays += rays_of(scratch, seen);
                std::size_t n_left = 0;
                auto keep = [&](Rounds& rounds, Sight sight, bool is_near) {
                    rounds.push_back(choice.of(given, seen, sight, is_near));
                    n_left += rounds.back().pairs.size;
                    return rounds.back().pairs;
                };
                Rounds split, few;
                for (bool is_near : {false, true}) {
                    Rounds& rounds = is_near ? near : far;
                    keep(rounds, Sight::visible, is_near);
                    counts_.fraction += keep(rounds, Sight::fraction, is_near).size;
                    counts_.partial += keep(partial, Sight::partial, is_near).size;
                    keep(split, Sight::split, is_near);
                    keep(few, Sight::few, is_near);
                }
                counts_.hidden += queue.size - n_left;
                Rounds next{
                    {choice.children(tree, joined(scratch, split).pairs, 0, config.few_pairs), {}},
                    {choice.children(tree, joined(scratch, few).pairs, NodePair::kSeen,
                                     config.few_pairs),
                     {}}};
                queue = joined(scratch, next).pairs;
            }
            ChosenPairs all = joined(scratch, partial);
            auto n = static_cast<std::uint32_t>(all.pairs.size);
            bits_.resize_discard(stream, n);
            auto n_rays = scratch.take<std::uint32_t>(n);
            stream.device().fill_zero(stream, n_rays.data, n * sizeof(std::uint32_t));
            find_all_bits(stream,
                          FindBits<Visibility>{visibility, tree, all.pairs, bits_.view(), n_rays});
            number(stream, all.fractions);
            counts_.rays += sum_of(scratch, n_rays);
            make_both_ways(scratch, all, header.n_nodes, partial_);
        });
    if (config.visibility == PointVisibility::none) counts_.rays = 0;
    make_both_ways(scratch, joined(scratch, far), header.n_nodes, links.far);
    make_both_ways(scratch, joined(scratch, near), header.n_nodes, links.near);
}

TL_DEVICE_END

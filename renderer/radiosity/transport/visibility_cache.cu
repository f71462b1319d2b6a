#include "renderer/radiosity/transport/visibility_cache.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

/// Visibility of a pair, packed in a nonzero word. It is kPartial with the index of the LeafBits,
/// kOther with the NodeVisibility, or the bits of a fraction.
struct SightWord {
    static constexpr std::uint32_t kPartial = 1u << 31;
    static constexpr std::uint32_t kOther = 1u << 30;

    [[nodiscard]] TL_D static std::uint32_t of(const Seen& seen) {
        if (seen.visibility == NodeVisibility::partial) return kPartial;
        // Fractions are from 0 to 1, so their bits as a word are below kOther.
        if (seen.visibility == NodeVisibility::fraction) return bits_of_float(seen.fraction);
        return kOther | static_cast<std::uint32_t>(seen.visibility);
    }
    [[nodiscard]] TL_D static Seen seen(std::uint32_t word) {
        if (word & kPartial)
            return {float_of_bits(word & ~kPartial), 0, NodeVisibility::partial, false};
        if (!(word & kOther)) return {float_of_bits(word), 0, NodeVisibility::fraction, false};
        auto visibility = static_cast<NodeVisibility>(word & ~kOther);
        bool is_whole = visibility == NodeVisibility::visible || visibility == NodeVisibility::few;
        return {is_whole ? 1.0f : 0.0f, 0, visibility, false};
    }
};

/// Largest distance of a ray's origin from its point, m. Waits for the stream.
float reach_of_rays(Scratch& scratch, const DiffusePointsView& points) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto n = static_cast<std::uint32_t>(points.starts.size);
    auto lengths = scratch.take<float>(n), most = scratch.take<float>(1);
    parallel_for(
        stream, "lengths to starts", n, TL_LAMBDA(std::uint32_t i) {
            lengths[i] = glm::length(points.starts[i] - points.tree.points[i].position);
        });
    reduce<float>(scratch, lengths, most, Operator::maximum);
    float reach = 0;
    stream.device().download(stream, &reach, most.data, sizeof reach);
    return reach;
}

float farthest(const Box& box) {
    return std::max(largest(glm::abs(box.lo)), largest(glm::abs(box.hi)));
}

}  // namespace

void VisibilityTable::make_room(Stream& stream, std::uint64_t n, std::uint64_t n_expected) {
    auto slots_for = [](std::uint64_t n_pairs) { return n_pairs + n_pairs / 2 + 64; };
    n_ += n;
    if (slots_for(n_) <= names_.size()) return;
    VisibilityTable before;
    std::swap(names_, before.names_);
    std::swap(words_, before.words_);
    std::size_t n_slots = slots_for(std::max({n_ + n_ / 4, n_expected}));
    names_.resize_discard(stream, n_slots);
    words_.resize_discard(stream, n_slots);
    names_.fill_zero(stream);
    VisibilityTableView from = before.view(), to = view();
    parallel_for(
        stream, "larger table of pairs", static_cast<std::uint32_t>(from.names.size),
        TL_LAMBDA(std::uint32_t i) {
            if (from.names[i] != 0) to.set(from.names[i], from.words[i]);
        });
}

void VisibilityTable::clear() {
    names_ = {};
    words_ = {};
    n_ = 0;
}

void VisibilityCache::begin(Scratch& scratch, const DiffusePointsView& points,
                            const OctreeHeader& header, std::span<const ScenePart> parts,
                            std::uint64_t n_expected) {
    auto& stream = scratch.stream();
    tree_ = points.tree;
    starts_ = points.starts;
    names_.resize_discard(stream, header.n_nodes);
    name_nodes(stream, points, header, names_.view());
    keeps_ = !parts.empty();
    n_expected_ = std::min(n_expected, kMostPairs);
    kept_.clear();
    if (!keeps_) forget();
    if (!knows()) return;
    constexpr std::size_t kMostBoxes = 64;
    constexpr float kRounding = 1e-5f;  // of coordinates
    auto boxes = changed_boxes(parts_, parts, kMostBoxes);
    OctreeAttributes root;
    stream.device().download(stream, &root, points.tree.attributes.data, sizeof root);
    float most = farthest(root.box);
    for (auto& box : boxes) most = std::max(most, farthest(box));
    float margin = reach_of_rays(scratch, points) + kRounding * most;
    for (auto& box : boxes) box = {box.lo - margin, box.hi + margin};
    moved_.assign(stream, boxes);
}

void VisibilityCache::recall(Stream& stream, View<const std::uint64_t> queue, View<Seen> seen,
                             View<std::uint32_t> marks) {
    OctreeView tree = tree_;
    View<const std::uint64_t> names = names_.view();
    ClearWay clear = clear_way();
    VisibilityTableView table = known_.view();
    parallel_for(
        stream, "known pairs", static_cast<std::uint32_t>(queue.size), TL_LAMBDA(std::uint32_t i) {
            NodePair pair(queue[i]);
            std::uint32_t word = table.find(name_of_pair(names, tree, pair.a, pair.b));
            seen[i] = word != 0 ? SightWord::seen(word) : Seen{0, 0, NodeVisibility::hidden, false};
            bool is_doubtful = word != 0 && clear.is_in_hull(tree, pair.a, pair.b);
            marks[i] = word == 0 ? unknown : is_doubtful ? doubtful : known;
        });
}

void VisibilityCache::keep(Stream& stream, View<const std::uint64_t> queue, View<const Seen> seen) {
    if (!keeps_) return;
    keeps_ = kept_.size() + queue.size <= kMostPairs;
    if (!keeps_) return kept_.clear();
    kept_.make_room(stream, queue.size, n_expected_);
    OctreeView tree = tree_;
    View<const std::uint64_t> names = names_.view();
    VisibilityTableView kept = kept_.view();
    parallel_for(
        stream, "keep pairs", static_cast<std::uint32_t>(queue.size), TL_LAMBDA(std::uint32_t i) {
            NodePair pair(queue[i]);
            kept.set(name_of_pair(names, tree, pair.a, pair.b), SightWord::of(seen[i]));
        });
}

void VisibilityCache::keep_numbers(Stream& stream, View<const std::uint64_t> pairs,
                                   std::uint32_t first) {
    if (!keeps_) return;
    OctreeView tree = tree_;
    View<const std::uint64_t> names = names_.view();
    VisibilityTableView kept = kept_.view();
    parallel_for(
        stream, "keep numbers of bits", static_cast<std::uint32_t>(pairs.size),
        TL_LAMBDA(std::uint32_t i) {
            NodePair pair(pairs[i]);
            kept.set(name_of_pair(names, tree, pair.a, pair.b), SightWord::kPartial | (first + i));
        });
}

void VisibilityCache::end(std::span<const ScenePart> parts) {
    std::swap(known_, kept_);
    kept_.clear();
    parts_.assign(parts.begin(), parts.end());
}

TL_DEVICE_END

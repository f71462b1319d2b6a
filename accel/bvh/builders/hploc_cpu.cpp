// H-PLOC on the CPU; see hploc.h for the algorithm. Tasks split the ranges of the linear BVH from
// the top. Every range of more than 16 references clusters its neighbourhood, eight neighbours at a
// time in AVX2 registers. The merging rules are those of hploc_cuda.cu.
#define TL_DEVICE_CPU 1
#include "accel/bvh/builders/hploc.h"

#include <immintrin.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <array>
#include <bit>

#include "core/device/atomics.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

/// Mask for an area's bits; the lower five hold hploc_pair_key.
constexpr std::uint32_t kAreaMask = ~31u;
/// Most merging rounds of one neighbourhood; each merges at least one of 32 clusters.
constexpr int kMaxRounds = 32;
/// Number of references from which on a range is split by separate tasks.
constexpr std::uint32_t kTaskSize = 4096;
constexpr std::uint32_t kMaxClusters = 2 * kHplocListSize;
constexpr int kMaxRadius = 16;

/// Table of tie-breaking keys, to be loaded eight at a time: pair_keys[i][r - 1] = pair_key(i, r).
constexpr auto pair_keys = [] {
    std::array<std::array<std::uint32_t, kMaxRadius + 8>, kMaxClusters> keys{};
    for (std::uint32_t i = 0; i < kMaxClusters; ++i)
        for (std::uint32_t r = 1; r <= kMaxRadius; ++r)
            keys[i][r - 1] = hploc_pair_key(hploc_parities(i), r);
    return keys;
}();

constexpr auto parities = [] {
    std::array<std::uint32_t, kMaxClusters> of{};
    for (std::uint32_t i = 0; i < kMaxClusters; ++i) of[i] = hploc_parities(i);
    return of;
}();

/// Clusters with their boxes, one array per coordinate, padded for loads past the last cluster.
struct Neighbourhood {
    alignas(32) float coordinates[6][kMaxClusters + kMaxRadius];
    HplocCluster clusters[kMaxClusters];
    std::uint32_t count = 0;

    void add(HplocCluster cluster, const Box& box) {
        for (int axis = 0; axis < 3; ++axis) {
            coordinates[axis][count] = box.lo[axis];
            coordinates[axis + 3][count] = box.hi[axis];
        }
        clusters[count++] = cluster;
    }
    [[nodiscard]] Box box(std::uint32_t i) const {
        Box b;
        for (int axis = 0; axis < 3; ++axis) {
            b.lo[axis] = coordinates[axis][i];
            b.hi[axis] = coordinates[axis + 3][i];
        }
        return b;
    }
    void move(std::uint32_t to, std::uint32_t from) {
        for (auto& coordinate : coordinates) coordinate[to] = coordinate[from];
        clusters[to] = clusters[from];
    }
    /// Returns the areas of the unions of cluster i with clusters [j, j + 8), as sortable bits. The
    /// lowest five bits are zero, for the pairs' tie-breaking keys.
    [[nodiscard]] __m256i areas(std::uint32_t i, std::uint32_t j) const {
        __m256 extent[3];
        for (int axis = 0; axis < 3; ++axis) {
            __m256 lo = _mm256_min_ps(_mm256_set1_ps(coordinates[axis][i]),
                                      _mm256_loadu_ps(&coordinates[axis][j]));
            __m256 hi = _mm256_max_ps(_mm256_set1_ps(coordinates[axis + 3][i]),
                                      _mm256_loadu_ps(&coordinates[axis + 3][j]));
            extent[axis] = _mm256_sub_ps(hi, lo);
        }
        __m256 area = _mm256_fmadd_ps(
            extent[0], extent[1], _mm256_mul_ps(extent[2], _mm256_add_ps(extent[0], extent[1])));
        return _mm256_and_si256(_mm256_castps_si256(area),
                                _mm256_set1_epi32(static_cast<int>(kAreaMask)));
    }
    /// Sets nearest[i] to the neighbour within `radius` whose union with cluster i has the least
    /// area.
    void find_nearest(int radius, std::uint32_t* nearest) const {
        alignas(32) std::uint32_t best[kMaxClusters + kMaxRadius];
        for (auto& key : best) key = ~0u;
        const __m256i ramp = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        auto set = [](std::uint32_t v) { return _mm256_set1_epi32(static_cast<int>(v)); };
        for (std::uint32_t i = 0; i + 1 < count; ++i) {
            std::uint32_t end = std::min(count, i + 1 + static_cast<std::uint32_t>(radius));
            __m256i mine = set(best[i]);
            for (std::uint32_t j = i + 1; j < end; j += 8) {
                __m256i places = _mm256_add_epi32(set(j), ramp);
                __m256i outside = _mm256_cmpgt_epi32(places, set(end - 1));
                __m256i key = _mm256_or_si256(
                    _mm256_or_si256(areas(i, j), outside),
                    _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&pair_keys[i][j - i - 1])));
                mine = _mm256_min_epu32(mine, key);
                auto theirs = reinterpret_cast<__m256i*>(&best[j]);
                _mm256_storeu_si256(theirs, _mm256_min_epu32(_mm256_loadu_si256(theirs), key));
            }
            alignas(32) std::uint32_t lanes[8];
            _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), mine);
            best[i] = *std::min_element(lanes, lanes + 8);
        }
        for (std::uint32_t i = 0; i < count; ++i)
            nearest[i] = hploc_partner(i, parities[i], best[i] & 31u);
    }
};

template <class Code>
struct Builder {
    const Stream& stream;
    View<const Box> boxes;
    View<const Code> codes;
    BinaryTree tree;
    LeafPolicy leaves;
    int radius;
    std::uint32_t n;

    /// Returns the last position of the left child of the linear BVH's node over [first, last].
    [[nodiscard]] std::uint32_t split_of(std::uint32_t first, std::uint32_t last) const {
        Code difference = codes[first] ^ codes[last];
        if (difference == 0) {
            // Equal codes are distinguished by the bits of their positions.
            std::uint32_t top = std::bit_floor(first ^ last);
            return (last & ~(top - 1)) - 1;
        }
        Code top = std::bit_floor(difference);
        std::uint32_t low = first, high = last;  // the bit is 0 at low and 1 at high
        while (high - low > 1) {
            std::uint32_t middle = low + (high - low) / 2;
            (codes[middle] & top ? high : low) = middle;
        }
        return low;
    }
    void merge(Neighbourhood& h, bool is_root, std::uint32_t a, std::uint32_t b) const {
        bool makes_root = is_root && h.count == 2;
        Box box = h.box(a), other = h.box(b);
        float area = box.half_area(), other_area = other.half_area();
        box.extend(other);
        NodeRef left = h.clusters[a].ref, right = h.clusters[b].ref;
        std::uint32_t size =
            makes_root ? 1 : leaves.size_of(box.half_area(), left, area, right, other_area);
        std::uint32_t node = h.clusters[b].place - 1;
        tree.nodes[node] = {box.lo, left, box.hi, right};
        tree.output_sizes[node] = size > 1 ? 0 : output_size_of_children(left, right);
        if (makes_root) tree.header[0].root = node;
        h.clusters[a].ref = NodeRef::collapsed(node, size);
        for (int axis = 0; axis < 3; ++axis) {
            h.coordinates[axis][a] = box.lo[axis];
            h.coordinates[axis + 3][a] = box.hi[axis];
        }
    }
    void merge_pairs(Neighbourhood& h, bool is_root, bool any_pairs) const {
        std::uint32_t nearest[kMaxClusters];
        if (any_pairs)
            for (std::uint32_t i = 0; i < h.count; ++i) nearest[i] = i ^ 1u;
        else
            h.find_nearest(radius, nearest);
        std::uint32_t kept = 0;
        for (std::uint32_t i = 0; i < h.count; ++i) {
            bool mutual = nearest[i] < h.count && nearest[nearest[i]] == i;
            if (mutual && nearest[i] < i) continue;
            if (mutual) merge(h, is_root, i, nearest[i]);
            if (kept != i) h.move(kept, i);
            ++kept;
        }
        h.count = kept;
    }
    void cluster(Neighbourhood& h, bool is_root) const {
        std::uint32_t wanted = is_root ? 1 : kHplocListSize;
        for (int round = 0; h.count > wanted; ++round) {
            if (round == kMaxRounds) atomic_or(&tree.header[0].errors, kBuildCapReached);
            merge_pairs(h, is_root, round >= kMaxRounds);
        }
    }
    void add_leaves(Neighbourhood& h, std::uint32_t first, std::uint32_t last) const {
        for (std::uint32_t place = first; place <= last; ++place)
            h.add({NodeRef::leaf(place, 1), place}, boxes[tree.order[place]]);
    }
    /// Clusters a range and appends the clusters that it passes up to `out`, at most
    /// kHplocListSize. The result is incomplete if the stream's work is cancelled.
    void build(std::uint32_t first, std::uint32_t last, Neighbourhood& out, bool is_root) const {
        if (last - first < kHplocListSize && !is_root) return add_leaves(out, first, last);
        Neighbourhood h;
        if (last - first < kHplocListSize) {
            add_leaves(h, first, last);
        } else {
            std::uint32_t split = split_of(first, last);
            if (last - first < kTaskSize) {
                build(first, split, h, false);
                build(split + 1, last, h, false);
            } else if (!stream.is_cancelled()) {
                Neighbourhood right;
                tbb::parallel_invoke([&] { build(first, split, h, false); },
                                     [&] { build(split + 1, last, right, false); });
                for (std::uint32_t i = 0; i < right.count; ++i)
                    h.add(right.clusters[i], right.box(i));
            }
        }
        cluster(h, is_root);
        if (is_root) return;
        for (std::uint32_t i = 0; i < h.count; ++i) out.add(h.clusters[i], h.box(i));
    }
};

class HplocBuilder final : public TreeBuilder {
  public:
    void build(Scratch& scratch, const BuildInput& input, BinaryTree& tree) override {
        auto curve = sort_along_curve(scratch, input, tree, config_.code_bits);
        TreeHeader& header = tree.header[0];
        std::uint32_t n = header.n_valid;
        header.n_nodes = n > 1 ? n - 1 : n;
        for (std::size_t i = header.n_nodes; i < tree.output_sizes.size; ++i)
            tree.output_sizes[i] = 0;
        if (n == 1) write_single_leaf(tree, input.boxes[tree.order[0]]);
        if (n < 2) return;
        Neighbourhood none;
        auto build_over = [&]<class Code>(View<const Code> codes) {
            Builder<Code> builder{scratch.stream(), input.boxes,    codes, tree,
                                  input.leaves,     config_.radius, n};
            builder.build(0, n - 1, none, true);
        };
        if (curve.codes63.empty())
            build_over(curve.codes30);
        else
            build_over(curve.codes63);
        scratch.stream().check_cancelled();
    }
    Settings settings() override { return config_.settings(); }

  private:
    HplocConfig config_;
};

}  // namespace

std::unique_ptr<TreeBuilder> make_hploc_builder() {
    return std::make_unique<HplocBuilder>();
}

TL_DEVICE_END

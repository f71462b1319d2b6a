// Sums radiosity over the partial links of each leaf, masked by visibility bits.
//
// On a GPU a block handles one target leaf. Each of its eight half warps holds all 16 points and
// handles every eighth link, since a few leaves have thousands. A lane loads the bit row of its own
// index for each pair of leaves. In the leaf of higher index, whose points are the columns, rows
// are shuffled between the lanes. The lanes read each source point together from shared memory. The
// CPU holds a leaf's points in two SIMD registers.
#include "renderer/radiosity/transport/partial_transport.h"

#include "accel/fmm/kernels.h"
#include "core/device/block.h"
#include "core/device/parallel_for.h"
#include "core/device/vectorized_copy.h"

TL_DEVICE_BEGIN

namespace {

using Pair = Radiosity::Near;
constexpr std::uint32_t kMost = LeafBits::kMost;

struct PartialPass {
    OctreeView tree;
    PartialLinks partial;
    View<const PackedTransmittance> transmittance;
    View<const vec3> radiosity;
    View<vec3> irradiance;

    TL_D void load_target(std::uint32_t i, float (&words)[Pair::kTargetWords]) const {
        Surfel point = load_vectorized(tree.points[i]);
        for (int c = 0; c < Pair::kTargetWords; ++c)
            words[c] = Radiosity::target_word(point, c / 3)[c % 3];
    }
    TL_D void load_source(std::uint32_t i, PackedTransmittance passed, float* words) const {
        vec3 value = radiosity[i];
        if (!transmittance.empty()) value *= passed.unpacked();
        Radiosity::load_source(load_vectorized(tree.points[i]), value, words);
    }
    /// Transmittance of a link; unused where links have none.
    [[nodiscard]] TL_D PackedTransmittance passed(std::uint32_t link) const {
        return transmittance.empty() ? PackedTransmittance{} : transmittance[link];
    }
};

#if defined(__CUDACC__)

struct LeafPass : PartialPass {
    static constexpr int kThreads = 128;
    static constexpr std::uint32_t kWarps = kThreads / 32, kAtOnce = 2 * kWarps;
    static_assert(kMost == 16, "half a warp");

    struct Shared {
        union {
            alignas(16) float sources[kWarps][2][kMost][Pair::kSourceWords];
            float sums[kWarps][kMost][Pair::kSums];
        };
    };
    /// A link as one half warp needs it to load the points of the source leaf.
    struct Link {
        std::uint32_t leaf, first, count;  ///< source leaf, its first point and number of points
        std::uint32_t row;                 ///< bits of this lane's row
        PackedTransmittance passed;
    };

    /// Loads link `l`; past the end returns a link to no points.
    __device__ Link load_link(std::uint32_t l, std::uint32_t end, std::uint32_t own) const {
        NodeLink link = partial.rows.links[min(l, end - 1)];
        OctreeNode source = load_vectorized(tree.nodes[link.source]);
        std::uint32_t row = partial.bits[bits_of_float(link.weight)].rows[own];
        return {link.source, source.first, l < end ? source.count() : 0, row,
                passed(min(l, end - 1))};
    }

    __device__ void operator()(const Block<kThreads>& block, Shared& shared) const {
        std::uint32_t warp = block.rank / 32, half = block.rank / kMost % 2,
                      own = block.rank % kMost;
        std::uint32_t leaf = partial.rows.order[block.index];
        std::uint32_t end = partial.rows.begin[leaf + 1], l = partial.rows.begin[leaf] + 2 * warp;
        if (partial.rows.begin[leaf] == end) return;
        OctreeNode node = load_vectorized(tree.nodes[leaf]);
        float target[Pair::kTargetWords], sums[Pair::kSums] = {};
        load_target(node.first + (own < node.count() ? own : 0), target);
        auto& sources = shared.sources[warp][half];
        Link next = load_link(l + half, end, own);
        for (; l < end; l += kAtOnce) {
            Link link = next;
            __syncwarp();
            if (own < link.count) load_source(link.first + own, link.passed, sources[own]);
            __syncwarp();
            // Prefetched while the pairs of this link are summed.
            next = load_link(l + kAtOnce + half, end, own);
            std::uint32_t n_most = max(link.count, __shfl_xor_sync(kWholeWarp, link.count, kMost));
            for (std::uint32_t k = 0; k < n_most; ++k) {
                std::uint32_t of_source = __shfl_sync(kWholeWarp, link.row, k, kMost);
                std::uint32_t bit = leaf < link.leaf ? link.row >> k : of_source >> own;
                if (k < link.count && (bit & 1)) add(target, sources[k], sums);
            }
        }
        for (float& sum : sums) sum += __shfl_xor_sync(kWholeWarp, sum, kMost);
        block.sync();  // `sums` overwrites `sources`
        if (half == 0)
            for (int c = 0; c < Pair::kSums; ++c) shared.sums[warp][own][c] = sums[c];
        block.sync();
        if (block.rank >= node.count()) return;
        for (std::uint32_t w = 1; w < kWarps; ++w)
            for (int c = 0; c < Pair::kSums; ++c) sums[c] += shared.sums[w][own][c];
        irradiance[node.first + own] += Radiosity::sum_of_near(sums);
    }
    __device__ static void add(const float* target, const float* from, float* sums) {
        alignas(16) float source[Pair::kSourceWords];
        for (int k = 0; k < Pair::kSourceWords / 4; ++k)
            reinterpret_cast<float4*>(source)[k] = reinterpret_cast<const float4*>(from)[k];
        Pair::add(target, source, sums);
    }
};

#else

/// Mask whose lane i is set if bit i is.
Mask8 mask_of(std::uint32_t lanes) {
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i own = _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(lanes)), bit);
    return {_mm256_castsi256_ps(_mm256_cmpeq_epi32(own, bit))};
}

struct LeafPass : PartialPass {
    static constexpr std::uint32_t kRegisters = kMost / kLanes;

    void operator()(std::uint32_t leaf) const {
        std::uint32_t first = partial.rows.begin[leaf], end = partial.rows.begin[leaf + 1];
        if (first == end) return;
        OctreeNode node = tree.nodes[leaf];
        Lanes targets[kRegisters][Pair::kTargetWords], sums[kRegisters][Pair::kSums];
        for (std::uint32_t i = 0; i < kMost; ++i) {
            float words[Pair::kTargetWords];
            load_target(node.first + (i < node.count() ? i : 0), words);
            for (int c = 0; c < Pair::kTargetWords; ++c)
                targets[i / kLanes][c].set_lane(static_cast<int>(i % kLanes), words[c]);
        }
        for (auto& of_register : sums)
            for (Lanes& sum : of_register) sum = 0.0f;
        for (std::uint32_t l = first; l < end; ++l) {
            NodeLink link = partial.rows.links[l];
            LeafBits bits = partial.bits[bits_of_float(link.weight)];
            if (leaf < link.source) bits = transposed(bits);
            OctreeNode source = tree.nodes[link.source];
            for (std::uint32_t k = 0; k < source.count(); ++k) {
                if (bits.rows[k] == 0) continue;
                float words[Pair::kSourceWords];
                load_source(source.first + k, passed(l), words);
                for (std::uint32_t r = 0; r < kRegisters; ++r)
                    add(targets[r], words, mask_of(bits.rows[k] >> r * kLanes & 255u), sums[r]);
            }
        }
        for (std::uint32_t i = 0; i < node.count(); ++i) {
            float own[Pair::kSums];
            for (int c = 0; c < Pair::kSums; ++c)
                own[c] = sums[i / kLanes][c].lane(static_cast<int>(i % kLanes));
            irradiance[node.first + i] += Radiosity::sum_of_near(own);
        }
    }
    static void add(const Lanes* target, const float* source, Mask8 seen, Lanes* sums) {
        Lanes with[Pair::kSums];
        for (int c = 0; c < Pair::kSums; ++c) with[c] = sums[c];
        Pair::add(target, source, with);
        for (int c = 0; c < Pair::kSums; ++c) sums[c] = select(seen, with[c], sums[c]);
    }
    /// Transposes the bit matrix: bit i of row k becomes bit k of row i.
    static LeafBits transposed(const LeafBits& bits) {
        const auto* rows = reinterpret_cast<const __m128i*>(bits.rows);
        __m128i low = _mm_load_si128(rows), high = _mm_load_si128(rows + 1);
        LeafBits columns;
        for (std::uint32_t k = kMost; k-- > 0;) {
            __m128i signs = _mm_packs_epi16(low, high);
            columns.rows[k] = static_cast<std::uint16_t>(_mm_movemask_epi8(signs));
            low = _mm_slli_epi16(low, 1);
            high = _mm_slli_epi16(high, 1);
        }
        return columns;
    }
};

#endif

}  // namespace

void add_partial(Stream& stream, const OctreeView& tree, const PartialLinks& partial,
                 View<const PackedTransmittance> transmittance, View<const vec3> radiosity,
                 View<vec3> irradiance) {
    auto n = static_cast<std::uint32_t>(partial.rows.order.size);
    const LeafPass pass{{tree, partial, transmittance, radiosity, irradiance}};
#if defined(__CUDACC__)
    launch_blocks<LeafPass::kThreads>(stream, "partial links", n, pass);
#else
    parallel_for(
        stream, "partial links", n, TL_LAMBDA(std::uint32_t i) { pass(partial.rows.order[i]); },
        16);
#endif
}

TL_DEVICE_END

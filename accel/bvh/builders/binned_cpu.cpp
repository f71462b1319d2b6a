// Binned SAH on the CPU, after Wald 2007, "On fast construction of SAH-based bounding volume
// hierarchies": fork-join from the root, one task per subtree. Boxes move with their references
// between two buffers, so that every pass reads memory in order. A box is one register of (-lo,
// hi), so that a union is one maximum (Wald 2007). Nodes of up to four references are split by
// exhaustive search.
#include <immintrin.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cstring>

#include "accel/bvh/builders/binned.h"

namespace tl::cpu {

namespace {

/// Box and its reference, as (-lo, reference, hi, 0); made by SubtreeBuilder::record_of.
using Record = __m256;

constexpr std::uint32_t kTinySize = 4;    ///< nodes up to this size are split exhaustively
constexpr std::uint32_t kSmallSize = 16;  ///< nodes up to this size get at most kSmallBins bins
constexpr int kSmallBins = 8;
constexpr std::uint32_t kForkSize = 4096;         ///< smaller nodes are not worth a task
constexpr std::uint32_t kParallelSize = 1 << 17;  ///< larger nodes are binned by all cores

using References = tbb::blocked_range<std::uint32_t>;

/// Bits added to a reference so that it is a normal float: arithmetic on denormals is slow.
constexpr std::uint32_t kReferenceBits = 0x40000000u;

__m256 empty_bounds() {
    return _mm256_set1_ps(-kInfinity);
}

/// Twice the centre: lo + hi along each axis.
__m128 center_of(Record r) {
    return _mm_sub_ps(_mm256_extractf128_ps(r, 1), _mm256_castps256_ps128(r));
}
__m256 point_bounds(__m128 p) {
    return _mm256_set_m128(p, _mm_xor_ps(p, _mm_set1_ps(-0.0f)));
}

float half_area(__m256 bounds) {
    __m128 d = _mm_add_ps(_mm256_extractf128_ps(bounds, 1), _mm256_castps256_ps128(bounds));
    __m128 products = _mm_mul_ps(d, _mm_shuffle_ps(d, d, _MM_SHUFFLE(3, 0, 2, 1)));
    __m128 sum = _mm_add_ss(_mm_add_ss(products, _mm_movehdup_ps(products)),
                            _mm_movehl_ps(products, products));
    return _mm_cvtss_f32(sum);
}

Box box_of(__m256 bounds) {
    alignas(32) float f[8];
    _mm256_store_ps(f, bounds);
    return {{-f[0], -f[1], -f[2]}, {f[4], f[5], f[6]}};
}

std::uint32_t reference_of(Record r) {
    auto bits = _mm_extract_epi32(_mm_castps_si128(_mm256_castps256_ps128(r)), 3);
    return static_cast<std::uint32_t>(bits) & ~kReferenceBits;
}

struct Node {
    std::uint32_t begin, end;
    std::uint32_t parent;
    int buffer;      ///< number of the buffer that holds the node's records
    __m256 bounds;   ///< bounds of the boxes, as a Record
    __m256 centers;  ///< bounds of the center_of() values, as a Record

    [[nodiscard]] std::uint32_t count() const { return end - begin; }
};

/// Maps a centre to its bin along each axis.
struct BinGrid {
    __m128 lo, scale;
    __m128i last;

    BinGrid(const Node& node, int n_bins) {
        __m128 hi = _mm256_extractf128_ps(node.centers, 1);
        lo = _mm_xor_ps(_mm256_castps256_ps128(node.centers), _mm_set1_ps(-0.0f));
        __m128 extent = _mm_sub_ps(hi, lo);
        scale = _mm_div_ps(_mm_set1_ps(static_cast<float>(n_bins) * 0.9999f), extent);
        // An axis that is flat, or so nearly flat that the scale overflows: all in the first bin.
        __m128 finite = _mm_and_ps(_mm_cmpgt_ps(extent, _mm_setzero_ps()),
                                   _mm_cmplt_ps(scale, _mm_set1_ps(kInfinity)));
        scale = _mm_and_ps(scale, finite);
        last = _mm_set1_epi32(n_bins - 1);
    }
    [[nodiscard]] __m128i bins_of(Record r) const {
        __m128i bins = _mm_cvttps_epi32(_mm_mul_ps(_mm_sub_ps(center_of(r), lo), scale));
        return _mm_max_epi32(_mm_min_epi32(bins, last), _mm_setzero_si128());
    }
};

/// Split of a node: references in bins up to and including `last_left` along `axis` go left. With
/// axis 3 no plane splits the node.
struct Split {
    int axis = 3;
    int last_left = 0;
};

struct Bins {
    __m256 bounds[3][BinsConfig::kMaxBins];
    std::uint32_t count[3][BinsConfig::kMaxBins];

    explicit Bins(int n_bins) {
        for (int axis = 0; axis < 3; ++axis)
            for (int k = 0; k < n_bins; ++k) {
                bounds[axis][k] = empty_bounds();
                count[axis][k] = 0;
            }
    }
    void add(const BinGrid& grid, const Record* records, std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t i = begin; i < end; ++i) {
            Record r = records[i];
            __m128i bins = grid.bins_of(r);
            int k[3] = {_mm_extract_epi32(bins, 0), _mm_extract_epi32(bins, 1),
                        _mm_extract_epi32(bins, 2)};
            for (int axis = 0; axis < 3; ++axis) {
                bounds[axis][k[axis]] = _mm256_max_ps(bounds[axis][k[axis]], r);
                ++count[axis][k[axis]];
            }
        }
    }
    void add(const Bins& other, int n_bins) {
        for (int axis = 0; axis < 3; ++axis)
            for (int k = 0; k < n_bins; ++k) {
                bounds[axis][k] = _mm256_max_ps(bounds[axis][k], other.bounds[axis][k]);
                count[axis][k] += other.count[axis][k];
            }
    }
    /// Returns the plane of least SAH cost and the bounds of its two sides. A side without
    /// references has cost NaN, which never compares less.
    [[nodiscard]] Split best_split(int n_bins, std::uint32_t n_all, __m256& left_bounds,
                                   __m256& right_bounds) const {
        Split split;
        float least = kInfinity;
        std::uint32_t least_skew = 0;
        for (int axis = 0; axis < 3; ++axis) {
            float right_cost[BinsConfig::kMaxBins];
            __m256 right_of[BinsConfig::kMaxBins];
            __m256 sum = empty_bounds();
            std::uint32_t n = 0;
            for (int k = n_bins - 1; k > 0; --k) {
                sum = _mm256_max_ps(sum, bounds[axis][k]);
                n += count[axis][k];
                right_of[k] = sum;
                right_cost[k] = static_cast<float>(n) * half_area(sum);
            }
            sum = empty_bounds();
            n = 0;
            for (int k = 0; k + 1 < n_bins; ++k) {
                sum = _mm256_max_ps(sum, bounds[axis][k]);
                n += count[axis][k];
                float cost = static_cast<float>(n) * half_area(sum) + right_cost[k + 1];
                // Ties go to the most even split, so that boxes of zero area make no deep tree.
                std::uint32_t skew = n_all > 2 * n ? n_all - 2 * n : 2 * n - n_all;
                if (cost < least || (cost == least && skew < least_skew)) {
                    least = cost;
                    least_skew = skew;
                    split = {axis, k};
                    left_bounds = sum;
                    right_bounds = right_of[k + 1];
                }
            }
        }
        return split;
    }
};

class SubtreeBuilder {
  public:
    /// Leaves subtrees unfinished if the stream's work is cancelled.
    SubtreeBuilder(const Stream& stream, View<const Box> boxes, const BinaryTree& tree, int n_bins,
                   Record* a, Record* b)
        : stream_(stream), boxes_(boxes), tree_(tree), n_bins_(n_bins), buffers_{a, b} {}

    void build(const SubtreeTask& task) const {
        if (task.count == 1 && task.parent == SubtreeTask::kNoParent)
            return write_single_leaf(tree_, boxes_[tree_.order[task.first]]);
        Node node{task.first, task.first + task.count, task.parent,
                  0,          empty_bounds(),          empty_bounds()};
        load(node);
        build(node);
    }

  private:
    /// Fills the first buffer and computes the node's bounds.
    void load(Node& node) const {
        struct Measured {
            __m256 bounds = empty_bounds(), centers = empty_bounds();
        };
        auto load_range = [&](const References& range, Measured sum) {
            for (std::uint32_t i = range.begin(); i < range.end(); ++i) {
                Record r = buffers_[0][i] = record_of(tree_.order[i]);
                sum.bounds = _mm256_max_ps(sum.bounds, r);
                sum.centers = _mm256_max_ps(sum.centers, point_bounds(center_of(r)));
            }
            return sum;
        };
        auto join = [](Measured a, Measured b) {
            return Measured{_mm256_max_ps(a.bounds, b.bounds), _mm256_max_ps(a.centers, b.centers)};
        };
        Measured all = tbb::parallel_reduce(References(node.begin, node.end, kForkSize), Measured{},
                                            load_range, join);
        node.bounds = all.bounds;
        node.centers = all.centers;
    }
    [[nodiscard]] Record record_of(std::uint32_t reference) const {
        const Box& box = boxes_[reference];
        std::uint32_t bits = reference | kReferenceBits;
        float as_float;
        memcpy(&as_float, &bits, sizeof bits);
        return _mm256_setr_ps(-box.lo.x, -box.lo.y, -box.lo.z, as_float, box.hi.x, box.hi.y,
                              box.hi.z, 0);
    }
    void measure(Node& node) const {
        node.bounds = node.centers = empty_bounds();
        for (std::uint32_t i = node.begin; i < node.end; ++i) {
            Record r = buffers_[node.buffer][i];
            node.bounds = _mm256_max_ps(node.bounds, r);
            node.centers = _mm256_max_ps(node.centers, point_bounds(center_of(r)));
        }
    }
    void write_node(std::uint32_t index, const Node& node) const {
        Box box = box_of(node.bounds);
        tree_.nodes[index].lo = box.lo;
        tree_.nodes[index].hi = box.hi;
        link_child(tree_, node.parent, NodeRef::inner(index));
    }
    /// Builds the subtree of `node`. Recurses into the smaller child and loops over the larger one,
    /// so that the recursion depth is logarithmic.
    void build(Node node) const {
        while (node.count() > kTinySize) {
            bool large = node.count() > kForkSize;
            if (large && stream_.is_cancelled()) return;
            Node halves[2];
            split(node, halves);
            std::uint32_t index = halves[0].end - 1;
            write_node(index, node);
            for (int side : {0, 1}) halves[side].parent = SubtreeTask::child_of(index, side);
            if (large)
                return tbb::parallel_invoke([&] { build(halves[0]); }, [&] { build(halves[1]); });
            int smaller = halves[0].count() > halves[1].count();
            build(halves[smaller]);
            node = halves[!smaller];
        }
        build_tiny(node, buffers_[node.buffer] + node.begin);
    }
    void split(const Node& node, Node halves[2]) const {
        int n_bins = node.count() > kSmallSize ? n_bins_ : std::min(n_bins_, kSmallBins);
        BinGrid grid(node, n_bins);
        Bins bins(n_bins);
        const Record* records = buffers_[node.buffer];
        if (node.count() > kParallelSize)
            bins = tbb::parallel_reduce(
                References(node.begin, node.end, kParallelSize / 4), bins,
                [&](const References& range, Bins part) {
                    part.add(grid, records, range.begin(), range.end());
                    return part;
                },
                [&](Bins a, const Bins& b) {
                    a.add(b, n_bins);
                    return a;
                });
        else
            bins.add(grid, records, node.begin, node.end);
        halves[0] = halves[1] = node;
        Split best = bins.best_split(n_bins, node.count(), halves[0].bounds, halves[1].bounds);
        if (best.axis == 3) {
            halves[0].end = halves[1].begin = node.begin + node.count() / 2;
            for (int side : {0, 1}) measure(halves[side]);
            return;
        }
        partition(node, grid, best, halves);
    }
    /// Partitions the node's records into the other buffer: the left child from the front, the
    /// right child from the back. Writes each record to both ends; the next record overwrites the
    /// wrong copy.
    void partition(const Node& node, const BinGrid& grid, Split split, Node halves[2]) const {
        const Record* from = buffers_[node.buffer];
        Record* to = buffers_[!node.buffer];
        alignas(16) int lasts[4] = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
        lasts[split.axis] = split.last_left;
        __m128i last_left = _mm_load_si128(reinterpret_cast<__m128i*>(lasts));
        __m256 centers[2] = {empty_bounds(), empty_bounds()};
        std::uint32_t left = node.begin, right = node.end - 1;
        for (std::uint32_t i = node.begin; i < node.end; ++i) {
            Record r = from[i];
            __m128i beyond = _mm_cmpgt_epi32(grid.bins_of(r), last_left);
            std::uint32_t goes_right = _mm_movemask_epi8(beyond) != 0;
            to[left] = r;
            to[right] = r;
            left += 1 - goes_right;
            right -= goes_right;
            __m256 center = point_bounds(center_of(r));
            __m256 mask = _mm256_castsi256_ps(_mm256_set1_epi32(-static_cast<int>(goes_right)));
            centers[0] = _mm256_max_ps(centers[0], _mm256_blendv_ps(center, empty_bounds(), mask));
            centers[1] = _mm256_max_ps(centers[1], _mm256_blendv_ps(empty_bounds(), center, mask));
        }
        halves[0].end = halves[1].begin = left;
        for (int side : {0, 1}) {
            halves[side].buffer = !node.buffer;
            halves[side].centers = centers[side];
        }
    }
    /// Builds the subtree of up to four references by exhaustive search over all bipartitions.
    void build_tiny(const Node& node, Record* records) const {
        std::uint32_t n = node.count(), all = (1u << n) - 1;
        if (n == 1) {
            tree_.order[node.begin] = reference_of(records[0]);
            return link_child(tree_, node.parent, NodeRef::leaf(node.begin, 1));
        }
        __m256 bounds[1 << kTinySize];
        std::uint32_t best = 1;
        if (n > 2) {
            bounds[0] = empty_bounds();
            float cost[1 << kTinySize] = {};
            for (std::uint32_t set = 1; set < all; ++set) {
                bounds[set] = _mm256_max_ps(bounds[set & (set - 1)], records[__builtin_ctz(set)]);
                cost[set] = static_cast<float>(__builtin_popcount(set)) * half_area(bounds[set]);
            }
            for (std::uint32_t set = 1; set < (all + 1) / 2; ++set)
                if (cost[set] + cost[all - set] < cost[best] + cost[all - best]) best = set;
        }
        // The smaller set goes left: single leaves come before a pair.
        if (__builtin_popcount(best) > __builtin_popcount(all - best)) best = all - best;
        Record moved[kTinySize];
        std::uint32_t n_left = 0, n_right = static_cast<std::uint32_t>(__builtin_popcount(best));
        for (std::uint32_t i = 0; i < n; ++i)
            moved[best >> i & 1 ? n_left++ : n_right++] = records[i];
        std::copy_n(moved, n, records);
        std::uint32_t index = node.begin + n_left - 1;
        write_node(index, node);
        Node half = node;
        half.end = node.begin + n_left;
        if (n_left > 1) half.bounds = bounds[best];
        half.parent = SubtreeTask::child_of(index, 0);
        build_tiny(half, records);
        half.begin = half.end;
        half.end = node.end;
        if (n - n_left > 1) half.bounds = bounds[all - best];
        half.parent = SubtreeTask::child_of(index, 1);
        build_tiny(half, records + n_left);
    }

    const Stream& stream_;
    View<const Box> boxes_;
    BinaryTree tree_;
    int n_bins_;
    Record* buffers_[2];
};

}  // namespace

void build_binned_subtrees(Scratch& scratch, View<const Box> boxes, const SubtreeTasks& tasks,
                           std::size_t /*usual_size*/, int n_bins, const BinaryTree& tree) {
    Scratch::Scope scope(scratch);
    std::size_t bytes = tree.order.size * sizeof(Record);
    SubtreeBuilder builder(scratch.stream(), boxes, tree, n_bins,
                           static_cast<Record*>(scratch.take_bytes(bytes)),
                           static_cast<Record*>(scratch.take_bytes(bytes)));
    tbb::parallel_for(std::uint32_t(0), tasks.n_tasks[0],
                      [&](std::uint32_t i) { builder.build(tasks.tasks[i]); });
    scratch.stream().check_cancelled();
}

}  // namespace tl::cpu

// H-PLOC on CUDA, in one launch; see hploc.h for the algorithm. Threads climb the linear BVH's
// hierarchy as in lbvh.cu. Whenever a thread reaches a range of more than 16 references, its whole
// warp clusters that range's neighbourhood, with one cluster per lane.
#include "accel/bvh/builders/hploc.h"
#include "core/device/atomics.h"
#include "core/device/launch_cuda.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint32_t kNoVisitor = 0xffffffffu;
constexpr std::uint32_t kAllLanes = 0xffffffffu;
constexpr std::uint32_t kNoNeighbour = 0xffffffffu;
/// Mask for an area's bits; the lower five hold hploc_pair_key.
constexpr std::uint32_t kAreaMask = ~31u;
/// Most merging rounds of one neighbourhood; each merges at least one of 32 clusters.
constexpr int kMaxRounds = 32;
constexpr int kHplocBlock = 128;
/// Search radius for which the loop is unrolled: the default.
constexpr int kUnrolledRadius = 8;

template <class Code>
struct HplocArguments {
    View<const Box> boxes;
    View<const Code> codes;
    BinaryTree tree;
    LeafPolicy leaves;
    int radius;
    View<std::uint32_t> far_end;  // far end of the first range to reach each parent
    View<HplocCluster> clusters;  // lists of merged ranges, at their first positions
};

/// Distance between positions i and i + 1, which orders the climb like CurveOrder::Distance.
__device__ std::uint64_t distance(View<const std::uint32_t> codes, std::uint32_t i) {
    return std::uint64_t(codes.data[i] ^ codes.data[i + 1]) << 32 | (i ^ (i + 1));
}
__device__ bool nearer(View<const std::uint32_t> codes, std::uint32_t i, std::uint32_t j) {
    return distance(codes, i) < distance(codes, j);
}
__device__ bool nearer(View<const std::uint64_t> codes, std::uint32_t i, std::uint32_t j) {
    std::uint64_t a = codes.data[i] ^ codes.data[i + 1], b = codes.data[j] ^ codes.data[j + 1];
    return a != b ? a < b : (i ^ (i + 1)) < (j ^ (j + 1));
}

__device__ Box shuffle(const Box& box, std::uint32_t lane) {
    Box b;
    for (int axis = 0; axis < 3; ++axis) {
        b.lo[axis] = __shfl_sync(kAllLanes, box.lo[axis], lane);
        b.hi[axis] = __shfl_sync(kAllLanes, box.hi[axis], lane);
    }
    return b;
}

/// State of one lane in a neighbourhood whose clusters are in lanes [0, count).
template <class Code>
struct Neighbourhood {
    const HplocArguments<Code>& a;
    std::uint32_t* lane_at;  // 32 words of shared memory per warp
    std::uint32_t parities;  // hploc_parities() of the lane
    std::uint32_t lane = threadIdx.x % 32;
    std::uint32_t count = 0;
    HplocCluster cluster{NodeRef::missing(), 0};
    Box box{};

    __device__ Neighbourhood(const HplocArguments<Code>& arguments, std::uint32_t* lane_at,
                             std::uint32_t parities)
        : a(arguments), lane_at(lane_at), parities(parities) {}

    /// Returns the lane whose cluster moves to this lane when `mask` is compacted. Called by all
    /// lanes.
    [[nodiscard]] __device__ std::uint32_t source_of(std::uint32_t mask) const {
        __syncwarp();
        if (mask >> lane & 1u) lane_at[__popc(mask & ((1u << lane) - 1))] = lane;
        __syncwarp();
        return lane_at[lane] % 32;
    }
    /// Moves the clusters of the lanes in `mask` to the first lanes. Called by all lanes.
    __device__ void compact_clusters(std::uint32_t mask, std::uint32_t from) {
        count = __popc(mask);
        cluster.ref.bits = __shfl_sync(kAllLanes, cluster.ref.bits, from);
        cluster.place = __shfl_sync(kAllLanes, cluster.place, from);
    }
    __device__ void compact_all(std::uint32_t mask) {
        std::uint32_t from = source_of(mask);
        compact_clusters(mask, from);
        box = shuffle(box, from);
    }
    /// Loads the lists of [first, split) and [split, last]. All lanes pass the same arguments.
    __device__ void load(std::uint32_t first, std::uint32_t split, std::uint32_t last) {
        bool right = lane >= kHplocListSize;
        std::uint32_t start = right ? split : first;
        std::uint32_t size = right ? last + 1 - split : split - first;
        std::uint32_t k = lane % kHplocListSize;
        // A range that fits in a list has not been merged: it still consists of leaves.
        if (size > kHplocListSize) {
            uint2 bits = __ldcg(reinterpret_cast<const uint2*>(a.clusters.data + start + k));
            cluster = {{bits.x}, bits.y};
        } else if (k < size) {
            cluster = {NodeRef::leaf(start + k, 1), start + k};
        }
        std::uint32_t present = __ballot_sync(kAllLanes, !cluster.ref.is_missing());
        compact_clusters(present, source_of(present));
        if (lane >= count) return;
        if (cluster.ref.is_leaf())
            box = a.boxes.data[a.tree.order.data[cluster.ref.first()]];
        else
            box = load_fresh(a.tree.nodes.data + cluster.ref.node()).box();
    }
    /// Returns the lane of the nearest neighbour, valid in lanes below `count`. Called by all
    /// lanes.
    __device__ std::uint32_t nearest() const {
        std::uint32_t best = kNoNeighbour;
        if (a.radius == kUnrolledRadius) {
#pragma unroll
            for (int r = 1; r <= kUnrolledRadius; ++r) compare_at(r, best);
        } else {
            for (int r = 1; r <= a.radius; ++r) compare_at(r, best);
        }
        return hploc_partner(lane, parities, best & 31u);
    }
    /// Minimises `best` over the keys of the pairs with the lanes at distance `r`. Called by all
    /// lanes.
    __device__ void compare_at(int r, std::uint32_t& best) const {
        Box other;
        for (int axis = 0; axis < 3; ++axis) {
            other.lo[axis] = __shfl_down_sync(kAllLanes, box.lo[axis], r);
            other.hi[axis] = __shfl_down_sync(kAllLanes, box.hi[axis], r);
        }
        other.extend(box);
        vec3 d = other.hi - other.lo;
        std::uint32_t area = __float_as_uint(d.x * d.y + d.y * d.z + d.z * d.x) & kAreaMask;
        std::uint32_t below = __shfl_up_sync(kAllLanes, area, r);
        if (lane + r < count) best = min(best, area | hploc_pair_key(parities, r));
        if (lane >= r) best = min(best, below | hploc_pair_key_below(parities, r));
    }
    /// Merges pairs that are each other's nearest neighbours; with `any_pairs`, all pairs (0, 1),
    /// (2, 3), ... Called by all lanes.
    __device__ void merge_pairs(bool is_root, bool any_pairs) {
        std::uint32_t other_lane = any_pairs ? lane ^ 1u : nearest();
        bool mutual = __shfl_sync(kAllLanes, other_lane, other_lane) == lane && lane < count &&
                      other_lane < count;
        Box other_box = shuffle(box, other_lane);
        HplocCluster other;
        other.ref.bits = __shfl_sync(kAllLanes, cluster.ref.bits, other_lane);
        other.place = __shfl_sync(kAllLanes, cluster.place, other_lane);
        if (mutual && lane < other_lane) {
            bool makes_root = is_root && count == 2;
            float area = box.half_area(), other_area = other_box.half_area();
            box.extend(other_box);
            std::uint32_t size = makes_root ? 1
                                            : a.leaves.size_of(box.half_area(), cluster.ref, area,
                                                               other.ref, other_area);
            std::uint32_t node = other.place - 1;
            a.tree.nodes.data[node] = {box.lo, cluster.ref, box.hi, other.ref};
            a.tree.output_sizes.data[node] =
                size > 1 ? 0 : output_size_of_children(cluster.ref, other.ref);
            if (makes_root) a.tree.header.data->root = node;
            cluster.ref = NodeRef::collapsed(node, size);
        }
        compact_all(__ballot_sync(kAllLanes, lane < count && !(mutual && lane > other_lane)));
    }
    /// Stores the clusters that are passed up, in the list at `first`. Called by all lanes.
    __device__ void store(std::uint32_t first) const {
        if (lane < kHplocListSize) {
            std::uint32_t ref = lane < count ? cluster.ref.bits : NodeRef::missing().bits;
            reinterpret_cast<uint2*>(a.clusters.data + first)[lane] = {ref, cluster.place};
        }
        __syncwarp();
    }
};

/// Merges the clusters of a range. Called by all lanes with the same arguments.
template <class Code>
__device__ void merge_range(const HplocArguments<Code>& a, std::uint32_t* lane_at,
                            std::uint32_t parities, std::uint32_t first, std::uint32_t split,
                            std::uint32_t last, bool is_root) {
    Neighbourhood<Code> neighbourhood(a, lane_at, parities);
    neighbourhood.load(first, split, last);
    std::uint32_t wanted = is_root ? 1 : kHplocListSize;
    for (int round = 0; neighbourhood.count > wanted; ++round) {
        if (round == kMaxRounds && neighbourhood.lane == 0)
            atomic_or(&a.tree.header.data->errors, kBuildCapReached);
        neighbourhood.merge_pairs(is_root, round >= kMaxRounds);
    }
    if (!is_root) neighbourhood.store(first);
}

template <class Code>
__global__ void __launch_bounds__(kHplocBlock) hploc_kernel(HplocArguments<Code> a) {
    __shared__ std::uint32_t lanes_at[kHplocBlock];
    std::uint32_t* lane_at = lanes_at + threadIdx.x / 32 * 32;
    lanes_at[threadIdx.x] = 0;
    const std::uint32_t parities = hploc_parities(threadIdx.x % 32);
    std::uint32_t place = blockIdx.x * kHplocBlock + threadIdx.x;
    std::uint32_t n = a.tree.header.data->n_valid;
    std::uint32_t n_nodes = n > 1 ? n - 1 : n;
    if (place >= n_nodes && place < a.tree.output_sizes.size) a.tree.output_sizes[place] = 0;
    if (place == 0) a.tree.header.data->n_nodes = n_nodes;
    if (n < 2) {
        if (place == 0 && n == 1) write_single_leaf(a.tree, a.boxes[a.tree.order[0]]);
        return;
    }
    bool active = place < n;
    std::uint32_t first = place, last = place, split = 0;
    while (__any_sync(kAllLanes, active)) {
        if (active) {
            bool left = first == 0 || (last + 1 != n && nearer(a.codes, last, first - 1));
            std::uint32_t parent = left ? last : first - 1;
            std::uint32_t* meeting = &a.far_end.data[parent];
            std::uint32_t mine = left ? first : last;
            // A range that fits in a list has written nothing that the sibling's thread reads.
            bool has_list = last - first >= kHplocListSize;
            std::uint32_t other =
                has_list ? atomic_exchange(meeting, mine) : atomic_exchange_relaxed(meeting, mine);
            active = other != kNoVisitor;
            split = parent + 1;
            if (active) (left ? last : first) = other;
            bool other_has_list = (left ? last - split : parent - first) >= kHplocListSize;
            if (active && !has_list && other_has_list) acquire_fence();
        }
        bool is_root = active && first == 0 && last == n - 1;
        std::uint32_t merging =
            __ballot_sync(kAllLanes, active && (is_root || last - first >= kHplocListSize));
        for (; merging; merging &= merging - 1) {
            int lane = __ffs(static_cast<int>(merging)) - 1;
            merge_range(a, lane_at, parities, __shfl_sync(kAllLanes, first, lane),
                        __shfl_sync(kAllLanes, split, lane), __shfl_sync(kAllLanes, last, lane),
                        __shfl_sync(kAllLanes, int(is_root), lane) != 0);
        }
        if (is_root) active = false;
    }
}

class HplocBuilder final : public TreeBuilder {
  public:
    void build(Scratch& scratch, const BuildInput& input, BinaryTree& tree) override {
        auto curve = sort_along_curve(scratch, input, tree, config_.code_bits);
        if (curve.codes63.empty())
            cluster(scratch, input, tree, curve.codes30);
        else
            cluster(scratch, input, tree, curve.codes63);
    }
    Settings settings() override { return config_.settings(); }

  private:
    template <class Code>
    void cluster(Scratch& scratch, const BuildInput& input, BinaryTree& tree,
                 View<const Code> codes) {
        std::size_t n = input.boxes.size;
        auto far_end = scratch.take<std::uint32_t>(n);
        // A list of 16 lies within its range of at least 17 positions, so `n` entries suffice.
        auto clusters = scratch.take<HplocCluster>(n);
        auto& stream = scratch.stream();
        auto native = static_cast<cudaStream_t>(stream.native());
        TL_CUDA_CHECK(cudaMemsetAsync(far_end.data, 0xff, n * sizeof(std::uint32_t), native));
        HplocArguments<Code> arguments{input.boxes,    codes,   tree,    input.leaves,
                                       config_.radius, far_end, clusters};
        launch(stream, "hploc", blocks_for(n, kHplocBlock), kHplocBlock, hploc_kernel<Code>,
               arguments);
    }
    HplocConfig config_;
};

}  // namespace

std::unique_ptr<TreeBuilder> make_hploc_builder() {
    return std::make_unique<HplocBuilder>();
}

TL_DEVICE_END

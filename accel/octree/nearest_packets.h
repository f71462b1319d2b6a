// Packet k-nearest-neighbour search of an octree on a GPU: a warp searches for 32 query points at
// once. Each thread keeps the list of its own query point in registers. All threads share one
// traversal, which visits every node that any of them needs. A point is read once for all, and no
// lists are merged. This requires that consecutive query points are near each other. If they are
// not, the warp detects it early, and its teams of eight threads search for one query point each.
#pragma once

#include "accel/octree/octree.h"
#include "accel/points/nearest_kernels.h"

#if defined(__CUDACC__)

TL_DEVICE_BEGIN

/// Nearest points of one thread, in ascending order of distance. With k below kMost, the first
/// kMost - k entries are unused and have distance 0.
template <int kMost>
class SortedNearest {
  public:
    __device__ SortedNearest(int k, float most) {
#pragma unroll
        for (int i = 0; i < kMost; ++i) {
            squares_[i] = i < kMost - k ? 0 : bits_of_float(most);
            indices_[i] = ~0u;
        }
    }
    /// Returns the bits of the k-th point's squared distance.
    [[nodiscard]] __device__ std::uint32_t worst() const {
        return squares_[kMost - 1];
    }
    /// Inserts a point; does nothing if `bits`, its squared distance, is at least worst().
    __device__ void insert(std::uint32_t bits, std::uint32_t index) {
#pragma unroll
        for (int i = kMost - 1; i > 0; --i) {
            bool here = bits < squares_[i], before = bits < squares_[i - 1];
            squares_[i] = max(squares_[i - 1], min(squares_[i], bits));
            indices_[i] = before ? indices_[i - 1] : here ? index : indices_[i];
        }
        if (bits < squares_[0]) indices_[0] = index;
        squares_[0] = min(squares_[0], bits);
    }
    /// Calls out(rank, square, index) for ranks 0 to k - 1.
    template <class Out>
    __device__ void for_each(int k, Out&& out) const {
#pragma unroll
        for (int i = 0; i < kMost; ++i)
            if (i >= kMost - k) out(i - (kMost - k), float_of_bits(squares_[i]), indices_[i]);
    }

  private:
    std::uint32_t squares_[kMost];
    std::uint32_t indices_[kMost];
};

/// Kernel of the packet search for up to kMost neighbours.
template <int kMost>
struct NearestInPackets {
    static constexpr int kThreads = 128;
    static constexpr std::uint32_t kLanes = 32;
    /// Size of a batch of points. Nodes of at most this size are not descended further.
    static constexpr std::uint32_t kBatch = 32;
    /// Number of batches after which the packet counts as incoherent. It is several times what the
    /// eight nearest points of neighbours on a surface or in a volume need.
    static constexpr int kMostBatches = 96;
    /// Capacity of the stack: each node on the path leaves up to seven others.
    static constexpr int kStack = 7 * OctreeGrid::kLevels + 1;

    using OneByOne = FindNearest<kMost, OctreeView>;
    /// Node on the stack.
    struct Waiting {
        std::uint32_t node;
        std::uint32_t square;  ///< bits of the squared distance from the packet's box to the node
    };
    struct Shared {
        union OfWarp {
            struct {
                float4 points[kBatch];  ///< positions, with the points' indices in w
                Waiting stack[kStack];
            } packet;
            typename OneByOne::List::Storage of_team[kLanes / Team::kThreads];
        } of_warp[kThreads / kLanes];
    };
    OneByOne search;

    __device__ void operator()(const Block<kThreads>& block, Shared& shared) const {
        std::size_t first = std::size_t(block.index) * kThreads + block.rank / kLanes * kLanes;
        auto& memory = shared.of_warp[block.rank / kLanes];
        if (first < search.places.size && !find_together(memory.packet, first)) {
            __syncwarp();
            std::uint32_t team = block.rank % kLanes / Team::kThreads;
            search.find_run(memory.of_team[team], first + team * std::size_t(Team::kThreads),
                            Team::kThreads);
        }
    }

  private:
    __device__ static std::uint32_t lane() { return threadIdx.x % kLanes; }

    /// Searches for the warp's query points together. Returns false, without a result, if the
    /// packet is incoherent.
    template <class Memory>
    __device__ bool find_together(Memory& memory, std::size_t first) const {
        const OctreeView& tree = search.tree;
        std::size_t q = first + lane();
        bool is_past_end = q >= search.places.size;
        vec3 p = search.places[is_past_end ? search.places.size - 1 : q];
        // Query points with NaN or infinite coordinates find nothing, and would visit all nodes.
        bool searches = !is_past_end && fabsf(p.x) + fabsf(p.y) + fabsf(p.z) < kInfinity;
        SortedNearest<kMost> list(search.k, search.most);
        Box around = box_of_warp(p, searches);
        if (tree.header[0].n_nodes > 0 && __any_sync(kWholeWarp, searches)) {
            if (lies_apart(around)) return false;
            if (!walk(memory, p, searches, around, list)) return false;
        }
        if (is_past_end) return true;
        std::size_t at = q * static_cast<std::size_t>(search.k);
        auto& out = search.out;
        list.for_each(search.k, [&](int i, float square, std::uint32_t index) {
            if (!out.indices.empty()) out.indices[at + static_cast<std::size_t>(i)] = index;
            if (!out.squares.empty()) out.squares[at + static_cast<std::size_t>(i)] = square;
        });
        if (!out.farthest.empty()) out.farthest[q] = float_of_bits(list.worst());
        return true;
    }
    __device__ static Box box_of_warp(vec3 p, bool counts) {
        Box box;
        for (int axis = 0; axis < 3; ++axis) {
            std::uint32_t own = ordered_from_float(p[axis]);
            box.lo[axis] = float_from_ordered(warp_minimum(counts ? own : ~0u));
            box.hi[axis] = float_from_ordered(warp_maximum(counts ? own : 0u));
        }
        return box;
    }
    /// Whether the packet is incoherent: a cube of its extent would hold many of the tree's points
    /// if these filled the tree's box evenly.
    __device__ bool lies_apart(const Box& around) const {
        constexpr float kMany = 4096;
        const Box& all = search.tree.attributes[0].box;
        float part = largest(around.hi - around.lo) / largest(all.hi - all.lo);
        return part * part * part * static_cast<float>(search.tree.header[0].n_points) > kMany;
    }

    template <class Memory>
    __device__ bool walk(Memory& memory, vec3 p, bool searches, const Box& around,
                         SortedNearest<kMost>& list) const {
        const OctreeView& tree = search.tree;
        int n_waiting = 1, n_batches = 0;
        if (lane() == 0) memory.stack[0] = {0, 0};
        __syncwarp();
        std::uint32_t worst = bits_of_float(search.most);  // largest of all query points
        while (n_waiting > 0) {
            Waiting next = memory.stack[--n_waiting];
            if (next.square >= worst) continue;
            OctreeNode node = load_vectorized(tree.nodes[next.node]);
            bool is_near =
                bits_of_float(square_to_box(p, tree.attributes[next.node].box)) < list.worst();
            if (!__any_sync(kWholeWarp, searches && is_near)) continue;
            if (!node.is_leaf() && node.count() > kBatch) {
                n_waiting += open(memory, n_waiting, node, around, worst);
                continue;
            }
            for (std::uint32_t at = node.first; at < node.end; at += kBatch) {
                if (++n_batches > kMostBatches) return false;
                offer(memory, at, min(kBatch, node.end - at), p, searches, list);
            }
            worst = warp_maximum(searches ? list.worst() : 0);
        }
        return true;
    }
    /// Pushes a node's children that are near enough on the stack, the nearest to the packet's
    /// centre last; returns their number.
    template <class Memory>
    __device__ int open(Memory& memory, int n_waiting, const OctreeNode& node, const Box& around,
                        std::uint32_t worst) const {
        bool is_near = false;
        std::uint32_t square = 0, order = 0, child = node.first_child + lane();
        if (child < node.end_child) {
            Box box = search.tree.attributes[child].box;
            vec3 gap = glm::max(glm::max(box.lo - around.hi, around.lo - box.hi), vec3(0));
            // Differences from the packet's bounds are at most those from its query points.
            square = bits_of_float(glm::dot(gap, gap));
            is_near = square < worst;
            order = bits_of_float(square_to_box(around.center(), box));
        }
        std::uint32_t near = __ballot_sync(kWholeWarp, is_near);
        int rank = 0;  // number of siblings below it on the stack
        for (std::uint32_t left = near; left; left &= left - 1) {
            auto other = static_cast<std::uint32_t>(__ffs(int(left)) - 1);
            std::uint32_t others = __shfl_sync(kWholeWarp, order, int(other));
            rank += others > order || (others == order && other > lane()) ? 1 : 0;
        }
        __syncwarp();  // all lanes have read the entry that is overwritten
        if (is_near) memory.stack[n_waiting + rank] = {child, square};
        __syncwarp();
        return bit_count(near);
    }
    /// Offers up to kBatch points from `first` on to the lists of all query points.
    template <class Memory>
    __device__ void offer(Memory& memory, std::uint32_t first, std::uint32_t n, vec3 p,
                          bool searches, SortedNearest<kMost>& list) const {
        constexpr std::uint32_t kAtOnce = 4;
        float4 own{kInfinity, 0, 0, 0};  // pads the last group of four
        if (lane() < n) {
            const Surfel& point = search.tree.points[first + lane()];
            vec3 position = point.position;
            own = {position.x, position.y, position.z, float_of_bits(point.index)};
        }
        __syncwarp();
        memory.points[lane()] = own;
        __syncwarp();
        for (std::uint32_t i = 0; i < n; i += kAtOnce) {
            std::uint32_t squares[kAtOnce], indices[kAtOnce], least = ~0u;
#pragma unroll
            for (std::uint32_t j = 0; j < kAtOnce; ++j) {
                float4 point = memory.points[i + j];
                squares[j] = bits_of_float(square_distance(p, {point.x, point.y, point.z}));
                indices[j] = bits_of_float(point.w);
                least = min(least, squares[j]);
            }
            if (!__any_sync(kWholeWarp, searches && least < list.worst())) continue;
#pragma unroll
            for (std::uint32_t j = 0; j < kAtOnce; ++j)
                if (__any_sync(kWholeWarp, searches && squares[j] < list.worst()))
                    list.insert(squares[j], indices[j]);
        }
    }
};

/// Performs find_nearest() by packets, for up to kMost neighbours.
template <int kMost>
void find_in_packets(Stream& stream, const OctreeView& tree, View<const vec3> places, int k,
                     float radius, const NearestPoints& out) {
    using Find = NearestInPackets<kMost>;
    auto n_blocks = static_cast<std::uint32_t>((places.size + Find::kThreads - 1) / Find::kThreads);
    launch_blocks<Find::kThreads, typename Find::Shared>(
        stream, "nearest points", n_blocks, Find{{tree, places, 0, k, radius * radius, out}});
}

TL_DEVICE_END

#endif

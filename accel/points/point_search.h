// Search of a point tree: traversal of the leaves near a query point, and the list of the nearest
// points so far.
#pragma once

#include <algorithm>

#include "accel/points/point_tree.h"
#include "core/base/bits.h"
#include "core/device/team.h"
#include "core/device/vectorized_copy.h"

TL_DEVICE_BEGIN

/// Calls leaf(first, count) for all leaves that may have points closer to `p` than the square root
/// of worst(). worst() may decrease meanwhile. Leaves on the query point's side of a plane come
/// first. Rounding never skips a leaf: its distance is computed like those of its points, from
/// differences that are at most as large.
template <class Worst, class Leaf>
TL_D void for_each_leaf_near(const PointTreeView& tree, vec3 p, Worst&& worst, Leaf&& leaf) {
    /// Deferred node.
    struct PutOff {
        std::uint32_t node;
        float square;  ///< squared distance to the node's cell
        vec3 offset;   ///< distance to the node's cell along each axis
    };
    PutOff stack[kMostPointLevels];
    int n = 0;
    std::uint32_t at = 0;
    vec3 offset(0);
    while (true) {
        PointNode node = tree.nodes[at];
        if (!node.is_leaf()) {
            int axis = node.axis();
            float beyond = p[axis] - node.plane();
            bool is_left = beyond < 0;
            vec3 far_offset = offset;
            far_offset[axis] = beyond;
            float square = glm::dot(far_offset, far_offset);
            if (square < worst())
                stack[n++] = {is_left ? node.right() : at + 1, square, far_offset};
            at = is_left ? at + 1 : node.right();
            continue;
        }
        leaf(node.first(), node.count());
        do {
            if (n == 0) return;
            --n;
        } while (!(stack[n].square < worst()));
        at = stack[n].node;
        offset = stack[n].offset;
    }
}

/// Returns the squared distance of a point from a query point, as all searches compute it.
TL_D inline float square_distance(vec3 p, vec3 point) {
    vec3 offset = p - point;
    return glm::dot(offset, offset);
}
/// Returns the squared distance to a box, from differences at most as large as those to its points.
TL_D inline float square_to_box(vec3 p, const Box& box) {
    vec3 offset(0);
    for (int axis = 0; axis < 3; ++axis) {
        if (p[axis] < box.lo[axis]) offset[axis] = p[axis] - box.lo[axis];
        if (p[axis] > box.hi[axis]) offset[axis] = p[axis] - box.hi[axis];
    }
    return glm::dot(offset, offset);
}

#if defined(__CUDACC__)

/// List of the nearest points that a team has found. Points nearer than the k-th so far are
/// collected in shared memory. Only when it is full, the k nearest of them are selected. A
/// selection takes some hundred instructions, where one insertion in order would take fifty.
template <int kMost>
class NearestList {
  public:
    struct Storage {
        static constexpr int kSize = kMost + 40;
        std::uint32_t squares[kSize];  ///< bits of floats, which have their order
        std::uint32_t indices[kSize];
    };

    /// Creates a list of `k` points, at most kMost, closer than the square root of `most`.
    __device__ NearestList(Storage& storage, int k, float most)
        : storage_(storage), k_(k), most_(bits_of_float(most)) {
        clear();
    }
    /// Removes all points.
    __device__ void clear() {
        n_ = 0;
        room_ = k_ + kFirstSpare;
        worst_ = most_;
    }
    /// Returns the squared distance of the k-th point at the last selection.
    [[nodiscard]] __device__ float worst() const { return float_of_bits(worst_); }
    /// Offers a point of each thread; `square` is infinite for threads that have none.
    __device__ void offer(const Team& team, float square, std::uint32_t index) {
        std::uint32_t bits = bits_of_float(square);
        unsigned nearer = team.ballot(bits < worst_);
        if (!nearer) return;
        if (n_ + static_cast<int>(Team::kThreads) > room_) {
            select(team);
            nearer = team.ballot(bits < worst_);
        }
        if (bits < worst_) {
            int at = n_ + bit_count(nearer & below());
            storage_.squares[at] = bits;
            storage_.indices[at] = index;
        }
        n_ += bit_count(nearer);
    }
    /// Selects the nearest points. Must be called when all points have been offered; more may
    /// follow.
    __device__ void finish(const Team& team) {
        team.sync();
        if (n_ >= k_) select(team);
    }
    /// Calls out(number below k, square, index) for the thread's entries. The index is ~0 for
    /// entries beyond the number of points found.
    template <class Out>
    __device__ void for_each(Out&& out) const {
        for (int i = static_cast<int>(Team::rank()); i < k_; i += Team::kThreads)
            if (i < n_)
                out(i, float_of_bits(storage_.squares[i]), storage_.indices[i]);
            else
                out(i, worst(), ~0u);
    }

  private:
    static constexpr int kPerThread = Storage::kSize / static_cast<int>(Team::kThreads);
    static_assert(Storage::kSize % Team::kThreads == 0);
    /// Spare entries before the first selection; an early bound saves more than it costs.
    static constexpr int kFirstSpare = 16;

    /// Returns the bits of the threads of lower rank.
    [[nodiscard]] __device__ static unsigned below() { return (1u << Team::rank()) - 1; }

    /// Selects the k nearest of k or more points. Bisects the range of bits that contains the k-th
    /// square until it separates k points.
    __device__ void select(const Team& team) {
        team.sync();
        auto rank = static_cast<int>(Team::rank());
        std::uint32_t squares[kPerThread];
        std::uint32_t least = ~0u, most = 0;
#pragma unroll
        for (int s = 0; s < kPerThread; ++s) {
            int at = s * static_cast<int>(Team::kThreads) + rank;
            squares[s] = at < n_ ? storage_.squares[at] : ~0u;
            least = min(least, squares[s]);
            most = at < n_ ? max(most, squares[s]) : most;
        }
        least = team.minimum_of(least);
        most = team.maximum_of(most);
        std::uint32_t n_within = static_cast<std::uint32_t>(n_);
        auto k = static_cast<std::uint32_t>(k_);
        while (least < most && n_within != k) {
            std::uint32_t middle = least + (most - least) / 2;
            std::uint32_t n = 0;
#pragma unroll
            for (int s = 0; s < kPerThread; ++s) n += squares[s] <= middle ? 1 : 0;
            n = team.sum(n);
            if (n >= k) {
                most = middle;
                n_within = n;
            } else {
                least = middle + 1;
            }
        }
        // If more than k are left, the farthest of them are all at the same distance.
        std::uint32_t n_extra = n_within - k;
        int n_kept = 0;
        std::uint32_t farthest = 0;
#pragma unroll
        for (int s = 0; s < kPerThread; ++s) {
            unsigned kept = team.ballot(squares[s] <= most);
            if (n_extra) {
                unsigned equal = team.ballot(squares[s] == most);
                for (; equal && n_extra; equal &= equal - 1, --n_extra)
                    kept &= ~(equal & (0u - equal));
            }
            int at = s * static_cast<int>(Team::kThreads) + rank;
            bool keep = kept >> rank & 1;
            std::uint32_t index = keep ? storage_.indices[at] : 0;
            team.sync();
            if (keep) {
                int to = n_kept + bit_count(kept & below());
                storage_.squares[to] = squares[s];
                storage_.indices[to] = index;
                farthest = max(farthest, squares[s]);
            }
            n_kept += bit_count(kept);
            team.sync();
        }
        n_ = k_;
        room_ = Storage::kSize;
        worst_ = team.maximum_of(farthest);
    }

    Storage& storage_;
    int k_, n_ = 0, room_ = 0;
    std::uint32_t most_, worst_ = 0;  ///< bits of squares
};

#else

/// List of the nearest points for one CPU thread. It appends without a branch, since the outcome of
/// comparisons with the k-th square cannot be predicted.
template <int kMost>
class NearestList {
  public:
    struct Storage {
        static constexpr int kSize = kMost + 40;
        std::uint32_t squares[kSize];  ///< bits of floats, which have their order
        std::uint32_t indices[kSize];
    };

    NearestList(Storage& storage, int k, float most)
        : storage_(storage), k_(k), most_(bits_of_float(most)) {
        clear();
    }
    void clear() {
        n_ = 0;
        room_ = k_ + kFirstSpare;
        worst_ = most_;
        std::fill(storage_.squares, storage_.squares + Storage::kSize, ~0u);
    }
    [[nodiscard]] float worst() const { return float_of_bits(worst_); }
    void offer(const Team& /*team*/, float square, std::uint32_t index) {
        std::uint32_t bits = bits_of_float(square);
        storage_.squares[n_] = bits;
        storage_.indices[n_] = index;
        n_ += bits < worst_ ? 1 : 0;
        if (n_ == room_) select();
    }
    void finish(const Team& /*team*/) {
        if (n_ >= k_) select();
    }
    template <class Out>
    void for_each(Out&& out) const {
        for (int i = 0; i < k_; ++i)
            i < n_ ? out(i, float_of_bits(storage_.squares[i]), storage_.indices[i])
                   : out(i, worst(), ~0u);
    }

  private:
    static_assert(Storage::kSize % 8 == 0, "whole vectors");
    static constexpr int kFirstSpare = 16;

    void select() {
        // A rejected point may be stored beyond the list's end.
        std::fill(storage_.squares + n_, storage_.squares + Storage::kSize, ~0u);
        std::uint32_t least = ~0u, most = 0;
        for (int i = 0; i < n_; ++i) {
            least = std::min(least, storage_.squares[i]);
            most = std::max(most, storage_.squares[i]);
        }
        int n_within = n_;
        while (least < most && n_within != k_) {
            std::uint32_t middle = least + (most - least) / 2;
            int n = 0;
            for (std::uint32_t square : storage_.squares) n += square <= middle ? 1 : 0;
            if (n >= k_) {
                most = middle;
                n_within = n;
            } else {
                least = middle + 1;
            }
        }
        // If more than k are left, the farthest of them are all at the same distance.
        int n_extra = n_within - k_, n_kept = 0;
        std::uint32_t farthest = 0;
        for (int i = 0; i < n_; ++i) {
            std::uint32_t square = storage_.squares[i];
            bool keep = square <= most;
            if (square == most && n_extra > 0) {
                keep = false;
                --n_extra;
            }
            storage_.squares[n_kept] = square;
            storage_.indices[n_kept] = storage_.indices[i];
            farthest = std::max(farthest, keep ? square : 0);
            n_kept += keep ? 1 : 0;
        }
        n_ = k_;
        room_ = Storage::kSize - 1;
        worst_ = farthest;
    }

    Storage& storage_;
    int k_, n_ = 0, room_ = 0;
    std::uint32_t most_, worst_ = 0;  ///< bits of squares
};

#endif

/// Finds the points nearest to `p`; `list` holds their number and the largest distance. Tree: one
/// whose leaves for_each_leaf_near() visits, and whose `points` have a position and an index.
template <class Tree, int kMost>
TL_D void find_nearest_points(const Team& team, const Tree& tree, vec3 p,
                              NearestList<kMost>& list) {
    for_each_leaf_near(
        tree, p, [&] { return list.worst(); },
        [&](std::uint32_t first, std::uint32_t count) {
            for (std::uint32_t i = 0; i < count; i += Team::kThreads) {
                std::uint32_t own = i + Team::rank(), index = 0;
                float square = kInfinity;
                if (own < count) {
                    auto point = load_vectorized(tree.points[first + own]);
                    square = square_distance(p, point.position);
                    index = point.index;
                }
                list.offer(team, square, index);
            }
        });
    list.finish(team);
}

/// Calls use(position in tree.points, point, square) for all points closer to `p` than `radius`,
/// each from one thread of the team.
template <class Tree, class Use>
TL_D void for_each_point_within(const Tree& tree, vec3 p, float radius, Use&& use) {
    float most = radius * radius;
    for_each_leaf_near(
        tree, p, [=] { return most; },
        [&](std::uint32_t first, std::uint32_t count) {
            for (std::uint32_t i = first + Team::rank(); i < first + count; i += Team::kThreads) {
                auto point = load_vectorized(tree.points[i]);
                float square = square_distance(p, point.position);
                if (square < most) use(i, point, square);
            }
        });
}

TL_DEVICE_END

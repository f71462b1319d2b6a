#include "renderer/scene/points/poisson_disk.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <span>

#include "renderer/scene/points/in_chunks.h"

namespace tl {
namespace {

/// Initial distance, as a fraction of the point distance in a hexagonal lattice, the densest
/// packing of a plane. Sequential darts approach 0.777 in the limit of infinitely many; this one
/// takes six darts for each point.
constexpr double kFirstShare = 0.67;

/// Points in cubes whose edge is twice the largest distance, so that the neighbours of a point are
/// in eight cubes. Each hash of a cube has an unordered list of points.
class HashGrid {
  public:
    HashGrid(float distance, std::size_t n_most) : edge_(2 * static_cast<double>(distance)) {
        heads_.resize(std::bit_ceil(std::max<std::size_t>(2 * n_most, 64)));
        clear();
    }
    void clear() { std::ranges::fill(heads_, kEnd); }
    void resize(std::size_t n) { next_.resize(n); }
    /// Adds a point; many threads may call it, once for each point.
    void add(std::uint32_t index, vec3 place) {
        std::atomic_ref<std::uint32_t> head(heads_[slot_of(cube_of(glm::dvec3(place) / edge_))]);
        next_[index] = head.exchange(index, std::memory_order_relaxed);
    }
    /// Calls `is_wanted(index)` for all points within the distance, and some others, until it
    /// returns true. Returns whether it did.
    template <class Wanted>
    [[nodiscard]] bool find_near(vec3 place, Wanted&& is_wanted) const {
        glm::i64vec3 least = cube_of(glm::dvec3(place) / edge_ - 0.5);
        std::size_t seen[8];
        for (int k = 0; k < 8; ++k) {
            seen[k] = slot_of(least + glm::i64vec3(k & 1, k >> 1 & 1, k >> 2));
            if (std::find(seen, seen + k, seen[k]) != seen + k) continue;
            for (std::uint32_t i = heads_[seen[k]]; i != kEnd; i = next_[i])
                if (is_wanted(i)) return true;
        }
        return false;
    }

  private:
    static constexpr std::uint32_t kEnd = ~0u;

    [[nodiscard]] static glm::i64vec3 cube_of(const glm::dvec3& place) {
        constexpr double kMost = 1e18;  // still a whole number
        return {glm::clamp(glm::floor(place), -kMost, kMost)};
    }
    [[nodiscard]] std::size_t slot_of(glm::i64vec3 cube) const {
        auto hash = static_cast<std::uint64_t>(cube.x) * 0x9E3779B97F4A7C15u;
        hash = (hash ^ hash >> 32 ^ static_cast<std::uint64_t>(cube.y)) * 0xBF58476D1CE4E5B9u;
        hash = (hash ^ hash >> 32 ^ static_cast<std::uint64_t>(cube.z)) * 0x94D049BB133111EBu;
        return (hash ^ hash >> 32) & (heads_.size() - 1);
    }

    double edge_;
    std::vector<std::uint32_t> heads_, next_;
};

class DartThrower {
  public:
    DartThrower(std::size_t n, double area, const std::function<Dart(std::uint64_t)>& dart,
                const std::function<void(double)>& progress)
        : n_(n), area_(area), dart_(dart), progress_(progress), tried_(kFirstBatch), grid_(1, 0) {}

    PoissonDisk run() {
        PoissonDisk all;
        throw_first();
        if (n_present_ == 0) return all;
        while (stuck_.size() < n_) {
            settle();
            if (progress_) progress_(static_cast<double>(stuck_.size()) / static_cast<double>(n_));
            if (stuck_.size() >= n_) break;
            lower_distance();
            tried_.resize(std::clamp(n_, kFirstBatch, std::min(2 * tried_.size(), kMostBatch)));
            throw_batch();
        }
        all.darts = std::move(numbers_);
        all.distance = distance_;
        all.present = static_cast<double>(n_present_) / static_cast<double>(n_thrown_);
        return all;
    }

  private:
    static constexpr float kLeastEdge = 1e-30f;  // of cubes
    /// Batches grow: a large first one could have too many close darts to compare with each other.
    static constexpr std::size_t kFirstBatch = 1024, kMostBatch = std::size_t{1} << 21;

    /// Estimates the area without holes from the first batch, and from it the distance.
    void throw_first() {
        throw_batch();
        // A first batch that hits only holes is followed by more.
        for (int i = 0; i < 64 && n_present_ == 0; ++i) throw_batch();
        if (n_present_ == 0) return;
        double present = static_cast<double>(n_present_) / static_cast<double>(n_thrown_);
        double densest =
            std::sqrt(2 * area_ * present / (std::sqrt(3.0) * static_cast<double>(n_)));
        distance_ = static_cast<float>(kFirstShare * densest);
        grid_ = HashGrid(std::max(distance_, kLeastEdge), n_);
        grid_.resize(n_);
        stuck_.reserve(n_);
        numbers_.reserve(n_);
    }

    void throw_batch() {
        first_ = n_thrown_;
        for_each_point(tried_.size(), [&](std::size_t i) { tried_[i] = dart_(first_ + i); });
        n_thrown_ += tried_.size();
        n_present_ += static_cast<std::uint64_t>(std::ranges::count(tried_, true, &Dart::is_there));
    }

    /// Accepts all of the batch, where no distance is kept.
    void take_all() {
        for (std::size_t i = 0; i < tried_.size() && stuck_.size() < n_; ++i)
            if (tried_[i].is_there) take(i);
    }
    void take(std::size_t i) {
        stuck_.push_back(tried_[i]);
        numbers_.push_back(first_ + i);
    }

    [[nodiscard]] bool are_close(const Dart& a, const Dart& b) const {
        vec3 offset = a.position - b.position;
        return glm::dot(offset, offset) < distance_ * distance_ && glm::dot(a.normal, b.normal) > 0;
    }

    /// Finds the accepted darts of the batch. For a small number of points it is split, since most
    /// darts of a much larger part would be close to each other.
    void settle() {
        constexpr std::size_t kLeastAtOnce = 64;
        if (distance_ == 0) return take_all();
        std::size_t at_once = std::max(n_, kLeastAtOnce);
        for (std::size_t i = 0; i < tried_.size() && stuck_.size() < n_; i += at_once)
            settle(i, std::span(tried_).subspan(i, std::min(at_once, tried_.size() - i)));
    }
    /// Finds the accepted darts of a part of the batch.
    void settle(std::size_t first, std::span<const Dart> tried) {
        enum State : std::uint8_t { out, open, in };
        std::size_t n_tried = tried.size();
        std::vector<std::uint8_t> free(n_tried);
        for_each_point(n_tried, [&](std::size_t i) {
            auto& dart = tried[i];
            free[i] = dart.is_there && !grid_.find_near(dart.position, [&](std::uint32_t other) {
                return are_close(stuck_[other], dart);
            });
        });
        std::vector<std::uint32_t> left;
        for (std::size_t i = 0; i < n_tried; ++i)
            if (free[i]) left.push_back(static_cast<std::uint32_t>(i));
        HashGrid rivals(std::max(distance_, kLeastEdge), left.size());
        rivals.resize(n_tried);
        for_each_point(left.size(),
                       [&](std::size_t k) { rivals.add(left[k], tried[left[k]].position); });
        std::vector<std::uint8_t> states(n_tried, out), next;
        for (std::uint32_t i : left) states[i] = open;
        // A dart is accepted once all earlier ones nearby are rejected. It is rejected once one of
        // them is accepted.
        while (!left.empty()) {
            next = states;
            for_each_point(left.size(), [&](std::size_t k) {
                std::uint32_t i = left[k];
                bool must_wait = false;
                bool is_out = rivals.find_near(tried[i].position, [&](std::uint32_t other) {
                    if (other >= i || states[other] == out || !are_close(tried[other], tried[i]))
                        return false;
                    must_wait = must_wait || states[other] == open;
                    return states[other] == in;
                });
                next[i] = is_out ? out : must_wait ? open : in;
            });
            std::swap(states, next);
            std::erase_if(left, [&](std::uint32_t i) { return states[i] != open; });
        }
        for (std::size_t i = 0; i < n_tried && stuck_.size() < n_; ++i) {
            if (states[i] != in) continue;
            grid_.add(static_cast<std::uint32_t>(stuck_.size()), tried[i].position);
            take(first + i);
        }
    }

    /// Lowers the distance once enough darts were thrown. It is lowered faster where the surface is
    /// smaller than the distance, and to 0 where floats are too coarse.
    void lower_distance() {
        constexpr std::uint64_t kDartsOfPlace = 7;
        constexpr float kLower = 0.98f, kLowerFast = 0.9f;
        constexpr int kSlowly = 10, kMost = 30;
        if (n_thrown_ < kDartsOfPlace * n_) return;
        ++n_lowered_;
        distance_ *= n_lowered_ <= kSlowly ? kLower : n_lowered_ <= kMost ? kLowerFast : 0.0f;
    }

    std::size_t n_;
    double area_;
    const std::function<Dart(std::uint64_t)>& dart_;
    const std::function<void(double)>& progress_;
    std::vector<Dart> tried_, stuck_;  ///< darts of the batch; all accepted ones
    std::vector<std::uint64_t> numbers_;
    HashGrid grid_;  ///< accepted darts
    float distance_ = 0;
    std::uint64_t first_ = 0, n_thrown_ = 0, n_present_ = 0;
    int n_lowered_ = 0;
};

}  // namespace

PoissonDisk throw_darts(std::size_t n, double area, const std::function<Dart(std::uint64_t)>& dart,
                        const std::function<void(double)>& progress) {
    return n == 0 ? PoissonDisk{} : DartThrower(n, area, dart, progress).run();
}

}  // namespace tl

#include "renderer/scene/splats/grow_splats.h"

#include <algorithm>
#include <tuple>

#include "renderer/scene/splats/place_search.h"

namespace tl {
namespace {

constexpr int kMostPoints = 96;
constexpr float kLeastCosine = 0.5f;
constexpr std::size_t kGrownAtOnce = std::size_t{1}
                                     << 16;  // points whose neighbours are found at a time

class Growth {
  public:
    Growth(std::span<const Splat> points, const GrowthConfig& config)
        : points_(points), config_(config), is_covered_(points.size(), false) {}

    std::vector<Splat> run() {
        std::vector<vec3> places(points_.size());
        std::ranges::transform(points_, places.begin(), &Splat::center);
        PlaceSearch search(places);
        auto k = std::min<std::size_t>(kMostPoints, points_.size());
        for (std::size_t first = 0; first < points_.size(); first += kGrownAtOnce) {
            std::size_t count = std::min(points_.size() - first, kGrownAtOnce);
            auto nearest = search.nearest(first, count, static_cast<int>(k));
            for (std::size_t i = 0; i < count; ++i)
                if (!is_covered_[first + i]) grow(first + i, std::span(nearest).subspan(i * k, k));
        }
        return std::move(grown_);
    }

  private:
    /// A point near the one that a splat grows from.
    struct Near {
        std::uint32_t index;
        float along, above;  ///< distances from the start along the plane, and from the plane
    };

    void grow(std::size_t start, std::span<const std::uint32_t> nearest) {
        const Splat& origin = points_[start];
        near_.clear();
        for (std::uint32_t index : nearest) {
            // Points on the other side of a sheet do not stop the growth.
            if (index >= points_.size() ||
                glm::dot(points_[index].normal, origin.normal) < -kLeastCosine)
                continue;
            vec3 way = points_[index].center - origin.center;
            float above = glm::dot(way, origin.normal);
            near_.push_back({index, glm::length(way - above * origin.normal), above});
        }
        std::ranges::sort(near_, {}, [](const Near& p) {
            return std::tuple(p.along * p.along + p.above * p.above, p.index);
        });
        std::size_t n = count_within_error(origin);
        Splat splat = origin;
        float lowest = 0, highest = 0;
        for (std::size_t i = 0; i < n; ++i) {
            lowest = std::min(lowest, near_[i].above);
            highest = std::max(highest, near_[i].above);
            splat.radius = std::max(splat.radius, near_[i].along);
        }
        splat.center += 0.5f * (lowest + highest) * origin.normal;
        take_colors(splat, n);
        grown_.push_back(splat);
        for (std::size_t i = 0; i < n; ++i) {
            auto& p = near_[i];
            bool is_inside = p.along <= config_.core * splat.radius &&
                             p.along + points_[p.index].radius <= splat.radius;
            if (is_inside || p.index == start) is_covered_[p.index] = true;
        }
    }
    /// Number of nearest points that a splat grows over.
    [[nodiscard]] std::size_t count_within_error(const Splat& origin) const {
        float lowest = 0, highest = 0;
        for (std::size_t i = 0; i < near_.size(); ++i) {
            const Splat& point = points_[near_[i].index];
            lowest = std::min(lowest, near_[i].above);
            highest = std::max(highest, near_[i].above);
            if (highest - lowest > 2 * config_.error || point.material != origin.material ||
                glm::dot(point.normal, origin.normal) < kLeastCosine)
                return i;
        }
        return near_.size();
    }
    void take_colors(Splat& splat, std::size_t n) const {
        vec3 colors(0), emission(0);
        for (std::size_t i = 0; i < n; ++i) {
            colors += points_[near_[i].index].color;
            emission += points_[near_[i].index].emission;
        }
        if (n == 0) return;
        splat.color = colors / static_cast<float>(n);
        splat.emission = emission / static_cast<float>(n);
    }

    std::span<const Splat> points_;
    GrowthConfig config_;
    std::vector<bool> is_covered_;
    std::vector<Near> near_;
    std::vector<Splat> grown_;
};

}  // namespace

std::vector<Splat> grow_splats(std::span<const Splat> points, const GrowthConfig& config) {
    if (points.empty()) return {};
    return Growth(points, config).run();
}

}  // namespace tl

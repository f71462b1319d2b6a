#include "renderer/scene/splats/close_surface.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "renderer/scene/splats/place_search.h"

namespace tl {
namespace {

constexpr int kCandidates = 24;  // some of which face the other way
constexpr std::size_t kSixth = 5;
constexpr float kOverlap = 1.3f;
constexpr float kFrame = 3, kFarthest = 1.5f;  // multiples of the sixth distance
constexpr float kGreatest = 16;                // multiple of the median
constexpr std::size_t kSearchedAtOnce = std::size_t{1} << 18;

/// Voronoi cell of the origin in the plane of a disc.
class DiscCell {
  public:
    /// Starts as a square that extends `size` to each side.
    explicit DiscCell(float size)
        : size_(size), corners_{{size, size}, {-size, size}, {-size, -size}, {size, -size}} {}

    void cut(vec2 other) {
        float limit = glm::dot(other, other) / 2;
        auto beyond = [&](vec2 p) { return glm::dot(p, other) - limit; };
        vec2 kept[kMost];
        int n = 0;
        for (int i = 0; i < n_; ++i) {
            vec2 here = corners_[i], next = corners_[i + 1 < n_ ? i + 1 : 0];
            float at_here = beyond(here), at_next = beyond(next);
            if (at_here <= 0 && n < kMost) kept[n++] = here;
            if ((at_here <= 0) != (at_next <= 0) && n < kMost)
                kept[n++] = glm::mix(here, next, at_here / (at_here - at_next));
        }
        std::copy_n(kept, n, corners_);
        n_ = n;
    }
    /// Distance of the farthest corner that is not the square's; 0 without any.
    [[nodiscard]] float reach() const {
        float farthest = 0;
        for (int i = 0; i < n_; ++i) {
            vec2 p = glm::abs(corners_[i]);
            if (std::max(p.x, p.y) < 0.999f * size_) farthest = std::max(farthest, glm::length(p));
        }
        return farthest;
    }

  private:
    static constexpr int kMost = kCandidates + 5;  // each cut adds one corner at most
    float size_;
    vec2 corners_[kMost];
    int n_ = 4;
};

struct Neighbour {
    vec3 way;
    float distance;
};

/// Radius of a disc that closes the surface around a point. It is 0 where no neighbour at another
/// position faces the same side.
float closing_radius(std::span<const Splat> splats, std::size_t i,
                     std::span<const std::uint32_t> nearest) {
    const Splat& splat = splats[i];
    Neighbour neighbours[kCandidates];
    std::size_t n = 0;
    for (std::uint32_t other : nearest) {
        if (other >= splats.size() || other == i) continue;
        vec3 way = splats[other].center - splat.center;
        float distance = glm::length(way);
        if (distance > 0 && glm::dot(splats[other].normal, splat.normal) > 0)
            neighbours[n++] = {way, distance};
    }
    if (n == 0) return 0;
    std::sort(neighbours, neighbours + n,
              [](const Neighbour& a, const Neighbour& b) { return a.distance < b.distance; });
    float sixth = neighbours[std::min(kSixth, n - 1)].distance;
    vec3 size = glm::abs(splat.normal);
    vec3 x = size.x < 0.6f ? vec3(1, 0, 0) : vec3(0, 1, 0);
    x = glm::normalize(x - glm::dot(x, splat.normal) * splat.normal);
    vec3 y = glm::cross(splat.normal, x);
    DiscCell cell(kFrame * sixth);
    for (std::size_t k = 0; k < n; ++k) {
        // Rotated into the plane at its full distance, as where the surface bends.
        vec2 along(glm::dot(neighbours[k].way, x), glm::dot(neighbours[k].way, y));
        float length = glm::length(along);
        if (length > 0) cell.cut(along * (neighbours[k].distance / length));
    }
    float reach = cell.reach();
    return reach > 0 ? std::min(kOverlap * reach, kFarthest * sixth) : sixth;
}

}  // namespace

float median_radius(std::span<const Splat> splats) {
    std::vector<float> radii(splats.size());
    std::ranges::transform(splats, radii.begin(), &Splat::radius);
    auto middle = radii.begin() + static_cast<std::ptrdiff_t>(radii.size() / 2);
    std::ranges::nth_element(radii, middle);
    return *middle;
}

std::string words_of_radii(std::span<const Splat> splats) {
    auto [least, most] = std::ranges::minmax_element(splats, {}, &Splat::radius);
    char words[100];
    if (least->radius == most->radius)
        std::snprintf(words, sizeof words, "radius %.3g", double{least->radius});
    else
        std::snprintf(words, sizeof words, "radii from %.3g to %.3g, median %.3g",
                      double{least->radius}, double{most->radius}, double{median_radius(splats)});
    return words;
}

void close_surface(std::span<Splat> splats) {
    if (splats.empty()) return;
    std::vector<vec3> places(splats.size());
    std::ranges::transform(splats, places.begin(), &Splat::center);
    PlaceSearch search(places);
    for (std::size_t first = 0; first < splats.size(); first += kSearchedAtOnce) {
        std::size_t count = std::min(splats.size() - first, kSearchedAtOnce);
        auto nearest = search.nearest(first, count, kCandidates);
        tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
            auto own = std::span(nearest).subspan(i * kCandidates, kCandidates);
            splats[first + i].radius = closing_radius(splats, first + i, own);
        });
    }
    float median = median_radius(splats);
    // Coincident points get a size that can be seen from the origin.
    if (!(median > 0)) median = std::max(0.001f * glm::length(splats[0].center), 0.001f);
    for (auto& splat : splats)
        splat.radius = splat.radius > 0 ? std::min(splat.radius, kGreatest * median) : median;
}

}  // namespace tl

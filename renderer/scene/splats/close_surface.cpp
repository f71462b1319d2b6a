#include "renderer/scene/splats/close_surface.h"

#include <algorithm>
#include <cmath>

#include "renderer/scene/splats/place_search.h"

namespace tl {
namespace {

constexpr std::size_t kNeighbour = 6;
constexpr int kCandidates = 16;                                // some of which face the other way
constexpr std::size_t kSearchedAtOnce = std::size_t{1} << 18;  // places searched for at a time
constexpr float kOfDistance = 1.2f, kOfArea = 3;
constexpr float kGreatest = 16;  // of the median

/// From every splat to the sixth of its neighbours that face the same side, else the last of them.
std::vector<float> distances_to_neighbours(std::span<const Splat> splats) {
    std::vector<vec3> places(splats.size());
    std::ranges::transform(splats, places.begin(), &Splat::center);
    PlaceSearch search(places);
    std::vector<float> distances, squares;
    distances.reserve(splats.size());
    for (std::size_t first = 0; first < splats.size(); first += kSearchedAtOnce) {
        std::size_t count = std::min(splats.size() - first, kSearchedAtOnce);
        auto nearest = search.nearest(first, count, kCandidates);
        for (std::size_t i = 0; i < count; ++i) {
            auto& splat = splats[first + i];
            squares.clear();
            for (int k = 0; k < kCandidates; ++k) {
                std::size_t other = nearest[i * kCandidates + static_cast<std::size_t>(k)];
                if (other >= splats.size() || other == first + i) continue;
                vec3 way = splats[other].center - splat.center;
                if (glm::dot(splats[other].normal, splat.normal) > 0)
                    squares.push_back(glm::dot(way, way));
            }
            std::ranges::sort(squares);
            std::size_t n = std::min(kNeighbour, squares.size());
            distances.push_back(n > 0 ? std::sqrt(squares[n - 1]) : 0.0f);
        }
    }
    return distances;
}

}  // namespace

float median_radius(std::span<const Splat> splats) {
    std::vector<float> radii(splats.size());
    std::ranges::transform(splats, radii.begin(), &Splat::radius);
    auto middle = radii.begin() + static_cast<std::ptrdiff_t>(radii.size() / 2);
    std::ranges::nth_element(radii, middle);
    return *middle;
}

void close_surface(std::span<Splat> splats, std::span<const float> areas) {
    if (splats.empty()) return;
    auto has_area = [&](std::size_t i) { return !areas.empty() && areas[i] > 0; };
    std::vector<float> distances;
    for (std::size_t i = 0; i < splats.size() && distances.empty(); ++i)
        if (!has_area(i)) distances = distances_to_neighbours(splats);
    for (std::size_t i = 0; i < splats.size(); ++i)
        splats[i].radius =
            has_area(i) ? kOfArea * std::sqrt(areas[i] / kPi) : kOfDistance * distances[i];
    float median = median_radius(splats);
    // All in one place: of a size that can be seen from the origin.
    if (!(median > 0)) median = std::max(0.001f * glm::length(splats[0].center), 0.001f);
    for (auto& splat : splats)
        splat.radius = splat.radius > 0 ? std::min(splat.radius, kGreatest * median) : median;
}

}  // namespace tl

#include "renderer/scene/loaders/recentre.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tl {
namespace {

using glm::dvec3;

/// Largest allowed spacing of floats, as a fraction of the longest side.
constexpr double kCoarsest = 2e-6;

double spacing_of_floats_at(double value) {
    auto number = static_cast<float>(value);
    return static_cast<double>(std::nextafter(number, kInfinity)) - static_cast<double>(number);
}

}  // namespace

dvec3 recentring_offset(const WideBox& bounds) {
    dvec3 offset(0), size = bounds.hi - bounds.lo;
    double longest = std::max({size.x, size.y, size.z});
    constexpr double kShortest = 1e-300;  // whose inverse is finite
    if (!(longest > kShortest) || !std::isfinite(longest)) return offset;
    double power = std::floor(std::log10(longest)), step = std::pow(10, std::abs(power));
    for (int axis = 0; axis < 3; ++axis) {
        double farthest = std::max(std::abs(bounds.lo[axis]), std::abs(bounds.hi[axis]));
        if (!(spacing_of_floats_at(farthest) > kCoarsest * longest)) continue;
        double middle = bounds.lo[axis] + size[axis] / 2;
        // A tenth is no binary fraction; dividing by ten gives the nearest number.
        offset[axis] =
            power < 0 ? std::round(middle * step) / step : std::round(middle / step) * step;
    }
    return offset;
}

std::vector<vec3> recentred(std::span<const dvec3> positions, const dvec3& offset) {
    std::vector<vec3> near(positions.size());
    std::ranges::transform(positions, near.begin(),
                           [&](const dvec3& position) { return vec3(position - offset); });
    return near;
}

std::vector<vec3> recentred(std::span<const dvec3> positions, Scene& scene) {
    WideBox bounds;
    for (auto& position : positions) bounds.extend(position);
    scene.offset = recentring_offset(bounds);
    return recentred(positions, scene.offset);
}

std::string place_text(const dvec3& place) {
    std::string text;
    for (int axis = 0; axis < 3; ++axis) {
        char buffer[400];  // of the largest double
        auto end =
            std::to_chars(buffer, std::end(buffer), place[axis] + 0.0, std::chars_format::fixed);
        text.append(axis == 0 ? "(" : ", ").append(buffer, end.ptr);
    }
    return text + ")";
}

void note_offset(Scene& scene, const Box& bounds) {
    const std::string& name = scene.path.empty() ? scene.name : scene.path;
    if (scene.offset != dvec3(0))
        scene.warnings.push_back(name + ": lies far from the origin and is moved by " +
                                 place_text(-scene.offset) +
                                 ", so that floats keep its details; what is saved is moved back");
    dvec3 needed = recentring_offset({dvec3(bounds.lo), dvec3(bounds.hi)});
    if (bounds.empty() || needed == dvec3(0)) return;
    scene.warnings.push_back(name +
                             ": lies so far from the origin that floats lose its details; move "
                             "all of it by " +
                             place_text(-needed));
}

}  // namespace tl

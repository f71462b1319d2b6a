#include "renderer/scene/loaders/ply/ply_gaussians.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <glm/gtc/packing.hpp>
#include <string_view>

#include "accel/parallel/error.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/recentre.h"

namespace tl {
namespace {

/// The numbers of a row, in this order; coefficients of higher degrees follow.
constexpr std::string_view kNames[] = {"x",      "y",       "z",       "f_dc_0",  "f_dc_1",
                                       "f_dc_2", "opacity", "scale_0", "scale_1", "scale_2",
                                       "rot_0",  "rot_1",   "rot_2",   "rot_3"};
constexpr int kCenter = 0, kColor = 3, kOpacity = 6, kScale = 7, kRotation = 10, kRest = 14;
static_assert(std::size(kNames) == kRest);

int target_of(const PlyProperty& property) {
    if (property.is_list) return -1;
    std::string_view name = property.name;
    auto found = std::ranges::find(kNames, name);
    if (found != std::end(kNames)) return static_cast<int>(found - kNames);
    constexpr std::string_view kPrefix = "f_rest_";
    if (!name.starts_with(kPrefix)) return -1;
    int number = -1;
    auto [end, error] =
        std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), number);
    constexpr int kMostRest = 45;
    bool is_known = error == std::errc() && end == name.data() + name.size() && number >= 0 &&
                    number < kMostRest;
    return is_known ? kRest + number : -1;
}

std::uint16_t half_of(double value) {
    constexpr double kMost = 65504;
    return glm::packHalf1x16(static_cast<float>(std::clamp(value, -kMost, kMost)));
}

}  // namespace

bool PlyGaussians::are_in(const PlyElement& element) {
    return std::ranges::all_of(kNames, [&](std::string_view name) {
        return std::ranges::any_of(element.properties, [&](auto& property) {
            return !property.is_list && property.name == name;
        });
    });
}

PlyGaussians::PlyGaussians(const PlyElement& element, const std::string& file) : file_(file) {
    int last = kRest - 1;
    for (auto& property : element.properties) {
        targets_.push_back(target_of(property));
        last = std::max(last, targets_.back());
    }
    n_values_ = static_cast<std::size_t>(last) + 1;
    n_rest_ = n_values_ - kRest;
    for (set_.degree = 0; set_.degree < GaussianSet::kMostDegree; ++set_.degree)
        if (n_rest_ <= std::size_t(3 * ((set_.degree + 1) * (set_.degree + 1) - 1))) break;
    std::size_t whole = std::size_t(3 * ((set_.degree + 1) * (set_.degree + 1) - 1));
    auto n_given = static_cast<std::size_t>(
        std::ranges::count_if(targets_, [](int target) { return target >= kRest; }));
    if (n_rest_ != whole || n_given != whole)
        throw UserError(file_ + ":" + std::to_string(element.line) + ": Gaussians have " +
                        std::to_string(n_given) +
                        " numbers f_rest of their colours; 0, 9, 24 or 45 are known; gaussians = "
                        "false in [[mesh]] takes them as points");
}

void PlyGaussians::add(const std::vector<double>& values) {
    if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
        ++n_lost_;
        return;
    }
    double opacity = 1 / (1 + std::exp(-values[kOpacity]));
    if (!(opacity > double{kFaintest})) {
        ++n_faint_;
        return;
    }
    glm::dvec3 center, deviations;
    glm::dvec4 rotation;
    for (int k = 0; k < 3; ++k) {
        center[k] = values[std::size_t(kCenter + k)];
        deviations[k] = std::exp(values[std::size_t(kScale + k)]);
    }
    for (int k = 0; k < 4; ++k) rotation[k] = values[std::size_t(kRotation + k)];
    double largest = std::max({deviations.x, deviations.y, deviations.z});
    bool is_somewhere = glm::length(center) <= kLargestCoordinate &&
                        largest <= kLargestCoordinate && largest >= 1 / kLargestCoordinate &&
                        glm::length(rotation) > 0;
    if (!is_somewhere) {
        ++n_lost_;
        return;
    }
    centers_.push_back(center);
    set_.covariances.push_back(
        GaussianCovariance::of(vec3(deviations), vec4(glm::normalize(rotation))));
    set_.opacities.push_back(static_cast<float>(opacity));
    std::size_t per_channel = n_rest_ / 3;
    for (std::size_t c = 0; c < 3; ++c) {
        set_.harmonics.push_back(half_of(values[kColor + c]));
        for (std::size_t k = 0; k < per_channel; ++k)
            set_.harmonics.push_back(half_of(values[kRest + c * per_channel + k]));
    }
}

void PlyGaussians::add_to(Scene& scene) {
    auto warn = [&](std::uint64_t n, const char* what) {
        if (n > 0) scene.warnings.push_back(file_ + ": " + std::to_string(n) + what);
    };
    warn(n_lost_, " Gaussians without a place or a size are left out");
    if (centers_.empty())
        throw UserError(file_ + ": has no Gaussians that could be seen" +
                        (n_faint_ > 0 ? ": all are too faint" : ""));
    set_.centers = recentred(centers_, scene);
    centers_ = {};
    scene.gaussians.push_back(std::move(set_));
}

}  // namespace tl

#include "renderer/scene/loaders/ply/ply_gaussians.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/packing.hpp>
#include <string_view>

#include "core/base/error.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/recentre.h"
#include "renderer/scene/loaders/words.h"

namespace tl {
namespace {

/// The numbers of a row, in this order; coefficients of higher degrees follow.
constexpr std::string_view kGaussianNames[] = {"x",      "y",       "z",       "f_dc_0",  "f_dc_1",
                                               "f_dc_2", "opacity", "scale_0", "scale_1", "scale_2",
                                               "rot_0",  "rot_1",   "rot_2",   "rot_3"};
constexpr int kCenter = 0, kColor = 3, kOpacity = 6, kScale = 7, kRotation = 10, kRest = 14;
static_assert(std::size(kGaussianNames) == kRest);
constexpr std::string_view kRestPrefix = "f_rest_";

int target_of(const PlyProperty& property) {
    if (property.is_list) return -1;
    auto found = std::ranges::find(kGaussianNames, property.name);
    if (found != std::end(kGaussianNames)) return static_cast<int>(found - kGaussianNames);
    if (!property.name.starts_with(kRestPrefix)) return -1;
    auto number = number_in<int>(std::string_view(property.name).substr(kRestPrefix.size()));
    constexpr int kMost = 1 << 20;
    return number && *number >= 0 && *number < kMost ? kRest + *number : -1;
}

/// Numbers of a Gaussian's colours beyond the first of each channel.
std::size_t rest_of_degree(int degree) {
    return static_cast<std::size_t>(3 * ((degree + 1) * (degree + 1) - 1));
}

/// The fault of the properties f_rest_0, f_rest_1 ...; "" if they are those of a degree that is
/// read.
std::string fault_of_rest(const PlyElement& element) {
    std::vector<const PlyProperty*> rest;
    for (auto& property : element.properties)
        if (property.name.starts_with(kRestPrefix)) rest.push_back(&property);
    std::size_t n = rest.size();
    std::vector<bool> given(n);
    std::string odd;
    for (auto* property : rest) {
        auto number = static_cast<std::size_t>(target_of(*property) - kRest);
        if (number < n && !given[number])
            given[number] = true;
        else if (odd.empty())
            odd = property->name;
    }
    auto gap = static_cast<std::size_t>(std::ranges::find(given, false) - given.begin());
    std::string fault = "Gaussians have " + std::to_string(n) + " numbers f_rest of their colours";
    if (gap < n)
        return fault + ", '" + shown(odd) + "' among them, but no " + std::string(kRestPrefix) +
               std::to_string(gap) + "; they are counted from 0 on";
    constexpr int kMostNamedDegree = 10;
    for (int degree = 0; degree <= kMostNamedDegree; ++degree) {
        if (n != rest_of_degree(degree)) continue;
        if (degree <= GaussianSet::kMostDegree) return {};
        fault += ", which are spherical harmonics of degree " + std::to_string(degree);
    }
    return fault + "; 0, 9, 24 or 45 are known, of degrees 0 to 3";
}

/// Whether all numbers are finite, but for an opacity before the logistic function and logarithms
/// of sizes of 0.
bool are_usable(const std::vector<double>& values) {
    for (std::size_t k = 0; k < values.size(); ++k) {
        bool may_be_high = k == kOpacity, may_be_low = k >= kOpacity && k < kRotation;
        bool is_limit = std::isinf(values[k]) && (values[k] > 0 ? may_be_high : may_be_low);
        if (!std::isfinite(values[k]) && !is_limit) return false;
    }
    return true;
}

std::uint16_t half_of(double value) {
    constexpr double kMost = 65504;
    return glm::packHalf1x16(static_cast<float>(std::clamp(value, -kMost, kMost)));
}

}  // namespace

std::span<const std::string_view> PlyGaussians::names() {
    return kGaussianNames;
}

bool PlyGaussians::are_in(const PlyElement& element) {
    return std::ranges::all_of(kGaussianNames, [&](std::string_view name) {
        return std::ranges::any_of(element.properties, [&](auto& property) {
            return !property.is_list && property.name == name;
        });
    });
}

PlyGaussians::PlyGaussians(const PlyElement& element, const std::string& file) : file_(file) {
    if (auto fault = fault_of_rest(element); !fault.empty())
        throw UserError(file_ + ":" + std::to_string(element.line) + ": " + fault +
                        "; gaussians = false in [[mesh]] takes them as points");
    for (auto& property : element.properties) {
        targets_.push_back(target_of(property));
        if (targets_.back() >= kRest) ++n_rest_;
    }
    n_values_ = kRest + n_rest_;
    while (rest_of_degree(set_.degree) < n_rest_) ++set_.degree;
}

void PlyGaussians::add(const std::vector<double>& values) {
    if (!are_usable(values)) {
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
    warn(n_lost_, " Gaussians without a position or a size are left out");
    if (centers_.empty())
        throw UserError(file_ + ": has no Gaussians that could be seen" +
                        (n_faint_ > 0 ? ": all are too faint" : ""));
    set_.centers = recentred(centers_, scene);
    centers_ = {};
    scene.gaussians.push_back(std::move(set_));
}

}  // namespace tl

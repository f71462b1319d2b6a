#include "renderer/photon/gather/photon_radius.h"

#include <cmath>

namespace tl {

double first_radius(const PhotonConfig& config, const Box& bounds) {
    constexpr double kExpected = 30;
    if (config.radius > 0) return double(config.radius);
    double area = 2 * double(bounds.half_area());
    if (!(area > 0)) return 1;
    return std::sqrt(kExpected * area / (double(kPi) * config.photons));
}

float radius_of_pass(const PhotonConfig& config, const Box& bounds, std::uint32_t pass) {
    double i = pass + 1.0, alpha = double(config.alpha);
    double log_square = std::lgamma(i + alpha) - std::lgamma(1 + alpha) - std::lgamma(i + 1);
    return static_cast<float>(first_radius(config, bounds) * std::exp(log_square / 2));
}

}  // namespace tl

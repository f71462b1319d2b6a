// Median and 95th percentile of repeated measurements.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace tl {

/// The value that a fraction `q` of the samples does not exceed (nearest rank); 0 for none.
inline double quantile(std::vector<double> samples, double q) {
    if (samples.empty()) return 0;
    std::sort(samples.begin(), samples.end());
    auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(samples.size())));
    return samples[std::clamp<std::size_t>(rank, 1, samples.size()) - 1];
}
inline double median(const std::vector<double>& samples) {
    return quantile(samples, 0.5);
}
inline double p95(const std::vector<double>& samples) {
    return quantile(samples, 0.95);
}

}  // namespace tl

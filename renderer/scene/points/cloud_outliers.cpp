#include "renderer/scene/points/cloud_outliers.h"

#include <cmath>

#include "renderer/scene/points/in_chunks.h"

namespace tl {
namespace {

struct LogSums {
    double n = 0, first = 0, second = 0;
};

/// Logarithm of the mean distance to the neighbours; minus infinity where all coincide.
float log_of_mean_distance(const CloudNeighbours& cloud, std::size_t point) {
    double sum = 0, n = 0;
    cloud.for_each_near(point, [&](std::uint32_t, vec3, float square) {
        sum += std::sqrt(static_cast<double>(square));
        ++n;
    });
    return static_cast<float>(std::log(n > 0 ? sum / n : 0.0));
}

}  // namespace

std::vector<std::uint8_t> find_outliers(const CloudNeighbours& cloud, float sigmas) {
    constexpr std::size_t kFewest = 64;  // fewest points with a spread
    std::size_t n = cloud.size();
    std::vector<std::uint8_t> marks(n, 0);
    if (n < kFewest) return marks;
    std::vector<float> logs(n);
    std::vector<LogSums> sums((n + kChunkOfPoints - 1) / kChunkOfPoints);
    for_each_chunk(n, [&](std::size_t chunk, std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; ++i) {
            logs[i] = log_of_mean_distance(cloud, i);
            if (!std::isfinite(logs[i])) continue;
            auto value = static_cast<double>(logs[i]);
            sums[chunk].n += 1;
            sums[chunk].first += value;
            sums[chunk].second += value * value;
        }
    });
    LogSums all;
    for (auto& sum : sums) {
        all.n += sum.n;
        all.first += sum.first;
        all.second += sum.second;
    }
    if (all.n == 0) return marks;
    double mean = all.first / all.n;
    double deviation = std::sqrt(std::max(all.second / all.n - mean * mean, 0.0));
    // The deviation of random points is 0.13. More even points deviate less; their corners, up to
    // twice as far from their neighbours as others, would be outliers.
    constexpr double kLeastDeviation = 0.2;
    auto most = static_cast<float>(mean + static_cast<double>(sigmas) *
                                              std::max(deviation, kLeastDeviation));
    for_each_point(n, [&](std::size_t i) { marks[i] = logs[i] > most ? 1 : 0; });
    return marks;
}

}  // namespace tl

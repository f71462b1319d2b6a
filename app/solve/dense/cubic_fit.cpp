#include "app/solve/dense/cubic_fit.h"

#include <cmath>

namespace tl {

CubicFit fit_cubic(std::span<const double> sizes, std::span<const double> seconds) {
    auto count = static_cast<double>(sizes.size());
    double mean_cube = 0, mean_time = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        mean_cube += sizes[i] * sizes[i] * sizes[i] / count;
        mean_time += seconds[i] / count;
    }
    // Deviations from the means lose no digits to large cubes.
    double along = 0, squares = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        double cube = sizes[i] * sizes[i] * sizes[i] - mean_cube;
        along += cube * (seconds[i] - mean_time);
        squares += cube * cube;
    }
    CubicFit fit;
    fit.b = along / squares;
    fit.a = mean_time - fit.b * mean_cube;
    double left = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        double error = seconds[i] - (fit.a + fit.b * sizes[i] * sizes[i] * sizes[i]);
        left += error * error / count;
    }
    fit.rms = std::sqrt(left);
    return fit;
}

}  // namespace tl

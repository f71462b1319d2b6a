#include "solvers/ransac/measurement_table.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cmath>
#include <cstring>

#include "core/device/device.h"
#include "solvers/eigen/lane_math.h"

namespace tl::minimal {
namespace {

double product_of(const ColumnPowers& powers, const double* columns) {
    double product = 1;
    for (std::size_t k = 0; k < powers.size(); ++k)
        for (int i = 0; i < powers[k]; ++i) product *= columns[k];
    return product;
}

/// A column that no feature has may be NaN only by mistake, so that it counts too.
bool is_finite(const ModelTest& test, const double* columns) {
    for (std::size_t k = 0; k < test.n_columns; ++k)
        if (!std::isfinite(columns[k])) return false;
    for (auto& powers : test.features)
        if (!std::isfinite(product_of(powers, columns))) return false;
    return true;
}

}  // namespace

MeasurementTable::MeasurementTable(const ModelTest& test, std::span<const double> measurements) {
    std::size_t count = measurements.size() / test.n_columns;
    require_memory(find_device("cpu"),
                   count * (sizeof(std::size_t) + test.features.size() * sizeof(double)),
                   "the table of measurements", "pass fewer measurements");
    rows_.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        if (is_finite(test, &measurements[i * test.n_columns])) rows_.push_back(i);
    std::size_t n_padded = n_chunks() * kRowChunk;
    values_.resize(test.features.size() * n_padded);
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n_chunks()), [&](auto& chunks) {
        std::size_t end = std::min(chunks.end() * kRowChunk, size());
        for (std::size_t k = 0; k < test.features.size(); ++k)
            for (std::size_t i = chunks.begin() * kRowChunk; i < end; ++i)
                values_[k * n_padded + i] =
                    product_of(test.features[k], &measurements[rows_[i] * test.n_columns]);
    });
}

void weighted_sums(const MeasurementTable& table, std::size_t chunk,
                   const WeightedFeatures& expression, const double* weights, double* to) {
    using Pack = cpu::eigen::Pack<double>;
    constexpr std::size_t kPacks = 4, kRows = kPacks * Pack::kLanes;
    static_assert(kRowChunk % kRows == 0);
    const std::size_t n_features = expression.features.size();
    for (std::size_t row = 0; row < kRowChunk; row += kRows) {
        Pack sums[kPacks] = {Pack(0.0), Pack(0.0), Pack(0.0), Pack(0.0)};
        for (std::size_t k = 0; k < n_features; ++k) {
            const double* values = table.feature(expression.features[k], chunk) + row;
            const Pack weight(weights[k]);
            for (std::size_t i = 0; i < kPacks; ++i) {
                Pack some;
                std::memcpy(&some, values + i * Pack::kLanes, sizeof(Pack));
                sums[i] += weight * some;
            }
        }
        std::memcpy(to + row, sums, sizeof(sums));
    }
}

}  // namespace tl::minimal

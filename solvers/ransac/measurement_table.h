// Features of many measurements, column by column, for packs of rows.
#pragma once

#include <span>

#include "solvers/ransac/model_test.h"

namespace tl::minimal {

/// Rows that are tested together; they are in the cache while models take turns.
inline constexpr std::size_t kRowChunk = 256;

class MeasurementTable {
  public:
    /// Features of measurements, row by row, those of test.n_columns numbers each. Rows that are
    /// not finite, or have a feature that is not, are left out. Throws UserError if memory is
    /// insufficient.
    MeasurementTable(const ModelTest& test, std::span<const double> measurements);

    /// Rows that are in the table.
    [[nodiscard]] std::size_t size() const { return rows_.size(); }
    /// Number of a row of the table among all measurements.
    [[nodiscard]] std::size_t row(std::size_t index) const { return rows_[index]; }
    [[nodiscard]] std::size_t n_chunks() const { return (size() + kRowChunk - 1) / kRowChunk; }
    /// A feature of the kRowChunk rows of a chunk; of rows past the last it is 0.
    [[nodiscard]] const double* feature(std::size_t feature, std::size_t chunk) const {
        return &values_[feature * n_chunks() * kRowChunk + chunk * kRowChunk];
    }

  private:
    std::vector<std::size_t> rows_;
    std::vector<double> values_;
};

/// Values of weighted features for the rows of a chunk: kRowChunk numbers.
void weighted_sums(const MeasurementTable& table, std::size_t chunk,
                   const WeightedFeatures& expression, const double* weights, double* to);

}  // namespace tl::minimal

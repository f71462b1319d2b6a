// Algebraic multigrid by smoothed aggregation (Vanek, Mandel & Brezina 1996): the levels, made on
// the CPU. Points that are strongly coupled form aggregates, which are the unknowns of the next
// level. Departs from the paper in the bound of the spectrum, which is Gershgorin's, row by row.
#pragma once

#include <functional>

#include "core/base/settings.h"
#include "solvers/sparse/csr.h"

namespace tl {

struct AggregationConfig {
    /// Couplings of |a_ij| above this part of sqrt(|a_ii a_jj|) are strong; halved on each level.
    float strength = 0.08f;
    bool smoothed = true;  ///< prolongations of symmetric matrices are smoothed, else constant
    int sweeps = 1;        ///< of Jacobi's smoother, before and after each coarser level

    [[nodiscard]] static const SettingsOf<AggregationConfig>& declared_settings();
};

/// A level of the hierarchy.
struct AmgLevel {
    HostCsr a;
    HostCsr prolongation;         ///< from the next level; empty on the last
    std::vector<double> damping;  ///< of Jacobi's smoother: an element for each row
};

/// The levels of a matrix, the finest first, and the inverse of the last one's matrix; empty where
/// that is too large, since its points are not coupled.
struct AmgHierarchy {
    std::vector<AmgLevel> levels;
    HostCsr coarsest_inverse;

    /// Entries of all levels over those of the finest.
    [[nodiscard]] double operator_complexity() const;
};

/// Index of the aggregate of each row, and their number; -1 for rows without strong couplings.
struct Aggregates {
    std::vector<int> of_row;
    int count = 0;
};
[[nodiscard]] Aggregates aggregate(const HostCsr& a, double strength);

/// Makes the levels of a square matrix. Polls `check`, which may throw, between them. Throws
/// UserError naming a row whose diagonal element is zero, or if memory is insufficient.
[[nodiscard]] AmgHierarchy make_hierarchy(const HostCsr& a, const AggregationConfig& config,
                                          bool symmetric, const std::function<void()>& check);

}  // namespace tl

// A V-cycle of algebraic multigrid as preconditioner, on one device.
#pragma once

#include "solvers/sparse/aggregation.h"
#include "solvers/sparse/preconditioner.h"

namespace tl {

/// Makes the levels on the CPU and uploads them. A cycle sweeps as often after each coarser level
/// as before it, so that it is symmetric where A is. Throws what make_hierarchy() does.
template <class T>
[[nodiscard]] std::unique_ptr<Preconditioner<T>> make_multigrid(Stream& stream, const HostCsr& a,
                                                                const AggregationConfig& config,
                                                                bool symmetric,
                                                                const std::function<void()>& check);

}  // namespace tl

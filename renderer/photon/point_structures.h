// Common interface of the point search structures that can hold photons. Serves to compare them on
// the same points and queries, in benchmarks and in the caustics of the photon mapper.
#pragma once

#include <memory>
#include <string>

#include "accel/points/find_nearest.h"

namespace tl {

/// Search structure over points.
class PointStructure {
  public:
    virtual ~PointStructure() = default;
    /// Builds over all points, for searches within `radius`. Waits at most where the number of
    /// points differs from the build before.
    virtual void build(Scratch& scratch, View<const vec3> points, float radius) = 0;
    /// counts[q] = number of points closer than the radius to query point q. Never waits.
    virtual void count_within(Stream& stream, View<const vec3> places,
                              View<std::uint32_t> counts) = 0;
    [[nodiscard]] virtual bool finds_nearest() const { return false; }
    /// Whether it is approximate: nearer points may be missed.
    [[nodiscard]] virtual bool may_miss() const { return false; }
    /// tl::find_nearest; only where finds_nearest() is true.
    virtual void find_nearest(Stream& /*stream*/, View<const vec3> /*places*/, int /*k*/,
                              float /*radius*/, const NearestPoints& /*out*/) {}
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Makes "kd-tree", "grid", "cells", "octree", "windows", "hash", or "bvh" and a hyphen before
    /// the id of a tree builder. Throws UsageError for other ids.
    [[nodiscard]] std::unique_ptr<PointStructure> make_point_structure(const std::string& id,
                                                                       const Device& device);
)
// clang-format on

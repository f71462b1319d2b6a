// What photons are looked up in, behind one interface, to be compared with the same points and the
// same places.
#pragma once

#include <memory>
#include <string>

#include "accel/points/find_nearest.h"

namespace tl {

class PointStructure {
  public:
    virtual ~PointStructure() = default;
    /// Builds over all points, for searches within `radius`. Waits at most where their number is
    /// another than before.
    virtual void build(Scratch& scratch, View<const vec3> points, float radius) = 0;
    /// counts[q] = how many points are closer to place q than the radius. Never waits.
    virtual void count_within(Stream& stream, View<const vec3> places,
                              View<std::uint32_t> counts) = 0;
    [[nodiscard]] virtual bool finds_nearest() const { return false; }
    /// Whether nearer points may be left out.
    [[nodiscard]] virtual bool may_miss() const { return false; }
    /// As tl::find_nearest, where finds_nearest().
    virtual void find_nearest(Stream& /*stream*/, View<const vec3> /*places*/, int /*k*/,
                              const NearestPoints& /*out*/) {}
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// "kd-tree", "grid", "cells", "octree", "windows", "hash", or "bvh" and a hyphen before the id
    /// of a tree builder. Throws UsageError for other ids.
    [[nodiscard]] std::unique_ptr<PointStructure> make_point_structure(const std::string& id,
                                                                       const Device& device);
)
// clang-format on

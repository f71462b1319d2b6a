// Cuts polygons into triangles by clipping ears (Meisters 1975, "Polygons have ears").
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/math.h"

namespace tl {

/// The diagonal that cuts a convex quadrilateral: the shorter one, or that from the first corner.
enum class QuadCut { shorter, from_first };

/// Triangulates polygons one by one, in memory that it keeps.
///
/// A polygon becomes a fan around its first corner where that fills it, as for any convex polygon.
/// Ears of other polygons are clipped in the plane of Newell's normal. The signs of areas in it are
/// exact. Thus corners on a straight line and boundaries that touch themselves, such as slits to
/// holes, are no exceptions. Time is linear for fans, else at most quadratic in the number of
/// corners.
class PolygonCutter {
  public:
    /// The most corners of a polygon that is no fan: clipping them takes up to a second.
    static constexpr std::size_t kMostCorners = 16'384;
    /// Limit of the comparisons of corners for all polygons together, about half a second: a
    /// constant, and a number for each of their corners. Simple polygons of a thousand corners take
    /// some hundred for each corner. Polygons that intersect themselves take thousands.
    static constexpr std::uint64_t kMostComparisons = 100'000'000, kMorePerCorner = 200;

    explicit PolygonCutter(QuadCut quads) : quads_(quads) {}

    /// Triangulates a polygon of three corners or more. Returns indices of its corners in its own
    /// orientation, valid until the next call. Corners on straight lines are kept as corners of
    /// triangles; repeated ones and spikes of no width are left out. Where a polygon intersects
    /// itself, triangles overlap. One without area becomes a fan. Returns none if the polygon is no
    /// fan and has more than kMostCorners corners, or if all polygons so far took too many
    /// comparisons.
    [[nodiscard]] std::span<const glm::uvec3> cut(std::span<const vec3> corners);
    /// Message to the user where cut() returns no triangles for a polygon of `n_corners`.
    [[nodiscard]] std::string refusal(std::size_t n_corners) const;

  private:
    enum class Test { strict, lenient };

    void cut_quad(std::span<const vec3> corners);
    [[nodiscard]] bool flatten(std::span<const vec3> corners);
    [[nodiscard]] bool is_fan() const;
    void add_fan(std::size_t n_corners);
    void cut_ears();
    void link();
    void remove(std::uint32_t corner);
    void set_obstacle(std::uint32_t corner, bool is_obstacle);
    [[nodiscard]] int turn_at(std::uint32_t corner) const;
    [[nodiscard]] double area_at(std::uint32_t corner) const;
    [[nodiscard]] bool is_spike(std::uint32_t corner) const;
    [[nodiscard]] bool is_ear(std::uint32_t corner, Test test);
    [[nodiscard]] bool obstructs(std::uint32_t corner, const glm::dvec2 (&ear)[3], Test test) const;
    [[nodiscard]] std::uint32_t least_corner(std::uint32_t any) const;

    QuadCut quads_;
    std::vector<glm::uvec3> triangles_;
    std::vector<glm::dvec2> flat_;  // corners in the plane, as whole numbers
    double rounding_ = 0;           // largest error of a corner of `flat_` by rounding
    // The remaining corners, as a ring.
    std::vector<std::uint32_t> previous_, next_;
    std::uint32_t n_left_ = 0;
    // Corners that may lie in an ear, from left to right: those that are not convex, and stale
    // ones, which have become convex.
    std::vector<std::uint32_t> obstacles_;
    std::vector<char> is_obstacle_;
    std::size_t n_outdated_ = 0;  // stale ones in obstacles_
    std::uint64_t n_comparisons_ = 0, most_comparisons_ = kMostComparisons;
};

}  // namespace tl

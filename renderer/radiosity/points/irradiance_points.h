// Irradiance cache over the radiosity points: interpolates irradiance between the nearest points.
#pragma once

#include "accel/octree/octree.h"
#include "accel/points/point_tree.h"
#include "renderer/path/path_wavefront.h"

namespace tl {

/// Entry of the cache: a lit point, or a dark one on a surface that no light reaches.
struct alignas(16) IrradiancePoint {
    static constexpr float kDark = -1;

    vec3 irradiance;       ///< W/m^2; kDark at dark points
    std::uint32_t normal;  ///< pack_direction<16>
};
static_assert(sizeof(IrradiancePoint) == 16);

}  // namespace tl

TL_DEVICE_BEGIN

/// The cache for kernels. points[i] belongs to tree.points[i]. The `index` there is that of a lit
/// point, or n_lit plus that of a dark one.
struct IrradiancePointsView {
    PointTreeView tree;
    View<const IrradiancePoint> points;
    std::uint32_t n_lit;
    float radius;  ///< of searches, m; positions without a point within it are dark
};

/// Owns the cache. Rebuilds reuse its memory.
class IrradiancePoints {
  public:
    /// Builds the tree over the lit points, which lie about `spacing` metres apart, and over dark
    /// points near a lit one of similar orientation. Dark points stop light from leaking, say under
    /// a wall into a dark room with the same floor. They are among `sides`, which are both sides of
    /// all surface samples; `marks` has the SampleSides::Mark of each. Waits for the stream.
    void build(Scratch& scratch, View<const Surfel> points, float spacing, View<const Surfel> sides,
               View<const std::uint32_t> marks);
    /// Sets the irradiance of lit points, in the order given to build(). Never waits.
    void set(Stream& stream, View<const vec3> irradiance);
    [[nodiscard]] IrradiancePointsView view() const {
        return {tree_.view(), points_.view(), n_lit_, radius_};
    }

  private:
    PointTree tree_;
    std::uint32_t n_lit_ = 0;
    DeviceArray<IrradiancePoint> points_;
    float radius_ = 0;
};

/// Adds indirect lighting at gather points of camera paths, interpolated between the nearest points
/// of similar orientation.
class IrradianceGather final : public PathGather {
  public:
    IrradianceGather(const PathTracerFrame& frame, const IrradiancePointsView& light)
        : frame_(frame), light_(light) {}

    void add(Stream& stream, const GatherQueue& queue, WaveCounts* counts,
             View<vec4> sums) const override;

  private:
    PathTracerFrame frame_;
    IrradiancePointsView light_;
};

/// Points for display without interpolation.
struct SeparatePoints {
    IrradiancePointsView nearest;  ///< for searches; lit points have the indices of `points`
    View<const Surfel> points;
    View<const vec3> irradiance;  ///< direct and indirect, W/m^2
    View<const vec3> albedo;      ///< factor of the irradiance shown; empty: 1
    bool as_discs = false;        ///< true: discs of the points' areas; false: Voronoi cells
    /// Visibility of each point from `chosen`, shown instead of light, in purple over the grey of
    /// the albedo; empty: light is shown.
    View<const float> seen{};
    std::uint32_t chosen = 0;  ///< point that is shown in cyan, if `seen` is not empty
    float chosen_radius = 0;   ///< radius about it that is shown in cyan, m
};

/// Adds a sample to each pixel: the radiance, or the visibility, of the nearest point of similar
/// orientation, where the surface is not smooth specular; else black. Never waits.
void draw_separate_points(Scratch& scratch, const PathJob& job, const SeparatePoints& points);

/// Index of the point nearest to a position, among those of similar orientation; ~0 if none is
/// within the search radius. Waits for the stream.
[[nodiscard]] std::uint32_t find_nearest_point(Scratch& scratch, const IrradiancePointsView& points,
                                               vec3 position, vec3 normal);

TL_DEVICE_END

// Irradiance at points of surfaces, and between them.
#pragma once

#include "accel/octree/octree.h"
#include "accel/points/point_tree.h"
#include "renderer/paths/path_wavefront.h"

namespace tl {

/// A point that light arrives at, or one of a surface that none reaches.
struct alignas(16) IrradiancePoint {
    static constexpr float kDark = -1;

    vec3 irradiance;       ///< W/m^2; of a surface that none reaches kDark
    std::uint32_t normal;  ///< pack_direction<16>
};
static_assert(sizeof(IrradiancePoint) == 16);

}  // namespace tl

TL_DEVICE_BEGIN

/// All that a kernel needs. Entry i of `points` belongs to entry i of tree.points, whose indices
/// are those of points, or from n_lit on of dark ones.
struct IrradiancePointsView {
    PointTreeView tree;
    View<const IrradiancePoint> points;
    std::uint32_t n_lit;
    float reach;  ///< of their light, m: farther away it is dark
};

/// A tree's memory, which is used again.
class IrradiancePoints {
  public:
    /// Builds the tree over the points, which lie about `spacing` metres apart, and over those of
    /// the sides that are marked as dark which a point of about the same orientation is near: the
    /// floor of a dark room, too, goes on under its wall. Waits for the stream.
    void build(Scratch& scratch, View<const Surfel> points, float spacing, View<const Surfel> sides,
               View<const std::uint32_t> marks);
    /// Sets the light, in the order of the points. Never waits.
    void set(Stream& stream, View<const vec3> irradiance);
    [[nodiscard]] IrradiancePointsView view() const {
        return {tree_.view(), points_.view(), n_lit_, reach_};
    }

  private:
    PointTree tree_;
    std::uint32_t n_lit_ = 0;
    DeviceArray<IrradiancePoint> points_;
    float reach_ = 0;
};

/// Looks light up where paths from the camera gather: between the nearest points of about the same
/// orientation.
class IrradianceGather final : public PathGather {
  public:
    IrradianceGather(const PathTracerFrame& frame, const IrradiancePointsView& light)
        : frame_(frame), light_(light) {}

    void add(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
             View<vec4> sums) const override;

  private:
    PathTracerFrame frame_;
    IrradiancePointsView light_;
};

/// Points with the light of each by itself.
struct SeparatePoints {
    IrradiancePointsView nearest;  ///< its points are numbered as those below
    View<const Surfel> points;
    View<const vec3> irradiance;  ///< all light that arrives, W/m^2
    View<const vec3> albedo;      ///< of what is sent on; empty: all of it
    bool as_discs = false;        ///< else each point has the surface to which none is nearer
};

/// Adds a sample to each pixel: on surfaces that scatter light broadly the radiance of the nearest
/// point of about the same orientation. Never waits.
void draw_separate_points(Scratch& scratch, const PathJob& job, const SeparatePoints& points);

/// The number of the point of about the same orientation that is nearest to a place; ~0: there is
/// none within reach. Waits for the stream.
[[nodiscard]] std::uint32_t find_nearest_point(Scratch& scratch, const IrradiancePointsView& points,
                                               vec3 position, vec3 normal);

TL_DEVICE_END

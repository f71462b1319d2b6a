// Radiosity points of a scene on a device. A point is one side of a surface sample, with a wide
// lobe (diffuse or rough glossy), that light may reach. It has an albedo and surrounding media.
#pragma once

#include "accel/octree/octree_builder.h"
#include "renderer/path/path_job.h"
#include "renderer/radiosity/radiosity_config.h"

TL_DEVICE_BEGIN

/// Points and their attributes for kernels. All arrays are in the order of the tree's points.
struct DiffusePointsView {
    OctreeView tree;          ///< octree whose points are the radiosity points
    View<const vec3> starts;  ///< origins of rays, off the surface
    View<const vec3> albedo;  ///< of wide lobes
    /// Media::bits of the dielectrics that contain each start. Empty if update() does not find
    /// them, since all dielectrics of the scene transmit all light.
    View<const std::uint32_t> media;
};

/// Owns the points, chosen among the sides of surface samples, and the octree over them.
class DiffusePoints {
  public:
    /// Replaces the surface samples, if they differ from the previous ones. Later the points must
    /// be made by update(). Waits for the stream.
    void set_samples(Scratch& scratch, std::span<const Surfel> samples);
    /// Makes a point of each side of a sample that has a wide lobe and may receive light within a
    /// few bounces. Builds the octree over the points as `octree` says.
    ///
    /// A side remains a point while the samples stay the same, even if light no longer reaches it.
    /// If its new material has no wide lobe, its albedo is 0. Returns false if the points, albedo
    /// excepted, are unchanged; the octree is then unchanged, too.
    ///
    /// `frame`: its paths must end at the first surface (PathLimits::max_depth 1). `surroundings`:
    /// nonzero fingerprint of the scene without its lamps. While it is unchanged, only newly lit
    /// sides are searched for. `finds_media`: whether the view gets the points' media. Waits for
    /// the stream.
    bool update(Scratch& scratch, StageTimer& timer, const PathTracerFrame& frame,
                const PointOctreeConfig& octree, std::uint64_t surroundings, bool finds_media);

    /// Number of points.
    [[nodiscard]] std::uint32_t size() const { return n_; }
    /// Returns a view of the points, valid until the next update().
    [[nodiscard]] DiffusePointsView view();
    /// Approximate distance between neighbouring samples, m.
    [[nodiscard]] float spacing() const { return spacing_; }
    /// Both sides of all samples, points or not.
    [[nodiscard]] View<const Surfel> sides() const { return sides_.view(); }
    /// SampleSides::Mark of each side, or 0.
    [[nodiscard]] View<const std::uint32_t> marks() const { return marks_.view(); }
    /// Header of the octree, on the host.
    [[nodiscard]] const OctreeHeader& header() const { return header_; }
    /// Time of the newest build of the octree, with the choice of its cells' size, ms.
    [[nodiscard]] double octree_ms() const { return octree_ms_; }
    /// Memory that is kept on the device, bytes.
    [[nodiscard]] std::size_t bytes() const;

  private:
    /// Builds the octree over `points`, with the cell size that gives the fewest leaves.
    void build_tree(Scratch& scratch, StageTimer& timer, View<const Surfel> points);

    DeviceArray<Surfel> samples_, sides_;
    DeviceArray<std::uint32_t> marks_;  ///< SampleSides::Mark of each side, or 0
    DeviceArray<vec3> side_starts_, side_albedo_, starts_, albedo_;  ///< of sides, and of points
    DeviceArray<std::uint32_t> media_;
    Octree tree_;
    OctreeHeader header_{};
    std::unique_ptr<OctreeBuilder> builder_;
    std::uint32_t n_ = 0;         ///< number of points
    PointOctreeConfig octree_{};  ///< of the newest update()
    double octree_ms_ = 0;
    std::uint64_t surroundings_ = 0;  ///< of the newest update(); 0: it was not finished
    float spacing_ = 0;
    bool is_stale_ = true;  ///< whether points are of other samples, or incomplete
};

TL_DEVICE_END

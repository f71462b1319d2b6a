// Points of a scene's diffuse surfaces on a device: what renderers' rays find at each of them, on
// those sides that light may reach.
#pragma once

#include "accel/octree/octree_builder.h"
#include "renderer/paths/path_job.h"

TL_DEVICE_BEGIN

/// All that a kernel needs, in the order of the tree's points.
struct DiffusePointsView {
    OctreeView tree;
    View<const vec3> starts;  ///< of rays, off the surface
    View<const vec3> albedo;  ///< of light that is scattered broadly
    /// Media::bits of the dielectrics that contain each start; empty where all dielectrics of the
    /// scene transmit all light.
    View<const std::uint32_t> media;
};

class DiffusePoints {
  public:
    /// Takes points of the scene's surfaces in place of those before, if they differ. Waits for the
    /// stream.
    void set_samples(Scratch& scratch, std::span<const Surfel> samples);
    /// Looks at the surfaces where the samples are: their two sides become a point each, if they
    /// scatter light broadly, and light of the scene's sources may arrive there by a few bounces.
    /// A side that has become a point stays one as long as there are the same samples, also where
    /// other lights no longer reach it or another material scatters nothing: its albedo is 0 then.
    /// Builds the octree. Returns false where all points, but not their albedo, are as they were
    /// before; the octree is the same then. `frame` is that of paths that end at the first surface.
    /// `surroundings`: a number that is another one, and not 0, where anything but lamps may have
    /// changed; while it is the same, only what light newly reaches is looked for. `finds_media`:
    /// whether the view has the media of points. Waits for the stream.
    bool update(Scratch& scratch, StageTimer& timer, const PathTracerFrame& frame, int leaf_size,
                std::uint64_t surroundings, bool finds_media);

    [[nodiscard]] std::uint32_t size() const { return n_; }
    [[nodiscard]] DiffusePointsView view();
    /// About how far apart neighbours are, m.
    [[nodiscard]] float spacing() const { return spacing_; }
    /// Both sides of all samples, those included that are no points.
    [[nodiscard]] View<const Surfel> sides() const { return sides_.view(); }
    /// SampleSides::Mark of each side, or 0.
    [[nodiscard]] View<const std::uint32_t> marks() const { return marks_.view(); }
    [[nodiscard]] const OctreeHeader& header() const { return header_; }
    [[nodiscard]] std::size_t bytes() const;

  private:
    void build_tree(Scratch& scratch, StageTimer& timer, View<const Surfel> points);

    DeviceArray<Surfel> samples_, sides_;
    DeviceArray<std::uint32_t> marks_;  ///< SampleSides::Mark of each side, or 0
    DeviceArray<vec3> side_starts_, side_albedo_, starts_, albedo_;
    DeviceArray<std::uint32_t> media_;
    Octree tree_;
    OctreeHeader header_{};
    std::unique_ptr<OctreeBuilder> builder_;
    std::uint32_t n_ = 0;
    int leaf_size_ = 0;
    std::uint64_t surroundings_ = 0;  ///< of the newest update(); 0: it was not finished
    float spacing_ = 0;
    bool is_stale_ = true;  ///< points have been made of other samples, or not to the end
};

TL_DEVICE_END

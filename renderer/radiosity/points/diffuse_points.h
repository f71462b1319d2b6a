// Radiosity points of a scene on a device: surface samples with a wide lobe (diffuse or rough
// glossy). Only sides that light may reach are points. Each has an albedo and surrounding media.
#pragma once

#include "accel/octree/octree_builder.h"
#include "renderer/path/path_job.h"

TL_DEVICE_BEGIN

/// Points and their attributes for kernels, in the order of the tree's points.
struct DiffusePointsView {
    OctreeView tree;
    View<const vec3> starts;  ///< origins of rays, off the surface
    View<const vec3> albedo;  ///< of wide lobes
    /// Media::bits of the dielectrics that contain each start; empty where all dielectrics of the
    /// scene transmit all light.
    View<const std::uint32_t> media;
};

class DiffusePoints {
  public:
    /// Replaces the surface samples, if they differ from the previous ones. Waits for the stream.
    void set_samples(Scratch& scratch, std::span<const Surfel> samples);
    /// Makes a point of each side of a sample that has a wide lobe and may receive light within a
    /// few bounces. Builds the octree over the points.
    ///
    /// A side remains a point while the samples stay the same, even if light no longer reaches it.
    /// If its new material has no wide lobe, its albedo is 0. Returns false if the points, albedo
    /// excepted, are unchanged; the octree is then unchanged, too.
    ///
    /// `frame`: of paths that end at the first surface. `surroundings`: nonzero fingerprint of all
    /// but lamps; while it is unchanged, only newly lit sides are searched for. `finds_media`:
    /// whether the view has the points' media. Waits for the stream.
    bool update(Scratch& scratch, StageTimer& timer, const PathTracerFrame& frame, int leaf_size,
                std::uint64_t surroundings, bool finds_media);

    [[nodiscard]] std::uint32_t size() const { return n_; }
    [[nodiscard]] DiffusePointsView view();
    /// Approximate distance of neighbours, m.
    [[nodiscard]] float spacing() const { return spacing_; }
    /// Both sides of all samples, whether points or not.
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
    bool is_stale_ = true;  ///< points are of other samples, or incomplete
};

TL_DEVICE_END

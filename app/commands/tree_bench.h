// Measures one tree after another on one scene, following docs/algorithms/trees-bench.md: times
// from the device's clock, medians after warm-up, one kernel for each class of rays, and the same
// rays for every tree.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "accel/bvh/inspect/end_point_overlap.h"
#include "accel/bvh/inspect/tree_stats.h"
#include "app/jobs/work_timer.h"
#include "renderer/probe/ray_probes.h"
#include "renderer/scene/live/live_scene.h"

namespace tl {

/// One class of rays traced through one tree.
struct RayMeasurement {
    std::size_t n_rays = 0;
    Timing ms;
    double steps = 0;  ///< mean node visits a ray
    double tests = 0;  ///< mean primitive tests a ray
    std::size_t n_hits = 0;
    double sum_of_distances = 0;  ///< of closest hits; 0 for shadow rays

    /// Adds the hits to n_hits and sum_of_distances.
    void count(const std::vector<ProbeHit>& hits);
    [[nodiscard]] double mrays_per_s() const {
        return ms.median > 0 ? static_cast<double>(n_rays) / ms.median / 1000 : 0;
    }
};

/// All results for one builder, layout and scene.
struct TreeMeasurement {
    std::string builder, layout;
    bool robust = false;
    bool on_host = false;  ///< built in host memory: transfers are part of construct_ms
    int repeat = 0;        ///< of construct_ms and frame_ms
    std::size_t n_primitives = 0;
    Timing construct_ms;  ///< from vertices to a tree ready to trace
    Timing refit_ms;      ///< new boxes and primitives in the tree as it is
    Timing frame_ms;      ///< construction, then primary, shadow and diffuse rays
    RayMeasurement primary, shadow, diffuse;
    TreeStats stats;
    EndPointOverlap overlap;
    std::size_t n_layout_nodes = 0;               ///< nodes of the traversed layout
    std::size_t bytes = 0;                        ///< in use by these nodes and the primitives
    std::size_t scratch_bytes = 0;                ///< temporary memory of a build
    std::map<std::string, std::string> settings;  ///< of the builder

    [[nodiscard]] double mtri_per_s() const {
        return construct_ms.median > 0
                   ? static_cast<double>(n_primitives) / construct_ms.median / 1000
                   : 0;
    }
};

/// Settings and repetitions of a measurement.
struct TreeBenchPlan {
    Extent extent;
    int repeat = 20;
    double most_seconds = 0;  ///< time limit of each measurement on the CPU; 0: none
    std::uint64_t seed = 0;
    float time = 0;  ///< moment of moving scenes, seconds
    /// "lbvh.code-bits" -> "30".
    std::map<std::string, std::string> settings;
};

/// The scene's triangles, spheres and splats (centre, radius), in host memory.
struct BenchGeometry {
    std::vector<vec3> positions;
    std::vector<glm::uvec3> triangles;
    std::vector<vec4> spheres;
    std::vector<vec4> splats;
    std::vector<vec3> splat_normals;
};

/// The measured rays, in host memory and in launch order.
struct BenchRays {
    std::vector<Ray> primary, shadow, diffuse;
};

/// A scene on a device, with the rays used to measure all its trees.
class TreeBench {
  public:
    /// Plan and progress must outlive it.
    TreeBench(Device& device, std::shared_ptr<const Scene> scene, const TreeBenchPlan& plan,
              const ReadProgress& progress);
    ~TreeBench();

    /// Builds and traces the tree of `builder` in `layout`. The first call also makes the shadow
    /// and diffuse rays, which later ones trace again. Throws UserError if the builder or the
    /// layout does not run on the device.
    [[nodiscard]] TreeMeasurement measure(const std::string& builder, const std::string& layout);

    /// End point of the shadow rays: the scene's first point light, else a point above the scene.
    [[nodiscard]] vec3 light() const { return light_; }
    [[nodiscard]] std::uint32_t primitive_count() const { return live_.primitive_count(); }
    [[nodiscard]] BenchGeometry geometry() const;
    /// Call only after a tree has been measured.
    [[nodiscard]] BenchRays rays() const;

  private:
    void choose(const std::string& builder, const std::string& layout);
    void make_rays(Scratch& scratch);
    void measure_times(Scratch& scratch, TreeMeasurement& m);
    void measure_refit(Scratch& scratch, TreeMeasurement& m);
    void count_steps(Scratch& scratch, TreeMeasurement& m);
    void count_hits(TreeMeasurement& m);

    const TreeBenchPlan& plan_;
    const ReadProgress& progress_;
    std::unique_ptr<Stream> stream_;
    StageTimer timer_;  ///< switched off: its events would be timed too
    LiveScene live_;
    PrimaryProbe primary_;
    vec3 light_;
    WorkTimer work_timer_;
    BenchGeometry geometry_;
    bool has_rays_ = false;
    DeviceArray<Ray> shadow_rays_, diffuse_rays_;
    std::size_t n_secondary_ = 0;
    DeviceArray<ProbeHit> primary_hits_, diffuse_hits_;
    DeviceArray<std::uint8_t> occluded_;
    DeviceArray<ProbeSteps> steps_;
};

}  // namespace tl

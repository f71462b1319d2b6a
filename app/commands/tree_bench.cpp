#include "app/commands/tree_bench.h"

#include <algorithm>

#include "accel/bvh/builders/host_builder.h"
#include "core/base/error.h"
#include "core/device/registry.h"
#include "renderer/scene/live/host_triangles.h"
#include "renderer/shading/camera_rays.h"

namespace tl {
namespace {

/// Maximum number of builds by builders in host memory, which are slow reference builders.
constexpr int kMostHostBuilds = 3;

vec3 light_of(const Scene& scene) {
    for (auto& light : scene.lights)
        if (light.kind == LightKind::point) return light.position;
    Box bounds = bounds_of(scene);
    if (bounds.empty()) return vec3(0);
    vec3 size = bounds.hi - bounds.lo;
    return bounds.lo + size * vec3(0.7f, 1, 0.6f) + vec3(0, 0.5f * glm::length(size), 0);
}

std::shared_ptr<const Scene> checked(std::shared_ptr<const Scene> scene) {
    if (scene->has_no_geometry())
        throw UserError("the scene '" + scene->name + "' has no geometry to build a tree over");
    return scene;
}

/// Averages the counts of one class of rays.
void set_steps(RayMeasurement& m, const std::vector<ProbeSteps>& steps) {
    double n_nodes = 0, n_primitives = 0;
    for (auto& s : steps) {
        n_nodes += s.n_nodes;
        n_primitives += s.n_primitives;
    }
    auto n = static_cast<double>(std::max<std::size_t>(m.n_rays, 1));
    m.steps = n_nodes / n;
    m.tests = n_primitives / n;
}

bool is_host_builder(const TreeBuilder& builder) {
    return dynamic_cast<const HostTreeBuilder*>(&builder) != nullptr;
}

/// Builders of the CPU's table that run in host memory serve every device.
std::unique_ptr<TreeBuilder> make_builder(const std::string& id, const Device& device) {
    auto& row = find_row(tree_builders(), id, "tree builder");
    if (device.kind() == DeviceKind::cuda && !row.make_cuda) {
        auto builder = row.make_cpu();
        if (is_host_builder(*builder)) return builder;
    }
    return make_tree_builder(id, device);
}

}  // namespace

void RayMeasurement::count(const std::vector<ProbeHit>& hits) {
    for (auto& hit : hits) {
        if (!hit.found()) continue;
        ++n_hits;
        sum_of_distances += hit.t;
    }
}

TreeBench::TreeBench(Device& device, std::shared_ptr<const Scene> scene, const TreeBenchPlan& plan,
                     const ReadProgress& progress)
    : plan_(plan),
      progress_(progress),
      stream_(device.create_stream()),
      timer_(*stream_),
      live_(*stream_, checked(scene), progress),
      primary_{scene->camera, plan.extent},
      light_(light_of(*scene)),
      work_timer_(*stream_, plan.repeat, plan.most_seconds, progress) {
    timer_.enable(false);
    // Items outside the image are never written: they must start as misses.
    primary_hits_.assign(*stream_, std::vector<ProbeHit>(primary_.n_items()));
}

TreeBench::~TreeBench() = default;

void TreeBench::choose(const std::string& builder, const std::string& layout) {
    live_.set_builder(make_builder(builder, stream_->device()));
    live_.tree_config() = {};
    Settings of_tree = live_.tree_config().settings(), of_builder = live_.builder().settings();
    for (auto& [key, value] : plan_.settings) {
        auto dot = key.find('.');
        auto section = key.substr(0, dot), id = key.substr(dot + 1);
        if (section == "tree") find_setting(of_tree, id, section).set(value);
        if (section == builder) find_setting(of_builder, id, section).set(value);
    }
    find_setting(of_tree, "layout", "tree").set(layout);
    live_.tree_config().update = UpdatePolicy::rebuild;
}

void TreeBench::make_rays(Scratch& scratch) {
    auto n = primary_.n_items();
    shadow_rays_.resize_discard(*stream_, n);
    diffuse_rays_.resize_discard(*stream_, n);
    DeviceArray<std::uint32_t> count(*stream_, 1);
    TL_DISPATCH(stream_->device(),
                make_secondary_rays(scratch, live_.view(), primary_, light_, plan_.seed,
                                    shadow_rays_.view(), diffuse_rays_.view(), count.view()));
    n_secondary_ = count.download(*stream_)[0];
    shadow_rays_.resize_discard(*stream_, n_secondary_);
    diffuse_rays_.resize_discard(*stream_, n_secondary_);
    diffuse_hits_.resize_discard(*stream_, n_secondary_);
    occluded_.resize_discard(*stream_, n_secondary_);
    has_rays_ = true;
}

void TreeBench::measure_times(Scratch& scratch, TreeMeasurement& m) {
    auto& device = stream_->device();
    auto construct = [&] { live_.update(scratch, timer_, plan_.time, progress_); };
    m.construct_ms = work_timer_.time(m.repeat, construct);
    m.scratch_bytes = scratch.capacity();
    if (!has_rays_) make_rays(scratch);
    TreeView tree = live_.view().tree;
    auto primary = [&] {
        TL_DISPATCH(device, probe_primary(*stream_, tree, primary_, primary_hits_.view()));
    };
    auto shadow = [&] {
        TL_DISPATCH(device, trace_any(scratch, "shadow rays", tree, shadow_rays_.view(),
                                      {{}, {}, occluded_.view()}));
    };
    auto diffuse = [&] {
        TL_DISPATCH(device, trace_closest(scratch, "diffuse rays", tree, diffuse_rays_.view(),
                                          {{}, diffuse_hits_.view(), {}}));
    };
    m.primary.ms = work_timer_.time(plan_.repeat, primary);
    m.shadow.ms = work_timer_.time(plan_.repeat, shadow);
    m.diffuse.ms = work_timer_.time(plan_.repeat, diffuse);
    m.frame_ms = work_timer_.time(m.repeat, [&] {
        construct();
        primary();
        shadow();
        diffuse();
    });
    m.primary.n_rays = static_cast<std::size_t>(plan_.extent.pixels());
    m.shadow.n_rays = m.diffuse.n_rays = n_secondary_;
}

void TreeBench::measure_refit(Scratch& scratch, TreeMeasurement& m) {
    auto& policy = live_.tree_config().update;
    auto chosen = policy;
    policy = UpdatePolicy::refit;
    // A build that also keeps the data for refits.
    live_.update(scratch, timer_, plan_.time, progress_);
    m.refit_ms = work_timer_.time(plan_.repeat,
                                  [&] { live_.update(scratch, timer_, plan_.time, progress_); });
    policy = chosen;
    live_.update(scratch, timer_, plan_.time, progress_);
}

void TreeBench::count_steps(Scratch& scratch, TreeMeasurement& m) {
    auto& device = stream_->device();
    TreeView tree = live_.view().tree;
    steps_.assign(*stream_, std::vector<ProbeSteps>(primary_.n_items()));
    TL_DISPATCH(device, count_primary(scratch, tree, primary_, steps_.view()));
    set_steps(m.primary, steps_.download(*stream_));
    steps_.resize_discard(*stream_, n_secondary_);
    TL_DISPATCH(device, count_occluded(*stream_, tree, shadow_rays_.view(), steps_.view()));
    set_steps(m.shadow, steps_.download(*stream_));
    TL_DISPATCH(device, count_closest(*stream_, tree, diffuse_rays_.view(), steps_.view()));
    set_steps(m.diffuse, steps_.download(*stream_));
}

void TreeBench::count_hits(TreeMeasurement& m) {
    m.primary.count(primary_hits_.download(*stream_));
    m.diffuse.count(diffuse_hits_.download(*stream_));
    auto occluded = occluded_.download(*stream_);
    m.shadow.n_hits = static_cast<std::size_t>(std::count(occluded.begin(), occluded.end(), 1));
}

BenchGeometry TreeBench::geometry() const {
    HostTriangles host = download_triangles(*stream_, live_.view());
    BenchGeometry g{std::move(host.positions), std::move(host.triangles), {}, {}, {}};
    for (auto& sphere : live_.description().spheres)
        g.spheres.emplace_back(sphere.center, sphere.radius);
    for (auto& splat : live_.description().splats) {
        g.splats.emplace_back(splat.center, splat.radius);
        g.splat_normals.push_back(splat.normal);
    }
    return g;
}

BenchRays TreeBench::rays() const {
    BenchRays rays;
    CameraRays camera(primary_.camera, primary_.extent);
    PixelOrder order(primary_.extent);
    for (std::uint32_t item = 0; item < order.n_items; ++item) {
        std::uint32_t x, y;
        if (order.pixel(item, x, y))
            rays.primary.push_back(
                camera.through(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f));
    }
    rays.shadow = shadow_rays_.download(*stream_);
    rays.diffuse = diffuse_rays_.download(*stream_);
    return rays;
}

TreeMeasurement TreeBench::measure(const std::string& builder, const std::string& layout) {
    choose(builder, layout);
    Scratch scratch(*stream_);  // separate, to measure this builder's needs
    TreeMeasurement m;
    m.builder = builder;
    m.layout = layout;
    m.robust = live_.tree_config().robust;
    m.n_primitives = live_.primitive_count();
    m.on_host = is_host_builder(live_.builder());
    m.repeat = m.on_host ? std::min(plan_.repeat, kMostHostBuilds) : plan_.repeat;
    for (auto& setting : live_.builder().settings()) m.settings[setting->id] = setting.text();
    measure_times(scratch, m);
    // The device may lack the requested layout, or "auto" may have chosen one.
    m.layout = name_of(live_.view().tree.layout);
    measure_refit(scratch, m);
    count_steps(scratch, m);
    count_hits(m);
    HostTree host = download_tree(*stream_, live_.tree());
    m.stats = measure_tree(host);
    if (geometry_.triangles.empty()) geometry_ = geometry();
    m.overlap = measure_end_point_overlap(host, geometry_.positions, geometry_.triangles);
    LayoutSize size = live_.tree().measure_layout(*stream_);
    m.n_layout_nodes = size.n_nodes;
    m.bytes = size.bytes;
    return m;
}

}  // namespace tl

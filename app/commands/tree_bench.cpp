#include "app/commands/tree_bench.h"

#include <algorithm>

#include "accel/parallel/error.h"
#include "app/commands/statistics.h"

namespace tl {
namespace {

constexpr int kWarmup = 3;

vec3 light_of(const Scene& scene) {
    for (auto& light : scene.lights)
        if (light.kind == LightKind::point) return light.position;
    Bounds bounds = bounds_of(scene);
    if (bounds.empty()) return vec3(0);
    vec3 size = bounds.hi - bounds.lo;
    return bounds.lo + size * vec3(0.7f, 1, 0.6f) + vec3(0, 0.5f * glm::length(size), 0);
}

std::shared_ptr<const Scene> checked(std::shared_ptr<const Scene> scene) {
    if (scene->triangle_count() + scene->spheres.size() == 0)
        throw UserError("the scene '" + scene->name + "' has no geometry to build a tree over");
    return scene;
}

/// Sums of one class of rays into its means.
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

void set_hits(RayMeasurement& m, const std::vector<ProbeHit>& hits) {
    for (auto& hit : hits) {
        if (!hit.found()) continue;
        ++m.n_hits;
        m.sum_of_distances += hit.t;
    }
}

}  // namespace

TreeBench::TreeBench(Device& device, std::shared_ptr<const Scene> scene, const TreeBenchPlan& plan)
    : plan_(plan),
      stream_(device.create_stream()),
      timer_(*stream_),
      live_(*stream_, checked(scene)),
      primary_{scene->camera, plan.extent},
      light_(light_of(*scene)) {
    timer_.enable(false);
    for (int i = 0; i < 2 * plan.repeat; ++i) events_.push_back(device.create_event());
    // Items outside the image are never written: they stay without a hit.
    primary_hits_.assign(*stream_, std::vector<ProbeHit>(primary_.n_items()));
}

TreeBench::~TreeBench() = default;

void TreeBench::choose(const std::string& builder, const std::string& layout) {
    live_.set_builder(make_tree_builder(builder, stream_->device()));
    live_.tree().config = TreeConfig{};
    Settings of_tree = live_.tree().config.settings(), of_builder = live_.builder().settings();
    for (auto& [key, value] : plan_.settings) {
        auto dot = key.find('.');
        auto section = key.substr(0, dot), id = key.substr(dot + 1);
        if (section == "tree") find_setting(of_tree, id, section).set(value);
        if (section == builder) find_setting(of_builder, id, section).set(value);
    }
    find_setting(of_tree, "layout", "tree").set(layout);
}

/// Medians of the plan's repeats. They are given to the device in one go, so that it never waits
/// for the host to launch, as in a stream of frames.
template <class Work>
Timing TreeBench::time(Work&& work) {
    for (int i = 0; i < kWarmup; ++i) work();
    stream_->synchronize();
    for (int i = 0; i < plan_.repeat; ++i) {
        events_[2 * i]->record(*stream_);
        work();
        events_[2 * i + 1]->record(*stream_);
    }
    stream_->synchronize();
    std::vector<double> samples;
    for (int i = 0; i < plan_.repeat; ++i)
        samples.push_back(events_[2 * i + 1]->milliseconds_since(*events_[2 * i]));
    return {median(samples), p95(samples)};
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
    auto construct = [&] { live_.update(scratch, timer_); };
    m.construct_ms = time(construct);
    m.scratch_bytes = scratch.capacity();
    if (!has_rays_) make_rays(scratch);
    TreeView tree = live_.view().tree;
    auto primary = [&] {
        TL_DISPATCH(device, probe_primary(*stream_, tree, primary_, primary_hits_.view()));
    };
    auto shadow = [&] {
        TL_DISPATCH(device, probe_occluded(*stream_, tree, shadow_rays_.view(), occluded_.view()));
    };
    auto diffuse = [&] {
        TL_DISPATCH(device,
                    probe_closest(*stream_, tree, diffuse_rays_.view(), diffuse_hits_.view()));
    };
    m.primary.ms = time(primary);
    m.shadow.ms = time(shadow);
    m.diffuse.ms = time(diffuse);
    m.frame_ms = time([&] {
        construct();
        primary();
        shadow();
        diffuse();
    });
    m.primary.n_rays = static_cast<std::size_t>(plan_.extent.pixels());
    m.shadow.n_rays = m.diffuse.n_rays = n_secondary_;
}

void TreeBench::count_steps(TreeMeasurement& m) {
    auto& device = stream_->device();
    TreeView tree = live_.view().tree;
    steps_.assign(*stream_, std::vector<ProbeSteps>(primary_.n_items()));
    TL_DISPATCH(device, count_primary(*stream_, tree, primary_, steps_.view()));
    set_steps(m.primary, steps_.download(*stream_));
    steps_.resize_discard(*stream_, n_secondary_);
    TL_DISPATCH(device, count_occluded(*stream_, tree, shadow_rays_.view(), steps_.view()));
    set_steps(m.shadow, steps_.download(*stream_));
    TL_DISPATCH(device, count_closest(*stream_, tree, diffuse_rays_.view(), steps_.view()));
    set_steps(m.diffuse, steps_.download(*stream_));
}

void TreeBench::count_hits(TreeMeasurement& m) {
    set_hits(m.primary, primary_hits_.download(*stream_));
    set_hits(m.diffuse, diffuse_hits_.download(*stream_));
    auto occluded = occluded_.download(*stream_);
    m.shadow.n_hits = static_cast<std::size_t>(std::count(occluded.begin(), occluded.end(), 1));
}

TreeMeasurement TreeBench::measure(const std::string& builder, const std::string& layout) {
    choose(builder, layout);
    Scratch scratch(*stream_);  // its own, to see what this builder needs
    TreeMeasurement m;
    m.builder = builder;
    m.layout = layout;
    m.robust = live_.tree().config.robust;
    m.n_primitives = live_.primitive_count();
    for (auto& setting : live_.builder().settings()) m.settings[setting.id] = setting.text();
    measure_times(scratch, m);
    count_steps(m);
    count_hits(m);
    m.stats = measure_tree(*stream_, live_.tree());
    m.bytes = m.stats.n_nodes * sizeof(BvhNode) + m.stats.n_primitives * sizeof(Primitive);
    return m;
}

}  // namespace tl

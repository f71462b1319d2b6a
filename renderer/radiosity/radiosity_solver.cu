#include "renderer/radiosity/radiosity_solver.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/device/parallel_for.h"
#include "core/operators/operators.h"
#include "renderer/radiosity/points/fingerprint.h"
#include "renderer/radiosity/points/scene_fingerprint.h"
#include "renderer/radiosity/points/scene_points.h"
#include "renderer/radiosity/points/source_light.h"
#include "renderer/radiosity/transport/visibility_map.h"
#include "renderer/scene/live/live_scene.h"

TL_DEVICE_BEGIN

namespace {

/// Random seed of samples and of the light at them. Fixed, so that they are the same in every
/// picture of a scene.
constexpr std::uint64_t kPointNumbers = 0x7261646f73;

/// Sets `places` to the receivers at points [first, first + places.size).
void find_places(Stream& stream, const DiffusePointsView& points, std::uint32_t first,
                 View<ReceiverPoint> places) {
    parallel_for(
        stream, "places of points", static_cast<std::uint32_t>(places.size),
        TL_LAMBDA(std::uint32_t k) {
            Surfel point = load_vectorized(points.tree.points[first + k]);
            Media media{points.media.empty() ? 0u : points.media[first + k]};
            places[k] = {point.position, points.starts[first + k], point.normal, media};
        });
}

/// Calls use(source, first, ReceiverRays) for all points, in slices of at most kRaysAtOnce rays.
/// Each point sends `n_rays` in all.
template <class Use>
void for_slices(Scratch& scratch, const PathTracerFrame& frame, const DiffusePointsView& points,
                std::uint32_t n_rays, const Use& use) {
    auto n = static_cast<std::uint32_t>(points.starts.size);
    std::uint32_t at_once = std::min(n, kRaysAtOnce),
                  rays_each = std::min(n_rays, kRaysAtOnce / at_once);
    SourceLight source(scratch, frame, at_once * rays_each);
    auto all = scratch.take<ReceiverPoint>(at_once);
    for (std::uint32_t first = 0; first < n; first += at_once) {
        ReceiverRays rays{View<ReceiverPoint>(all.data, std::min(at_once, n - first))};
        rays.offset = first;
        find_places(scratch.stream(), points, first, {all.data, rays.places.size});
        for (; rays.first_ray < n_rays; rays.first_ray += rays_each) {
            rays.n_rays = std::min(rays_each, n_rays - rays.first_ray);
            use(source, first, rays);
        }
    }
}

/// Adds the rays' light, times `share`, to the irradiance of the points that they start from.
void add_light(Stream& stream, View<const vec3> light, const ReceiverRays& rays,
               std::uint32_t first, float share, View<vec3> irradiance) {
    auto n = static_cast<std::uint32_t>(rays.places.size);
    std::uint32_t n_rays = rays.n_rays;
    parallel_for(
        stream, "light of rays", n, TL_LAMBDA(std::uint32_t i) {
            vec3 sum(0);
            for (std::uint32_t k = 0; k < n_rays; ++k) sum += light[std::size_t{k} * n + i];
            irradiance[first + i] += share * sum;
        });
}

/// Computes a correction factor of each point's indirect irradiance. Near an edge the points of
/// the surface beyond undersample it. The factor is the fraction of `n_rays` cosine-distributed
/// rays that hit surfaces with points, divided by `sent`.
/// `sent`: irradiance if all points had a radiosity of 1.
void compare(Stream& stream, View<const std::uint32_t> n_met, std::uint32_t n_rays,
             View<const vec3> sent, View<float> scale) {
    parallel_for(
        stream, "scale of light", static_cast<std::uint32_t>(scale.size),
        TL_LAMBDA(std::uint32_t i) {
            constexpr float kMost = 4;  // limit, since the ratio is noisy if `sent` is near 0
            float part = static_cast<float>(n_met[i]) / static_cast<float>(n_rays);
            float found = sent[i].x;
            scale[i] = found > 0 ? minimum(part / found, kMost) : 1.0f;
        });
}

/// Sets radiosity to albedo times irradiance.
void reflect(Stream& stream, View<const vec3> albedo, View<const vec3> irradiance,
             View<vec3> radiosity) {
    parallel_for(
        stream, "radiosity", static_cast<std::uint32_t>(radiosity.size),
        TL_LAMBDA(std::uint32_t i) { radiosity[i] = albedo[i] * irradiance[i]; });
}

/// Sets radiosity to 1 at points with a nonzero albedo, else to 0.
void send_evenly(Stream& stream, View<const vec3> albedo, View<vec3> radiosity) {
    parallel_for(
        stream, "even radiosity", static_cast<std::uint32_t>(radiosity.size),
        TL_LAMBDA(std::uint32_t i) { radiosity[i] = vec3(albedo[i] != vec3(0) ? 1.0f : 0.0f); });
}

void scale_all(Stream& stream, View<const float> scale, View<vec3> values) {
    parallel_for(
        stream, "scale", static_cast<std::uint32_t>(values.size),
        TL_LAMBDA(std::uint32_t i) { values[i] *= scale[i]; });
}

void add(Stream& stream, View<const vec3> more, View<vec3> sum) {
    parallel_for(
        stream, "sum of bounces", static_cast<std::uint32_t>(sum.size),
        TL_LAMBDA(std::uint32_t i) { sum[i] += more[i]; });
}

/// Flux that arrives at all points, W, averaged over the channels. Waits for the stream.
float flux(Scratch& scratch, View<const Surfel> points, View<const vec3> irradiance) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto each = scratch.take<float>(points.size), sum = scratch.take<float>(1);
    parallel_for(
        stream, "flux", static_cast<std::uint32_t>(points.size), TL_LAMBDA(std::uint32_t i) {
            vec3 e = irradiance[i];
            each[i] = points[i].area * (e.x + e.y + e.z) / 3;
        });
    reduce<float>(scratch, each, sum);
    float total = 0;
    stream.device().download(stream, &total, sum.data, sizeof total);
    return total;
}

}  // namespace

std::unique_ptr<LightTransport> make_transport(RadiosityMode mode) {
    switch (mode) {
        case RadiosityMode::direct:
            return make_all_pairs_transport();
        case RadiosityMode::hierarchical:
        case RadiosityMode::fmm:
            return make_linked_transport();
    }
    return nullptr;
}

void RadiositySolver::update(const FrameContext& context, const PathTracerFrame& frame,
                             const RadiosityConfig& config) {
    Versions now = context.versions;
    now.view = 0;  // the solution is independent of the view
    now.tree = 0;
    // Settings that only choose what is shown leave the light as it is.
    if (versions_ != Versions{} && config.of_light() == lit_by_) now.settings = versions_.settings;
    Stream::ForAnyView any(context.stream());
    if (now == versions_) return update_seen(context, config);
    versions_ = {};
    PathTracerFrame own = frame;
    own.seed = kPointNumbers;
    own.sample = 0;
    own.limits = {};
    own.limits.max_depth = 1;
    choose_points(context, own, config);
    light_points(context, own, config);
    add_caustics(context, own, config);
    bounce(context, config);
    versions_ = now;
    lit_by_ = config.of_light();
    ++version_;
    update_seen(context, config);
}

void RadiositySolver::choose_points(const FrameContext& context, const PathTracerFrame& frame,
                                    const RadiosityConfig& config) {
    const Scene& scene = context.scene.description();
    auto n = static_cast<std::size_t>(config.points);
    std::uint64_t print = fingerprint_of_surfaces(scene, context.frame.time) + n;
    if (print != sampled_) {
        StageTimer::Scope stage(context.timer, "sample surfaces");
        sampled_ = 0;
        auto samples = points_of_scene(scene, n, context.frame.time, kPointNumbers);
        points_.set_samples(context.scratch, samples);
        sampled_ = print;
    }
    Fingerprint surroundings;
    surroundings.add_value(print);
    surroundings.add_value(fingerprint_of_scattering(scene));
    surroundings.add_value(frame.pattern);
    surroundings.add_value(frame.scene.texture_filter);
    bool is_new = points_.update(context.scratch, context.timer, frame, config.octree,
                                 surroundings.value(), has_dim_dielectrics(scene));
    if (is_new) is_linked_ = is_in_tree_ = false;
    if (!is_in_tree_ && points_.size() > 0) {
        light_.build(context.scratch, points_.view().tree.points, points_.spacing(),
                     points_.sides(), points_.marks());
        is_in_tree_ = true;
    }
    if (points_.size() == 0 || config.bounces == 0) return;
    if (!transport_ || linked_mode_ != config.mode) {
        transport_ = make_transport(config.mode);
        is_linked_ = false;
    }
    const LinkSettings settings{config.visibility,          config.link_search, config.link_threads,
                                config.link_rays,           config.expansions,  config.error,
                                fingerprint_of_glass(scene)};
    std::uint64_t senders = fingerprint_of_senders(scene, context.frame.time);
    bool is_same = is_linked_ && linked_ == settings;
    if (is_same && senders_ == senders) return;
    is_linked_ = false;
    if (!is_same) {
        // Only from the second link() on, so that static scenes need no memory for it.
        std::vector<ScenePart> parts;
        if (config.link_memory && n_links_made_ > 0) {
            StageTimer::Scope stage(context.timer, "parts of the scene");
            parts = parts_of(scene, context.frame.time);
        }
        auto start = std::chrono::steady_clock::now();
        transport_->link(context.scratch, context.timer, points_.view(), points_.header(),
                         frame.scene, parts, config);
        context.stream().synchronize();
        std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
        link_ms_ = time.count();
        linked_mode_ = config.mode;
        linked_ = settings;
        ++n_links_made_;
    }
    // Other visibility tests do not agree with the rays of compare_view().
    if (config.visibility == PointVisibility::rays)
        compare_view(context, frame);
    else
        scale_.resize_discard(context.stream(), 0);
    senders_ = senders;
    is_linked_ = true;
}

void RadiositySolver::light_points(const FrameContext& context, const PathTracerFrame& frame,
                                   const RadiosityConfig& config) {
    auto& stream = context.stream();
    StageTimer::Scope stage(context.timer, "direct light at points");
    direct_.resize_discard(stream, points_.size());
    direct_.fill_zero(stream);
    auto n_samples = static_cast<std::uint32_t>(config.light_samples);
    if (points_.size() == 0) return;
    Scratch& scratch = context.scratch;
    Scratch::Scope scope(scratch);
    auto light = scratch.take<vec3>(kRaysAtOnce);
    for_slices(scratch, frame, points_.view(), n_samples,
               [&](SourceLight& source, std::uint32_t first, const ReceiverRays& rays) {
                   source.sample(rays, light);
                   add_light(stream, light, rays, first, 1 / static_cast<float>(n_samples),
                             direct_.view());
               });
}

void RadiositySolver::add_caustics(const FrameContext& context, const PathTracerFrame& frame,
                                   const RadiosityConfig& config) {
    has_caustics_ = false;
    if (points_.size() == 0 || config.caustic_photons == 0) return;
    // A fixed seed gives the same photons in every picture of a scene.
    FrameContext own = context;
    own.frame.seed = kPointNumbers;
    own.frame.sample = 0;
    caustics_->update(own, frame.scene, config.caustic_photons, config.max_depth);
    has_caustics_ = caustics_->any(context.stream());
    if (has_caustics_)
        caustics_->light_points(context.stream(), points_.view().tree.points, direct_.view());
}

void RadiositySolver::compare_view(const FrameContext& context, const PathTracerFrame& frame) {
    auto& stream = context.stream();
    StageTimer::Scope stage(context.timer, "view of points");
    Scratch& scratch = context.scratch;
    Scratch::Scope scope(scratch);
    std::uint32_t n = points_.size();
    scale_.resize_discard(stream, n);
    auto ones = scratch.take<vec3>(n), sent = scratch.take<vec3>(n);
    send_evenly(stream, points_.view().albedo, ones);
    transport_->gather(scratch, context.timer, points_.view(), ones, sent,
                       LightThroughGlass::unchanged);
    constexpr std::uint32_t kRays = 128;
    auto n_met = scratch.take<std::uint32_t>(n);
    stream.device().fill_zero(stream, n_met.data, n * sizeof(std::uint32_t));
    for_slices(scratch, frame, points_.view(), kRays,
               [&](SourceLight& source, std::uint32_t first, ReceiverRays rays) {
                   rays.pair = 4;  // random numbers independent of those of direct lighting
                   source.count_diffuse(rays, {n_met.data + first, rays.places.size});
               });
    compare(stream, n_met, kRays, sent, scale_.view());
}

void RadiositySolver::bounce(const FrameContext& context, const RadiosityConfig& config) {
    auto& stream = context.stream();
    StageTimer::Scope stage(context.timer, "bounces");
    bounces_.clear();
    direct_flux_ = 0;
    check_.reset();
    is_lit_ = false;
    std::uint32_t n = points_.size();
    all_.resize_discard(stream, n);
    if (n == 0) return;
    Scratch& scratch = context.scratch;
    Scratch::Scope scope(scratch);
    DiffusePointsView points = points_.view();
    View<const Surfel> surfels = points.tree.points;
    auto radiosity = scratch.take<vec3>(n), arrived = scratch.take<vec3>(n);
    auto sum = scratch.take<vec3>(n);
    View<const vec3> direct = direct_.view();
    stream.device().fill_zero(stream, sum.data, n * sizeof(vec3));
    reflect(stream, points.albedo, direct, radiosity);
    float all = flux(scratch, surfels, direct);
    direct_flux_ = static_cast<double>(all);
    for (int bounce = 0; bounce < config.bounces; ++bounce) {
        if (!(all > 0)) break;
        transport_->gather(scratch, context.timer, points, radiosity, arrived,
                           LightThroughGlass::attenuated);
        if (bounce == 0 && config.check_points > 0)
            check_ = check_samples(scratch, points, context.scene.view(), config.visibility,
                                   *transport_, {radiosity, arrived},
                                   static_cast<std::uint32_t>(config.check_points));
        if (!scale_.empty()) scale_all(stream, scale_.view(), arrived);
        add(stream, arrived, sum);
        reflect(stream, points.albedo, arrived, radiosity);
        float more = flux(scratch, surfels, arrived);
        all += more;
        is_lit_ = is_lit_ || more > 0;
        bounces_.push_back(static_cast<double>(more));
        if (!(more > kLeastBounceLight * all)) break;
    }
    light_.set(stream, sum);
    stream.device().copy(stream, all_.data(), direct.data, n * sizeof(vec3));
    add(stream, sum, all_.view());
}

TL_DEVICE_END

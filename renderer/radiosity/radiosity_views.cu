// Views of the radiosity solver's points for display, figures and files.
#include "core/operators/operators.h"
#include "renderer/radiosity/radiosity_solver.h"
#include "renderer/scene/live/live_scene.h"

TL_DEVICE_BEGIN

SeparatePoints RadiositySolver::separate_points(PointLight light) {
    SeparatePoints separate;
    if (points_.size() == 0) return separate;
    DiffusePointsView points = points_.view();
    separate.nearest = light_.view();
    separate.points = points.tree.points;
    separate.irradiance = all_.view();
    if (light != PointLight::irradiance) separate.albedo = points.albedo;
    if (is_seen(light) && seen_from_.version == version_) {
        separate.seen = seen_.view();
        separate.chosen = seen_from_.point;
        separate.chosen_radius = 1.5f * points_.spacing();
    }
    return separate;
}

void RadiositySolver::update_seen(const FrameContext& context, const RadiosityConfig& config) {
    if (!is_seen(config.point_light) || points_.size() == 0) {
        seen_from_ = {};
        return;
    }
    if (seen_from_.version == version_ && seen_from_.kind == config.point_light &&
        seen_from_.position == config.seen_from())
        return;
    seen_from_ = {};
    StageTimer::Scope stage(context.timer, "points that one sees");
    Scratch& scratch = context.scratch;
    auto& stream = scratch.stream();
    DiffusePointsView points = points_.view();
    SeenFrom now{version_, config.point_light, config.seen_from()};
    now.point = find_chosen_point(scratch, points, now.position);
    seen_.resize_discard(stream, points_.size());
    bool by_links = now.kind == PointLight::seen && transport_ && is_linked_;
    if (by_links) {
        Scratch::Scope scope(scratch);
        auto target = scratch.take<std::uint32_t>(1);
        fill<std::uint32_t>(stream, target, now.point);
        transport_->find_visibilities(stream, points, target, seen_.view());
        hide_averted_points(stream, points.tree.points, now.point, seen_.view());
    } else {
        test_seen_points(scratch, points, context.scene.view(), config.visibility, now.point,
                         seen_.view());
    }
    now.counts = count_seen(scratch, seen_.view());
    seen_from_ = now;
    ++n_seen_updates_;
}

IlluminationMap RadiositySolver::illumination(Stream& stream) {
    std::size_t n = points_.size();
    IlluminationMap map;
    if (n == 0) return map;
    if (versions_ == Versions{})
        throw UserError("the light at points is not complete; wait for the next picture");
    DiffusePointsView points = points_.view();
    std::vector<Surfel> surfels(n);
    std::vector<vec3> albedo(n);
    map.positions.resize(n), map.irradiance.resize(n);
    auto download = [&](auto& to, const void* from) {
        stream.device().download(stream, to.data(), from, n * sizeof to[0]);
    };
    download(surfels, points.tree.points.data);
    download(map.positions, points.starts.data);
    download(albedo, points.albedo.data);
    download(map.irradiance, all_.data());
    map.normals.resize(n), map.areas.resize(n), map.radiosity.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        map.normals[i] = surfels[i].normal;
        map.areas[i] = surfels[i].area;
        map.radiosity[i] = albedo[i] * map.irradiance[i];
    }
    return map;
}

std::vector<PictureFigure> RadiositySolver::figures() const {
    if (!check_) return {};
    return {{"error of light between points", check_->error},
            {"hidden pairs of points that links see", check_->falsely_seen},
            {"visible pairs of points that links hide", check_->falsely_hidden},
            {"light that links send too much", check_->surplus}};
}

std::vector<FrameCount> RadiositySolver::counts() const {
    std::vector<FrameCount> all{{"points", points_.size(), 0}, {"bounces", bounces_.size(), 0}};
    constexpr std::uint64_t kParts = 1'000'000;  // of direct light
    for (std::size_t k = 0; k < bounces_.size(); ++k)
        all.push_back({"bounce " + std::to_string(k + 1) + ", of direct light",
                       static_cast<std::uint64_t>(kParts * bounces_[k] / direct_flux_), 0, "",
                       kParts});
    all.push_back({"times that links were made", n_links_made_, 0});
    if (transport_ && is_linked_)
        for (auto& count : transport_->counts()) all.push_back(count);
    return all;
}

TransportReport RadiositySolver::report(const RadiosityConfig& config) const {
    TransportReport report;
    report.direct = direct_flux_;
    report.bounces = bounces_;
    report.least_share = static_cast<double>(kLeastBounceLight);
    report.most_bounces = static_cast<std::size_t>(config.bounces);
    report.n_points = points_.size();
    report.n_links_made = n_links_made_;
    if (check_) report.error = check_->error;
    if (seen_from_.version == version_ && version_ > 0) {
        report.seen = {seen_from_.counts.whole, seen_from_.counts.in_part};
    }
    report.octree.builder = name_of(config.octree.builder);
    report.octree.leaf_size = config.octree.leaf_size;
    report.octree.most_levels = config.octree.levels;
    report.octree.n_levels = points_.size() > 0 ? points_.header().n_levels() : 0;
    report.octree.build_ms = points_.octree_ms();
    if (!transport_ || !is_linked_) return report;
    auto work = transport_->work();
    report.n_rays = work.rays;
    report.n_terms = work.terms;
    report.link_ms = link_ms_;
    report.levels = transport_->levels();
    return report;
}

std::optional<GroupLinks> RadiositySolver::links_at(Scratch& scratch, vec3 position, vec3 normal,
                                                    int above, bool with_above) {
    if (!transport_ || !is_linked_ || versions_ == Versions{}) return {};
    std::uint32_t point = find_nearest_point(scratch, light_.view(), position, normal);
    if (point == ~0u) return {};
    return transport_->links_of(scratch, points_.view(), point, above, with_above);
}

TL_DEVICE_END

#include "renderer/radiosity/diffuse_points.h"

#include <cmath>

#include "accel/bvh/traversal/any_tracer.h"
#include "accel/parallel/operators/operators.h"
#include "accel/parallel/parallel_for.h"
#include "renderer/paths/broad_albedo.h"
#include "renderer/radiosity/point_light.h"

TL_DEVICE_BEGIN

namespace {

/// What rays find on both sides of a sample.
struct LookAtSides {
    PathTracerFrame frame;
    View<const Surfel> samples;
    float lift;  ///< from how far they look, m
    View<Surfel> sides;
    View<vec3> starts, albedo;
    View<std::uint32_t> is_kept;

    template <class Tracer>
    TL_D void operator()(const Tracer& tracer, std::uint32_t i) const {
        constexpr float kMostOff = 0.5f;  // of the way to where the surface should be
        constexpr float kLeastCosine = 0.5f;
        const SceneView& scene = frame.scene;
        Surfel sample = samples[i / 2];
        vec3 side = i % 2 ? -sample.normal : sample.normal;
        is_kept[i] = 0;
        sides[i] = sample;
        Ray ray{};
        ray.origin = sample.position + lift * side;
        ray.direction = -side;
        ray.t_max = 2 * lift;
        Hit hit = closest_solid(tracer, scene, ray);
        if (!hit.found() || fabsf(hit.t - lift) > kMostOff * lift) return;
        PathRay seen{
            ray.origin, i, ray.direction, 1, vec3(1), 0, PackedCone::of({sqrtf(sample.area), 0})};
        PathHit h = path_hit(scene, seen, hit);
        if (glm::dot(h.side, side) < kLeastCosine) return;
        const Surface& s = h.surface;
        sides[i].position = s.position;
        sides[i].normal = fused_dot(s.normal, h.side) < 0 ? -s.normal : s.normal;
        // Rays between points start a little higher than others, so that they clear what is curved.
        constexpr float kLiftOfRays = 0.02f;
        starts[i] = start_of_rays(s.place.exists() ? PatchPlace{} : s.place, s.position, h.side) +
                    kLiftOfRays * lift * h.side;
        if (is_smooth_specular(scene, *s.material)) return;
        PathPlace at = path_place(scene, seen, hit, h, false);
        if (!at.face.is_real || !at.bsdf.has_broad()) return;
        constexpr std::uint32_t kDirections = 64;
        Sampler sampler(frame.pattern, frame.seed, i, 0);
        albedo[i] = glm::min(broad_albedo(at, sampler, kDirections), vec3(1));
        is_kept[i] = albedo[i] != vec3(0) ? 1 : 0;
    }
};

/// Whether light finds a way to a side: that of a solid's inside has none.
struct FindLight {
    PathTracerFrame frame;
    View<const Surfel> sides;
    View<const vec3> starts;
    View<std::uint32_t> is_kept;

    template <class Tracer>
    TL_D void operator()(const Tracer& tracer, std::uint32_t i) const {
        if (!is_kept[i]) return;
        constexpr std::uint32_t kWalks = 6, kSteps = 5;
        PointLight<Tracer> light(tracer, frame);
        for (std::uint32_t walk = 0; walk < kWalks; ++walk) {
            ReceivingPlace place{sides[i].position, starts[i], sides[i].normal};
            for (std::uint32_t step = 0; step < kSteps; ++step) {
                LightNumbers r = LightNumbers::of(frame, i * kSteps + step, walk);
                if (light.irradiance(place, r) != vec3(0)) return;
                // Another pair than the light's own ray has.
                vec2 way =
                    Sampler(frame.pattern, frame.seed, i * kSteps + step, 0).pair(3).point(walk);
                if (!light.next(place, way, place)) break;
            }
        }
        is_kept[i] = 0;
    }
};

/// Runs op(tracer, i) for all i below `n`. Looking at surfaces takes more registers than kernels
/// have that do little but trace, so none are held back.
template <class Op>
struct TracePoints {
    Stream& stream;
    const char* name;
    std::uint32_t n;
    Op op;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        Op op = this->op;
        op.frame.scene = seen_by<Tracer>(op.frame.scene);
        parallel_for(
            stream, name, n, TL_LAMBDA(std::uint32_t i) { op(tracer, i); }, 64);
    }
};

/// The number of points that differ from those before.
std::uint32_t count_changes(Scratch& scratch, View<const Surfel> now, View<const Surfel> before) {
    auto& stream = scratch.stream();
    auto n = static_cast<std::uint32_t>(now.size);
    Scratch::Scope scope(scratch);
    auto n_changed = scratch.take<std::uint32_t>(1);
    stream.device().fill_zero(stream, n_changed.data, sizeof(std::uint32_t));
    parallel_for(
        stream, "compare points", n, TL_LAMBDA(std::uint32_t i) {
            const Surfel &a = now[i], &b = before[i];
            if (a.position != b.position || a.normal != b.normal || a.area != b.area)
                atomic_add(n_changed.data, 1);
        });
    std::uint32_t count = 0;
    stream.device().download(stream, &count, n_changed.data, sizeof count);
    return count;
}

}  // namespace

void DiffusePoints::set_samples(Stream& stream, std::span<const Surfel> samples) {
    samples_.assign(stream, samples);
    double area = 0;
    for (auto& sample : samples) area += static_cast<double>(sample.area);
    spacing_ = samples.empty()
                   ? 0
                   : static_cast<float>(std::sqrt(area / static_cast<double>(samples.size())));
}

DiffusePointsView DiffusePoints::view() {
    return {tree_.view(), starts_.view(), albedo_.view()};
}

std::size_t DiffusePoints::bytes() const {
    return samples_.bytes() + sides_.bytes() + kept_.bytes() + side_starts_.bytes() +
           side_albedo_.bytes() + starts_.bytes() + albedo_.bytes() + tree_.bytes();
}

bool DiffusePoints::update(Scratch& scratch, StageTimer& timer, const PathTracerFrame& frame,
                           int leaf_size) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto n_sides = static_cast<std::uint32_t>(2 * samples_.size());
    sides_.resize_discard(stream, n_sides);
    side_starts_.resize_discard(stream, n_sides);
    side_albedo_.resize_discard(stream, n_sides);
    auto is_kept = scratch.take<std::uint32_t>(n_sides), all = scratch.take<std::uint32_t>(n_sides);
    auto chosen = scratch.take<std::uint32_t>(n_sides), count = scratch.take<std::uint32_t>(1);
    stream.device().fill_zero(stream, count.data, sizeof(std::uint32_t));
    auto sides = sides_.view();
    auto starts = side_starts_.view(), albedo = side_albedo_.view();
    {
        StageTimer::Scope stage(timer, "surfaces at points");
        constexpr float kLift = 0.05f;  // of the spacing
        TreeView tree = frame.scene.tree;
        visit_any_tracer(tree, TracePoints<LookAtSides>{stream,
                                                        "surfaces at points",
                                                        n_sides,
                                                        {frame, samples_.view(), kLift * spacing_,
                                                         sides, starts, albedo, is_kept}});
        visit_any_tracer(
            tree,
            TracePoints<FindLight>{
                stream, "sides that light reaches", n_sides, {frame, sides, starts, is_kept}});
        iota(stream, all);
        compact<std::uint32_t>(scratch, all, is_kept, chosen, count);
    }
    std::uint32_t n = 0;
    if (n_sides > 0) stream.device().download(stream, &n, count.data, sizeof n);
    auto points = scratch.take<Surfel>(n);
    parallel_for(
        stream, "points", n, TL_LAMBDA(std::uint32_t i) { points[i] = sides[chosen[i]]; });
    bool is_new = n != n_ || leaf_size != leaf_size_ ||
                  (n > 0 && count_changes(scratch, points, kept_.view()) > 0);
    n_ = n;
    leaf_size_ = leaf_size;
    kept_.resize_discard(stream, n);
    starts_.resize_discard(stream, n);
    albedo_.resize_discard(stream, n);
    if (n == 0) return is_new;
    if (is_new) {
        stream.device().copy(stream, kept_.data(), points.data, n * sizeof(Surfel));
        if (!builder_) builder_ = make_octree_builder("modern", stream.device());
        OctreeConfig config{.leaf_size = leaf_size};
        do builder_->build(scratch, kept_.view(), config, tree_, timer);
        while (tree_.make_room(stream));
        header_ = tree_.header(stream);
    }
    View<const Surfel> ordered = tree_.view().points;
    auto own_starts = starts_.view(), own_albedo = albedo_.view();
    parallel_for(
        stream, "order of points", n, TL_LAMBDA(std::uint32_t i) {
            std::uint32_t side = chosen[ordered[i].index];
            own_starts[i] = starts[side];
            own_albedo[i] = albedo[side];
        });
    return is_new;
}

TL_DEVICE_END

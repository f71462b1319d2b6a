#include "renderer/radiosity/points/diffuse_points.h"

#include <chrono>
#include <cmath>

#include "core/device/parallel_for.h"
#include "core/operators/operators.h"
#include "renderer/path/path_rays.h"
#include "renderer/radiosity/points/diffuse_surfaces.h"
#include "renderer/radiosity/points/source_light.h"
#include "renderer/radiosity/transport/point_kernel.h"
#include "renderer/shading/enclosing_media.h"

TL_DEVICE_BEGIN

namespace {

/// Tests by a few random walks whether light reaches the sides [first, first + n); a solid's inside
/// gets none. All is public, since CUDA forbids device lambdas in private functions.
struct LightSearch {
    static constexpr std::uint32_t kWalks = 6,  ///< maximum number of walks from a side
        kSteps = 5;                             ///< maximum number of steps of a walk

    Stream& stream;
    SampleSides sides;
    std::uint32_t first, n;
    SourceLight source;
    View<ReceiverPoint> places;
    View<vec3> light;
    View<std::uint32_t> continues, met;

    LightSearch(Scratch& scratch, const PathTracerFrame& frame, const SampleSides& sides,
                std::uint32_t first, std::uint32_t n)
        : stream(scratch.stream()),
          sides(sides),
          first(first),
          n(n),
          source(scratch, frame, n),
          places(scratch.take<ReceiverPoint>(n)),
          light(scratch.take<vec3>(n)),
          continues(scratch.take<std::uint32_t>(n)),
          met(scratch.take<std::uint32_t>(n)) {}

    void run(std::uint32_t n_walks, std::uint32_t n_steps) {
        for (std::uint32_t walk = 0; walk < n_walks; ++walk) {
            start();
            for (std::uint32_t step = 0; step < n_steps; ++step) {
                ReceiverRays rays{places};
                rays.stride = kSteps;
                rays.offset = first * kSteps + step;
                rays.first_ray = walk;
                rays.wanted = continues;
                source.sample(rays, light, places, met);
                go_on();
            }
        }
    }
    void start() {
        auto marks = sides.marks, continues = this->continues;
        auto places = this->places;
        SampleSides sides = this->sides;
        std::uint32_t first = this->first;
        parallel_for(
            stream, "start walks", n, TL_LAMBDA(std::uint32_t k) {
                std::uint32_t i = first + k;
                continues[k] = marks[i] == SampleSides::kDark ? 1 : 0;
                places[k] = {sides.points[i].position, sides.starts[i], sides.points[i].normal, {}};
            });
    }
    void go_on() {
        auto marks = sides.marks, continues = this->continues;
        View<const std::uint32_t> met = this->met;
        View<const vec3> light = this->light;
        std::uint32_t first = this->first;
        parallel_for(
            stream, "go on with walks", n, TL_LAMBDA(std::uint32_t k) {
                if (!continues[k]) return;
                // A hit on a lamp counts as lit: it may light this side once moved or turned.
                bool is_lit = light[k] != vec3(0) || met[k] == 2;
                if (is_lit) marks[first + k] = SampleSides::kPoint;
                continues[k] = !is_lit && met[k] ? 1 : 0;
            });
    }
};

void search_light(Scratch& scratch, const PathTracerFrame& frame, const SampleSides& sides,
                  std::uint32_t n_walks, std::uint32_t n_steps) {
    auto n = static_cast<std::uint32_t>(sides.marks.size);
    for (std::uint32_t first = 0; first < n; first += kRaysAtOnce) {
        Scratch::Scope wave(scratch);
        LightSearch(scratch, frame, sides, first, std::min(kRaysAtOnce, n - first))
            .run(n_walks, n_steps);
    }
}

/// Sets flags[i] to 1 if side i is a point, else 0. Returns the number of points. Waits for the
/// stream.
std::uint32_t flag_points(Scratch& scratch, View<const std::uint32_t> marks,
                          View<std::uint32_t> flags) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto sum = scratch.take<std::uint32_t>(1);
    parallel_for(
        stream, "sides that light reaches", static_cast<std::uint32_t>(flags.size),
        TL_LAMBDA(std::uint32_t i) { flags[i] = marks[i] == SampleSides::kPoint ? 1 : 0; });
    reduce<std::uint32_t>(scratch, flags, sum);
    std::uint32_t n = 0;
    stream.device().download(stream, &n, sum.data, sizeof n);
    return n;
}

/// Makes visibility rays from dark sides to random points that face them.
struct LookAtPoints {
    static constexpr std::uint32_t kRays = 8;  ///< maximum number of rays from each side

    PathTracerFrame frame;
    SampleSides sides;
    View<const std::uint32_t> points;  ///< indices of the sides that are points
    std::uint32_t n_points, first;
    ShadowQueue queue;
    std::uint32_t* count;

    TL_D void operator()(std::uint32_t r) const {
        constexpr std::uint32_t kTries = 16;
        std::uint32_t i = first + r / kRays;
        if (sides.marks[i] != SampleSides::kDark) return;
        Surfel own = sides.points[i];
        for (std::uint32_t t = 0; t < kTries; ++t) {
            float place = to_unit_float(hash_bits(hash_bits(i) + r % kRays * kTries + t));
            auto k = static_cast<std::uint32_t>(place * static_cast<float>(n_points));
            std::uint32_t j = points[k < n_points ? k : n_points - 1];
            if (!(point_kernel(sides.points[j], own) > 0)) continue;
            vec3 way = sides.starts[j] - sides.starts[i];
            Ray ray;
            ray.origin = sides.starts[i];
            ray.t_max = glm::length(way);
            ray.direction = way / ray.t_max;
            std::uint32_t at = atomic_append(count);
            queue.store(at, ray, {vec3(0), i});
            return;
        }
    }
};

/// Marks dark sides that see a point as points too, since light reaches them from there. Covers
/// sides that mostly see the sky, whose walks may all leave the scene. Does nothing if the walks
/// added none to the `n_known` points of an earlier search, whose result stays valid.
void keep_sides_that_see_points(Scratch& scratch, const PathTracerFrame& frame,
                                const SampleSides& sides, std::uint32_t n_known) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto n = static_cast<std::uint32_t>(sides.marks.size);
    auto all = scratch.take<std::uint32_t>(n), flags = scratch.take<std::uint32_t>(n);
    auto points = scratch.take<std::uint32_t>(n), count = scratch.take<std::uint32_t>(2);
    auto marks = sides.marks;
    std::uint32_t n_points = flag_points(scratch, marks, flags);
    if (n_points == n_known) return;
    iota(stream, all);
    compact<std::uint32_t>(scratch, all, flags, points, {count.data, 1});
    constexpr std::uint32_t kSides = kRaysAtOnce / LookAtPoints::kRays;
    ShadowQueue queue(scratch, std::min(n, kSides) * LookAtPoints::kRays);
    std::uint32_t* n_rays = count.data + 1;
    for (std::uint32_t first = 0; first < n; first += kSides) {
        std::uint32_t n_now = std::min(n - first, kSides) * LookAtPoints::kRays;
        stream.device().fill_zero(stream, n_rays, sizeof *n_rays);
        const LookAtPoints look{frame, sides, points, n_points, first, queue, n_rays};
        parallel_for(
            stream, "rays to points", n_now, TL_LAMBDA(std::uint32_t r) { look(r); }, 256);
        trace_shadow_rays(scratch, frame.scene, queue, n_rays,
                          launch_of_scattered_rays(frame.scene));
        for_each_entry(
            stream, "sides that see points", n_rays, n_now, TL_LAMBDA(std::uint32_t k) {
                if (!queue.occluded[k]) marks[queue.light[k].pixel] = SampleSides::kPoint;
            });
    }
}

/// Number of points that differ from the previous ones. Waits for the stream.
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

/// Number of leaves of an octree. Waits for the stream.
std::uint32_t count_leaves(Scratch& scratch, View<const OctreeNode> nodes, std::uint32_t n_nodes) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto is_leaf = scratch.take<std::uint32_t>(n_nodes), sum = scratch.take<std::uint32_t>(1);
    parallel_for(
        stream, "leaves", n_nodes,
        TL_LAMBDA(std::uint32_t i) { is_leaf[i] = nodes[i].is_leaf() ? 1 : 0; });
    reduce<std::uint32_t>(scratch, is_leaf, sum);
    std::uint32_t n = 0;
    stream.device().download(stream, &n, sum.data, sizeof n);
    return n;
}

}  // namespace

void DiffusePoints::set_samples(Scratch& scratch, std::span<const Surfel> samples) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto given = scratch.take<Surfel>(samples.size());
    if (!samples.empty())
        stream.device().upload(stream, given.data, samples.data(), samples.size_bytes());
    bool are_same = !is_stale_ && samples.size() == samples_.size() &&
                    (samples.empty() || count_changes(scratch, given, samples_.view()) == 0);
    if (are_same) return;
    is_stale_ = true;
    samples_.assign(stream, samples);
    marks_.resize_discard(stream, 2 * samples.size());
    marks_.fill_zero(stream);
    double area = 0;
    for (auto& sample : samples) area += static_cast<double>(sample.area);
    spacing_ = samples.empty()
                   ? 0
                   : static_cast<float>(std::sqrt(area / static_cast<double>(samples.size())));
}

DiffusePointsView DiffusePoints::view() {
    return {tree_.view(), starts_.view(), albedo_.view(), media_.view()};
}

std::size_t DiffusePoints::bytes() const {
    return samples_.bytes() + sides_.bytes() + marks_.bytes() + side_starts_.bytes() +
           side_albedo_.bytes() + starts_.bytes() + albedo_.bytes() + media_.bytes() +
           tree_.bytes();
}

void DiffusePoints::build_tree(Scratch& scratch, StageTimer& timer, View<const Surfel> points) {
    Stream& stream = scratch.stream();
    stream.synchronize();
    auto start = std::chrono::steady_clock::now();
    OctreeConfig config{
        .leaf_size = octree_.leaf_size, .max_level = octree_.levels, .by_normal = true};
    auto build = [&](float stretch) {
        config.stretch = stretch;
        do builder_->build(scratch, points, config, tree_, timer);
        while (tree_.make_room(stream));
        header_ = tree_.header(stream);
    };
    // Points are spread evenly, so slightly smaller cells may make leaves hold a quarter as many.
    // Tries a few cell sizes and keeps the one with the fewest leaves.
    constexpr float kStretches[] = {1, 1.19f, 1.41f, 1.68f};
    float best = 0;
    std::uint32_t fewest = UINT32_MAX;
    for (float stretch : kStretches) {
        build(stretch);
        std::uint32_t n = count_leaves(scratch, tree_.view().nodes, header_.n_nodes);
        if (n < fewest) fewest = n, best = stretch;
    }
    if (best != config.stretch) build(best);
    std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    octree_ms_ = time.count();
}

bool DiffusePoints::update(Scratch& scratch, StageTimer& timer, const PathTracerFrame& frame,
                           const PointOctreeConfig& octree, std::uint64_t surroundings,
                           bool finds_media) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    bool is_known = !is_stale_ && surroundings == surroundings_ && octree == octree_;
    auto n_sides = static_cast<std::uint32_t>(2 * samples_.size());
    if (!is_known) {
        sides_.resize_discard(stream, n_sides);
        side_starts_.resize_discard(stream, n_sides);
        side_albedo_.resize_discard(stream, n_sides);
    }
    auto marks = scratch.take<std::uint32_t>(n_sides), all = scratch.take<std::uint32_t>(n_sides);
    auto flags = scratch.take<std::uint32_t>(n_sides);
    auto chosen = scratch.take<std::uint32_t>(n_sides), count = scratch.take<std::uint32_t>(1);
    auto sides = sides_.view();
    // On the CPU cancellation may throw from any launch below. Hence marks_ is copied and updated
    // only at the end.
    stream.device().copy(stream, marks.data, marks_.data(), n_sides * sizeof(std::uint32_t));
    surroundings_ = 0;
    auto starts = side_starts_.view(), albedo = side_albedo_.view();
    std::uint32_t n = 0;
    if (n_sides > 0) {
        StageTimer::Scope stage(timer, "surfaces at points");
        constexpr float kLift = 0.05f;  // in units of the spacing
        const SampleSides looked{sides, starts, albedo, marks};
        PathTracerFrame through = frame;
        through.scene.glass_passes_light = frame.scene.has_glass;
        if (is_known) {
            // Only lamps may have changed. A dark side without direct light gets no indirect light
            // either: a side that sees any point has become a point already.
            search_light(scratch, through, looked, 1, 1);
            n = flag_points(scratch, marks, flags);
            if (n == n_) {
                surroundings_ = surroundings;
                return false;
            }
        } else {
            look_at_sides(scratch, frame, samples_.view(), kLift * spacing_, looked);
        }
        search_light(scratch, through, looked, LightSearch::kWalks, LightSearch::kSteps);
        keep_sides_that_see_points(scratch, through, looked, is_stale_ ? 0 : n_);
        n = flag_points(scratch, marks, flags);
        iota(stream, all);
        compact<std::uint32_t>(scratch, all, flags, chosen, count);
    }
    // For the same samples points are only ever added, so an equal number means the same points.
    bool is_new = is_stale_ || n != n_ || octree != octree_;
    is_stale_ = is_new;
    n_ = n;
    if (octree.builder != octree_.builder) builder_.reset();
    octree_ = octree;
    starts_.resize_discard(stream, n);
    albedo_.resize_discard(stream, n);
    media_.resize_discard(stream, finds_media ? n : 0);
    if (is_new && n > 0) {
        auto points = scratch.take<Surfel>(n);
        parallel_for(
            stream, "points", n, TL_LAMBDA(std::uint32_t i) { points[i] = sides[chosen[i]]; });
        if (!builder_)
            builder_ = make_octree_builder(std::string(name_of(octree.builder)), stream.device());
        build_tree(scratch, timer, points);
    }
    if (n == 0) {
        is_stale_ = false;
        return is_new;
    }
    View<const Surfel> ordered = tree_.view().points;
    auto own_starts = starts_.view(), own_albedo = albedo_.view();
    parallel_for(
        stream, "order of points", n, TL_LAMBDA(std::uint32_t i) {
            std::uint32_t side = chosen[ordered[i].index];
            own_starts[i] = starts[side];
            own_albedo[i] = albedo[side];
        });
    if (finds_media) find_enclosing_media(stream, frame.scene, starts_.view(), media_.view());
    stream.device().copy(stream, marks_.data(), marks.data, n_sides * sizeof(std::uint32_t));
    is_stale_ = false;
    surroundings_ = surroundings;
    return is_new;
}

TL_DEVICE_END

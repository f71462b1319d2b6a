#include "renderer/radiosity/diffuse_points.h"

#include <cmath>

#include "accel/parallel/operators/operators.h"
#include "accel/parallel/parallel_for.h"
#include "renderer/radiosity/broad_places.h"
#include "renderer/radiosity/source_light.h"

TL_DEVICE_BEGIN

namespace {

/// Whether light finds a way to the sides [first, first + n) by a few random walks: that of a
/// solid's inside has none. (Lambdas for the device cannot be in private functions.)
struct LightSearch {
    /// What SampleSides::is_kept is while walks go on.
    enum Mark : std::uint32_t { kDark = 1, kLit = 2 };

    Stream& stream;
    SampleSides sides;
    std::uint32_t first, n;
    SourceLight source;
    View<ReceivingPlace> places;
    View<vec3> light;
    View<std::uint32_t> goes_on, met;

    LightSearch(Scratch& scratch, const PathTracerFrame& frame, const SampleSides& sides,
                std::uint32_t first, std::uint32_t n)
        : stream(scratch.stream()),
          sides(sides),
          first(first),
          n(n),
          source(scratch, frame, n),
          places(scratch.take<ReceivingPlace>(n)),
          light(scratch.take<vec3>(n)),
          goes_on(scratch.take<std::uint32_t>(n)),
          met(scratch.take<std::uint32_t>(n)) {}

    void run() {
        constexpr std::uint32_t kWalks = 6, kSteps = 5;
        for (std::uint32_t walk = 0; walk < kWalks; ++walk) {
            start();
            for (std::uint32_t step = 0; step < kSteps; ++step) {
                RaysOfPlaces rays{places};
                rays.stride = kSteps;
                rays.offset = first * kSteps + step;
                rays.first_ray = walk;
                rays.wanted = goes_on;
                source.sample(rays, light, places, met);
                go_on();
            }
        }
        auto kept = sides.is_kept;
        std::uint32_t first = this->first;
        parallel_for(
            stream, "sides that light reaches", n,
            TL_LAMBDA(std::uint32_t k) { kept[first + k] = kept[first + k] == kLit ? 1 : 0; });
    }
    void start() {
        auto kept = sides.is_kept, goes_on = this->goes_on;
        auto places = this->places;
        SampleSides sides = this->sides;
        std::uint32_t first = this->first;
        parallel_for(
            stream, "start walks", n, TL_LAMBDA(std::uint32_t k) {
                std::uint32_t i = first + k;
                goes_on[k] = kept[i] == kDark ? 1 : 0;
                places[k] = {sides.points[i].position, sides.starts[i], sides.points[i].normal};
            });
    }
    void go_on() {
        auto kept = sides.is_kept, goes_on = this->goes_on;
        View<const std::uint32_t> met = this->met;
        View<const vec3> light = this->light;
        std::uint32_t first = this->first;
        parallel_for(
            stream, "go on with walks", n, TL_LAMBDA(std::uint32_t k) {
                if (!goes_on[k]) return;
                bool is_lit = light[k] != vec3(0);
                if (is_lit) kept[first + k] = kLit;
                goes_on[k] = !is_lit && met[k] ? 1 : 0;
            });
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
        const SampleSides looked{sides, starts, albedo, is_kept};
        look_at_sides(scratch, frame, samples_.view(), kLift * spacing_, looked);
        for (std::uint32_t first = 0; first < n_sides; first += kRaysAtOnce) {
            Scratch::Scope wave(scratch);
            LightSearch(scratch, frame, looked, first, std::min(kRaysAtOnce, n_sides - first))
                .run();
        }
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

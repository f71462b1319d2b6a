// What rays cost in the tree at hand, as false colours: the mean over the samples of what a pixel's
// primary ray (and its shadow rays, if wanted) met. The scale follows the picture on the device, by
// a histogram, so that no frame waits for it.
#include "renderer/heat_map/heat_map.h"

#include "accel/parallel/operators.h"
#include "accel/parallel/parallel_for.h"
#include "renderer/false_color.h"
#include "renderer/heat_map/color_map.h"
#include "renderer/shading/camera_rays.h"
#include "renderer/shading/direct_light.h"

TL_DEVICE_BEGIN

namespace {

enum class Counted : int { visits, tests, both };

struct HeatMapConfig {
    int count = static_cast<int>(Counted::visits);
    float scale = 0;
    float percentile = 99.5f;
    bool shadows = false;
};

/// What the legend tells, in device memory.
struct Readout {
    float minimum, sum, maximum, top;
};
static_assert(sizeof(Readout) == 16);

/// Adds what a tracer's rays meet to one account.
template <class Tracer>
struct CountingTracer {
    const Tracer& tracer;
    RayStats& stats;
    TL_D Hit closest(const Ray& ray, NoStats = {}) const { return tracer.closest(ray, stats); }
    TL_D bool occluded(const Ray& ray) const { return tracer.occluded(ray, stats); }
};

/// Primary ray of a pixel and, with `shadows`, one shadow ray to every light; returns the rays.
template <class Tracer>
TL_D std::uint32_t trace_pixel(const CountingTracer<Tracer>& tracer, const SceneView& scene,
                               Ray ray, bool shadows, Sampler& sampler) {
    Hit hit = closest_solid(tracer, scene, ray);
    std::uint32_t n_rays = 1;
    if (!shadows || !hit.found()) return n_rays;
    Surface s = surface_at(scene, ray, hit);
    if (s.material->kind == MaterialKind::mirror || s.material->kind == MaterialKind::dielectric)
        return n_rays;
    bool from_inside = glm::dot(s.geometric_normal, ray.direction) > 0;
    vec3 side = from_inside ? -s.geometric_normal : s.geometric_normal;
    // White and facing the viewer, so that no light is left out for the surface's sake.
    LitPlace place{s.material, vec3(1), s.position,     start_of_rays(s, s.position, side),
                   side,       side,    -ray.direction, s.place};
    direct_light(tracer, scene, place, 1, true, sampler, n_rays);
    return n_rays;
}

struct CountPass {
    Stream& stream;
    FilmView film;
    SceneView scene;
    CameraRays camera;
    PixelOrder order;
    View<std::uint32_t> sums;
    Counted counted;
    bool shadows;
    std::uint32_t sample;
    std::uint64_t seed;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        constexpr std::uint32_t kGrain = PixelOrder::kTile * PixelOrder::kTile;
        // Copies, since a lambda for the device captures no members.
        FilmView out = this->film;
        SceneView scene = this->scene;
        CameraRays camera = this->camera;
        PixelOrder order = this->order;
        auto sums = this->sums;
        Counted counted = this->counted;
        bool shadows = this->shadows;
        std::uint32_t sample = this->sample;
        std::uint64_t seed = this->seed;
        parallel_for(
            stream, "heat map", order.n_items,
            TL_LAMBDA(std::uint32_t item) {
                std::uint32_t x, y;
                if (!order.pixel(item, x, y)) return;
                std::uint32_t pixel = y * static_cast<std::uint32_t>(out.extent.width) + x;
                Sampler sampler(camera.pattern, seed, pixel, sample);
                Ray ray = camera.sample(x, y, sampler);
                RayStats stats;
                CountingTracer<Tracer> counting{tracer, stats};
                out.ray_count[pixel] =
                    trace_pixel(counting, seen_by<Tracer>(scene), ray, shadows, sampler);
                std::uint32_t count = counted == Counted::visits ? stats.n_nodes
                                      : counted == Counted::tests
                                          ? stats.n_primitives
                                          : stats.n_nodes + stats.n_primitives;
                sums[pixel] = (sample == 0 ? 0 : sums[pixel]) + count;
            },
            kGrain);
    }
};

// Bins of the histogram: one for values below 1, then 16 to an octave up to 65536.
constexpr std::uint32_t kBins = 257;
constexpr std::uint32_t kBinShift = 19, kBinOfOne = 127u << 4;

TL_HD std::uint32_t bin_of(float value) {
    if (!(value >= 1)) return 0;
    std::uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    std::uint32_t bin = (bits >> kBinShift) - kBinOfOne + 1;
    return bin < kBins ? bin : kBins - 1;
}
/// Where the bin ends.
TL_HD float end_of_bin(std::uint32_t bin) {
    std::uint32_t bits = (bin + kBinOfOne) << kBinShift;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// readout.top = where the bin ends that the percentile falls into, the maximum if that is less.
void find_percentile(Scratch& scratch, View<const float> values, float percentile,
                     View<Readout> readout) {
    // Enough for a percentile, few enough that adding to the same bins costs little.
    constexpr std::uint32_t kMostCounted = 1u << 16;
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto bins = scratch.take<std::uint32_t>(kBins), upto = scratch.take<std::uint32_t>(kBins);
    fill(stream, bins, 0u);
    auto n = static_cast<std::uint32_t>(values.size);
    std::uint32_t step = (n + kMostCounted - 1) / kMostCounted, counted = n / step;
    parallel_for(
        stream, "heat histogram", counted, TL_LAMBDA(std::uint32_t i) {
            // Not the same columns of every row.
            std::uint32_t jitter = (i * 2654435761u >> 8) % step;
            atomic_add(&bins[bin_of(values[i * step + jitter])], 1u);
        });
    inclusive_scan<std::uint32_t>(scratch, bins, upto);
    auto wanted = static_cast<std::uint32_t>(ceilf(static_cast<float>(counted) * percentile / 100));
    wanted = wanted < 1 ? 1 : wanted < counted ? wanted : counted;
    parallel_for(
        stream, "heat percentile", kBins, TL_LAMBDA(std::uint32_t bin) {
            if (upto[bin] < wanted || (bin > 0 && upto[bin - 1] >= wanted)) return;
            readout[0].top = minimum(end_of_bin(bin), readout[0].maximum);
        });
}

/// values[i] = mean count of pixel i.
void mean_counts(Stream& stream, View<const std::uint32_t> sums, std::uint32_t n_samples,
                 View<float> values) {
    float per_sample = 1 / static_cast<float>(n_samples);
    parallel_for(
        stream, "mean counts", static_cast<std::uint32_t>(values.size),
        TL_LAMBDA(std::uint32_t i) { values[i] = static_cast<float>(sums[i]) * per_sample; });
}

/// readout.top = `top`, or the maximum where that is 0.
void set_top(Stream& stream, View<Readout> readout, float top) {
    parallel_for(
        stream, "heat scale", 1,
        TL_LAMBDA(std::uint32_t) { readout[0].top = top > 0 ? top : readout[0].maximum; });
}

void copy_top(Stream& stream, View<const Readout> from, View<Readout> to) {
    parallel_for(
        stream, "shared scale", 1, TL_LAMBDA(std::uint32_t) { to[0].top = from[0].top; });
}

void write_colors(Stream& stream, View<const float> values, View<const Readout> readout,
                  View<const vec3> colors, FilmView out) {
    parallel_for(
        stream, "false colors", static_cast<std::uint32_t>(values.size),
        TL_LAMBDA(std::uint32_t i) {
            float top = readout[0].top;
            float t = top > 0 ? minimum(values[i] / top, 1.0f) : 0;
            auto last = static_cast<float>(colors.size - 1);
            out.radiance_sum[i] = vec4(colors[static_cast<std::size_t>(t * last + 0.5f)], 1);
        });
}

class HeatMapRenderer final : public Renderer, public FalseColor {
  public:
    void render(const Frame& frame, LiveScene& live, Film& film, Scratch& scratch,
                StageTimer& timer) override {
        auto& stream = scratch.stream();
        FilmView out = film.view();
        auto pixels = static_cast<std::size_t>(out.extent.pixels());
        if (colors_.empty()) colors_.assign(stream, heat_colors());
        readout_.resize_discard(stream, 1);
        sums_.resize_discard(stream, pixels);
        extent_ = out.extent;
        n_samples_ = frame.sample + 1;
        {
            StageTimer::Scope stage(timer, "trace and shade");
            SceneView scene = live.view();
            visit_tracer(
                scene.tree,
                CountPass{stream, out, scene, CameraRays(frame.camera, out.extent, frame.sampling),
                          PixelOrder(out.extent), sums_.view(), static_cast<Counted>(config_.count),
                          config_.shadows, frame.sample, frame.seed});
        }
        StageTimer::Scope stage(timer, "false colors");
        Scratch::Scope scope(scratch);
        auto values = scratch.take<float>(pixels);
        mean_counts(stream, sums_.view(), n_samples_, values);
        measure(scratch, values);
        if (leader_ && !leader_->readout_.empty())
            copy_top(stream, leader_->readout_.view(), readout_.view());
        write_colors(stream, values, readout_.view(), colors_.view(), out);
    }

    FalseColor* false_color() override { return this; }

    FalseColorScale scale(Stream& stream) override {
        constexpr const char* kTitles[] = {"node visits", "primitive tests",
                                           "node visits + primitive tests"};
        std::string title = kTitles[config_.count];
        title += config_.shadows ? " a pixel, shadow rays included" : " a camera ray";
        if (n_samples_ == 0) return {title};
        Readout r = readout_.download(stream)[0];
        return {title, r.top, r.minimum, r.sum / static_cast<float>(extent_.pixels()), r.maximum};
    }

    float value(Stream& stream, int x, int y) override {
        if (n_samples_ == 0 || x < 0 || y < 0 || x >= extent_.width || y >= extent_.height)
            return 0;
        std::uint32_t sum = 0;
        stream.device().download(stream, &sum, sums_.data() + y * extent_.width + x, sizeof sum);
        return static_cast<float>(sum) / static_cast<float>(n_samples_);
    }

    void share_scale(const FalseColor* other) override {
        leader_ = dynamic_cast<const HeatMapRenderer*>(other);
    }

    Settings settings() override {
        return {
            {"count", config_.count, {"visits", "tests", "both"}, "what is counted along a ray"},
            {"scale", config_.scale, 0.0f, 1000.0f, "",
             "count that gets the last colour; 0: the percentile of the picture"},
            {"percentile", config_.percentile, 50.0f, 100.0f, "%",
             "share of the pixels that an automatic scale covers; 100: the maximum"},
            {"shadows", config_.shadows, "also count a shadow ray to every light"},
        };
    }

  private:
    /// Extremes and sum of the pixels' values, and the top of the scale.
    void measure(Scratch& scratch, View<const float> values) {
        float* readout = &readout_.data()->minimum;
        reduce<float>(scratch, values, {readout, 1}, Operator::minimum);
        reduce<float>(scratch, values, {readout + 1, 1}, Operator::sum);
        reduce<float>(scratch, values, {readout + 2, 1}, Operator::maximum);
        if (config_.scale > 0 || config_.percentile >= 100)
            set_top(scratch.stream(), readout_.view(), config_.scale);
        else
            find_percentile(scratch, values, config_.percentile, readout_.view());
    }

    HeatMapConfig config_;
    DeviceArray<vec3> colors_;
    DeviceArray<std::uint32_t> sums_;  // of each pixel, over the samples
    DeviceArray<Readout> readout_;     // one element
    Extent extent_;
    std::uint32_t n_samples_ = 0;
    const HeatMapRenderer* leader_ = nullptr;  // whose scale this one shares
};

}  // namespace

std::unique_ptr<Renderer> make_heat_map_renderer() {
    return std::make_unique<HeatMapRenderer>();
}

TL_DEVICE_END

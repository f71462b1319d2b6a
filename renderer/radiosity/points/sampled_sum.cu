#include "renderer/radiosity/points/sampled_sum.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/device/parallel_for.h"
#include "renderer/radiosity/transport/packed_transmittance.h"
#include "renderer/radiosity/transport/pair_visibility.h"
#include "renderer/radiosity/transport/point_kernel.h"
#include "renderer/radiosity/transport/transmittance.h"

TL_DEVICE_BEGIN

namespace {

/// Partial sums of one sample over one slice of all points.
struct PartSums {
    vec3 light{0};           ///< reference irradiance of the sample, W/m^2
    float sent = 0,          ///< reference irradiance if all points had a radiosity of 1
        sent_links = 0;      ///< `sent` by the visibility of links
    float seen = 0,          ///< visible pairs that face each other
        hidden = 0;          ///< occluded pairs that face each other
    float falsely_seen = 0,  ///< occluded pairs, each times its visibility by links
        falsely_hidden = 0;  ///< visible pairs, each times 1 - its visibility by links
};

/// Computes the transmittance between each sample and each point, where they face each other.
template <class Tracer>
struct FindSampleTransmittance {
    Tracer tracer;
    SceneView scene;
    DiffusePointsView points;
    View<const std::uint32_t> samples;
    View<PackedTransmittance> out;  ///< row by row: all points with samples[0], samples[1], ...

    TL_D void operator()(std::uint32_t item) const {
        auto n = static_cast<std::uint32_t>(points.starts.size);
        std::uint32_t i = samples[item / n], j = item % n;
        Surfel from = load_vectorized(points.tree.points[j]);
        if (!(point_kernel(from, load_vectorized(points.tree.points[i])) > 0)) return;
        out[item] = PackedTransmittance(
            cross(tracer, scene, points.starts[i], Media{points.media[i]}, points.starts[j])
                .transmittance);
    }
};

/// Transmittance between all samples and points; empty where dielectrics transmit all light. The
/// result is in memory of `scratch`.
View<const PackedTransmittance> sample_transmittance(Scratch& scratch,
                                                     const DiffusePointsView& points,
                                                     const SceneView& scene,
                                                     View<const std::uint32_t> samples) {
    if (points.media.empty()) return {};
    auto out = scratch.take<PackedTransmittance>(samples.size * points.starts.size);
    visit_any_tracer(scene.tree, [&](auto tracer) {
        using Tracer = decltype(tracer);
        const FindSampleTransmittance<Tracer> find{tracer, seen_by<Tracer>(scene), points, samples,
                                                   out};
        parallel_for(scratch.stream(), "transmittance of samples",
                     static_cast<std::uint32_t>(out.size), find, 32);
    });
    return out;
}

template <class Visibility>
struct SumPart {
    static constexpr std::uint32_t kSources = 256;

    Visibility visibility;
    View<const Surfel> points;
    View<const vec3> radiosity;
    View<const std::uint32_t> samples;
    View<const float> weights;                      ///< visibility by links, a row per sample
    View<const PackedTransmittance> transmittance;  ///< a row of all points per sample; empty: 1
    View<PartSums> parts;                           ///< all samples of slice 0, of slice 1, ...

    TL_D void operator()(std::uint32_t item) const {
        auto n = static_cast<std::uint32_t>(points.size);
        auto n_samples = static_cast<std::uint32_t>(samples.size);
        std::uint32_t i = samples[item % n_samples];
        std::size_t row = std::size_t(item % n_samples) * n;
        const float* of_links = &weights[row];
        std::uint32_t first = item / n_samples * kSources;
        std::uint32_t end = first + kSources < n ? first + kSources : n;
        Surfel own = load_vectorized(points[i]);
        PartSums sums;
        for (std::uint32_t j = first; j < end; ++j) {
            if (j == i) continue;
            Surfel from = load_vectorized(points[j]);
            float light = point_kernel(from, own) * from.area;
            if (!(light > 0)) continue;
            float weight = of_links[j];
            sums.sent_links += weight * light;
            if (visibility.sees(i, j)) {
                vec3 arrives = light * radiosity[j];
                if (!transmittance.empty()) arrives *= transmittance[row + j].unpacked();
                sums.light += arrives;
                sums.sent += light;
                sums.seen += 1;
                sums.falsely_hidden += 1 - weight;
            } else {
                sums.hidden += 1;
                sums.falsely_seen += weight;
            }
        }
        parts[item] = sums;
    }
};

template <class Visibility>
void sum_parts(Stream& stream, const SumPart<Visibility>& sum) {
    parallel_for<Visibility::kResidentBlocks>(
        stream, "sampled sums", static_cast<std::uint32_t>(sum.parts.size),
        TL_LAMBDA(std::uint32_t item) { sum(item); }, 1);
}

/// Accumulates errors over the samples.
class CheckSums {
  public:
    /// Adds one sample. `parts`: its partial sums, `step` apart; `found`: its gathered irradiance.
    void add(const PartSums* parts, std::size_t n_parts, std::size_t step, vec3 found) {
        glm::dvec3 light(0);
        for (std::size_t p = 0; p < n_parts; ++p) {
            const PartSums& part = parts[p * step];
            light += glm::dvec3(part.light);
            sent_ += double(part.sent), sent_links_ += double(part.sent_links);
            seen_ += double(part.seen), hidden_ += double(part.hidden);
            falsely_seen_ += double(part.falsely_seen);
            falsely_hidden_ += double(part.falsely_hidden);
        }
        glm::dvec3 off = glm::dvec3(found) - light;
        errors_ += glm::dot(off, off);
        squares_ += glm::dot(light, light);
    }
    [[nodiscard]] SampledCheck result() const {
        return {std::sqrt(share(errors_, squares_)), share(falsely_seen_, hidden_),
                share(falsely_hidden_, seen_), share(sent_links_ - sent_, sent_)};
    }

  private:
    [[nodiscard]] static double share(double part, double all) { return all > 0 ? part / all : 0; }

    double errors_ = 0, squares_ = 0, sent_ = 0, sent_links_ = 0;
    double seen_ = 0, hidden_ = 0, falsely_seen_ = 0, falsely_hidden_ = 0;
};

}  // namespace

SampledCheck check_samples(Scratch& scratch, const DiffusePointsView& points,
                           const SceneView& scene, PointVisibility visibility,
                           LightTransport& exchange, const GatheredLight& light,
                           std::uint32_t n_samples) {
    constexpr std::size_t kWeightsAtOnce = 1u << 25;
    auto& stream = scratch.stream();
    View<const Surfel> surfels = points.tree.points;
    std::size_t n = surfels.size;
    if (n == 0) return {};
    std::vector<std::uint32_t> samples(std::min<std::size_t>(n_samples, n));
    for (std::size_t s = 0; s < samples.size(); ++s)
        samples[s] = static_cast<std::uint32_t>(s * n / samples.size());
    std::vector<vec3> found(n);
    stream.device().download(stream, found.data(), light.irradiance.data, n * sizeof(vec3));
    constexpr std::uint32_t kSources = SumPart<NoOcclusion>::kSources;
    std::size_t n_parts = (n + kSources - 1) / kSources;
    std::size_t at_once = std::max<std::size_t>(kWeightsAtOnce / n, 1);
    float area = largest_area(scratch, surfels);
    CheckSums sums;
    for (std::size_t first = 0; first < samples.size(); first += at_once) {
        Scratch::Scope scope(scratch);
        std::size_t n_now = std::min(at_once, samples.size() - first);
        auto targets = scratch.take<std::uint32_t>(n_now);
        stream.device().upload(stream, targets.data, &samples[first], n_now * sizeof samples[0]);
        auto weights = scratch.take<float>(n_now * n);
        exchange.find_visibilities(stream, points, targets, weights);
        auto transmittance = sample_transmittance(scratch, points, scene, targets);
        auto parts = scratch.take<PartSums>(n_parts * n_now);
        visit_visibility(visibility, points, scene, area, [&](const auto& test) {
            using Visibility = std::remove_cvref_t<decltype(test)>;
            sum_parts(stream, SumPart<Visibility>{test, surfels, light.radiosity, targets, weights,
                                                  transmittance, parts});
        });
        std::vector<PartSums> of_parts(parts.size);
        stream.device().download(stream, of_parts.data(), parts.data,
                                 parts.size * sizeof(PartSums));
        for (std::size_t s = 0; s < n_now; ++s)
            sums.add(&of_parts[s], n_parts, n_now, found[samples[first + s]]);
    }
    return sums.result();
}

TL_DEVICE_END

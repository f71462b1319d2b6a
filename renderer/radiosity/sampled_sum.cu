#include "renderer/radiosity/sampled_sum.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "accel/parallel/parallel_for.h"
#include "renderer/radiosity/exchange.h"
#include "renderer/radiosity/pair_visibility.h"

TL_DEVICE_BEGIN

namespace {

/// What samples receive from one part of all points: parts[sample + n_samples part].
template <class Visibility>
struct SumPart {
    static constexpr std::uint32_t kSources = 256;

    Visibility visibility;
    View<const Surfel> points;
    View<const vec3> radiosity;
    std::uint32_t n_samples;
    View<vec3> parts;

    [[nodiscard]] TL_HD static std::uint32_t target(std::uint32_t sample, std::uint32_t n_samples,
                                                    std::uint32_t n_points) {
        return static_cast<std::uint32_t>(std::uint64_t(sample) * n_points / n_samples);
    }
    TL_D void operator()(std::uint32_t item) const {
        auto n = static_cast<std::uint32_t>(points.size);
        std::uint32_t i = target(item % n_samples, n_samples, n);
        std::uint32_t first = item / n_samples * kSources;
        std::uint32_t end = first + kSources < n ? first + kSources : n;
        Surfel own = load_whole(points[i]);
        vec3 sum(0);
        for (std::uint32_t j = first; j < end; ++j) {
            if (j == i || radiosity[j] == vec3(0)) continue;
            Surfel from = load_whole(points[j]);
            float light = exchange(from, own) * from.area;
            if (light > 0 && visibility.sees(i, j)) sum += light * radiosity[j];
        }
        parts[item] = sum;
    }
};

template <class Visibility>
void sum_parts(Stream& stream, const SumPart<Visibility>& sum) {
    parallel_for<Visibility::kResidentBlocks>(
        stream, "sampled sums", static_cast<std::uint32_t>(sum.parts.size),
        TL_LAMBDA(std::uint32_t item) { sum(item); }, 1);
}

}  // namespace

float error_by_samples(Scratch& scratch, const DiffusePointsView& points, const SceneView& scene,
                       PointVisibility visibility, const GatheredLight& light,
                       std::uint32_t n_samples) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    View<const Surfel> surfels = points.tree.points;
    auto n = static_cast<std::uint32_t>(surfels.size);
    n_samples = std::min(n_samples, n);
    if (n_samples == 0) return 0;
    constexpr std::uint32_t kSources = SumPart<NoOcclusion>::kSources;
    std::uint32_t n_parts = (n + kSources - 1) / kSources;
    auto parts = scratch.take<vec3>(std::size_t{n_parts} * n_samples);
    visit_visibility(
        visibility, points, scene, largest_area(scratch, surfels), [&](const auto& test) {
            using Visibility = std::remove_cvref_t<decltype(test)>;
            sum_parts(stream,
                      SumPart<Visibility>{test, surfels, light.radiosity, n_samples, parts});
        });
    std::vector<vec3> of_parts(parts.size), found(n);
    stream.device().download(stream, of_parts.data(), parts.data, parts.size * sizeof(vec3));
    stream.device().download(stream, found.data(), light.irradiance.data, n * sizeof(vec3));
    double errors = 0, squares = 0;
    for (std::uint32_t s = 0; s < n_samples; ++s) {
        glm::dvec3 sum(0);
        for (std::uint32_t part = 0; part < n_parts; ++part)
            sum += glm::dvec3(of_parts[std::size_t{part} * n_samples + s]);
        glm::dvec3 off = glm::dvec3(found[SumPart<NoOcclusion>::target(s, n_samples, n)]) - sum;
        errors += glm::dot(off, off);
        squares += glm::dot(sum, sum);
    }
    return squares > 0 ? static_cast<float>(std::sqrt(errors / squares)) : 0;
}

TL_DEVICE_END

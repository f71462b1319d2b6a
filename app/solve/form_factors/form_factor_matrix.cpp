#include "app/solve/form_factors/form_factor_matrix.h"

#include <algorithm>
#include <cmath>

#include "accel/tree_builder.h"
#include "renderer/form_factors/form_factors.h"
#include "renderer/scene/live/live_scene.h"
#include "solvers/solver.h"

namespace tl {
namespace {

using ClusterPair = std::pair<int, int>;

/// All pairs, those nearest to the desired distance first; or only the requested one.
std::vector<ClusterPair> candidates(const std::vector<SampleCluster>& clusters,
                                    const FormFactorSpec& spec) {
    if (spec.pair) return {*spec.pair};
    std::vector<ClusterPair> pairs;
    for (int i = 0; i < spec.n_clusters; ++i)
        for (int j = i + 1; j < spec.n_clusters; ++j) pairs.emplace_back(i, j);
    auto off = [&](const ClusterPair& pair) {
        return std::abs(separation(clusters[pair.first], clusters[pair.second]) - spec.distance);
    };
    std::stable_sort(pairs.begin(), pairs.end(), [&](auto& a, auto& b) { return off(a) < off(b); });
    return pairs;
}

}  // namespace

void check_form_factors(const FormFactorSpec& spec) {
    if (spec.samples < 1 || spec.samples > 16384)
        throw UsageError("form factors: " + std::to_string(spec.samples) +
                         " samples a cluster: they may be 1 to 16384");
    if (spec.n_clusters < 2 || spec.n_clusters > 1024 ||
        (spec.n_clusters & (spec.n_clusters - 1)) != 0)
        throw UsageError("form factors: " + std::to_string(spec.n_clusters) +
                         " clusters: it must be a power of two from 2 to 1024");
    for (int i : spec.pair ? std::vector{spec.pair->first, spec.pair->second} : std::vector<int>{})
        if (i < 0 || i >= spec.n_clusters)
            throw UsageError("form factors: there is no cluster " + std::to_string(i) +
                             ": they are numbered from 0 to " +
                             std::to_string(spec.n_clusters - 1));
    if (!(spec.distance >= 0) || !std::isfinite(spec.distance))
        throw UsageError("form factors: the distance is not a finite number from 0");
}

FormFactorBlock make_form_factors(Stream& stream, const std::shared_ptr<const Scene>& scene,
                                  float time, const FormFactorSpec& spec) {
    check_form_factors(spec);
    auto n = static_cast<std::size_t>(spec.samples);
    require_memory(stream.device(), n * n * sizeof(double), "the matrix of form factors",
                   "ask for fewer samples of each cluster");
    Scratch scratch(stream);
    StageTimer timer(stream);
    LiveScene live(stream, scene);
    live.set_builder(make_tree_builder("hploc", stream.device()));
    live.update(scratch, timer, time);
    auto view = live.view();
    auto samples = sample_surfaces(stream, live, n * spec.n_clusters, spec.seed);
    auto clusters = split_samples(samples, spec.n_clusters);
    DeviceArray<SurfaceSample> device_samples(stream, samples);

    FormFactorBlock block;
    block.f = Matrix<double>(stream, spec.samples, spec.samples);
    block.area = static_cast<double>(samples[0].area);
    auto fill = [&](const ClusterPair& pair) {
        auto of = [&](int i) {
            return View<const SurfaceSample>(device_samples.data() + clusters[i].first, n);
        };
        View<double> elements(block.f.view().data, n * n);
        TL_DISPATCH(stream.device(),
                    form_factors(stream, view.tree, of(pair.first), of(pair.second), elements));
        auto host = block.f.download(stream);
        auto n_seen = std::count_if(host.begin(), host.end(), [](double f) { return f > 0; });
        block.pair = pair;
        block.separation = separation(clusters[pair.first], clusters[pair.second]);
        block.visible = static_cast<double>(n_seen) / static_cast<double>(host.size());
    };
    // Walls of a room do not see themselves, and if little is visible, shadow edges dominate the
    // spectrum: so a limited number of further pairs is tried.
    constexpr double kEnough = 0.5, kLittle = 0.05;
    constexpr int kTries = 32, kMostTries = 256;
    ClusterPair best;
    double best_visible = 0;
    int n_tries = 0;
    for (auto& pair : candidates(clusters, spec)) {
        fill(pair);
        if (spec.pair || block.visible >= kEnough) return block;
        if (block.visible > best_visible) {
            best = pair;
            best_visible = block.visible;
        }
        if (++n_tries >= (best_visible > kLittle ? kTries : kMostTries)) break;
    }
    if (!(best_visible > kLittle))
        throw UserError("of the scene's " + std::to_string(spec.n_clusters) +
                        " clusters no two at about this distance see each other: ask for another "
                        "distance or number of clusters, or name a pair");
    fill(best);
    return block;
}

}  // namespace tl

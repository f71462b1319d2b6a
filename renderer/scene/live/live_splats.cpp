#include "renderer/scene/live/live_splats.h"

#include <algorithm>
#include <cmath>

#include "accel/points/find_nearest.h"

namespace tl {
namespace {

/// Number of splats whose nearest neighbours are searched at a time.
constexpr std::size_t kFittedAtOnce = std::size_t{1} << 20;

SplatData splat_data(const Splat& splat) {
    auto level = [](float value) {
        return static_cast<std::uint16_t>(std::lround(std::clamp(value, 0.0f, 1.0f) * 65535));
    };
    SplatData data{};
    data.center = splat.center;
    data.radius = splat.radius;
    data.normal = splat.normal;
    data.material = splat.material;
    data.color = {level(splat.color.r), level(splat.color.g), level(splat.color.b), 65535};
    return data;
}

/// Computes the lists with the point tree of the stream's kind of device.
template <class Tree, class FindNearest, class Fit>
void find_lists(Scratch& scratch, View<const vec3> centers, const SplatFit& all,
                FindNearest find_nearest, Fit fit) {
    auto& stream = scratch.stream();
    auto n = static_cast<std::uint32_t>(centers.size);
    DeviceArray<std::uint32_t> count(stream, std::span<const std::uint32_t>(&n, 1));
    Tree tree;
    tree.build(scratch, centers, count.data());
    DeviceArray<std::uint32_t> nearest(
        stream, std::min<std::size_t>(n, kFittedAtOnce) * SplatFit::kCandidates);
    for (std::size_t first = 0; first < n; first += kFittedAtOnce) {
        std::size_t n_places = std::min<std::size_t>(n - first, kFittedAtOnce);
        View<std::uint32_t> found{nearest.data(), n_places * SplatFit::kCandidates};
        find_nearest(stream, tree.view(), {centers.data + first, n_places}, SplatFit::kCandidates,
                     kInfinity, {found, {}, {}});
        SplatFit part = all;
        part.first = static_cast<std::uint32_t>(first);
        part.nearest = {found.data, found.size};
        fit(stream, part);
    }
    stream.synchronize();  // before the memory is freed
}

}  // namespace

LiveSplats::LiveSplats(Stream& stream, const Scene& scene) {
    if (scene.splats.empty()) return;
    std::vector<SplatData> data(scene.splats.size());
    std::ranges::transform(scene.splats, data.begin(), splat_data);
    splats_.assign(stream, data);
    neighbours_.resize_discard(stream, data.size() * SplatsView::kNeighbours);
    std::vector<vec3> places(data.size());
    std::ranges::transform(data, places.begin(), &SplatData::center);
    DeviceArray<vec3> centers(stream, std::span<const vec3>(places));
    Scratch scratch(stream);
    SplatFit fit{splats_.view(), 0, {}, neighbours_.view()};
#if defined(TL_HAS_CUDA)
    if (stream.device().kind() == DeviceKind::cuda) {
        find_lists<cuda::PointTree>(scratch, centers.view(), fit, cuda::find_nearest,
                                    cuda::fit_splats);
        return;
    }
#endif
    find_lists<cpu::PointTree>(scratch, centers.view(), fit, cpu::find_nearest, cpu::fit_splats);
}

std::vector<EmissiveSplat> LiveSplats::set_emission(Stream& stream, const Scene& scene) {
    static_assert(EmissiveCell::kMostBordering == SplatCell::kNeighbours);
    std::vector<bool> emits(scene.splats.size());
    for (std::size_t i = 0; i < emits.size(); ++i)
        emits[i] = emission_of(scene, scene.splats[i]) != vec3(0);
    if (emits != emits_) {
        emissive_cells_ = emissive_cells(scene.splats, emits);
        emits_ = std::move(emits);
    }
    std::vector<EmissiveSplat> emitters;
    std::vector<SplatCell> cells;
    std::vector<std::int32_t> cell_of(emissive_cells_.empty() ? 0 : scene.splats.size(), -1);
    for (auto& found : emissive_cells_) {
        const Splat& splat = scene.splats[found.splat];
        cell_of[found.splat] = static_cast<std::int32_t>(cells.size());
        SplatCell& cell = cells.emplace_back();
        cell.emission = emission_of(scene, splat);
        std::ranges::fill(cell.neighbours, SplatsView::kNone);
        std::ranges::copy(found.bordering(), cell.neighbours);
        cell.light = -1;
        if (!(found.area > 0) || cell.emission == vec3(0)) continue;
        cell.light = static_cast<std::int32_t>(emitters.size());
        emitters.push_back({found.splat, splat.normal, splat.radius, found.area, found.corner,
                            found.edge_u, found.edge_v, cell.emission});
    }
    cell_of_.assign(stream, cell_of);
    cells_.assign(stream, cells);
    return emitters;
}

std::size_t LiveSplats::bytes_for(const Scene& scene) {
    constexpr std::size_t kTreeBytes = 160;  // peak per point, during the build
    // Each splat that emits has a light, and entries of the light tree and of photon sources.
    constexpr std::size_t kEmitterBytes = sizeof(LightData) + 100;
    std::size_t n = scene.splats.size();
    auto n_emitters = static_cast<std::size_t>(std::ranges::count_if(
        scene.splats, [&](const Splat& s) { return emission_of(scene, s) != vec3(0); }));
    // Dark splats that overlap those have cells as well.
    return n_emitters * kEmitterBytes +
           (n_emitters > 0 ? n * (sizeof(std::int32_t) + sizeof(SplatCell)) : 0) +
           n * (sizeof(SplatData) + SplatsView::kNeighbours * sizeof(std::uint32_t) + sizeof(vec3) +
                kTreeBytes) +
           std::min(n, kFittedAtOnce) * SplatFit::kCandidates * sizeof(std::uint32_t);
}

}  // namespace tl

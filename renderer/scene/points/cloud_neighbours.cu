#include "renderer/scene/points/cloud_neighbours.h"

#include <algorithm>

#include "accel/points/find_nearest.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

CloudNeighbours find_cloud_neighbours(Stream& stream, std::span<const vec3> points,
                                      const CloudProgress& progress) {
    // Batches of this many points bound the results' memory on the device, and finish within a
    // second.
    constexpr std::size_t kAtOnce = std::size_t{1} << 18;
    constexpr std::uint32_t kNearest = CloudNeighbours::kNearest;
    CloudNeighbours cloud;
    std::size_t n = points.size();
    if (n == 0) return cloud;
    Scratch scratch(stream);
    PointTree tree;
    {
        DeviceArray<vec3> given(stream, points);
        auto count = static_cast<std::uint32_t>(n);
        DeviceArray<std::uint32_t> counts(stream, std::span<const std::uint32_t>(&count, 1));
        tree.build(scratch, given.view(), counts.data());
        stream.synchronize();
    }
    scratch.release();
    if (progress) progress(0.2);
    PointTreeView view = tree.view();
    DeviceArray<vec3> places(stream, n);
    DeviceArray<std::uint32_t> order(stream, n), rank(stream, n);
    {
        View<const TreePoint> leaves = view.points;
        View<vec3> to_places = places.view();
        View<std::uint32_t> to_order = order.view(), to_rank = rank.view();
        parallel_for(
            stream, "order of points", static_cast<std::uint32_t>(n), TL_LAMBDA(std::uint32_t i) {
                TreePoint point = leaves[i];
                to_places[i] = point.position;
                to_order[i] = point.index;
                to_rank[point.index] = i;
            });
    }
    cloud.order = order.download(stream);
    cloud.places = places.download(stream);
    cloud.nearest.resize(n * kNearest);
    DeviceArray<std::uint32_t> found(stream, std::min(n, kAtOnce) * kNearest);
    View<const std::uint32_t> ranks = rank.view();
    for (std::size_t first = 0; first < n; first += kAtOnce) {
        std::size_t n_now = std::min(n - first, kAtOnce), n_found = n_now * kNearest;
        View<std::uint32_t> indices(found.data(), n_found);
        find_nearest(stream, view, View<const vec3>(places.data() + first, n_now), int{kNearest},
                     kInfinity, {indices, {}, {}});
        parallel_for(
            stream, "ranks of points", static_cast<std::uint32_t>(n_found),
            TL_LAMBDA(std::uint32_t i) {
                if (indices[i] != CloudNeighbours::kNone) indices[i] = ranks[indices[i]];
            });
        stream.device().download(stream, cloud.nearest.data() + first * kNearest, indices.data,
                                 n_found * sizeof(std::uint32_t));
        double done = static_cast<double>(first + n_now) / static_cast<double>(n);
        if (progress) progress(0.2 + 0.8 * done);
    }
    return cloud;
}

TL_DEVICE_END

#if defined(TL_DEVICE_CPU)
namespace tl {

CloudNeighbours find_neighbours(std::span<const vec3> points, Device& device,
                                const CloudProgress& progress) {
    auto stream = device.create_stream();
    return TL_DISPATCH(device, find_cloud_neighbours(*stream, points, progress));
}

}  // namespace tl
#endif

#include "app/commands/nanoflann_peer.h"

#include "core/base/error.h"

#if defined(TL_HAS_NANOFLANN)

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <chrono>
#include <nanoflann.hpp>

#include "core/device/device.h"

namespace tl {
namespace {

struct PointCloud {
    const std::vector<vec3>& points;

    [[nodiscard]] std::size_t kdtree_get_point_count() const { return points.size(); }
    [[nodiscard]] float kdtree_get_pt(std::size_t i, std::size_t axis) const {
        return points[i][static_cast<int>(axis)];
    }
    template <class Box>
    bool kdtree_get_bbox(Box& /*box*/) const {
        return false;
    }
};

using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, PointCloud>,
                                                 PointCloud, 3, std::uint32_t>;

/// Counts without keeping what it finds.
struct CountWithin {
    using DistanceType = float;
    using IndexType = std::uint32_t;
    float most;
    std::size_t n = 0;

    [[nodiscard]] bool full() const { return true; }
    bool addPoint(float square, std::uint32_t /*index*/) {
        if (square < most) ++n;
        return true;
    }
    [[nodiscard]] float worstDist() const { return most; }
    [[nodiscard]] std::size_t size() const { return n; }
};

template <class Search>
void for_each_place(std::size_t n, const Search& search) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, 256), [&](const auto& range) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) search(i);
    });
}

}  // namespace

bool has_nanoflann_peer() {
    return true;
}

PointMeasurement measure_nanoflann(const std::vector<vec3>& points, const std::vector<vec3>& places,
                                   float radius, int k, int repeat, const ReadProgress& progress) {
    auto stream = find_device("cpu").create_stream();
    WorkTimer timer(*stream, repeat, 0, progress);
    PointMeasurement m;
    m.name = "nanoflann";
    PointCloud cloud{points};
    std::unique_ptr<Tree> tree;
    m.build_ms = timer.time(repeat, [&] { tree = std::make_unique<Tree>(3, cloud); });
    std::vector<std::size_t> counts(places.size());
    m.within_ms = timer.time(repeat, [&] {
        for_each_place(places.size(), [&](std::size_t q) {
            CountWithin within{radius * radius};
            tree->findNeighbors(within, &places[q].x, nanoflann::SearchParams());
            counts[q] = within.n;
        });
    });
    std::vector<float> farthest(places.size());
    m.nearest_ms = timer.time(repeat, [&] {
        for_each_place(places.size(), [&](std::size_t q) {
            std::uint32_t indices[128];
            float squares[128];
            nanoflann::KNNResultSet<float, std::uint32_t> nearest(static_cast<std::size_t>(k));
            nearest.init(indices, squares);
            tree->findNeighbors(nearest, &places[q].x, nanoflann::SearchParams());
            farthest[q] = nearest.worstDist();
        });
    });
    for (auto n : counts) m.n_within += static_cast<double>(n);
    for (auto square : farthest) m.sum_of_farthest += std::sqrt(static_cast<double>(square));
    return m;
}

}  // namespace tl

#else

namespace tl {

bool has_nanoflann_peer() {
    return false;
}

PointMeasurement measure_nanoflann(const std::vector<vec3>&, const std::vector<vec3>&, float, int,
                                   int, const ReadProgress&) {
    throw UserError(
        "--peers: this build has no nanoflann: install libnanoflann-dev and configure again");
}

}  // namespace tl

#endif

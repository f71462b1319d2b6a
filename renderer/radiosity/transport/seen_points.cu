#include "renderer/radiosity/transport/seen_points.h"

#include "core/device/parallel_for.h"
#include "core/operators/operators.h"
#include "renderer/radiosity/transport/pair_visibility.h"
#include "renderer/radiosity/transport/point_kernel.h"

TL_DEVICE_BEGIN

namespace {

template <class Visibility>
struct TestSeen {
    Visibility visibility;
    View<const Surfel> points;
    std::uint32_t chosen;
    View<float> seen;

    TL_D void operator()(std::uint32_t j) const {
        bool faces = j != chosen &&
                     point_kernel(load_vectorized(points[j]), load_vectorized(points[chosen])) > 0;
        seen[j] = faces && visibility.sees(chosen, j) ? 1.0f : 0.0f;
    }
};

template <class Visibility>
void test_seen(Stream& stream, const TestSeen<Visibility>& test) {
    parallel_for<Visibility::kResidentBlocks>(
        stream, "points that one sees", static_cast<std::uint32_t>(test.seen.size),
        TL_LAMBDA(std::uint32_t j) { test(j); }, 64);
}

}  // namespace

std::uint32_t find_chosen_point(Scratch& scratch, const DiffusePointsView& points, vec3 position) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto keys = scratch.take<std::uint64_t>(points.starts.size);
    auto least = scratch.take<std::uint64_t>(1);
    View<const vec3> starts = points.starts;
    // The bits of distances, which are not negative, have the order of the distances.
    parallel_for(
        stream, "distances of points", static_cast<std::uint32_t>(keys.size),
        TL_LAMBDA(std::uint32_t i) {
            vec3 offset = starts[i] - position;
            keys[i] = std::uint64_t(bits_of_float(glm::dot(offset, offset))) << 32 | i;
        });
    reduce<std::uint64_t>(scratch, keys, least, Operator::minimum);
    std::uint64_t key = 0;
    stream.device().download(stream, &key, least.data, sizeof key);
    return static_cast<std::uint32_t>(key);
}

void test_seen_points(Scratch& scratch, const DiffusePointsView& points, const SceneView& scene,
                      PointVisibility visibility, std::uint32_t chosen, View<float> seen) {
    float largest =
        visibility == PointVisibility::points ? largest_area(scratch, points.tree.points) : 0;
    visit_visibility(visibility, points, scene, largest, [&](const auto& kind) {
        using Visibility = std::remove_cvref_t<decltype(kind)>;
        test_seen(scratch.stream(), TestSeen<Visibility>{kind, points.tree.points, chosen, seen});
    });
}

void hide_averted_points(Stream& stream, View<const Surfel> points, std::uint32_t chosen,
                         View<float> seen) {
    parallel_for(
        stream, "points that face one", static_cast<std::uint32_t>(seen.size),
        TL_LAMBDA(std::uint32_t j) {
            if (!(point_kernel(load_vectorized(points[j]), load_vectorized(points[chosen])) > 0))
                seen[j] = 0;
        });
}

SeenCounts count_seen(Scratch& scratch, View<const float> seen) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto each = scratch.take<std::uint64_t>(seen.size), sum = scratch.take<std::uint64_t>(1);
    // Both counts in one number: there are fewer than 2^32 points.
    parallel_for(
        stream, "counts of seen points", static_cast<std::uint32_t>(seen.size),
        TL_LAMBDA(std::uint32_t j) {
            std::uint64_t whole = seen[j] >= 1 ? 1 : 0, part = seen[j] > 0 ? 1 - whole : 0;
            each[j] = part << 32 | whole;
        });
    reduce<std::uint64_t>(scratch, each, sum);
    std::uint64_t both = 0;
    stream.device().download(stream, &both, sum.data, sizeof both);
    return {both & 0xffffffffu, both >> 32};
}

TL_DEVICE_END

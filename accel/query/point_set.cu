#include "accel/query/point_set.h"

#include "accel/points/find_nearest.h"
#include "accel/points/point_search.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

TL_D bool is_finite_point(vec3 p) {
    return fabsf(p.x) < kInfinity && fabsf(p.y) < kInfinity && fabsf(p.z) < kInfinity;
}

/// Returns the queries as an array without gaps, in scratch memory unless they are one.
View<const vec3> packed_points(Scratch& scratch, const StridedFloats& points, std::uint32_t count) {
    static_assert(sizeof(vec3) == 3 * sizeof(float));
    if (points.is_packed(3)) return {reinterpret_cast<const vec3*>(points.data), count};
    auto packed = scratch.take<vec3>(count);
    parallel_for(
        scratch.stream(), "pack points", count,
        TL_LAMBDA(std::uint32_t i) { packed[i] = points.vector(i); });
    return packed;
}

class DevicePointSet final : public PointSet {
  public:
    void build(Scratch& scratch, const StridedFloats& positions, std::uint32_t count) override;
    PointSetView view() const override { return {tree_.view(), ids_.data()}; }
    std::size_t bytes() const override {
        auto tree = tree_.view();
        return positions_.bytes() + ids_.bytes() + tree.nodes.size * sizeof(PointNode) +
               tree.points.size * sizeof(TreePoint);
    }

  private:
    PointTree tree_;
};

}  // namespace

void DevicePointSet::build(Scratch& scratch, const StridedFloats& positions, std::uint32_t count) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    count_ = 0;
    positions_.resize_discard(stream, count);
    ids_.resize_discard(stream, count);
    n_valid_.resize_discard(stream, 1);
    n_valid_.fill_zero(stream);
    auto flags = scratch.take<std::uint32_t>(count), all = scratch.take<std::uint32_t>(count);
    parallel_for(
        stream, "find finite points", count, TL_LAMBDA(std::uint32_t i) {
            flags[i] = is_finite_point(positions.vector(i));
            all[i] = i;
        });
    compact<std::uint32_t>(scratch, all, flags, ids_.view(), n_valid_.view());
    View<std::uint32_t> ids = ids_.view(), n_valid = n_valid_.view();
    View<vec3> kept = positions_.view();
    parallel_for(
        stream, "keep finite points", count, TL_LAMBDA(std::uint32_t i) {
            if (i < n_valid[0]) kept[i] = positions.vector(ids[i]);
        });
    tree_.build(scratch, positions_.view(), n_valid_.data());
    count_ = count;
}

std::unique_ptr<PointSet> make_point_set() {
    return std::make_unique<DevicePointSet>();
}

void find_neighbours(Scratch& scratch, const PointSetView& points, const StridedFloats& queries,
                     std::uint32_t count, int k, float radius, const NeighboursOut& out) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    const std::size_t n = std::size_t(count) * static_cast<std::size_t>(k);
    View<std::uint32_t> indices =
        out.indices ? View(out.indices, n) : scratch.take<std::uint32_t>(n);
    View<float> squares = out.distances ? View(out.distances, n) : scratch.take<float>(n);
    find_nearest(stream, points.tree, packed_points(scratch, queries, count), k, radius,
                 {indices, squares, {}});
    const std::uint32_t* ids = points.ids;
    parallel_for(
        stream, "sort neighbours", count,
        TL_LAMBDA(std::uint32_t query) {
            std::uint32_t* index = indices.data + std::size_t(query) * static_cast<std::size_t>(k);
            float* square = squares.data + std::size_t(query) * static_cast<std::size_t>(k);
            for (int i = 0; i < k; ++i) {
                bool found = index[i] != Hit::kNone;
                std::uint32_t own = found ? ids[index[i]] : Hit::kNone;
                float distance = found ? sqrtf(square[i]) : kInfinity;
                int at = i;
                for (; at > 0 && square[at - 1] > distance; --at) {
                    square[at] = square[at - 1];
                    index[at] = index[at - 1];
                }
                square[at] = distance;
                index[at] = own;
            }
        },
        256);
}

void count_neighbours(Scratch& scratch, const PointSetView& points, const StridedFloats& queries,
                      std::uint32_t count, float radius, std::uint32_t* counts) {
    Scratch::Scope scope(scratch);
    count_within(scratch.stream(), points.tree, packed_points(scratch, queries, count), radius,
                 {counts, count});
}

void list_neighbours(Scratch& scratch, const PointSetView& points, const StridedFloats& queries,
                     std::uint32_t count, float radius, const ListOffsets& offsets,
                     const NeighboursOut& out) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto places = packed_points(scratch, queries, count);
    auto found = scratch.take<std::uint32_t>(count);
    fill(stream, found, 0u);
    for_each_team(
        stream, "list neighbours", count, TL_LAMBDA(const Team&, std::uint32_t query) {
            const std::uint64_t first = offsets[query], most = offsets[query + 1] - first;
            for_each_point_within(points.tree, places[query], radius,
                                  [&](std::uint32_t, const TreePoint& point, float square) {
                                      std::uint32_t at = atomic_add(&found[query], 1);
                                      if (at >= most) return;
                                      if (out.indices)
                                          out.indices[first + at] = points.ids[point.index];
                                      if (out.distances) out.distances[first + at] = sqrtf(square);
                                  });
        });
}

void find_densities(Scratch& scratch, const PointSetView& points, const StridedFloats& queries,
                    std::uint32_t count, int k, float* densities) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    find_nearest(stream, points.tree, packed_points(scratch, queries, count), k, kInfinity,
                 {{}, {}, {densities, count}});
    parallel_for(
        stream, "densities", count, TL_LAMBDA(std::uint32_t i) {
            float radius = sqrtf(densities[i]);
            densities[i] = static_cast<float>(k) / (4.0f / 3.0f * kPi * radius * radius * radius);
        });
}

TL_DEVICE_END

#include "renderer/photon/point_structures.h"

#include "accel/octree/octree_builder.h"
#include "accel/octree/octree_search.h"
#include "accel/points/point_grid.h"
#include "accel/points/points_in_bvh.h"
#include "accel/tree.h"
#include "core/base/near_match.h"
#include "renderer/photon/photon_grid.h"

TL_DEVICE_BEGIN

namespace {

class KdTreeOfPoints final : public PointStructure {
  public:
    void build(Scratch& scratch, View<const vec3> points, float radius) override {
        auto& stream = scratch.stream();
        radius_ = radius;
        auto n = static_cast<std::uint32_t>(points.size);
        count_.resize_discard(stream, 1);
        View<std::uint32_t> count = count_.view();
        parallel_for(
            stream, "number of points", 1, TL_LAMBDA(std::uint32_t) { count[0] = n; });
        tree_.build(scratch, points, count_.data());
    }
    void count_within(Stream& stream, View<const vec3> places,
                      View<std::uint32_t> counts) override {
        tl::TL_DEVICE_NAME::count_within(stream, tree_.view(), places, radius_, counts);
    }
    [[nodiscard]] bool finds_nearest() const override { return true; }
    void find_nearest(Stream& stream, View<const vec3> places, int k, float radius,
                      const NearestPoints& out) override {
        tl::TL_DEVICE_NAME::find_nearest(stream, tree_.view(), places, k, radius, out);
    }

  private:
    PointTree tree_;
    DeviceArray<std::uint32_t> count_;
    float radius_ = 0;
};

void make_photons(Stream& stream, View<const vec3> points, View<Photon> photons,
                  View<std::uint32_t> ids, View<std::uint32_t> count) {
    auto n = static_cast<std::uint32_t>(points.size);
    parallel_for(
        stream, "points as photons", n, TL_LAMBDA(std::uint32_t i) {
            photons[i] = {points[i], 0, vec3(0), 0};
            ids[i] = i;
            if (i == 0) count[0] = n;
        });
}

/// Photon grid over the points, as photons without power.
class GridOfPoints final : public PointStructure {
  public:
    void build(Scratch& scratch, View<const vec3> points, float radius) override {
        auto& stream = scratch.stream();
        auto n = static_cast<std::uint32_t>(points.size);
        if (photons_.size() != n) set_points(stream, points);
        grid_.build(scratch, {photons_.view(), ids_.view(), count_.data()}, {n, n, n}, radius);
    }
    void count_within(Stream& stream, View<const vec3> places,
                      View<std::uint32_t> counts) override {
        PhotonGridView grid = grid_.view();
        for_each_team(
            stream, "photons within", static_cast<std::uint32_t>(places.size),
            TL_LAMBDA(const Team& team, std::uint32_t q) {
                std::uint32_t n = 0;
                grid.for_each_near(team, places[q], grid.radius,
                                   [&](std::uint32_t, const PhotonPosition&, vec3, float) { ++n; });
                n = team.sum(n);
                if (Team::rank() == 0) counts[q] = n;
            });
    }

  private:
    void set_points(Stream& stream, View<const vec3> points) {
        photons_.resize_discard(stream, points.size);
        ids_.resize_discard(stream, points.size);
        count_.resize_discard(stream, 1);
        make_photons(stream, points, photons_.view(), ids_.view(), count_.view());
    }
    DeviceArray<Photon> photons_;
    DeviceArray<std::uint32_t> ids_, count_;
    PhotonGrid grid_;
};

void make_surfels(Stream& stream, View<const vec3> points, View<Surfel> surfels) {
    parallel_for(
        stream, "points as surfels", static_cast<std::uint32_t>(points.size),
        TL_LAMBDA(std::uint32_t i) {
            surfels[i] = {points[i], 1, vec3(0), 0};
        });
}

class OctreeOfPoints : public PointStructure {
  public:
    explicit OctreeOfPoints(const Device& device)
        : builder_(make_octree_builder("modern", device)) {}
    void build(Scratch& scratch, View<const vec3> points, float radius) override {
        auto& stream = scratch.stream();
        radius_ = radius;
        bool is_new = surfels_.size() != points.size;
        surfels_.resize_discard(stream, points.size);
        make_surfels(stream, points, surfels_.view());
        StageTimer timer(stream);
        timer.enable(false);
        OctreeConfig config;
        config.leaf_size = 32;  // on a CPU neighbours are found a quarter faster than with 16
        do {
            builder_->build(scratch, surfels_.view(), config, tree_, timer);
        } while (is_new && tree_.make_room(stream));
    }
    void count_within(Stream& stream, View<const vec3> places,
                      View<std::uint32_t> counts) override {
        tl::TL_DEVICE_NAME::count_within(stream, tree_.view(), places, radius_, counts);
    }
    [[nodiscard]] bool finds_nearest() const override { return true; }
    void find_nearest(Stream& stream, View<const vec3> places, int k, float radius,
                      const NearestPoints& out) override {
        tl::TL_DEVICE_NAME::find_nearest(stream, tree_.view(), places, k, radius, out);
    }

  protected:
    [[nodiscard]] OctreeView octree() { return tree_.view(); }

  private:
    std::unique_ptr<OctreeBuilder> builder_;
    DeviceArray<Surfel> surfels_;
    Octree tree_;
    float radius_ = 0;
};

/// The octree, searched in windows of its space-filling curve.
class WindowsOfPoints final : public OctreeOfPoints {
  public:
    using OctreeOfPoints::OctreeOfPoints;
    void find_nearest(Stream& stream, View<const vec3> places, int k, float radius,
                      const NearestPoints& out) override {
        tl::TL_DEVICE_NAME::find_nearest(stream, CurveWindows{octree()}, places, k, radius, out);
    }
};

/// Grid table with cells as wide as the search radius.
class CellsOfPoints final : public PointStructure {
  public:
    void build(Scratch& scratch, View<const vec3> points, float radius) override {
        grid_.build(scratch, points, radius);
        radius_ = radius;
    }
    void count_within(Stream& stream, View<const vec3> places,
                      View<std::uint32_t> counts) override {
        tl::TL_DEVICE_NAME::count_within(stream, grid_.view(), places, radius_, counts);
    }
    [[nodiscard]] bool finds_nearest() const override { return true; }
    void find_nearest(Stream& stream, View<const vec3> places, int k, float radius,
                      const NearestPoints& out) override {
        tl::TL_DEVICE_NAME::find_nearest(stream, grid_.view(), places, k, radius, out);
    }

  private:
    PointGrid grid_;
    float radius_ = 0;
};

/// Hash table with cells twice as wide as the search radius.
class HashOfPoints final : public PointStructure {
  public:
    void build(Scratch& scratch, View<const vec3> points, float radius) override {
        radius_ = radius;
        hash_.build(scratch, points, 2 * radius, kTables);
    }
    void count_within(Stream& stream, View<const vec3> places,
                      View<std::uint32_t> counts) override {
        tl::TL_DEVICE_NAME::count_within(stream, hash_.view(), places, radius_, counts);
    }
    [[nodiscard]] bool finds_nearest() const override { return true; }
    [[nodiscard]] bool may_miss() const override { return true; }
    void find_nearest(Stream& stream, View<const vec3> places, int k, float radius,
                      const NearestPoints& out) override {
        tl::TL_DEVICE_NAME::find_nearest(stream, hash_.view(), places, k, radius, out);
    }

  private:
    static constexpr int kTables = 4;
    PointHash hash_;
    float radius_ = 0;
};

class BvhOverPoints final : public PointStructure {
  public:
    explicit BvhOverPoints(std::unique_ptr<TreeBuilder> builder) : builder_(std::move(builder)) {
        tree_.config.layout = TreeLayout::bvh2;
    }
    void build(Scratch& scratch, View<const vec3> points, float radius) override {
        auto& stream = scratch.stream();
        radius_ = radius;
        points_ = points;
        boxes_.resize_discard(stream, points.size);
        box_points(stream, points, boxes_.view());
        BuildInput input;
        input.boxes = boxes_.view();
        tree_.build(scratch, *builder_, input);
    }
    void count_within(Stream& stream, View<const vec3> places,
                      View<std::uint32_t> counts) override {
        const BvhOfPoints tree{tree_.header(), tree_.nodes().view(), tree_.order(), points_};
        tl::TL_DEVICE_NAME::count_within(stream, tree, places, radius_, counts);
    }

  private:
    std::unique_ptr<TreeBuilder> builder_;
    Tree tree_;
    DeviceArray<Box> boxes_;
    View<const vec3> points_;
    float radius_ = 0;
};

}  // namespace

std::unique_ptr<PointStructure> make_point_structure(const std::string& id, const Device& device) {
    if (id == "kd-tree") return std::make_unique<KdTreeOfPoints>();
    if (id == "grid") return std::make_unique<GridOfPoints>();
    if (id == "cells") return std::make_unique<CellsOfPoints>();
    if (id == "octree") return std::make_unique<OctreeOfPoints>(device);
    if (id == "windows") return std::make_unique<WindowsOfPoints>(device);
    if (id == "hash") return std::make_unique<HashOfPoints>();
    if (id.starts_with("bvh-"))
        return std::make_unique<BvhOverPoints>(make_tree_builder(id.substr(4), device));
    throw UsageError(
        "unknown structure of points '" + id +
        "'; known: kd-tree, grid, cells, octree, windows, hash, and bvh- before the id of a tree "
        "builder" +
        suggestion(id, {"kd-tree", "grid", "cells", "octree", "windows", "hash"}));
}

TL_DEVICE_END

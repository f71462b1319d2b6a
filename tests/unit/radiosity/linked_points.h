// Light transport between linked points, without a renderer around them.
#pragma once

#include <gtest/gtest.h>

#include <numeric>

#include "renderer/radiosity/transport/light_transport.h"
#include "tests/unit/radiosity/exchange_cases.h"

namespace tl::TL_DEVICE_NAME {

/// Points with links. Inputs and results are in the order in which the points were given.
class Linked {
  public:
    Linked(Stream& stream, Scratch& scratch, const test::Surfels& points, RadiosityConfig config,
           const SceneView& scene = {}, std::span<const ScenePart> parts = {})
        : stream_(stream),
          scratch_(scratch),
          config_(config),
          transport_(make_transport(config.mode)) {
        link(points, scene, parts);
    }
    /// Replaces the points, and links them.
    void link(const test::Surfels& points, const SceneView& scene,
              std::span<const ScenePart> parts) {
        n_ = points.size();
        DeviceArray<Surfel> all(stream_, std::span<const Surfel>(points));
        StageTimer timer(stream_);
        timer.enable(false);
        auto builder = make_octree_builder("modern", stream_.device());
        builder->build(scratch_, all.view(), {}, tree_, timer);
        order_.resize(n_);
        ordered_.resize(n_);
        auto view = tree_.view();
        stream_.device().download(stream_, ordered_.data(), view.points.data, n_ * sizeof(Surfel));
        std::vector<vec3> starts(n_), albedo(n_, vec3(0.5f));
        for (std::size_t i = 0; i < n_; ++i) {
            order_[i] = ordered_[i].index;
            starts[i] = ordered_[i].position + 1e-4f * ordered_[i].normal;
        }
        starts_.assign(stream_, starts);
        albedo_.assign(stream_, albedo);
        header_ = tree_.header(stream_);
        transport_->link(scratch_, timer, this->view(), header_, scene, parts, config_);
    }
    /// Irradiance at each point for the given radiosity of each.
    [[nodiscard]] std::vector<vec3> irradiance(const std::vector<vec3>& radiosity) {
        std::vector<vec3> in_order(n_), found(n_);
        for (std::size_t i = 0; i < n_; ++i) in_order[i] = radiosity[order_[i]];
        DeviceArray<vec3> from(stream_, std::span<const vec3>(in_order)), to(stream_, n_);
        StageTimer timer(stream_);
        timer.enable(false);
        transport_->gather(scratch_, timer, view(), from.view(), to.view(),
                           LightThroughGlass::unchanged);
        auto received = to.download(stream_);
        for (std::size_t i = 0; i < n_; ++i) found[order_[i]] = received[i];
        return found;
    }
    /// Irradiance at point i due to point j, one of the first `n_sources`, of radiosity 1: entry n
    /// j + i.
    [[nodiscard]] std::vector<float> matrix(std::size_t n_sources) {
        std::vector<float> all(n_ * n_sources);
        for (std::size_t first = 0; first < n_sources; first += 3) {
            std::vector<vec3> radiosity(n_, vec3(0));
            for (std::size_t c = 0; c < 3; ++c) radiosity[first + c][int(c)] = 1;
            auto received = irradiance(radiosity);
            for (std::size_t c = 0; c < 3 && first + c < n_sources; ++c)
                for (std::size_t i = 0; i < n_; ++i)
                    all[n_ * (first + c) + i] = received[i][int(c)];
        }
        return all;
    }
    /// Visible fraction between points i and j by their links, in the order of the tree: entry n i
    /// + j.
    [[nodiscard]] std::vector<float> weights() {
        std::vector<std::uint32_t> targets(n_);
        std::iota(targets.begin(), targets.end(), 0u);
        DeviceArray<std::uint32_t> of(stream_, std::span<const std::uint32_t>(targets));
        DeviceArray<float> found(stream_, n_ * n_);
        transport_->find_visibilities(stream_, view(), of.view(), found.view());
        return found.download(stream_);
    }
    /// The points in the order of the tree.
    [[nodiscard]] const std::vector<Surfel>& ordered() const { return ordered_; }
    /// Configuration that the next link() uses.
    [[nodiscard]] RadiosityConfig& config() { return config_; }
    [[nodiscard]] std::vector<FrameCount> counts() { return transport_->counts(); }
    [[nodiscard]] TransportWork work() const { return transport_->work(); }
    /// Links of the leaf that holds a point, given by its index in the tree's order.
    [[nodiscard]] std::optional<GroupLinks> links_of(std::uint32_t point, int above,
                                                     bool with_above) {
        return transport_->links_of(scratch_, view(), point, above, with_above);
    }
    [[nodiscard]] OctreeNode node(std::uint32_t k) {
        OctreeNode node;
        stream_.device().download(stream_, &node, &tree_.view().nodes.data[k], sizeof node);
        return node;
    }

  private:
    [[nodiscard]] DiffusePointsView view() {
        return {tree_.view(), starts_.view(), albedo_.view(), {}};
    }

    Stream& stream_;
    Scratch& scratch_;
    RadiosityConfig config_;
    std::size_t n_ = 0;
    Octree tree_;
    OctreeHeader header_;
    std::vector<std::uint32_t> order_;  // index with which each point of the tree was given
    std::vector<Surfel> ordered_;
    DeviceArray<vec3> starts_, albedo_;
    std::unique_ptr<LightTransport> transport_;
};

inline RadiosityConfig config_of(RadiosityMode mode,
                                 PointVisibility visibility = PointVisibility::none) {
    RadiosityConfig config;
    config.mode = mode;
    config.visibility = visibility;
    config.error = 0.001f;
    return config;
}

/// Scene of a disc of triangles in the plane of x and z.
inline std::shared_ptr<Scene> scene_of_disc(vec3 center, float radius) {
    constexpr int kCorners = 256;
    auto scene = std::make_shared<Scene>();
    scene->materials.emplace_back();
    Mesh mesh;
    mesh.positions.push_back(center);
    for (int i = 0; i < kCorners; ++i) {
        float around = 2 * kPi * static_cast<float>(i) / kCorners;
        mesh.positions.push_back(center + radius * vec3(std::cos(around), 0, std::sin(around)));
        auto next = static_cast<std::uint32_t>(1 + (i + 1) % kCorners);
        mesh.triangles.push_back({0, std::uint32_t(1 + i), next});
    }
    mesh.material_of_triangle.assign(kCorners, 0);
    scene->meshes.push_back(std::move(mesh));
    return scene;
}

}  // namespace tl::TL_DEVICE_NAME

// Sums over points by multipole expansions and directly, on any device, for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "accel/fmm/direct_sum.h"
#include "accel/fmm/fmm.h"
#include "accel/fmm/fmm_choice.h"
#include "tests/unit/points/octree_cases.h"

namespace tl::test {

/// `n` points of area 4 pi / n each in a spiral, spread evenly over a sphere of radius 1 whose
/// inside they face. No two are closer than the radius of a point's disc.
inline Surfels spiral_sphere(std::size_t n) {
    Surfels surfels(n);
    const double golden = 3.14159265358979323846 * (3 - std::sqrt(5.0));
    for (std::size_t i = 0; i < n; ++i) {
        double z = 1 - (2 * double(i) + 1) / double(n), r = std::sqrt(1 - z * z);
        double angle = golden * double(i);
        vec3 p(r * std::cos(angle), r * std::sin(angle), z);
        surfels[i] = {p, 4 * kPi / float(n), -p, 0};
    }
    return surfels;
}

/// Adds `n` random points of a square of side 2 about the origin, at height z, which face up or
/// down.
inline void add_plate(Surfels& surfels, std::size_t n, float z, float up) {
    std::mt19937 engine(3);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (std::size_t i = 0; i < n; ++i)
        surfels.push_back({{uniform(engine), uniform(engine), z}, 4 / float(n), {0, 0, up}, 0});
}

/// Point sets by name: points in a cube, on a sphere, of a Plummer model, in two clusters, or on a
/// sphere within a box. The clusters are a million times as far apart as one of them is wide.
inline Surfels shaped(const std::string& shape, std::size_t n) {
    std::mt19937 engine(11);
    std::uniform_real_distribution<float> uniform(-1, 1);
    Surfels surfels = surfels_of("cube", n, 5);
    Surfels sphere = spiral_sphere(n);
    for (std::size_t i = 0; i < n; ++i) {
        Surfel& s = surfels[i];
        vec3 direction = sphere[i].position;
        s.area = 12 / float(n);
        if (shape == "sphere") s = sphere[i];
        if (shape == "clusters" && i % 2) s.position = vec3(1, 2, 3) + 1e-6f * s.position;
        if (shape == "plummer") {
            float mass = std::clamp(0.5f + 0.5f * uniform(engine), 1e-5f, 0.999f);
            s.position = direction / std::sqrt(std::pow(mass, -2 / 3.0f) - 1);
        }
        if (shape != "box") continue;
        s.normal = direction;
        s.position = 0.7f * direction;
        if (i % 2 == 0) continue;
        auto axis = int(i / 2 % 3);
        float side = i / 6 % 2 ? 1.0f : -1.0f;
        s.position = 2.0f * vec3(uniform(engine), uniform(engine), uniform(engine));
        s.position[axis] = 2 * side;
        s.normal = vec3(0);
        s.normal[axis] = -side;
        s.area = 2 * 96 / float(n);
    }
    return surfels;
}

inline float length_of(float value) {
    return std::abs(value);
}
inline float length_of(vec3 value) {
    return glm::length(value);
}

/// An octree over points, each with a random value from 0 to 1, in the tree's order. A float is
/// summed over inverse distances, a vec3 as radiosity.
template <class Value>
class SumCase {
  public:
    SumCase(Stream& stream, Scratch& scratch, const Surfels& surfels, int leaf_size)
        : stream_(stream), scratch_(scratch), timer_(stream) {
        timer_.enable(false);
        DeviceArray<Surfel> given(stream, std::span<const Surfel>(surfels));
        OctreeConfig config;
        config.leaf_size = leaf_size;
        config.by_normal = std::is_same_v<Value, vec3>;
        auto builder = make_octree_builder("modern", device());
        do {
            builder->build(scratch, given.view(), config, tree_, timer_);
        } while (tree_.make_room(stream));
        host = HostOctree::from(stream, tree_);
        std::mt19937 engine(17);
        std::uniform_real_distribution<float> uniform(0, 1);
        values.resize(host.header.n_points);
        for (auto& value : values) {
            if constexpr (std::is_same_v<Value, float>)
                value = uniform(engine);
            else
                value = vec3(uniform(engine), uniform(engine), uniform(engine));
        }
    }
    LinkCounts find_links(const LinkConfig& config) {
        if constexpr (std::is_same_v<Value, float>)
            return TL_DISPATCH(device(), find_links(scratch_, tree_.view(), host.header, config,
                                                    room_, links, timer_));
        else
            return TL_DISPATCH(device(), find_facing_links(scratch_, tree_.view(), host.header,
                                                           config, room_, links, timer_));
    }
    /// Links set by hand.
    void set_links(const std::vector<std::pair<std::uint32_t, NodeLink>>& far,
                   const std::vector<std::pair<std::uint32_t, NodeLink>>& near) {
        set(far, links.far);
        set(near, links.near);
    }
    std::vector<Value> by_expansions(FmmExpansion expansion) {
        DeviceArray<Value> given(stream_, std::span<const Value>(values));
        DeviceArray<Value> sums(stream_, values.size());
        TL_DISPATCH(device(), sum_by_expansions(scratch_, tree_.view(), host.header, links.view(),
                                                expansion, given.view(), sums.view(), timer_));
        return sums.download(stream_);
    }
    std::vector<Value> directly() {
        std::vector<std::uint32_t> all(values.size());
        std::iota(all.begin(), all.end(), 0u);
        DeviceArray<std::uint32_t> targets(stream_, std::span<const std::uint32_t>(all));
        DeviceArray<Value> given(stream_, std::span<const Value>(values));
        DeviceArray<Value> sums(stream_, values.size());
        View<const Surfel> points{tree_.view().points.data, values.size()};
        TL_DISPATCH(device(),
                    sum_directly(scratch_, points, given.view(), targets.view(), sums.view()));
        return sums.download(stream_);
    }
    [[nodiscard]] Device& device() const { return stream_.device(); }

    HostOctree host;
    std::vector<Value> values;
    NodeLinks links;

  private:
    void set(const std::vector<std::pair<std::uint32_t, NodeLink>>& loose, LinkList& out) {
        std::vector<std::uint64_t> pairs;
        std::vector<float> weights;
        for (auto& [target, link] : loose) {
            pairs.push_back(LooseLinks::pair_of(target, link.source));
            weights.push_back(link.weight);
        }
        DeviceArray<std::uint64_t> on_device(stream_, std::span<const std::uint64_t>(pairs));
        DeviceArray<float> weights_there(stream_, std::span<const float>(weights));
        TL_DISPATCH(device(), make_rows(scratch_, {on_device.view(), weights_there.view()},
                                        host.header.n_nodes, out));
        stream_.synchronize();
    }

    Stream& stream_;
    Scratch& scratch_;
    StageTimer timer_;
    Octree tree_;
    LinkRoom room_;
};

/// Root mean square of the differences, relative to that of the truth.
template <class Value>
double rms_error(const std::vector<Value>& sums, const std::vector<Value>& truth) {
    double errors = 0, sizes = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        errors += std::pow(double(length_of(sums[i] - truth[i])), 2);
        sizes += std::pow(double(length_of(truth[i])), 2);
    }
    return sizes > 0 ? std::sqrt(errors / sizes) : std::sqrt(errors);
}

/// Factor by which an error falls from one order to the next, fitted to its logarithm as long as it
/// exceeds the rounding error.
inline double decay_of(const std::vector<double>& errors) {
    constexpr double kRounding = 4e-6;
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (std::size_t k = 0; k < errors.size() && (k < 2 || errors[k - 1] > kRounding); ++k) {
        double log_error = std::log(std::max(errors[k], 1e-9));  // a single sum may be exact
        n += 1;
        x += double(k);
        y += log_error;
        xx += double(k * k);
        xy += double(k) * log_error;
    }
    return std::exp((n * xy - x * y) / (n * xx - x * x));
}

}  // namespace tl::test

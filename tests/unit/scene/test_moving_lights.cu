// Moving lights: their data and tree equal those of lights at rest at the same positions, whatever
// was before.
#include <algorithm>
#include <cmath>

#include "accel/bvh/traversal/any_tracer.h"
#include "accel/tree_builder.h"
#include "core/base/random.h"
#include "core/device/parallel_for.h"
#include "renderer/scene/live/live_scene.h"
#include "renderer/shading/light_choice.h"
#include "renderer/shading/lights.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {

/// Small emissive triangles at random positions.
Mesh glowing_triangles(std::uint64_t seed, std::uint32_t n) {
    RandomStream random(seed, 0, 0);
    auto point = [&](float scale) {
        vec3 p;
        for (int c = 0; c < 3; ++c) p[c] = scale * (2 * random.next() - 1);
        return p;
    };
    Mesh mesh;
    for (std::uint32_t i = 0; i < n; ++i) {
        vec3 p = point(8);
        for (int k = 0; k < 3; ++k) mesh.positions.push_back(p + point(0.3f));
        mesh.triangles.emplace_back(3 * i, 3 * i + 1, 3 * i + 2);
    }
    mesh.material_of_triangle.assign(n, 0);
    return mesh;
}

constexpr std::uint32_t kStill = 100, kMoving = 60, kLights = kStill + 3 * kMoving + 1;

/// Lights of all kinds that move among others that stand still.
Scene moving_lights() {
    Scene scene;
    scene.duration = 3;
    Material glow;
    glow.emission = vec3(2, 3, 4);
    scene.materials = {glow};
    Mesh exploding = glowing_triangles(2, kMoving), waving = glowing_triangles(3, kMoving);
    exploding.animation.kind = AnimationKind::explode;
    exploding.animation.distance = 5;
    waving.animation.kind = AnimationKind::wave;
    waving.animation.height = 3;
    Mesh copied = glowing_triangles(4, kMoving);
    copied.instanced = true;
    scene.meshes = {glowing_triangles(1, kStill), exploding, waving, copied};
    scene.instances = {{.mesh = 3, .walk = {.radius = 4, .bob = 0.5f}}};
    PatchSet set;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) set.points.emplace_back(i, 9, j);
    set.material_of_patch = {0};
    set.animation.kind = AnimationKind::wave;
    scene.patches = {set};
    return scene;
}

struct LightState {
    std::vector<LightData> lights;
    std::vector<LightNode> nodes;
    std::vector<float> probabilities;
};

/// The lights after updates to some times, and the probabilities of all at a point.
class LightsAtTimes {
  public:
    LightsAtTimes(Stream& stream, Scratch& scratch, const std::vector<float>& times)
        : live_(stream, std::make_shared<Scene>(moving_lights())) {
        live_.set_builder(make_tree_builder("hploc", stream.device()));
        StageTimer timer(stream);
        for (float time : times) live_.update(scratch, timer, time);
    }

    std::vector<LightNode> first_nodes(Stream& stream, std::uint32_t n) {
        DeviceArray<LightNode> nodes(stream, n);
        SceneView scene = live_.view();
        auto to_nodes = nodes.view();
        parallel_for(
            stream, "copy nodes", n, TL_LAMBDA(std::uint32_t i) {
                for (std::uint32_t lane = 0; lane < LightNode::kWidth; ++lane)
                    to_nodes[i].set(lane, child_of(scene.search.tree, i, lane));
            });
        return nodes.download(stream);
    }

    LightState state(Stream& stream, vec3 p, vec3 normal) {
        DeviceArray<LightData> lights(stream, kLights);
        DeviceArray<float> probabilities(stream, kLights);
        SceneView scene = live_.view();
        auto to_lights = lights.view();
        auto to_probabilities = probabilities.view();
        parallel_for(
            stream, "copy lights", kLights, TL_LAMBDA(std::uint32_t i) {
                to_lights[i] = scene.lights[i];
                to_probabilities[i] = probability_of_any_light(scene, i, p, normal, false);
            });
        // Children come after their parents, so that the nodes read so far give the number of nodes
        // to read.
        std::vector<LightNode> nodes;
        for (std::uint32_t n = 1; n > nodes.size();) {
            nodes = first_nodes(stream, n);
            for (auto& node : nodes)
                for (std::uint32_t child : node.child)
                    if (!(child & LightChild::kLeaf)) n = std::max(n, child + 1);
        }
        return {lights.download(stream), nodes, probabilities.download(stream)};
    }
    [[nodiscard]] const LiveScene& live() const { return live_; }

  private:
    LiveScene live_;
};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(MovingLights, ARefitDependsOnTheTimeOnly) {
    vec3 p(1, -2, 0.5f), normal = glm::normalize(vec3(1, 2, -1));
    LightsAtTimes once(stream, scratch, {1.3f}), often(stream, scratch, {0, 0.4f, 2.9f, 1.3f}),
        elsewhen(stream, scratch, {0.4f});
    EXPECT_TRUE(once.live().lights_move());
    auto a = once.state(stream, p, normal), b = often.state(stream, p, normal),
         c = elsewhen.state(stream, p, normal);
    EXPECT_TRUE(same_bits(a.lights, b.lights));
    EXPECT_TRUE(same_bits(a.nodes, b.nodes));
    EXPECT_FALSE(same_bits(a.nodes, c.nodes));
}

TL_DEVICE_TEST(MovingLights, NodesBoundTheLightsBelow) {
    vec3 p(1, -2, 0.5f), normal = glm::normalize(vec3(1, 2, -1));
    LightsAtTimes moved(stream, scratch, {0, 1.3f});
    auto state = moved.state(stream, p, normal);
    auto& nodes = state.nodes;
    /// Checks that a light's corners lie in the sphere and its normal in the cone of a node's
    /// child.
    auto expect_within = [&](const LightNode& node, std::uint32_t lane, const LightData& light) {
        if (light.kind != LightKind::triangle) return;
        vec3 center(node.center[0][lane], node.center[1][lane], node.center[2][lane]);
        vec3 axis(node.axis[0][lane], node.axis[1][lane], node.axis[2][lane]);
        for (vec3 corner :
             {light.position, light.position + light.edge_u, light.position + light.edge_v})
            EXPECT_LE(glm::distance(corner, center), 1.0001f * node.radius[lane] + 1e-5f);
        EXPECT_GE(glm::dot(light.normal, axis), node.cos_cone[lane] - 1e-4f);
    };
    std::uint32_t n_leaves = 0;
    using Lane = std::pair<std::uint32_t, std::uint32_t>;
    auto visit = [&](auto& self, std::uint32_t i, std::vector<Lane> above) -> double {
        double sum = 0;
        for (std::uint32_t lane = 0; lane < LightNode::kWidth; ++lane) {
            auto power = double(nodes[i].power[lane]);
            std::uint32_t child = nodes[i].child[lane];
            if (power == 0) continue;
            sum += power;
            auto to_child = above;
            to_child.emplace_back(i, lane);
            if (!(child & LightChild::kLeaf)) {
                EXPECT_NEAR(power / self(self, child, to_child), 1, 1e-5);
                continue;
            }
            ++n_leaves;
            const LightData& light = state.lights[child & ~LightChild::kLeaf];
            for (auto [node, at] : to_child) expect_within(nodes[node], at, light);
            if (light.kind == LightKind::triangle) {
                EXPECT_NEAR(power / double(kPi * light.area * 3), 1, 1e-5);
            }
        }
        return sum;
    };
    visit(visit, 0, {});
    EXPECT_EQ(n_leaves, kLights);
}

TL_DEVICE_TEST(MovingLights, AreAllChosenWhereTheyShine) {
    LightsAtTimes moved(stream, scratch, {0, 1.3f});
    RandomStream random(9, 0, 0);
    for (int k = 0; k < 20; ++k) {
        vec3 p, normal;
        for (int c = 0; c < 3; ++c) p[c] = 16 * random.next() - 8, normal[c] = random.next() - 0.5f;
        normal = glm::normalize(normal);
        auto state = moved.state(stream, p, normal);
        double sum = 0;
        for (std::size_t i = 0; i < state.lights.size(); ++i) {
            sum += double(state.probabilities[i]);
            const LightData& light = state.lights[i];
            if (light.kind != LightKind::triangle) continue;
            vec3 way = light.position + (light.edge_u + light.edge_v) / 3.0f - p;
            if (glm::dot(way, normal) > 0 && glm::dot(way, light.normal) < 0) {
                EXPECT_GT(state.probabilities[i], 0) << i;
            }
        }
        // A child may turn out to be dark although its parent's bounds allow light. That is
        // frequent, since each light shines to one side and the points lie among them.
        EXPECT_LE(sum, 1.0001);
        EXPECT_GT(sum, 0.1);
    }
}

namespace tl::TL_DEVICE_NAME {

/// Traces rays from a point in all directions, and records the densities of those that hit the
/// patch.
struct LookAround {
    static constexpr std::uint32_t kCells = 8;

    Stream& stream;
    SceneView scene;
    vec3 from;
    View<vec3> met;  ///< u, v and the density; 0 for rays that hit nothing

    template <class Tracer>
    void operator()(Tracer tracer) const {
        SceneView scene = this->scene;
        vec3 from = this->from;
        auto met = this->met;
        parallel_for(
            stream, "look around", static_cast<std::uint32_t>(met.size),
            TL_LAMBDA(std::uint32_t i) {
                RandomStream random(7, i, 0);
                float z = 1 - 2 * random.next(), angle = 2 * kPi * random.next();
                float ring = sqrtf(maximum(0.0f, 1 - z * z));
                Ray ray;
                ray.origin = from;
                ray.direction = vec3(ring * cosf(angle), ring * sinf(angle), z);
                SceneView seen = seen_by<Tracer>(scene);
                Hit hit = tracer.closest(ray);
                met[i] = vec3(0);
                if (!hit.found()) return;
                Surface s = surface_at(seen, ray, hit);
                std::int32_t light = any_light_of(seen, hit, s);
                if (light < 0) return;
                met[i] =
                    vec3(hit.u, hit.v,
                         density_of_met_light(seen, seen.lights[light], from, ray.direction, hit));
            });
    }
};

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(PatchLight, DensitiesIntegrateToTheShareOfEachPart) {
    // Samples are uniform in u and v. Over the directions in which a part of the square is visible,
    // the density integrates to the part's area. Here the patch is a bowl that shines down, seen
    // from below.
    Scene scene;
    scene.materials.resize(1);
    scene.materials[0].emission = vec3(1);
    for (bool rational : {false, true}) {
        PatchSet set;
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {
                bool inner = i % 3 != 0 && j % 3 != 0;
                set.points.emplace_back(i - 1.5f, inner ? 2.0f : 1.2f, j - 1.5f);
                if (rational) set.weights.push_back(inner ? 3.0f : 1.0f);
            }
        set.material_of_patch = {0};
        scene.patches = {set};
        LiveScene live(stream, std::make_shared<Scene>(scene));
        live.set_builder(make_tree_builder("hploc", stream.device()));
        StageTimer timer(stream);
        live.update(scratch, timer);
        constexpr std::uint32_t kRays = 1000000, kCells = LookAround::kCells;
        DeviceArray<vec3> out(stream, kRays);
        visit_any_tracer(live.view().tree,
                         LookAround{stream, live.view(), vec3(0.2f, 0, -0.1f), out.view()});
        std::vector<double> sums(kCells * kCells), squares(kCells * kCells);
        for (vec3 met : out.download(stream)) {
            if (!(met.z > 0)) continue;
            auto u = std::min(static_cast<std::uint32_t>(met.x * kCells), kCells - 1);
            auto v = std::min(static_cast<std::uint32_t>(met.y * kCells), kCells - 1);
            double weight = 4 * double(kPi) * double(met.z) * kCells * kCells;
            sums[u * kCells + v] += weight / kRays;
            squares[u * kCells + v] += weight * weight / kRays;
        }
        for (std::size_t cell = 0; cell < sums.size(); ++cell) {
            double deviation = std::sqrt((squares[cell] - sums[cell] * sums[cell]) / double(kRays));
            EXPECT_NEAR(sums[cell], 1, 4.5 * deviation) << cell << (rational ? " rational" : "");
        }
    }
}

TL_DEVICE_TEST(PatchLight, SamplesHaveTheDensityOfTheirDirection) {
    Scene scene = moving_lights();
    LightsAtTimes moved(stream, scratch, {0.8f});
    SceneView seen = moved.live().view();
    constexpr std::uint32_t kSamples = 1000;
    DeviceArray<float> out(stream, kSamples);
    auto to = out.view();
    parallel_for(
        stream, "sample patch", kSamples, TL_LAMBDA(std::uint32_t i) {
            RandomStream random(3, i, 0);
            vec3 p(4 * random.next(), 4, 4 * random.next());
            if (random.next() < 0.5f) p.y = 14;
            float u = random.next(), v = random.next();
            const LightData& light = seen.lights[kLights - 1];
            LightSample sample;
            to[i] = 1;
            if (!sample_any_light(seen, light, p, u, v, sample)) return;
            Hit hit;
            hit.t = sample.distance;
            hit.u = u;
            hit.v = v;
            to[i] = sample.inverse_density *
                    density_of_met_light(seen, light, p, sample.direction, hit);
        });
    for (float product : out.download(stream)) EXPECT_NEAR(product, 1, 1e-4f);
}

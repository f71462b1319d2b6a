// Packets of eight rays have the same hits as eight single rays, and so have rays that go through
// the tree together.
#define TL_DEVICE_CPU 1
#include <gtest/gtest.h>

#include <random>

#include "accel/bvh/traversal/bvh8_packet.h"
#include "accel/tree.h"
#include "core/device/array.h"

namespace tl::cpu {
namespace {

using Engine = std::mt19937;

vec3 random_vec(Engine& engine, float size) {
    std::uniform_real_distribution<float> unit(-size, size);
    float x = unit(engine), y = unit(engine), z = unit(engine);
    return {x, y, z};
}

/// Triangles, spheres and splats, and their tree.
class PacketTracer : public testing::Test {
  protected:
    Device& device = *devices().front();
    std::unique_ptr<Stream> stream = device.create_stream();
    Scratch scratch{*stream};
    Tree tree;
    DeviceArray<Primitive> gathered;

    void build(std::size_t n, float size) {
        Engine engine(3);
        std::vector<Primitive> primitives(n);
        std::vector<Box> boxes(n);
        for (std::uint32_t i = 0; i < n; ++i) {
            vec3 p = random_vec(engine, 10), e1 = random_vec(engine, size);
            vec3 e2 = random_vec(engine, size);
            if (i % 4 == 3) {
                primitives[i].id = i;
                primitives[i].kind = Primitive::kSphere;
                primitives[i].vertex = p;
                primitives[i].edge1.x = 0.3f * size;
                boxes[i].lo = p - 0.3f * size;
                boxes[i].hi = p + 0.3f * size;
            } else if (i % 4 == 1) {
                primitives[i] = splat_primitive(i, p, glm::normalize(e1), 0.5f * size);
                boxes[i] = splat_box(p, glm::normalize(e1), 0.5f * size);
            } else {
                primitives[i] = triangle_primitive(i, p, p + e1, p + e2, false);
                for (vec3 corner : {p, p + e1, p + e2}) boxes[i].extend(corner);
            }
        }
        DeviceArray<Box> box_array(*stream, std::span<const Box>(boxes));
        BuildInput input;
        input.boxes = box_array.view();
        tree.config.layout = TreeLayout::simd8;
        auto builder = make_tree_builder("hploc", device);
        tree.build(scratch, *builder, input);
        auto order = tree.order();
        std::vector<Primitive> in_order(n);
        for (std::size_t i = 0; i < n; ++i) in_order[i] = primitives[order.data[i]];
        gathered = DeviceArray<Primitive>(*stream, std::span<const Primitive>(in_order));
        tree.take_primitives(gathered.view());
    }

    /// Packets around common rays whose directions differ by `spread`.
    void expect_single_hits(float spread, unsigned active_lanes) {
        auto view = tree.view(gathered.data());
        Bvh8PacketTracer packets{view.bvh8, view.primitives};
        Bvh8Tracer<false> single{view.bvh8, view.primitives};
        Engine engine(11);
        std::size_t n_found = 0, n_rays = 0;
        for (int k = 0; k < 2000; ++k) {
            Ray8 rays;
            vec3 origin = random_vec(engine, 14), toward = random_vec(engine, 1);
            for (int i = 0; i < 8; ++i) {
                rays.origin.set_lane(i, origin + random_vec(engine, 0.1f));
                rays.direction.set_lane(i, glm::normalize(toward + random_vec(engine, spread)));
                rays.t_max.set_lane(i, k % 3 == 0 ? 5.0f : kInfinity);
                rays.t_min.set_lane(i, k % 5 == 0 ? 0.5f : 0.0f);
            }
            alignas(32) std::uint32_t on[8];
            for (int i = 0; i < 8; ++i) on[i] = active_lanes >> i & 1u;
            Mask8 active = Int8::load(on) == Int8(1);
            Hit8 hits = packets.closest(rays, active);
            unsigned occluded = packets.occluded(rays, active).lanes();
            for (int i = 0; i < 8; ++i) {
                Hit expected;
                if (on[i]) expected = single.closest(rays.lane(i));
                Hit hit = hits.lane(i);
                ASSERT_EQ(hit.found(), expected.found()) << k << ", lane " << i;
                EXPECT_EQ(occluded >> i & 1u, expected.found() ? 1u : 0u) << k << ", lane " << i;
                n_rays += on[i];
                if (!hit.found()) continue;
                ++n_found;
                EXPECT_EQ(hit.t, expected.t) << k << ", lane " << i;
                EXPECT_EQ(hit.primitive, expected.primitive) << k << ", lane " << i;
                EXPECT_EQ(hit.u, expected.u);
                EXPECT_EQ(hit.v, expected.v);
            }
        }
        EXPECT_GT(n_found, n_rays / 20);
        EXPECT_LT(n_found, n_rays);
    }
};

TEST_F(PacketTracer, MeetsWhatSingleRaysMeet) {
    if (!can_trace_bvh8()) GTEST_SKIP() << "no AVX2";
    build(3000, 1);
    expect_single_hits(0.02f, 0xff);
    expect_single_hits(0.3f, 0xff);
    expect_single_hits(3.0f, 0xff);  // every way: no packets at all
}

TEST_F(PacketTracer, LeavesIdleLanesAlone) {
    if (!can_trace_bvh8()) GTEST_SKIP() << "no AVX2";
    build(500, 2);
    for (unsigned lanes : {0x01u, 0x80u, 0x5au, 0xfeu, 0x00u}) {
        if (lanes == 0) {
            auto view = tree.view(gathered.data());
            Bvh8PacketTracer packets{view.bvh8, view.primitives};
            Ray8 rays{Vec3x8(vec3(0)), Vec3x8(vec3(1, 0, 0))};
            EXPECT_FALSE(packets.closest(rays, Mask8::none()).found().any());
            EXPECT_FALSE(packets.occluded(rays, Mask8::none()).any());
        } else {
            expect_single_hits(0.05f, lanes);
        }
    }
}

TEST_F(PacketTracer, MeetsAFewOfFewPrimitives) {
    if (!can_trace_bvh8()) GTEST_SKIP() << "no AVX2";
    for (std::size_t n : {1u, 2u, 5u, 9u}) {
        build(n, 9);
        auto view = tree.view(gathered.data());
        Bvh8PacketTracer packets{view.bvh8, view.primitives};
        Bvh8Tracer<false> single{view.bvh8, view.primitives};
        Engine engine(5);
        for (int k = 0; k < 300; ++k) {
            Ray8 rays;
            vec3 origin = random_vec(engine, 20);
            for (int i = 0; i < 8; ++i) {
                rays.origin.set_lane(i, origin);
                rays.direction.set_lane(i, random_vec(engine, 5) - origin);
            }
            Hit8 hits = packets.closest(rays, Mask8::first(8));
            for (int i = 0; i < 8; ++i)
                EXPECT_EQ(hits.lane(i).primitive, single.closest(rays.lane(i)).primitive);
        }
    }
}

TEST_F(PacketTracer, RaysThatAreNoRaysMeetNothing) {
    if (!can_trace_bvh8()) GTEST_SKIP() << "no AVX2";
    build(500, 3);
    auto view = tree.view(gathered.data());
    Bvh8PacketTracer packets{view.bvh8, view.primitives};
    Bvh8Tracer<false> single{view.bvh8, view.primitives};
    Ray8 rays{Vec3x8(vec3(-20, 0, 0)), Vec3x8(vec3(1, 0, 0))};
    rays.direction.set_lane(2, vec3(std::nanf("")));
    rays.origin.set_lane(5, vec3(kInfinity, 0, 0));
    rays.direction.set_lane(6, vec3(0));
    Hit8 hits = packets.closest(rays, Mask8::first(8));
    Mask8 occluded = packets.occluded(rays, Mask8::first(8));
    for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(hits.lane(i).primitive, single.closest(rays.lane(i)).primitive) << i;
        EXPECT_EQ(bool(occluded.lanes() >> i & 1u), single.occluded(rays.lane(i))) << i;
    }
    EXPECT_FALSE(hits.lane(2).found());
    EXPECT_FALSE(hits.lane(5).found());
}

TEST_F(PacketTracer, RaysTogetherHaveTheHitsOfEachAlone) {
    if (!can_trace_bvh8()) GTEST_SKIP() << "no AVX2";
    build(3000, 1);
    auto view = tree.view(gathered.data());
    // The reference uses Bvh2, whose traversal shares no code with that of Bvh8.
    Bvh2Tracer<false> alone{{view.bvh2}, view.primitives};
    Bvh8Tracer<false> together{view.bvh8, view.primitives};
    Engine engine(7);
    int n_found = 0, n_rays = 0;
    for (int n : {0, 1, 7, 63, 64}) {
        std::vector<Ray> rays(64);
        for (Ray& ray : rays) {
            ray.origin = random_vec(engine, 14);
            ray.direction = glm::normalize(random_vec(engine, 1));
            ray.t_max = n % 2 ? 20.0f : kInfinity;
        }
        if (n > 5) rays[5].direction.x = std::nanf("");
        std::vector<Hit> hits(64);
        together.closest_together<64>(rays.data(), n, hits.data());
        std::uint64_t occluded = together.occluded_together<64>(rays.data(), n);
        for (std::size_t i = 0; i < 64; ++i) {
            Hit expected = i < std::size_t(n) ? alone.closest(rays[i]) : Hit{};
            EXPECT_EQ(hits[i].primitive, expected.primitive) << n << " rays, ray " << i;
            EXPECT_EQ(bool(occluded >> i & 1), expected.found()) << n << " rays, ray " << i;
            n_found += expected.found() ? 1 : 0;
        }
        n_rays += n;
    }
    EXPECT_GT(n_found, n_rays / 4);
    EXPECT_LT(n_found, n_rays * 3 / 4);
}

}  // namespace
}  // namespace tl::cpu

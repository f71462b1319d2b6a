// Packet shading of eight rays gives the same results as the code for single rays.
#define TL_DEVICE_CPU 1
#include <gtest/gtest.h>

#include <random>

#include "renderer/whitted/packets/lights8.h"

namespace tl::packet_shading_tests {
using namespace tl::cpu;
namespace {

using Engine = std::mt19937;

vec3 random_unit(Engine& engine) {
    std::normal_distribution<float> normal;
    float x = normal(engine), y = normal(engine), z = normal(engine);
    return glm::normalize(vec3(x, y, z));
}

Int8 random_bits(Engine& engine) {
    Int8 bits(0);
    for (int i = 0; i < 8; ++i) bits.set_lane(i, static_cast<std::uint32_t>(engine()));
    return bits;
}

void expect_near(vec3 a, vec3 b, float tolerance) {
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(a[c], b[c], tolerance);
}

}  // namespace

TEST(PacketShading, HashesAndReversesAsTheSamplerDoes) {
    Engine engine(1);
    for (int k = 0; k < 200; ++k) {
        Int8 low = random_bits(engine), high = random_bits(engine);
        Wide8 hash = hash_64(Wide8(low, high));
        Int8 bits = hash_bits(low), reversed = reverse_bits(low);
        Int8 scrambled = scramble_reversed(low, high), second = sobol_second_reversed(low);
        for (int i = 0; i < 8; ++i) {
            std::uint32_t a = low.lane(i), b = high.lane(i);
            std::uint64_t expected = tl::hash_64(std::uint64_t(b) << 32 | a);
            EXPECT_EQ(hash.low().lane(i), static_cast<std::uint32_t>(expected));
            EXPECT_EQ(hash.high().lane(i), static_cast<std::uint32_t>(expected >> 32));
            EXPECT_EQ(bits.lane(i), tl::hash_bits(a));
            EXPECT_EQ(reversed.lane(i), tl::reverse_bits(a));
            EXPECT_EQ(scrambled.lane(i), tl::scramble_reversed(a, b));
            EXPECT_EQ(second.lane(i), tl::sobol_second_reversed(a));
        }
    }
}

TEST(PacketShading, DrawsTheSamplersPoints) {
    Engine engine(2);
    for (auto pattern : {SamplePattern::sobol, SamplePattern::random})
        for (std::uint32_t k = 0; k < 50; ++k) {
            Int8 items = random_bits(engine), paths = random_bits(engine);
            std::uint64_t seed = std::uint64_t(engine()) << 32 | engine();
            Points8 points = sample_points(pattern, seed, items, paths, k % 5, k);
            for (int i = 0; i < 8; ++i) {
                std::uint64_t own = seed ^ std::uint64_t(paths.lane(i)) << 32;
                vec2 expected = SamplePair(pattern, own, items.lane(i), k % 5).point(k);
                EXPECT_EQ(points.x.lane(i), expected.x);
                EXPECT_EQ(points.y.lane(i), expected.y);
            }
        }
}

TEST(PacketShading, DrawsFourPairsAtOnce) {
    Engine engine(4);
    for (std::uint32_t k = 0; k < 200; ++k) {
        std::uint64_t seed = std::uint64_t(engine()) << 32 | engine();
        std::uint32_t item = engine(), path = engine();
        Float8 four = first_four_points(seed ^ std::uint64_t(path) << 32, item, k);
        Sampler sampler(SamplePattern::sobol, seed, item, k, path);
        for (int pair = 0; pair < 4; ++pair) {
            vec2 expected = sampler.next();
            EXPECT_EQ(four.lane(2 * pair), expected.x);
            EXPECT_EQ(four.lane(2 * pair + 1), expected.y);
        }
    }
}

TEST(PacketShading, SendsTheCamerasRays) {
    for (auto filter : {PixelFilter::box, PixelFilter::tent, PixelFilter::blackman_harris})
        for (float lens : {0.0f, 0.2f}) {
            Camera camera;
            camera.eye = {3, 2, 9};
            camera.lens_radius = lens;
            SamplingConfig sampling;
            sampling.filter = filter;
            CameraRays rays(camera, {64, 48}, sampling);
            Int8 x(_mm256_setr_epi32(0, 1, 2, 3, 60, 61, 62, 63)), y(17);
            Int8 pixel = y * Int8(64) + x;
            Ray8 eight = camera_rays(rays, SamplePattern::sobol, 5, 3, x, y, pixel);
            for (int i = 0; i < 8; ++i) {
                Sampler sampler(SamplePattern::sobol, 5, pixel.lane(i), 3);
                Ray one = rays.sample(x.lane(i), y.lane(i), sampler);
                EXPECT_EQ(eight.origin.lane(i), one.origin);
                EXPECT_EQ(eight.direction.lane(i), one.direction);
            }
        }
}

TEST(PacketShading, ReflectsAndRefractsAsOneRay) {
    Engine engine(4);
    std::uniform_real_distribution<float> ratio(0.4f, 2.5f);
    int n_total = 0;
    for (int k = 0; k < 200; ++k) {
        Vec3x8 d(vec3(0)), n(vec3(0));
        Float8 eta(1.0f);
        for (int i = 0; i < 8; ++i) {
            vec3 direction = random_unit(engine), normal = random_unit(engine);
            if (glm::dot(direction, normal) > 0) normal = -normal;
            d.set_lane(i, direction);
            n.set_lane(i, normal);
            eta.set_lane(i, ratio(engine));
        }
        Vec3x8 refracted, reflected = reflect_direction(d, n);
        Float8 cos_t;
        Mask8 passes = refract_directions(d, n, eta, refracted, cos_t);
        Float8 cos_i = -fused_dot(d, n);
        Float8 exact = fresnel_dielectric(cos_i, cos_t, eta);
        Float8 schlick = fresnel_schlick(cos_i, cos_t, eta);
        for (int i = 0; i < 8; ++i) {
            vec3 one;
            float one_cos_t;
            bool one_passes = refract_direction(d.lane(i), n.lane(i), eta.lane(i), one, one_cos_t);
            EXPECT_EQ(reflected.lane(i), reflect_direction(d.lane(i), n.lane(i)));
            ASSERT_EQ(bool(passes.lanes() >> i & 1u), one_passes);
            n_total += !one_passes;
            if (!one_passes) continue;
            EXPECT_EQ(refracted.lane(i), one);
            EXPECT_EQ(cos_t.lane(i), one_cos_t);
            float cosine = cos_i.lane(i);
            EXPECT_NEAR(exact.lane(i), fresnel_dielectric(cosine, one_cos_t, eta.lane(i)), 1e-5f);
            EXPECT_NEAR(schlick.lane(i), fresnel_schlick(cosine, one_cos_t, eta.lane(i)), 1e-5f);
        }
    }
    EXPECT_GT(n_total, 100);
}

TEST(PacketShading, LeavesSurfacesByTheSameSteps) {
    Engine engine(5);
    std::uniform_real_distribution<float> exponent(-12, 12);
    for (int k = 0; k < 200; ++k) {
        Corners8 corners{};
        for (int i = 0; i < 8; ++i) {
            vec3 first = std::exp2(exponent(engine)) * random_unit(engine);
            for (auto& corner : corners.positions)
                corner.set_lane(i, first + std::exp2(exponent(engine)) * random_unit(engine));
        }
        Vec3x8 edge1 = corners.positions[1] - corners.positions[0];
        Vec3x8 edge2 = corners.positions[2] - corners.positions[0];
        Vec3x8 across = fused_cross(edge1, edge2), normal = fused_unit(across);
        Float8 of_edges = rounding_of_edges(edge1, edge2, Float8(1.0f) / fused_length(across));
        Float8 triangle = triangle_clearance(corners, of_edges, normal);
        Float8 sphere = sphere_clearance(corners.positions[0], fused_length(edge1), normal);
        for (int i = 0; i < 8; ++i) {
            vec3 a = corners.positions[0].lane(i), b = corners.positions[1].lane(i);
            vec3 c = corners.positions[2].lane(i), n = normal.lane(i);
            TriangleRounding one{
                largest_of_corners(a, b, c),
                rounding_of_edges(edge1.lane(i), edge2.lane(i), 1 / fused_length(across.lane(i)))};
            EXPECT_EQ(triangle.lane(i), one.clearance(n));
            EXPECT_EQ(sphere.lane(i), sphere_clearance(a, fused_length(edge1.lane(i)), n));
        }
    }
}

TEST(PacketShading, SamplesEveryKindOfLight) {
    Engine engine(6);
    std::uniform_real_distribution<float> unit(0, 1);
    for (auto kind : {LightKind::point, LightKind::directional, LightKind::rectangle,
                      LightKind::spot, LightKind::sphere}) {
        LightData light{};
        light.kind = kind;
        light.position = {0, 3, 0};
        light.edge_u = {1, 0, 0};
        light.edge_v = {0, 0, 1};
        light.area = 1;
        light.normal = {0, -1, 0};
        light.radius = 0.5f;
        light.radiance = {3, 2, 1};
        light.cos_outer = 0.8f;
        light.cos_falloff = 0.1f;
        int n_dark = 0, n_lit = 0;
        for (int k = 0; k < 100; ++k) {
            Vec3x8 p(vec3(0));
            Points8 r{Float8(0.0f), Float8(0.0f)};
            for (int i = 0; i < 8; ++i) {
                p.set_lane(i, 5.0f * unit(engine) * random_unit(engine));
                r.x.set_lane(i, unit(engine));
                r.y.set_lane(i, unit(engine));
            }
            LightSample8 sample;
            unsigned lit = sample_lights(light, p, r, Mask8::first(7), sample).lanes();
            EXPECT_EQ(lit >> 7, 0u) << "the idle lane";
            for (int i = 0; i < 7; ++i) {
                LightSample one;
                bool arrives = sample_light(light, p.lane(i), r.x.lane(i), r.y.lane(i), one);
                ASSERT_EQ(bool(lit >> i & 1u), arrives);
                (arrives ? n_lit : n_dark) += 1;
                if (!arrives) continue;
                EXPECT_EQ(sample.direction.lane(i), one.direction);
                EXPECT_EQ(sample.distance.lane(i), one.distance);
                expect_near(sample.radiance.lane(i), one.radiance, 1e-5f * largest(one.radiance));
                EXPECT_NEAR(sample.inverse_density.lane(i), one.inverse_density,
                            1e-5f * one.inverse_density);
            }
        }
        EXPECT_GT(n_lit, 10);
        bool has_dark_side = kind == LightKind::spot || kind == LightKind::rectangle;
        EXPECT_GE(n_dark, has_dark_side ? 10 : 0);
    }
}

TEST(PacketShading, SendsTheShadowRaysOfOnePlace) {
    Engine engine(8);
    std::uniform_real_distribution<float> unit(0, 1);
    LightData point{}, sphere{}, rectangle{};
    point.kind = LightKind::point;
    sphere.kind = LightKind::sphere;
    rectangle.kind = LightKind::rectangle;
    point.position = sphere.position = rectangle.position = {0, 3, 0};
    point.radiance = sphere.radiance = rectangle.radiance = {3, 2, 1};
    sphere.radius = 0.5f;
    rectangle.edge_u = {1, 0, 0};
    rectangle.edge_v = {0, 0, 1};
    rectangle.area = 1;
    rectangle.normal = {0, -1, 0};
    const LightData lights[] = {rectangle, point, sphere};
    MaterialData materials[2]{};
    materials[0].diffuse = {0.5f, 0.6f, 0.7f};
    materials[1] = materials[0];
    materials[1].kind = MaterialKind::phong;
    materials[1].specular = vec3(0.3f);
    materials[1].exponent = 5;
    PathFrame frame{{}, SamplePattern::sobol, 11, 3, {}};
    frame.scene.lights = lights;
    frame.scene.n_lights = 3;
    frame.scene.materials = materials;
    constexpr int kSamples = 2;
    int n_lit = 0, n_dark = 0;
    for (int k = 0; k < 50; ++k) {
        Int8 pixel = random_bits(engine), path = random_bits(engine);
        ShadingContext places[8];
        LitPlace8 eight{};
        alignas(32) std::uint32_t is_phong[8];
        for (int i = 0; i < 8; ++i) {
            vec3 position = 4.0f * unit(engine) * random_unit(engine), normal = random_unit(engine);
            std::uint32_t material = is_phong[i] = engine() % 2;
            places[i] = {materials + material,
                         materials[material].diffuse,
                         position,
                         position + 1e-3f * normal,
                         normal,
                         normal,
                         random_unit(engine)};
            eight.material.set_lane(i, material);
            eight.albedo.set_lane(i, places[i].albedo);
            eight.position.set_lane(i, position);
            eight.origin.set_lane(i, places[i].origin);
            eight.normal.set_lane(i, normal);
            eight.horizon_normal.set_lane(i, normal);
            eight.to_viewer.set_lane(i, places[i].to_viewer);
        }
        eight.is_phong = Int8::load(is_phong) == Int8(1);
        LightCursor at, ones[8];
        while (!at.done(frame.scene)) {
            Ray8 shadow;
            Vec3x8 radiance(vec3(0));
            unsigned lit = next_shadow_rays(at, frame, eight, kSamples, pixel, path,
                                            Mask8::first(7), shadow, radiance)
                               .lanes();
            EXPECT_EQ(lit >> 7, 0u) << "the idle lane";
            for (int i = 0; i < 7; ++i) {
                Sampler sampler(frame.pattern, frame.seed, pixel.lane(i), frame.sample,
                                path.lane(i));
                Ray ray;
                vec3 one;
                bool arrives =
                    next_shadow_ray(ones[i], frame.scene, places[i], kSamples, sampler, ray, one);
                ASSERT_EQ(bool(lit >> i & 1u), arrives);
                EXPECT_EQ(ones[i].light, at.light);
                EXPECT_EQ(ones[i].point, at.point);
                (arrives ? n_lit : n_dark) += 1;
                if (!arrives) continue;
                EXPECT_EQ(shadow.origin.lane(i), ray.origin);
                EXPECT_EQ(shadow.direction.lane(i), ray.direction);
                EXPECT_EQ(shadow.t_max.lane(i), ray.t_max);
                expect_near(radiance.lane(i), one, 1e-5f * largest(one));
            }
        }
    }
    EXPECT_GT(n_lit, 100);
    EXPECT_GT(n_dark, 100);
}

TEST(PacketShading, BinsGiveBackWhatTheyTook) {
    Engine engine(7);
    struct Record {
        Int8 number, square;
    };
    Bin<Record> bin;
    std::vector<std::uint32_t> expected;
    std::uint32_t next = 1;
    for (int k = 0; k < 500; ++k) {
        if (engine() % 5 < 3) {
            Record record{Int8(0), Int8(0)};
            auto lanes = static_cast<unsigned>(engine() % 256);
            alignas(32) std::uint32_t on[8];
            for (int i = 0; i < 8; ++i) {
                on[i] = lanes >> i & 1u;
                record.number.set_lane(i, next);
                record.square.set_lane(i, next * next);
                if (on[i]) expected.push_back(next);
                ++next;
            }
            bin.push(record, Int8::load(on) == Int8(1));
        } else {
            Record record;
            int n = bin.pop(record).count();
            ASSERT_EQ(std::size_t(n), std::min<std::size_t>(8, expected.size()));
            auto first = expected.end() - n;
            for (int i = 0; i < n; ++i) {
                EXPECT_EQ(record.number.lane(i), first[i]);
                EXPECT_EQ(record.square.lane(i), first[i] * first[i]);
            }
            expected.erase(first, expected.end());
        }
        ASSERT_EQ(bin.size(), expected.size());
    }
}

}  // namespace tl::packet_shading_tests

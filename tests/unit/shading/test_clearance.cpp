// Clearance of rays above surfaces: rays that leave a triangle of any shape, position and size do
// not hit it, and pass between faces that lie close together.
#define TL_DEVICE_CPU 1
#include <gtest/gtest.h>

#include <random>

#include "renderer/shading/clearance.h"
#include "tests/long_test.h"

TL_DEVICE_BEGIN

namespace {

using Engine = std::mt19937;

vec3 random_vector(Engine& engine) {
    std::normal_distribution<float> normal;
    float x = normal(engine), y = normal(engine);
    return {x, y, normal(engine)};
}

struct RandomTriangle {
    vec3 a, b, c;
    vec3 point;   ///< on it, rounded as by surface_of_triangle
    vec3 normal;  ///< unit
    float clearance;

    /// `thin`: height relative to the base; `far`: distance from the origin relative to the size.
    RandomTriangle(Engine& engine, float size, float thin, float far) {
        std::uniform_real_distribution<float> unit(0, 1);
        a = far * size * random_vector(engine);
        vec3 along = random_vector(engine);
        b = a + size * along;
        c = a + size * (2 * unit(engine) * along + thin * random_vector(engine));
        float u = unit(engine), v = unit(engine);
        if (u + v > 1) u = 1 - u, v = 1 - v;
        point = fused_mean(1 - u - v, a, u, b, v, c);
        vec3 across = fused_cross(b - a, c - a);
        normal = fused_unit(across);
        clearance = TriangleRounding{largest_of_corners(a, b, c),
                                     rounding_of_edges(b - a, c - a, 1 / fused_length(across))}
                        .clearance(normal);
    }
    [[nodiscard]] bool is_hit(const Ray& ray) const {
        Primitive p{};
        p.vertex = a;
        p.edge1 = b - a;
        p.edge2 = c - a;
        p.slack = slack_of(p.edge1, p.edge2);
        Hit hit;
        float t, u, v;
        return intersect_triangle(p, ray, kInfinity, hit) ||
               ShearedRay(ray.origin, ray.direction).meets(a, b, c, 0, kInfinity, t, u, v);
    }
};

}  // namespace

TEST(Clearance, RaysDoNotHitTheTriangleThatTheyLeave) {
    TL_LONG_TEST();
    Engine engine(11);
    std::uniform_real_distribution<float> unit(0, 1);
    for (float size : {1e-6f, 1.0f, 1e6f})
        for (float thin : {1.0f, 0.1f, 0.01f})
            for (float far : {0.0f, 1.0f, 100.0f}) {
                int n_hits = 0;
                for (int i = 0; i < 10000; ++i) {
                    const RandomTriangle t(engine, size, thin, far);
                    vec3 side = unit(engine) < 0.5f ? t.normal : -t.normal;
                    Ray ray;
                    ray.origin = fused(t.clearance, side, t.point);
                    ray.direction = fused_unit(random_vector(engine));
                    float up = fused_dot(ray.direction, side);
                    // A third of them graze the surface.
                    float kept = i % 3 == 0 ? 0.01f * std::abs(up) : std::abs(up);
                    ray.direction = fused_unit(ray.direction + (kept - up) * side);
                    n_hits += t.is_hit(ray) ? 1 : 0;
                }
                EXPECT_EQ(n_hits, 0) << "size " << size << " thin " << thin << " far " << far;
            }
}

TEST(Clearance, IsLessThanTheThicknessOfFoil) {
    // Two faces in planes of a coordinate, 10 um apart in a square of 100 m.
    vec3 a(-50, 1e-5f, -50), b(50, 1e-5f, -50), c(-50, 1e-5f, 50);
    vec3 across = fused_cross(b - a, c - a);
    TriangleRounding rounding{largest_of_corners(a, b, c),
                              rounding_of_edges(b - a, c - a, 1 / fused_length(across))};
    EXPECT_LT(rounding.clearance(fused_unit(across)), 1e-10f);
    // In the same square turned, the corners' own rounding is a part of it.
    EXPECT_LT((TriangleRounding{vec3(50), 200}.clearance(fused_unit(vec3(1)))), 4e-4f);
}

TEST(Clearance, OfAnInstanceIsThatOfTheTriangleInTheWorld) {
    Engine engine(12);
    for (int i = 0; i < 1000; ++i) {
        const RandomTriangle t(engine, 1, 0.5f, 1);
        // Ten times as large, from far away.
        AffineRows to_world =
            AffineRows::of(glm::mat4(glm::vec4(10, 0, 0, 0), glm::vec4(0, 10, 0, 0),
                                     glm::vec4(0, 0, 10, 0), glm::vec4(7, 8, 9, 1)));
        TriangleRounding of_mesh{largest_of_corners(t.a, t.b, t.c), 1};
        TriangleRounding of_world = of_mesh.in_world(to_world, 0.1f);
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_FLOAT_EQ(of_world.corners[axis],
                            10 * of_mesh.corners[axis] + 7 + static_cast<float>(axis));
        EXPECT_FLOAT_EQ(of_world.edges, 10);
    }
}

TL_DEVICE_END

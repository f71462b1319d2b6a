// Directions sampled towards a light follow their stated density (Pearson's chi-squared test).
#include <cmath>
#include <functional>

#include "core/base/random.h"
#include "core/device/parallel_for.h"
#include "renderer/shading/lights.h"
#include "tests/device_test.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"
#include "tests/unit/shading/chi_square.h"

namespace tl::TL_DEVICE_NAME {

constexpr int kSide = 20;  ///< cells along each of a light's two coordinates
constexpr int kConfigurations = test::kSanitized ? 2 : 20;

/// A light seen from a point, and how its surface is divided into cells.
struct SeenLight {
    LightData light{};
    vec3 from{0};
    /// Cell that a direction from the point hits; below 0: none.
    std::function<int(vec3)> cell_of;
    /// Direction to the middle of a cell, the distance, and the cell's solid angle there.
    struct Cell {
        vec3 direction;
        float distance;
        double solid_angle;
    };
    std::function<Cell(int)> cell;
};

vec3 random_vector(RandomStream& random, float scale) {
    vec3 v;
    for (int c = 0; c < 3; ++c) v[c] = scale * (2 * random.next() - 1);
    return v;
}

/// A rectangle, or with `halved` a triangle, in front of the point.
SeenLight flat_light(std::uint64_t seed, bool halved) {
    RandomStream random(seed, 0, 0);
    SeenLight seen;
    LightData& light = seen.light;
    light.kind = halved ? LightKind::triangle : LightKind::rectangle;
    light.position = random_vector(random, 2);
    light.edge_u = random_vector(random, 3);
    light.edge_v =
        glm::normalize(glm::cross(light.edge_u, random_vector(random, 1))) * (0.5f + random.next());
    if (halved) light.edge_v += 0.3f * light.edge_u;
    vec3 normal = glm::cross(light.edge_u, light.edge_v);
    light.area = glm::length(normal) * (halved ? 0.5f : 1.0f);
    light.normal = normal / glm::length(normal);
    seen.from = light.position + light.normal * (0.3f + 3 * random.next()) +
                random.next() * light.edge_u + random.next() * light.edge_v;
    glm::dvec3 p = seen.from, corner = light.position, u = light.edge_u, v = light.edge_v;
    glm::dvec3 n = glm::cross(u, v);
    seen.cell_of = [=](vec3 direction) {
        glm::dvec3 d = direction;
        glm::dvec3 at = p + d * (glm::dot(corner - p, n) / glm::dot(d, n)) - corner;
        double s = glm::dot(glm::cross(at, v), n) / glm::dot(n, n);
        double t = glm::dot(glm::cross(u, at), n) / glm::dot(n, n);
        int i = static_cast<int>(std::floor(s * kSide)),
            j = static_cast<int>(std::floor(t * kSide));
        bool inside = i >= 0 && j >= 0 && i < kSide && j < kSide && (!halved || i + j < kSide);
        return inside ? j * kSide + i : -1;
    };
    seen.cell = [=](int cell) {
        int i = cell % kSide, j = cell / kSide;
        bool cut = halved && i + j == kSide - 1;  // the triangle's third side halves it
        double middle = cut ? 1.0 / 3 : 0.5;
        if (halved && i + j >= kSide) return SeenLight::Cell{vec3(0, 0, 1), 1, 0};
        glm::dvec3 way = corner + u * ((i + middle) / kSide) + v * ((j + middle) / kSide) - p;
        double distance2 = glm::dot(way, way), size = glm::length(n);
        double area = size / (kSide * kSide) * (cut ? 0.5 : 1.0);
        double cosine = -glm::dot(n, way) / (size * std::sqrt(distance2));
        return SeenLight::Cell{vec3(way / std::sqrt(distance2)),
                               static_cast<float>(std::sqrt(distance2)), area * cosine / distance2};
    };
    return seen;
}

/// A sphere, divided by the angle around its direction and by the cosine to it.
SeenLight sphere_light(std::uint64_t seed) {
    RandomStream random(seed, 1, 0);
    SeenLight seen;
    LightData& light = seen.light;
    light.kind = LightKind::sphere;
    light.position = random_vector(random, 2);
    light.radius = std::pow(10.0f, -2 * random.next());
    seen.from = light.position + glm::normalize(random_vector(random, 1)) * light.radius *
                                     (1.01f + 10 * random.next() * random.next());
    glm::dvec3 to_center = glm::dvec3(light.position) - glm::dvec3(seen.from);
    double distance = glm::length(to_center);
    glm::dvec3 axis = to_center / distance;
    glm::dvec3 a = glm::normalize(
        glm::cross(axis, std::abs(axis.x) < 0.5 ? glm::dvec3(1, 0, 0) : glm::dvec3(0, 1, 0)));
    glm::dvec3 b = glm::cross(axis, a);
    double sine = double(light.radius) / distance;
    double most = sine * sine / (1 + std::sqrt(1 - sine * sine));  // 1 - cosine at the rim
    constexpr double kTurn = 2 * 3.14159265358979323846;
    seen.cell_of = [=](vec3 direction) {
        glm::dvec3 d = glm::normalize(glm::dvec3(direction));
        double x = glm::dot(d, a), y = glm::dot(d, b), z = glm::dot(d, axis);
        double versine = (x * x + y * y) / (1 + z);
        double angle = std::atan2(y, x) / kTurn;
        int i = static_cast<int>((angle - std::floor(angle)) * kSide);
        // Rounding decides at the rim itself.
        int j = static_cast<int>(std::min(versine / most, 1 - 1e-9) * kSide);
        return versine > 1.001 * most ? -1 : j * kSide + std::min(i, kSide - 1);
    };
    seen.cell = [=](int cell) {
        double versine = most * (cell / kSide + 0.5) / kSide;
        double angle = kTurn * (cell % kSide + 0.5) / kSide;
        double ring = std::sqrt(versine * (2 - versine));
        glm::dvec3 d = (1 - versine) * axis + ring * (std::cos(angle) * a + std::sin(angle) * b);
        double height = distance * (1 - versine);
        double chord = std::sqrt(std::max(
            0.0, double(light.radius) * double(light.radius) - distance * distance * ring * ring));
        return SeenLight::Cell{vec3(d), static_cast<float>(height - chord),
                               kTurn * most / (kSide * kSide)};
    };
    return seen;
}

std::vector<vec3> draw(Stream& stream, const SeenLight& seen, std::uint32_t n) {
    DeviceArray<vec3> out(stream, n);
    auto to = out.view();
    LightData light = seen.light;
    vec3 from = seen.from;
    parallel_for(
        stream, "draw", n, TL_LAMBDA(std::uint32_t i) {
            RandomStream random(3, i, 0);
            float r1 = random.next(), r2 = random.next();
            LightSample sample{};
            bool drawn = light.kind == LightKind::triangle
                             ? sample_triangle_light(light, from, r1, r2, sample)
                             : sample_light(light, from, r1, r2, sample);
            to[i] = drawn ? sample.direction : vec3(0);
        });
    return out.download(stream);
}

/// Tests a million samples. The bound is passed by chance once in 10,000 tests.
void expect_samples_follow_density(Stream& stream, const SeenLight& seen) {
    constexpr std::uint32_t kSamples = test::kSanitized ? 100000 : 1000000;
    constexpr double kMostSigmas = 3.72;
    std::vector<double> found(kSide * kSide);
    std::uint32_t n_beside = 0;
    for (vec3 d : draw(stream, seen, kSamples)) {
        int cell = d == vec3(0) ? -1 : seen.cell_of(d);
        if (cell < 0)
            ++n_beside;
        else
            ++found[static_cast<std::size_t>(cell)];
    }
    EXPECT_LE(n_beside, kSamples / 10000);  // at the edges, by rounding
    test::ChiSquare result;
    double total = 0;
    for (int k = 0; k < kSide * kSide; ++k) {
        auto cell = seen.cell(k);
        if (!(cell.solid_angle > 0)) continue;
        double share = cell.solid_angle *
                       double(light_density(seen.light, seen.from, cell.direction, cell.distance));
        double expected = share * kSamples, off = found[static_cast<std::size_t>(k)] - expected;
        total += share;
        result.statistic += off * off / expected;
        ++result.n_cells;
    }
    EXPECT_NEAR(total, 1, 2e-4);
    EXPECT_LT(result.sigmas(), kMostSigmas) << result.statistic << " in " << result.n_cells;
}

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(RectangleLight, SamplesFollowTheirDensity) {
    TL_LONG_TEST();
    for (int k = 0; k < kConfigurations; ++k)
        expect_samples_follow_density(stream, flat_light(static_cast<std::uint64_t>(k), false));
}
TL_DEVICE_TEST(TriangleLight, SamplesFollowTheirDensity) {
    TL_LONG_TEST();
    for (int k = 0; k < kConfigurations; ++k)
        expect_samples_follow_density(stream, flat_light(static_cast<std::uint64_t>(k), true));
}
TL_DEVICE_TEST(SphereLight, SamplesFollowTheirDensity) {
    TL_LONG_TEST();
    for (int k = 0; k < kConfigurations; ++k)
        expect_samples_follow_density(stream, sphere_light(static_cast<std::uint64_t>(k)));
}

// The environment map's density: it integrates to 1, fits the samples and follows the map.
#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/device/parallel_for.h"
#include "renderer/scene/live/lights/live_environment.h"
#include "renderer/shading/environment.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {

/// Random brightness of very different magnitudes, with a black row and a black column.
EnvironmentMap patchy_map() {
    EnvironmentMap map{.extent = {24, 11}, .texels = {}};
    RandomStream random(5, 0, 0);
    for (int y = 0; y < 11; ++y)
        for (int x = 0; x < 24; ++x) {
            float value = std::pow(10.0f, 4 * random.next() - 2);
            map.texels.push_back(y == 4 || x == 7 ? vec3(0) : vec3(value, value / 2, 3 * value));
        }
    map.rotation = 77;
    map.scale = vec3(2, 1, 0.5f);
    return map;
}

/// A map of 8 x 4 texels, black except for one of value 1.
EnvironmentMap one_texel(int column, int row) {
    EnvironmentMap map{.extent = {8, 4}, .texels = std::vector<vec3>(32, vec3(0))};
    map.texels[8 * row + column] = vec3(1);
    return map;
}

vec3 radiance_of(Stream& stream, const EnvironmentMap& map, vec3 direction) {
    LiveEnvironment live(stream, map);
    DeviceArray<vec3> out(stream, 1);
    auto view = out.view();
    auto* data = live.data();
    parallel_for(
        stream, "look", 1,
        TL_LAMBDA(std::uint32_t) { view[0] = environment_radiance(*data, direction); });
    return out.download(stream)[0];
}

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(EnvironmentMap, ItsDensityIntegratesToOne) {
    LiveEnvironment live(stream, patchy_map());
    // Midpoints of cells of equal solid angle.
    constexpr std::uint32_t kAround = 1200, kAlong = 1100;
    DeviceArray<float> out(stream, kAround * kAlong);
    auto view = out.view();
    auto* data = live.data();
    parallel_for(
        stream, "density", kAround * kAlong, TL_LAMBDA(std::uint32_t i) {
            float angle = 2 * kPi * (static_cast<float>(i % kAround) + 0.5f) / kAround;
            float y = 1 - 2 * (static_cast<float>(i / kAround) + 0.5f) / kAlong;
            float ring = sqrtf(1 - y * y);
            view[i] = environment_density(*data, vec3(ring * cosf(angle), y, ring * sinf(angle)));
        });
    double sum = 0;
    for (float density : out.download(stream)) sum += double(density);
    // The edges of texels lie between the midpoints.
    EXPECT_NEAR(sum * 4 * double(kPi) / (double(kAround) * kAlong), 1, 2e-3);
}

TL_DEVICE_TEST(EnvironmentMap, SamplesHaveTheDensityThatTheyTell) {
    LiveEnvironment live(stream, patchy_map());
    constexpr std::uint32_t kSamples = 200'000;
    DeviceArray<vec4> out(stream, kSamples);
    auto view = out.view();
    auto* data = live.data();
    parallel_for(
        stream, "sample", kSamples, TL_LAMBDA(std::uint32_t i) {
            RandomStream random(9, i, 0);
            float r1 = random.next(), r2 = random.next(), density;
            vec3 direction = sample_environment(*data, r1, r2, density);
            float again = environment_density(*data, direction);
            vec3 radiance = environment_radiance(*data, direction);
            view[i] = vec4(density, again, radiance.x / density, glm::length(direction));
        });
    std::uint32_t n_other = 0;
    double power = 0;
    for (vec4 sample : out.download(stream)) {
        ASSERT_GT(sample.x, 0);
        ASSERT_NEAR(sample.w, 1, 1e-5);
        n_other += std::abs(sample.x - sample.y) > 1e-3f * sample.x;
        power += double(sample.z) / kSamples;
    }
    // Directions at the edge of a texel may be rounded into the neighbour.
    EXPECT_LT(n_other, kSamples / 1000);
    // The mean of radiance over density is its integral, here of the red channel.
    EnvironmentMap map = patchy_map();
    double expected = 0;
    for (int i = 0; i < 2'000'000; ++i) {
        double y = 1 - 2 * (i + 0.5) / 2'000'000, v = std::acos(y) / double(kPi) * 11 - 0.5;
        // Bilinear in u averages to the mean of a row.
        auto row_mean = [&](int row) {
            double sum = 0;
            for (int x = 0; x < 24; ++x)
                sum += double(map.texels[24 * std::clamp(row, 0, 10) + x].x) / 24;
            return sum;
        };
        int above = static_cast<int>(std::floor(v));
        double below_weight = v - above;
        expected += (1 - below_weight) * row_mean(above) + below_weight * row_mean(above + 1);
    }
    expected *= 2 * 4 * double(kPi) / 2'000'000;
    EXPECT_NEAR(power, expected, 0.01 * expected);
}

TL_DEVICE_TEST(EnvironmentMap, ItsMiddleLiesTowardsMinusZ) {
    // Centres of texels: column 4 is half a texel right of the middle, row 1 half a one above.
    float right = kPi / 8, above = kPi / 8;
    auto direction = [&](float azimuth, float elevation) {
        return vec3(std::sin(azimuth) * std::cos(elevation), std::sin(elevation),
                    -std::cos(azimuth) * std::cos(elevation));
    };
    EnvironmentMap map = one_texel(4, 1);
    EXPECT_NEAR(radiance_of(stream, map, direction(right, above)).x, 1, 1e-5);
    EXPECT_NEAR(radiance_of(stream, map, direction(0, above)).x, 0.5, 1e-5);
    EXPECT_NEAR(radiance_of(stream, map, direction(right, 0)).x, 0.5, 1e-5);
    EXPECT_NEAR(radiance_of(stream, map, direction(-right, above)).x, 0, 1e-5);
    // Counterclockwise seen from above: from -z towards -x.
    map.rotation = 90;
    EXPECT_NEAR(radiance_of(stream, map, direction(right - kPi / 2, above)).x, 1, 1e-5);
    // Across the seam, which lies towards +z.
    EnvironmentMap seam = one_texel(0, 1);
    EXPECT_NEAR(radiance_of(stream, seam, direction(kPi, above)).x, 0.5, 1e-5);
}

TL_DEVICE_TEST(EnvironmentMap, ABlackOneIsNoLight) {
    EnvironmentMap black{.extent = {4, 2}, .texels = std::vector<vec3>(8, vec3(0))};
    EXPECT_FALSE(LiveEnvironment(stream, black).shines());
    EXPECT_TRUE(LiveEnvironment(stream, one_texel(0, 0)).shines());
    EXPECT_EQ(LiveEnvironment(stream, EnvironmentMap{}).data(), nullptr);
}

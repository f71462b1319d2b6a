// Points of the unit circle, from which directions are drawn.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "core/device/array.h"
#include "core/device/parallel_for.h"
#include "renderer/optics/directions.h"
#include "tests/device_test.h"

TL_DEVICE_TEST(Directions, PointsOfTheCircleAreThoseOfCosineAndSine) {
    RandomStream random(3, 0, 0);
    std::vector<float> angles;
    for (int k = -32; k <= 32; ++k)
        for (float side : {-1e-6f, 0.0f, 1e-6f}) angles.push_back(static_cast<float>(k) / 8 + side);
    while (angles.size() < 100'000) angles.push_back(4 * random.next() - 2);
    DeviceArray<float> given(stream, std::span<const float>(angles));
    DeviceArray<vec2> points(stream, angles.size());
    auto in = given.view();
    auto out = points.view();
    parallel_for(
        stream, "points", static_cast<std::uint32_t>(angles.size()),
        TL_LAMBDA(std::uint32_t i) { out[i] = point_of_circle(in[i]); });
    auto found = points.download(stream);
    double worst = 0;
    for (std::size_t i = 0; i < angles.size(); ++i) {
        double angle = double(angles[i]) * std::acos(-1.0);
        double truth[2] = {std::cos(angle), std::sin(angle)};
        for (int k = 0; k < 2; ++k) {
            constexpr double kOfTruth = 1e-15;  // its own rounding, where it should be 0
            double off = std::max(std::abs(double(found[i][k]) - truth[k]) - kOfTruth, 0.0);
            if (off > 0) worst = std::max(worst, off / std::abs(truth[k]));
        }
        EXPECT_EQ(found[i], point_of_circle(angles[i])) << angles[i];  // as on the host
    }
    EXPECT_LE(worst, 0x1p-22);  // two ulps
    EXPECT_EQ(point_of_circle(0), vec2(1, 0));
    EXPECT_EQ(point_of_circle(0.5f), vec2(0, 1));
    EXPECT_EQ(point_of_circle(1), vec2(-1, 0));
}

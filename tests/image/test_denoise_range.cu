// The denoiser on synthetic films and guides: the pixels that it may change, and by how much.
#include <algorithm>
#include <cmath>
#include <random>

#include "renderer/denoise/denoise_kernels.h"
#include "renderer/denoise/denoise_planes.h"
#include "tests/device_test.h"
#include "tests/long_test.h"

namespace tl::TL_DEVICE_NAME {
namespace {

constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();

/// A film with its guides, in host memory, and smoothed by the device.
struct GuidedFilm {
    static constexpr float kGuideSamples = 16;

    Extent extent;
    std::vector<vec4> film, depth, normal, reflected, background;
    std::vector<vec4> half;  // sums of the odd-numbered samples; empty: the film has none

    explicit GuidedFilm(int width, int height) : extent{width, height} {
        for (auto* sums : {&film, &depth, &normal, &reflected, &background})
            sums->resize(std::size_t(extent.pixels()));
    }
    [[nodiscard]] std::size_t index(int x, int y) const {
        return std::size_t(y) * std::size_t(extent.width) + std::size_t(x);
    }
    /// Sets a pixel whose guide samples hit a surface with this reflectance, except for `missing`
    /// of them, which find this radiance of the background.
    void set_surface(std::size_t i, float reflectance, float z, float missing = 0, float sky = 0) {
        float hits = kGuideSamples - missing;
        depth[i] = vec4(hits * z, 0, 0, hits);
        normal[i] = vec4(0, 0, hits, kGuideSamples);
        reflected[i] = vec4(vec3(hits * reflectance), hits);
        background[i] = vec4(vec3(missing * sky), missing);
    }
    /// Sets a pixel of which `hits` guide samples hit an emissive surface and the rest hit nothing.
    void set_emitter(std::size_t i, float z, float hits = kGuideSamples) {
        depth[i] = vec4(hits * z, 0, 0, hits);
        normal[i] = vec4(0, 0, hits, kGuideSamples);
        reflected[i] = vec4(0);
        background[i] = vec4(0, 0, 0, kGuideSamples - hits);
    }
    void set_background(std::size_t i) {
        depth[i] = reflected[i] = vec4(0);
        normal[i] = vec4(0, 0, 0, kGuideSamples);
        background[i] = vec4(0, 0, 0, kGuideSamples);
    }
    [[nodiscard]] std::vector<vec4> smoothed(Scratch& scratch, const DenoisePasses& passes) const {
        auto& stream = scratch.stream();
        auto on_device = [&](const std::vector<vec4>& sums) {
            DeviceArray<vec4> array(stream, sums.size());
            stream.device().upload(stream, array.data(), sums.data(), sums.size() * sizeof(vec4));
            return array;
        };
        auto sums = on_device(film), depths = on_device(depth), normals = on_device(normal),
             reflectances = on_device(reflected), beyond = on_device(background),
             out = on_device(film);
        auto halves = on_device(half.empty() ? film : half);
        GuideView guides{normals.data(), depths.data(), reflectances.data(), beyond.data(), extent};
        FilmView view{};
        view.half_sum = half.empty() ? nullptr : halves.data();
        view.radiance_sum = sums.data();
        view.extent = extent;
        denoise_film(scratch, view, guides, passes, out.view());
        return out.download(stream);
    }
    [[nodiscard]] bool usable(std::size_t i) const {
        vec4 sum = film[i];
        return sum.w > 0 && std::isfinite(sum.x + sum.y + sum.z);
    }
    /// Expects all pixels within the range of those around, or as they are if none is usable.
    void expect_in_range(const std::vector<vec4>& out) const {
        for (int y = 0; y < extent.height; ++y)
            for (int x = 0; x < extent.width; ++x) expect_in_range(out[index(x, y)], x, y);
    }
    void expect_in_range(vec4 out, int x, int y) const {
        vec3 least(kInfinity), greatest(-kInfinity);
        for (int v = std::max(y - kDenoiseRange, 0);
             v <= std::min(y + kDenoiseRange, extent.height - 1); ++v)
            for (int u = std::max(x - kDenoiseRange, 0);
                 u <= std::min(x + kDenoiseRange, extent.width - 1); ++u) {
                if (!usable(index(u, v))) continue;
                vec4 sum = film[index(u, v)];
                least = glm::min(least, vec3(sum) / sum.w);
                greatest = glm::max(greatest, vec3(sum) / sum.w);
            }
        if (!(least.x <= greatest.x)) return;
        for (int c = 0; c < 3; ++c) {
            // A GPU may round the mean of a pixel in another way.
            float rounding = 4e-7f * std::max(std::abs(least[c]), std::abs(greatest[c]));
            EXPECT_GE(out[c], least[c] - rounding) << x << " " << y;
            EXPECT_LE(out[c], greatest[c] + rounding) << x << " " << y;
        }
    }
};

/// Pixels of all kinds side by side, with radiance from zero to the limits of floats.
GuidedFilm random_film(int width, int height, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> unit(0, 1);
    auto among = [&](int n) { return int(unit(engine) * 0.9999f * float(n)); };
    GuidedFilm picture(width, height);
    for (std::size_t i = 0; i < picture.film.size(); ++i) {
        float missing = float(among(3) == 0 ? among(17) : 0),
              z = 1 + float(among(2)) * unit(engine);
        float reflectance = std::pow(10.0f, -8 * unit(engine) * float(among(2)));
        if (missing == GuidedFilm::kGuideSamples || among(9) == 0)
            picture.set_background(i);
        else if (among(9) == 0)
            picture.set_emitter(i, z, float(1 + among(16)));
        else
            picture.set_surface(i, reflectance, z, missing, 5 * unit(engine));
        if (among(20) == 0) picture.reflected[i].w = -kInfinity;  // behind Gaussians
        float n = float(1 + among(64));
        vec3 light(unit(engine), unit(engine), unit(engine));
        if (among(8) == 0) light *= std::pow(10.0f, 20 * unit(engine) - 10);
        picture.film[i] = vec4(n * light, n);
        int fault = among(40);
        if (fault == 0) picture.film[i] = vec4(0);
        if (fault == 1) picture.film[i].y = kNoNumber;
        if (fault == 2) picture.film[i].z = kInfinity;
        if (fault == 3) picture.film[i].x = 1e37f;
        if (fault == 4) picture.depth[i].x = kInfinity;
        if (fault == 5) picture.normal[i] = vec4(0, 0, 0, GuidedFilm::kGuideSamples);
    }
    return picture;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(DenoiseRange, NoPixelLeavesTheRangeOfThoseAround) {
    TL_LONG_TEST();
    unsigned seed = 1;
    for (auto [width, height] : {std::pair{1, 1}, {2, 9}, {7, 5}, {8, 8}, {33, 20}, {65, 47}})
        for (int passes : {1, 3, 5, 8}) {
            SCOPED_TRACE(testing::Message()
                         << width << "x" << height << ", " << passes << " passes, seed " << seed);
            auto picture = random_film(width, height, seed++);
            picture.expect_in_range(picture.smoothed(scratch, {passes, 1}));
            // Halves of other noise, of none, and that are wrong.
            auto other = random_film(width, height, seed + 1000);
            picture.half = other.film;
            for (std::size_t i = 0; i < picture.half.size(); i += 3)
                picture.half[i] = 0.5f * picture.film[i];
            picture.expect_in_range(picture.smoothed(scratch, {passes, 1}));
        }
}

TL_DEVICE_TEST(DenoiseRange, ARimHasWhatItsGuidesSeeOfBothSides) {
    TL_LONG_TEST();
    // Ground below a bright background, in films of few samples and of many. In the row between,
    // each pixel has the mean of both sides, weighted by the hits of its guide samples. The film's
    // own samples, if they are few, hit the ground more or less often.
    constexpr int kWidth = 51, kHeight = 32, kRim = 16;
    constexpr float kSky = 0.6f;
    for (float n : {4.0f, 1000.0f})
        for (float ground : {0.4f, 0.05f, 1e-3f}) {
            GuidedFilm picture(kWidth, kHeight);
            auto light = [&](float missing) {
                float cover = 1 - missing / GuidedFilm::kGuideSamples;
                return cover * ground * 0.8f + (1 - cover) * kSky;
            };
            std::vector<float> expected;
            for (int y = 0; y < kHeight; ++y)
                for (int x = 0; x < kWidth; ++x) {
                    auto i = picture.index(x, y);
                    float missing = y < kRim ? 16.0f : y > kRim ? 0.0f : float(x / 3);
                    bool rim = missing > 0 && missing < GuidedFilm::kGuideSamples;
                    if (missing == GuidedFilm::kGuideSamples)
                        picture.set_background(i);
                    else
                        picture.set_surface(i, ground, 5, missing, kSky);
                    expected.push_back(light(missing));
                    float otherwise = rim && n < 16 ? float(x % 3 - 1) : 0.0f;
                    picture.film[i] = vec4(vec3(n * light(missing + otherwise)), n);
                }
            auto out = picture.smoothed(scratch, {5, 1});
            for (std::size_t i = 0; i < out.size(); ++i) {
                // The rim: a sixteenth of the difference, and a third of that left by few
                // neighbours. Ground beside it: it takes a little of what the rim has.
                bool rim = i / kWidth == kRim && n < 16;
                float allowed = rim ? kSky / 16 / 3 : 0.02f * expected[i] + 2e-4f * kSky;
                EXPECT_NEAR(out[i].x, expected[i], allowed)
                    << i % kWidth << " " << i / kWidth << ", " << ground << ", " << n;
            }
        }
}

TL_DEVICE_TEST(DenoiseRange, PixelsWithoutAMeanTakeTheirNeighbours) {
    TL_LONG_TEST();
    GuidedFilm picture(24, 16);
    for (std::size_t i = 0; i < picture.film.size(); ++i) {
        picture.set_surface(i, 0.5f, 3);
        picture.film[i] = vec4(vec3(2 * 0.25f), 2);
    }
    for (auto [x, fault] :
         {std::pair{3, vec4(0)}, {10, vec4(kNoNumber, 1, 1, 2)}, {17, vec4(1, 1, kInfinity, 2)}})
        picture.film[picture.index(x, 8)] = fault;
    for (vec4 out : picture.smoothed(scratch, {5, 1}))
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(out[c], 0.25f, 1e-6f);
    // No usable neighbour: the wrong value stays visible.
    for (auto& sum : picture.film) sum = vec4(kNoNumber, 1, 1, 2);
    for (vec4 out : picture.smoothed(scratch, {5, 1})) EXPECT_TRUE(std::isnan(out.x));
    for (auto& sum : picture.film) sum = vec4(0);
    for (vec4 out : picture.smoothed(scratch, {5, 1})) EXPECT_EQ(vec3(out), vec3(0));
}

TL_DEVICE_TEST(DenoiseRange, EmittersAndWhatMeetsNothingStayToTheBit) {
    TL_LONG_TEST();
    std::mt19937 engine(7);
    std::uniform_real_distribution<float> unit(0, 1);
    GuidedFilm picture(37, 21);
    for (int y = 0; y < 21; ++y)
        for (int x = 0; x < 37; ++x) {
            auto i = picture.index(x, y);
            picture.film[i] = vec4(unit(engine), unit(engine), unit(engine), 1);
            if (x < 12)
                picture.set_surface(i, 0.7f, 2);
            else if (x < 25)
                picture.set_emitter(i, 2);
            else
                picture.set_background(i);
        }
    auto out = picture.smoothed(scratch, {5, 1});
    for (int y = 0; y < 21; ++y)
        for (int x = 12; x < 37; ++x)
            EXPECT_EQ(vec3(out[picture.index(x, y)]), vec3(picture.film[picture.index(x, y)]));
}

TL_DEVICE_TEST(DenoiseRange, NoiseOfAnEvenSurfaceFalls) {
    TL_LONG_TEST();
    std::mt19937 engine(11);
    std::uniform_real_distribution<float> unit(0, 1);
    GuidedFilm picture(61, 40);
    double before = 0, after = 0, mean = 0;
    for (std::size_t i = 0; i < picture.film.size(); ++i) {
        picture.set_surface(i, 0.5f, 3);
        float light = unit(engine);
        picture.film[i] = vec4(light, light, light, 1);
        before += (light - 0.5) * (light - 0.5);
    }
    for (vec4 out : picture.smoothed(scratch, {5, 1})) {
        after += (double(out.x) - 0.5) * (double(out.x) - 0.5);
        mean += double(out.x) / double(picture.film.size());
    }
    // Weights that are all alike, over a few hundred pixels, would leave less than a hundredth.
    EXPECT_LT(after, before / 25);
    EXPECT_NEAR(mean, 0.5, 0.02);  // noise of 2,440 pixels: 0.006
}

namespace tl::TL_DEVICE_NAME {
namespace {

/// A wall with stripes of light that its guides do not know, as a mirror shows, in films of 8
/// samples whose noise has this standard deviation.
GuidedFilm striped_film(float noise, std::vector<float>& truth) {
    constexpr float kSamples = 8;
    std::mt19937 engine(13);
    std::normal_distribution<float> normal(0, noise * std::sqrt(kSamples));
    GuidedFilm picture(64, 40);
    truth.clear();
    for (std::size_t i = 0; i < picture.film.size(); ++i) {
        picture.set_surface(i, 0.5f, 3);
        truth.push_back(i % 64 / 4 % 2 == 0 ? 0.45f : 0.55f);
        vec4 sums[2] = {};
        for (int s = 0; s < int(kSamples); ++s)
            sums[s % 2] += vec4(vec3(truth.back() + normal(engine)), 1);
        picture.film[i] = sums[0] + sums[1];
        picture.half.push_back(sums[1]);
    }
    return picture;
}

/// Mean squared difference of red.
double squared_error(const std::vector<vec4>& found, const std::vector<float>& truth) {
    double sum = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        double apart = double(found[i].x / found[i].w) - double(truth[i]);
        sum += apart * apart / double(truth.size());
    }
    return sum;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(DenoiseRange, WhatHalvesOfTheSamplesAgreeOnIsKept) {
    TL_LONG_TEST();
    std::vector<float> truth;
    for (float noise : {0.001f, 0.01f, 0.02f}) {
        auto picture = striped_film(noise, truth);
        double before = squared_error(picture.film, truth);
        EXPECT_LT(squared_error(picture.smoothed(scratch, {5, 1}), truth), 1.1 * before) << noise;
        // Without halves, stripes pass for noise.
        picture.half.clear();
        EXPECT_GT(squared_error(picture.smoothed(scratch, {5, 1}), truth), 2 * before) << noise;
    }
    // Noise far above the stripes goes, and the stripes with it.
    auto picture = striped_film(0.5f, truth);
    double before = squared_error(picture.film, truth);
    EXPECT_LT(squared_error(picture.smoothed(scratch, {5, 1}), truth), before / 20);
}

#if !defined(__CUDACC__)
namespace tl::cpu {
TEST(DenoiseLanes, ExponentialsAreWithinSixMillionths) {
    for (float x = 0; x > -77; x -= 0.01f) {
        float found = lane_of(exp_of_negative(Pixels(x)), 5), expected = std::exp(x);
        EXPECT_NEAR(found / expected, 1, 6e-6f) << x;
    }
    EXPECT_EQ(lane_of(exp_of_negative(Pixels(-200.0f)), 0), 0);
    EXPECT_EQ(lane_of(exp_of_negative(Pixels(-kInfinity)), 0), 0);
}
}  // namespace tl::cpu
#endif

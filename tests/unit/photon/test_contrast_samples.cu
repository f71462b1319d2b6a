// Adaptive samples for pixels with contrast, in a synthetic picture: which pixels receive them, and
// that their mean stays right.
#include "renderer/photon/gather/contrast_samples.h"

#include <cmath>

#include "core/device/parallel_for.h"
#include "renderer/shading/sampler.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {
namespace {

constexpr int kPictureWidth = 24, kPictureHeight = 9, kEdge = 12;

/// Synthetic radiance of a pixel in a sample.
enum class MadeUp {
    edge,     ///< 1 left of kEdge, 0 right of it; in column kEdge one of both at random
    speck,    ///< 1, but 0 or 10 at random in one pixel
    gradient  ///< brighter by a hundredth from column to column
};

struct PictureMaker {
    MadeUp what;
    FilmView film;
    std::uint32_t sample;
    std::uint64_t seed;

    TL_D void operator()(std::uint32_t i) const {
        std::uint32_t x = i % kPictureWidth, y = i / kPictureWidth;
        bool traced = !film.is_done(i);
        film.ray_count[i] = traced ? 1 : 0;
        if (!traced) return;
        float random = to_unit_float(
            hash_bits(hash_bits(i * 977u + sample) ^ static_cast<std::uint32_t>(hash_64(seed))));
        bool drawn = random < 0.25f;
        float light = 1;
        if (what == MadeUp::edge) light = x < kEdge || (x == kEdge && drawn) ? 1.0f : 0.0f;
        if (what == MadeUp::speck && x == 5 && y == 4) light = drawn ? 10.0f : 0.0f;
        if (what == MadeUp::gradient) light = powf(1.01f, static_cast<float>(x));
        film.add(i, sample, vec3(light));
    }
};

struct ContrastPicture {
    std::vector<vec4> sums;
    std::vector<double> rays;  ///< rays of each pixel, averaged over the passes

    ContrastPicture(Scratch& scratch, MadeUp what, int n_passes, std::uint32_t n_more) {
        auto& stream = scratch.stream();
        constexpr std::size_t kPixels = std::size_t(kPictureWidth) * kPictureHeight;
        DeviceArray<vec4> radiance(stream, kPixels);
        DeviceArray<std::uint32_t> counts(stream, kPixels);
        constexpr Extent kExtent{kPictureWidth, kPictureHeight};
        PathJob job{{}, CameraRays(Camera{}, kExtent, {}), {}};
        job.film.extent = kExtent;
        job.film.radiance_sum = radiance.data();
        job.film.ray_count = counts.data();
        job.frame.seed = 5;
        rays.resize(kPixels);
        for (int pass = 0; pass < n_passes; ++pass) {
            job.frame.sample = static_cast<std::uint32_t>(pass);
            render_with_contrast(scratch, job, n_more, [&](const PathJob& part, bool) {
                parallel_for(stream, "picture", std::uint32_t(kPixels),
                             PictureMaker{what, part.film, part.frame.sample, part.frame.seed});
            });
            auto traced = counts.download(stream);
            for (std::size_t i = 0; i < kPixels; ++i) rays[i] += double(traced[i]) / n_passes;
        }
        sums = radiance.download(stream);
    }
    [[nodiscard]] static std::size_t at(int x, int y) { return std::size_t(y * kPictureWidth + x); }
};

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(ContrastSamples, GoToPixelsWhoseNeighboursDifferAndKeepTheMean) {
    constexpr int kPasses = 64;
    constexpr std::uint32_t kMore = 16;
    const ContrastPicture picture(scratch, MadeUp::edge, kPasses, kMore);
    double mean = 0, total = 0;
    for (int y = 0; y < kPictureHeight; ++y) {
        for (int x = 0; x < kPictureWidth; ++x) {
            auto i = picture.at(x, y);
            ASSERT_EQ(picture.sums[i].w, kPasses) << "one sample of each pass";
            if (std::abs(x - kEdge) > 2) {
                EXPECT_EQ(picture.rays[i], 1) << x << ", " << y;
                EXPECT_EQ(picture.sums[i].x, x < kEdge ? kPasses : 0) << x << ", " << y;
            }
        }
        auto edge = picture.at(kEdge, y);
        EXPECT_GT(picture.rays[edge], 8) << y;
        EXPECT_LE(picture.rays[edge], 1 + kMore) << y;
        mean += double(picture.sums[edge].x) / kPasses / kPictureHeight;
        total += picture.rays[edge] * kPasses;
    }
    // Three standard errors of that many samples.
    EXPECT_NEAR(mean, 0.25, 3 * std::sqrt(0.25 * 0.75 / total));
}

TL_DEVICE_TEST(ContrastSamples, APixelsOwnLightHasNoSay) {
    const ContrastPicture picture(scratch, MadeUp::speck, 32, 8);
    EXPECT_EQ(picture.rays[picture.at(5, 4)], 1) << "its neighbours are alike";
    EXPECT_GT(picture.rays[picture.at(6, 5)], 1) << "they see it";
    EXPECT_EQ(picture.rays[picture.at(8, 4)], 1) << "it is too far";
}

TL_DEVICE_TEST(ContrastSamples, EvenLightGetsNone) {
    const ContrastPicture picture(scratch, MadeUp::gradient, 1, 8);
    for (double n : picture.rays) EXPECT_EQ(n, 1);
}

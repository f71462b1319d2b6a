#include "renderer/photon/gather/contrast_samples.h"

#include "core/device/array.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint64_t kContrastNumbers = 0x636f6e7472617374;

/// Radiance of a pass, and the selection of pixels that get further samples.
struct ContrastPixels {
    FilmView own;                ///< holds the sums of the pass
    FilmView film;               ///< destination film
    View<std::uint32_t> n_rays;  ///< rays of all samples so far
    /// n_more: samples after the first; done: nonzero once all of them are taken
    View<std::uint8_t> n_more, done;
    View<float> root;  ///< one entry: mean of the fourth roots of the pixels' radiance

    ContrastPixels(Scratch& scratch, const FilmView& film)
        : own(film),
          film(film),
          n_rays(scratch.take<std::uint32_t>(pixels())),
          n_more(scratch.take<std::uint8_t>(pixels())),
          done(scratch.take<std::uint8_t>(pixels())),
          root(scratch.take<float>(1)) {
        auto& stream = scratch.stream();
        own.radiance_sum = scratch.take<vec4>(pixels()).data;
        own.ray_count = scratch.take<std::uint32_t>(pixels()).data;
        own.half_sum = nullptr;
        stream.device().fill_zero(stream, own.radiance_sum, pixels() * sizeof(vec4));
        stream.device().fill_zero(stream, n_rays.data, pixels() * sizeof(std::uint32_t));
    }
    [[nodiscard]] std::size_t pixels() const {
        return static_cast<std::size_t>(film.extent.pixels());
    }
    [[nodiscard]] FilmView of_more() const {
        FilmView more = own;
        more.done = done.data;
        return more;
    }
    /// Number of further samples of a pixel. Grows with the contrast among its neighbours.
    [[nodiscard]] TL_D std::uint32_t wanted(std::uint32_t pixel, std::uint32_t most) const {
        constexpr float kLittle = 0.1f, kGain = 1.5f;
        if (film.is_done(pixel)) return 0;
        int x = static_cast<int>(pixel) % film.extent.width;
        int y = static_cast<int>(pixel) / film.extent.width;
        float contrast = contrast_around(x, y);
        if (!(contrast > kLittle)) return 0;
        return minimum(
            static_cast<std::uint32_t>(ceilf(kGain * contrast * static_cast<float>(most))), most);
    }
    /// Typical radiance of the picture: mean of fourth roots, to the fourth power. Bright pixels
    /// such as the sun hardly change it.
    [[nodiscard]] TL_D float typical_light() const {
        float mean = root[0] / static_cast<float>(n_more.size);
        return mean * mean * mean * mean;
    }
    /// Contrast among the neighbours of a pixel: (max - min) / (max + min + half of the typical
    /// radiance). The last term damps noise in shadows.
    [[nodiscard]] TL_D float contrast_around(int x, int y) const {
        int width = film.extent.width, height = film.extent.height;
        float least = kInfinity, greatest = 0;
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                bool is_own = dx == 0 && dy == 0;
                if (is_own || x + dx < 0 || y + dy < 0 || x + dx >= width || y + dy >= height)
                    continue;
                float light = largest(vec3(own.radiance_sum[(y + dy) * width + x + dx]));
                least = minimum(least, light);
                greatest = maximum(greatest, light);
            }
        float sum = greatest + least + typical_light() / 2;
        return greatest > least ? (greatest - least) / sum : 0.0f;
    }
};

void find_typical_light(Scratch& scratch, const ContrastPixels& pixels) {
    Scratch::Scope scope(scratch);
    auto given = pixels;
    auto roots = scratch.take<float>(pixels.n_more.size);
    parallel_for(
        scratch.stream(), "light of pixels", static_cast<std::uint32_t>(roots.size),
        TL_LAMBDA(std::uint32_t i) {
            roots[i] = sqrtf(sqrtf(maximum(largest(vec3(given.own.radiance_sum[i])), 0.0f)));
        });
    reduce<float>(scratch, roots, pixels.root);
}

void choose_pixels(Stream& stream, const ContrastPixels& pixels, std::uint32_t most) {
    auto given = pixels;
    parallel_for(
        stream, "contrast of pixels", static_cast<std::uint32_t>(pixels.n_more.size),
        TL_LAMBDA(std::uint32_t i) {
            given.n_more[i] = static_cast<std::uint8_t>(given.wanted(i, most));
        });
}

/// Accumulates ray counts after `k` further samples and marks the pixels that are complete.
void count_samples(Stream& stream, const ContrastPixels& pixels, std::uint32_t k) {
    auto given = pixels;
    parallel_for(
        stream, "pixels with contrast", static_cast<std::uint32_t>(pixels.done.size),
        TL_LAMBDA(std::uint32_t i) {
            given.n_rays[i] += given.own.ray_count[i];
            given.done[i] = given.n_more[i] <= k;
        });
}

void write_means(Stream& stream, const ContrastPixels& pixels, std::uint32_t sample) {
    auto given = pixels;
    parallel_for(
        stream, "mean of samples", static_cast<std::uint32_t>(pixels.n_rays.size),
        TL_LAMBDA(std::uint32_t i) {
            given.film.ray_count[i] = given.n_rays[i];
            vec4 sum = given.own.radiance_sum[i];
            if (sum.w > 0) given.film.add(i, sample, vec3(sum) / sum.w);
        });
}

}  // namespace

void render_with_contrast(Scratch& scratch, const PathJob& job, std::uint32_t n_more,
                          const std::function<void(const PathJob&, bool is_first)>& trace) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    const ContrastPixels pixels(scratch, job.film);
    PathJob part = job;
    part.film = pixels.own;
    trace(part, true);
    find_typical_light(scratch, pixels);
    choose_pixels(stream, pixels, n_more);
    part.film = pixels.of_more();
    part.frame.seed ^= kContrastNumbers;
    for (std::uint32_t k = 0; k < n_more; ++k) {
        count_samples(stream, pixels, k);
        part.frame.sample = job.frame.sample * n_more + k;
        trace(part, false);
    }
    count_samples(stream, pixels, n_more);
    write_means(stream, pixels, job.frame.sample);
}

TL_DEVICE_END

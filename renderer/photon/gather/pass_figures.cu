#include "renderer/photon/gather/pass_figures.h"

#include "core/device/fitting_array.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

float PassFigures::value(PhotonShow show, const PixelFigures& pixel, const PictureError& picture,
                         float n_pixels) {
    if (show == PhotonShow::density) return pixel.mean_density();
    if (show == PhotonShow::radius) return pixel.radius;
    // Lower bound on the reference: almost black pixels have no useful relative error.
    constexpr float kDarkest = 0.01f;
    float darkest = kDarkest * picture.luminance / n_pixels;
    float against = maximum(pixel.luminance, darkest);
    return against > 0 ? pixel.error().sum() / against : 0;
}

FilmView PassFigures::begin(Stream& stream, const FilmView& film, std::uint32_t sample,
                            int n_path_slots) {
    auto n_pixels = static_cast<std::size_t>(film.extent.pixels());
    extent_ = film.extent;
    sample_ = sample;
    resize_fitting(pass_, stream, n_pixels);
    resize_fitting(places_, stream, n_pixels * static_cast<std::size_t>(n_path_slots));
    if (pixels_.size() != n_pixels) {
        resize_fitting(pixels_, stream, n_pixels);
        pixels_.fill_zero(stream);
    }
    picture_.resize_discard(stream, 1);
    pass_.fill_zero(stream);
    places_.fill_zero(stream);
    if (sample == 0) {
        auto pixels = pixels_.view();
        FilmView of_part = film;
        parallel_for(
            stream, "restart figures", static_cast<std::uint32_t>(n_pixels),
            TL_LAMBDA(std::uint32_t i) {
                if (!of_part.is_done(i)) pixels[i] = {};
            });
    }
    FilmView own = film;
    own.radiance_sum = pass_.data();
    own.half_sum = nullptr;
    return own;
}

void PassFigures::end(Scratch& scratch, const FilmView* film, View<vec3> bias) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    FilmView to = film ? *film : FilmView{};
    View<const vec4> pass = pass_.view();
    View<const GatherFigures> places = places_.view();
    auto pixels = pixels_.view();
    auto n_path_slots = static_cast<std::uint32_t>(places.size / pixels.size);
    std::uint32_t sample = sample_;
    View<float> sums[3];
    for (auto& sum : sums) sum = scratch.take<float>(pixels.size);
    View<float> luminance = sums[0], error = sums[1], of_bias = sums[2];
    parallel_for(
        stream, "add pass", static_cast<std::uint32_t>(pixels.size), TL_LAMBDA(std::uint32_t i) {
            PixelFigures known = pixels[i];
            if (vec4 now = pass[i]; now.w > 0) {
                GatherFigures found{};
                for (std::uint32_t k = 0; k < n_path_slots; ++k)
                    found.add(places[i * n_path_slots + k]);
                known.add(vec3(now), found);
                pixels[i] = known;
                if (to.radiance_sum) to.add(i, sample, vec3(now));
                if (!bias.empty()) bias[i] = known.mean_bias();
            }
            PixelError estimated = known.error();
            luminance[i] = known.luminance;
            error[i] = estimated.sum();
            of_bias[i] = estimated.bias;
        });
    float* totals = &picture_.data()->luminance;
    for (std::size_t k = 0; k < 3; ++k) reduce<float>(scratch, sums[k], {totals + k, 1});
}

void PassFigures::show(Scratch& scratch, const PhotonConfig& config, const PassFigures* leader,
                       const FilmView& film) {
    Scratch::Scope scope(scratch);
    auto values = scratch.take<float>(pixels_.size());
    View<const PixelFigures> pixels = pixels_.view();
    View<const PictureError> picture = picture_.view();
    PhotonShow shown = config.show;
    parallel_for(
        scratch.stream(), "map of figures", static_cast<std::uint32_t>(values.size),
        TL_LAMBDA(std::uint32_t i) {
            values[i] =
                PassFigures::value(shown, pixels[i], picture[0], static_cast<float>(values.size));
        });
    scale_.config.top = config.show_top;
    scale_.show(scratch, values, ColorScale::Numbers::positives, leader ? &leader->scale_ : nullptr,
                film);
}

PixelFigures PassFigures::pixel(Stream& stream, int x, int y) const {
    PixelFigures pixel{};
    if (pixels_.empty() || x < 0 || y < 0 || x >= extent_.width || y >= extent_.height)
        return pixel;
    stream.device().download(stream, &pixel, pixels_.data() + y * extent_.width + x, sizeof pixel);
    return pixel;
}

PictureError PassFigures::error(Stream& stream) const {
    return picture_.empty() ? PictureError{} : picture_.download(stream)[0];
}

TL_DEVICE_END

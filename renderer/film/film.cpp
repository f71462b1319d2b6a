#include "renderer/film/film.h"

#include <algorithm>

#include "core/device/fitting_array.h"
#include "renderer/film/film_kernels.h"

namespace tl {

const SettingsOf<ToneMap>& ToneMap::declared_settings() {
    static const SettingsOf<ToneMap> all{
        {"exposure", &ToneMap::exposure, -16.0f, 16.0f, "stops",
         "exposure: radiance is multiplied by 2 to this power"},
        {"tone", &ToneMap::tone_operator,
         "Tone curve: maps radiance to display values. linear clips, reinhard (Reinhard 2002) dims "
         "bright parts, aces (Narkowicz 2015) adds contrast, agx (Sobotka 2022) fades bright "
         "colours to white as film does, neutral (Khronos 2024) keeps the colours of surfaces"},
    };
    return all;
}

void Film::resize(Stream& stream, Extent extent) {
    auto pixels = static_cast<std::size_t>(extent.pixels());
    if (pixels > radiance_sum_.capacity()) {
        // Allocate all before any replaces the film's own, in case one throws.
        DeviceArray<vec4> radiance_sum(stream, pixels), half_sum(stream, pixels);
        DeviceArray<std::uint32_t> ray_count(stream, pixels);
        std::swap(radiance_sum_, radiance_sum);
        std::swap(half_sum_, half_sum);
        std::swap(ray_count_, ray_count);
    }
    radiance_sum_.resize_discard(stream, pixels);
    half_sum_.resize_discard(stream, pixels);
    ray_count_.resize_discard(stream, pixels);
    extent_ = extent;
    convergence_.reset();
    outside_ = {};
    is_outside_of_share_ = false;
    rays_before_ = {};
    radiance_sum_.fill_zero(stream);
    half_sum_.fill_zero(stream);
    ray_count_.fill_zero(stream);
}

void Film::trim(Stream& stream) {
    give_back_rest(radiance_sum_, stream);
    give_back_rest(half_sum_, stream);
    give_back_rest(ray_count_, stream);
    outside_ = {};
    is_outside_of_share_ = false;
    rays_before_ = {};
}

FilmView Film::view() {
    FilmView view{radiance_sum_.data(), ray_count_.data(), extent_, half_sum_.data()};
    if (convergence_) view.done = convergence_->done();
    if (outside_.size() > 0) view.done = outside_.data();
    if (!share_.is_whole() && share_ == listed_share_) {
        view.tiles = tiles_.data();
        view.n_tiles = static_cast<std::uint32_t>(tiles_.size());
    }
    return view;
}

void Film::begin_sample(Stream& stream, std::uint32_t sample, bool adaptive) {
    bool shares = !share_.is_whole();
    if (sample == 0) {
        is_outside_of_share_ = false;
        if (shares) ray_count_.fill_zero(stream);
        if (!adaptive) convergence_.reset();
        if (adaptive && !convergence_) convergence_.emplace();
        if (adaptive) convergence_->restart(stream, extent_);
    }
    list_tiles(stream);
    // Pixels converge from sample to sample.
    if (is_outside_of_share_ && !convergence_) return;
    outside_.resize_discard(stream, 0);  // where a sample was cancelled
    if (!shares) return;
    FilmView film = view();
    outside_.resize_discard(stream, static_cast<std::size_t>(extent_.pixels()));
    TL_DISPATCH(stream.device(), select_share(stream, film, share_, outside_.view(), sample == 0));
    is_outside_of_share_ = true;
}

void Film::list_tiles(Stream& stream) {
    if (share_ == listed_share_ && extent_ == listed_extent_) return;
    is_outside_of_share_ = false;
    tiles_.assign(stream,
                  share_.is_whole() ? std::vector<std::uint32_t>() : share_.tiles_of(extent_));
    listed_share_ = share_;
    listed_extent_ = extent_;
}

std::vector<std::uint32_t> FilmShare::tiles_of(Extent extent) const {
    std::vector<std::uint32_t> tiles;
    std::uint32_t width = tiles_along(extent.width), height = tiles_along(extent.height);
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x)
            if (owns_tile(x, y)) tiles.push_back(y * width + x);
    return tiles;
}

void Film::exchange(Stream& stream, const FilmShare& share,
                    const std::function<void(float*, std::size_t)>& add) {
    auto width = static_cast<std::size_t>(extent_.width);
    auto owns = [&](std::size_t i) {
        return share.owns(static_cast<std::uint32_t>(i % width),
                          static_cast<std::uint32_t>(i / width));
    };
    auto exchange_array = [&](auto& array) {
        auto pixels = array.download(stream);
        for (std::size_t i = 0; i < pixels.size(); ++i)
            if (!owns(i)) pixels[i] = {};
        if (!pixels.empty()) add(&pixels[0].x, sizeof pixels[0] / sizeof(float) * pixels.size());
        array.assign(stream, pixels);
    };
    exchange_array(radiance_sum_);
    exchange_array(half_sum_);
    if (convergence_) convergence_->visit_sums(exchange_array);
}

std::vector<Film::PixelArray> Film::pixel_arrays() {
    std::vector<PixelArray> all;
    auto list = [&](auto& array) {
        constexpr std::size_t kBytes = sizeof(*array.data());
        static_assert(kBytes % sizeof(std::uint32_t) == 0);
        all.push_back({array.data(), kBytes / sizeof(std::uint32_t)});
    };
    list(radiance_sum_);
    list(half_sum_);
    list(ray_count_);
    if (convergence_) convergence_->visit_sums(list);
    return all;
}

void Film::begin_part(Stream& stream, const FilmPart& part) {
    auto pixels = static_cast<std::size_t>(extent_.pixels());
    is_outside_of_share_ = false;
    outside_.resize_discard(stream, pixels);
    rays_before_.resize_discard(stream, pixels);
    if (part.index == 0) rays_before_.fill_zero(stream);
    FilmView film = view();
    film.done = convergence_ ? convergence_->done() : nullptr;
    TL_DISPATCH(stream.device(),
                select_part(stream, film, share_, part, outside_.view(), rays_before_.view()));
}

void Film::end_parts(Stream& stream) {
    TL_DISPATCH(stream.device(), add_counts(stream, view(), rays_before_.view()));
    outside_.resize_discard(stream, 0);
}

float Film::mean_samples(Stream& stream) const {
    double sum = 0, pixels = 0;
    std::uint32_t x = 0, y = 0;
    for (vec4 pixel : radiance_sum_.download(stream)) {
        if (share_.region.holds(x, y)) sum += static_cast<double>(pixel.w), ++pixels;
        if (++x == static_cast<std::uint32_t>(extent_.width)) x = 0, ++y;
    }
    return static_cast<float>(sum / std::max(1.0, pixels));
}

ImageF Film::radiance(Stream& stream) {
    return radiance_of(stream, view());
}

Image8 Film::picture(Scratch& scratch, const ToneMap& map) {
    return picture_of(scratch, view(), map);
}

std::uint64_t Film::rays_of_frame(Scratch& scratch) {
    return TL_DISPATCH(scratch.stream().device(), sum_ray_counts(scratch, view()));
}

void tone_map(Stream& stream, const FilmView& film, const ToneMap& map, View<std::uint32_t> rgba8,
              bool bottom_up) {
    TL_DISPATCH(stream.device(), tone_map_film(stream, film, map, rgba8, bottom_up));
}

ImageF radiance_of(Stream& stream, const FilmView& film) {
    std::vector<vec4> sums(static_cast<std::size_t>(film.extent.pixels()));
    if (!sums.empty())
        stream.device().download(stream, sums.data(), film.radiance_sum,
                                 sums.size() * sizeof(vec4));
    ImageF image{film.extent, {}};
    image.rgb.reserve(sums.size());
    for (vec4 sum : sums) image.rgb.push_back(sum.w > 0 ? vec3(sum) / sum.w : vec3(0));
    return image;
}

Image8 picture_of(Scratch& scratch, const FilmView& film, const ToneMap& map) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto packed = scratch.take<std::uint32_t>(film.extent.pixels());
    tone_map(stream, film, map, packed, false);
    Image8 image{film.extent, std::vector<std::uint8_t>(std::size_t(film.extent.pixels()) * 4)};
    if (!image.rgba.empty())
        stream.device().download(stream, image.rgba.data(), packed.data, image.rgba.size());
    return image;
}

}  // namespace tl

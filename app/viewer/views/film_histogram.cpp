#include "app/viewer/views/film_histogram.h"

#include <algorithm>
#include <cmath>

#include "core/device/background.h"
#include "core/device/device_cpu.h"

namespace tl {
namespace {

constexpr std::chrono::milliseconds kReadEvery{500};
constexpr std::uint32_t kDarkMark = 0xffff5030, kBrightMark = 0xff3030ff,
                        kNotFiniteMark = 0xffff00ff;  // r lowest

bool finite(vec3 v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/// The film as it is displayed: packed RGBA8.
std::vector<std::uint32_t> displayed(const FilmView& film, const ToneMap& map) {
    std::vector<std::uint32_t> rgba(static_cast<std::size_t>(film.extent.pixels()));
    auto stream = create_background_stream(cpu_device());
    tone_map(*stream, film, map, {rgba.data(), rgba.size()}, false);
    stream->synchronize();
    return rgba;
}

}  // namespace

int FilmHistogram::bin_of(float value) {
    if (!(value > 0)) return 0;
    float at = (std::log2(value) - kDarkest) / (kBrightest - kDarkest) * kBins;
    return static_cast<int>(std::clamp(at, 0.0f, kBins - 1.0f));
}

FilmHistogram histogram_of(const FilmView& film, const ToneMap& map) {
    FilmHistogram found;
    auto rgba = displayed(film, map);
    found.n_pixels = rgba.size();
    found.marks = {film.extent, std::vector<std::uint8_t>(4 * rgba.size())};
    for (std::size_t i = 0; i < rgba.size(); ++i) {
        vec4 sum = film.radiance_sum[i];
        vec3 c = sum.w > 0 ? vec3(sum) / sum.w : vec3(0);
        std::uint32_t mark = 0;
        if (!finite(c)) {
            ++found.n_not_finite;
            mark = kNotFiniteMark;
        } else {
            float light = 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
            const float values[] = {light, c.x, c.y, c.z};
            for (std::size_t k = 0; k < 4; ++k)
                ++found.counts[k][static_cast<std::size_t>(FilmHistogram::bin_of(values[k]))];
            std::uint32_t r = rgba[i] & 255, g = rgba[i] >> 8 & 255, b = rgba[i] >> 16 & 255;
            bool dark = r + g + b == 0, bright = std::max({r, g, b}) == 255;
            found.n_dark += dark;
            found.n_bright += bright;
            mark = dark ? kDarkMark : bright ? kBrightMark : 0;
        }
        for (std::size_t k = 0; k < 4; ++k)
            found.marks.rgba[4 * i + k] = static_cast<std::uint8_t>(mark >> (8 * k));
    }
    return found;
}

bool FilmHistogramFinder::advance(Session& session) {
    bool news = false;
    if (auto ended = job_.take(); ended && ended->error.empty()) {
        found_ = std::move(ended->result);
        news = true;
    }
    if (reading_ && readback_.ready()) {
        reading_ = false;
        job_.start("histogram", nullptr,
                   [this, map = map_](JobRun&, std::shared_ptr<FilmHistogram>& found) {
                       yield_to_other_threads();
                       run_on_one_thread([&] {
                           found =
                               std::make_shared<FilmHistogram>(histogram_of(readback_.film(), map));
                       });
                   });
    }
    if (busy() || session.samples() == 0) return news;
    auto map = session.display().shown_tone_map();
    Stamp stamp{session.pictures(), session.samples(), map.exposure, map.tone_operator};
    auto now = Clock::now();
    if (stamp == stamp_ || now - read_at_ < kReadEvery) return news;
    readback_.start(session);
    stamp_ = stamp;
    map_ = map;
    read_at_ = now;
    reading_ = true;
    return news;
}

void FilmHistogramFinder::trim() {
    if (!busy()) readback_.release();
}

bool FilmHistogramFinder::forget() {
    (void)job_.take();
    reading_ = reading_ && !readback_.ready();
    if (busy()) return false;
    readback_.release();
    found_.reset();
    stamp_ = {};
    return true;
}

}  // namespace tl

// The film sums the samples of every pixel in device memory and turns them into pictures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "accel/parallel/array.h"
#include "accel/parallel/math.h"
#include "accel/parallel/settings.h"
#include "renderer/film/convergence.h"
#include "renderer/film/film_view.h"
#include "renderer/images/image_io.h"

namespace tl {

enum class ToneOperator : int { linear, reinhard, aces };

/// From radiance to sRGB.
struct ToneMap {
    float exposure = 0;  ///< stops; radiance is multiplied by 2^exposure
    ToneOperator tone_operator = ToneOperator::linear;
    [[nodiscard]] Settings settings();
};

class Film {
  public:
    /// Sets the size; samples are lost. Allocates only to grow; when that throws UserError, the
    /// film is as it was.
    void resize(Stream& stream, Extent extent);
    [[nodiscard]] Extent extent() const { return extent_; }
    [[nodiscard]] FilmView view();

    /// Tone-maps to packed RGBA8 (r lowest) in memory of the film's device, extent().pixels() long,
    /// row 0 at the top unless `bottom_up`. Pixels that are not finite come out magenta.
    void tone_map(Stream& stream, const ToneMap& map, View<std::uint32_t> rgba8, bool bottom_up);

    /// The next sample is `sample`. For those of number 0 with `adaptive`, it begins to follow
    /// which pixels need more.
    void begin_sample(Stream& stream, std::uint32_t sample, bool adaptive);
    /// Which do, where that is followed.
    [[nodiscard]] Convergence* convergence() { return convergence_ ? &*convergence_ : nullptr; }
    /// Samples that a pixel holds on average. Waits for the stream.
    [[nodiscard]] float mean_samples(Stream& stream) const;

    /// The mean of the samples, linear RGB. Waits for the stream.
    [[nodiscard]] ImageF radiance(Stream& stream) const;
    /// The tone-mapped picture. Waits for the stream.
    [[nodiscard]] Image8 picture(Scratch& scratch, const ToneMap& map);
    /// Rays traced in the newest frame. Waits for the stream.
    [[nodiscard]] std::uint64_t rays_of_frame(Scratch& scratch);

  private:
    Extent extent_;
    DeviceArray<vec4> radiance_sum_;
    DeviceArray<std::uint32_t> ray_count_;
    std::optional<Convergence> convergence_;
};

}  // namespace tl

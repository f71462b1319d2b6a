// The film: sums the samples of every pixel in device memory and converts them to pictures.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/math.h"
#include "core/base/settings.h"
#include "core/device/array.h"
#include "renderer/film/convergence.h"
#include "renderer/film/film_share.h"
#include "renderer/film/film_view.h"
#include "renderer/images/image_io.h"

namespace tl {

enum class ToneOperator : int { linear, reinhard, aces, agx, neutral };
[[nodiscard]] constexpr auto names_of(ToneOperator) {
    return std::to_array<EnumName<ToneOperator>>({{ToneOperator::linear, "linear"},
                                                  {ToneOperator::reinhard, "reinhard"},
                                                  {ToneOperator::aces, "aces"},
                                                  {ToneOperator::agx, "agx"},
                                                  {ToneOperator::neutral, "neutral"}});
}

/// The mapping from radiance to sRGB.
struct ToneMap {
    float exposure = 0;  ///< stops; radiance is multiplied by 2^exposure
    ToneOperator tone_operator = ToneOperator::linear;
    bool operator==(const ToneMap&) const = default;
    [[nodiscard]] static const SettingsOf<ToneMap>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

/// A slice of one sample: a sample that takes long is rendered in `count` slices of the pixels, so
/// that the viewer answers in between. The pixels of slices are finely interleaved; from
/// sample to sample a pixel moves on to the next slice.
struct FilmPart {
    std::uint32_t sample;        ///< number of the sample
    std::uint32_t index, count;  ///< this slice, and how many there are
};

class Film {
  public:
    /// Sets the size and discards the samples. Allocates only to grow; if that throws UserError,
    /// the film is unchanged.
    void resize(Stream& stream, Extent extent);
    /// Releases memory held for a larger size; keeps the samples. Throws UserError, and keeps the
    /// rest, if memory is too short to copy them.
    void trim(Stream& stream);
    /// Bytes of device memory of the samples' sums.
    [[nodiscard]] std::size_t bytes() const {
        return radiance_sum_.bytes() + half_sum_.bytes() + ray_count_.bytes() + outside_.bytes() +
               rays_before_.bytes() + tiles_.bytes();
    }
    [[nodiscard]] Extent extent() const { return extent_; }
    [[nodiscard]] FilmView view();
    /// Restricts samples to the pixels that `share` owns. From the first sample of a picture on,
    /// other pixels of its region are 0, or what has been copied there (TileTransfer). Pixels
    /// outside of the region keep their samples.
    void set_share(FilmShare share) { share_ = share; }
    /// Gives `add` each array of sums, of `count` numbers, to add what other processes have sampled
    /// in it. Pixels outside of `share` are zero in these. Waits for the stream.
    void exchange(Stream& stream, const FilmShare& share,
                  const std::function<void(float* numbers, std::size_t count)>& add);
    /// An array with an entry per pixel, of whole 4-byte words.
    struct PixelArray {
        void* data;
        std::uint32_t entry_words;
    };
    /// The sums of the samples, those of convergence among them, and the newest frame's ray counts.
    [[nodiscard]] std::vector<PixelArray> pixel_arrays();

    /// Prepares the film for sample `sample`. At sample 0 with `adaptive`, the film starts to track
    /// convergence.
    void begin_sample(Stream& stream, std::uint32_t sample, bool adaptive);
    /// Restricts the film's views to a part of its pixels, for a sample that is rendered part by
    /// part. Parts come in order, and end_parts() after the last.
    void begin_part(Stream& stream, const FilmPart& part);
    /// Ends the restriction. Ray counts are then those of all parts together.
    void end_parts(Stream& stream);
    /// Convergence of the pixels; null if it is not tracked.
    [[nodiscard]] Convergence* convergence() { return convergence_ ? &*convergence_ : nullptr; }
    /// The mean number of samples per pixel of the share's region. Waits for the stream.
    [[nodiscard]] float mean_samples(Stream& stream) const;

    /// Mean of the samples, see radiance_of().
    [[nodiscard]] ImageF radiance(Stream& stream);
    /// Tone-mapped picture, see picture_of().
    [[nodiscard]] Image8 picture(Scratch& scratch, const ToneMap& map);
    /// Rays traced in the newest frame. Waits for the stream.
    [[nodiscard]] std::uint64_t rays_of_frame(Scratch& scratch);

  private:
    /// Lists the share's tiles again where the share or the size has changed.
    void list_tiles(Stream& stream);

    Extent extent_;
    FilmShare share_;
    FilmShare listed_share_;
    Extent listed_extent_;
    DeviceArray<std::uint32_t> tiles_;  ///< that the share owns; empty where it owns all
    bool is_outside_of_share_ = false;  ///< whether outside_ holds the pixels beyond the share
    DeviceArray<vec4> radiance_sum_, half_sum_;
    DeviceArray<std::uint32_t> ray_count_;
    std::optional<Convergence> convergence_;
    /// Mask of the pixels that are not sampled now: of another share, of another slice, or
    /// converged; empty where all are.
    DeviceArray<std::uint8_t> outside_;
    DeviceArray<std::uint32_t> rays_before_;  ///< rays of a sample's earlier slices
};

/// Tone-maps a film to packed RGBA8 (r lowest) in memory of its device, one element per pixel. Row
/// 0 is at the top unless `bottom_up`. Pixels that are not finite become magenta.
void tone_map(Stream& stream, const FilmView& film, const ToneMap& map, View<std::uint32_t> rgba8,
              bool bottom_up);
/// The mean of a film's samples, linear RGB. Waits for the stream.
[[nodiscard]] ImageF radiance_of(Stream& stream, const FilmView& film);
/// The tone-mapped picture of a film. Waits for the stream.
[[nodiscard]] Image8 picture_of(Scratch& scratch, const FilmView& film, const ToneMap& map);

}  // namespace tl

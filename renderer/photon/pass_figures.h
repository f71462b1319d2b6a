// Takes the passes of a picture one by one, so that their variance is known, and keeps what is
// known of each pixel (pixel_figures.h). Costs nothing where it is not called.
#pragma once

#include "accel/parallel/array.h"
#include "renderer/false_color/color_scale.h"
#include "renderer/photon/photon_config.h"
#include "renderer/photon/pixel_figures.h"

TL_DEVICE_BEGIN

class PassFigures {
  public:
    /// Starts pass `sample` of the picture in `film`, 0 being its first. Returns a film to which
    /// the pass is to be rendered, with the pixels done that are in `film`; never waits.
    /// `n_lanes`: of a pixel (renderer/paths/follow_path.h).
    [[nodiscard]] FilmView begin(Stream& stream, const FilmView& film, std::uint32_t sample,
                                 int n_lanes);
    /// Where the pass adds the figures of its places, one for each lane of each pixel.
    [[nodiscard]] View<PlaceFigures> places() { return places_.view(); }
    /// Takes the pass. Never waits. `film`: where it is added as the picture's next sample, or
    /// null; `bias`: where the pixels' estimated bias is written, or empty.
    void end(Scratch& scratch, const FilmView* film, View<vec3> bias);

    /// Fills the film with false colours of a map. Never waits.
    void show(Scratch& scratch, const PhotonConfig& config, const PassFigures* leader,
              const FilmView& film);

    // For the legend and reports; these wait.
    [[nodiscard]] FalseColorScale scale(Stream& stream, const std::string& title) const {
        return scale_.read(stream, title);
    }
    /// Zeros outside the picture and before its first pass.
    [[nodiscard]] PixelFigures pixel(Stream& stream, int x, int y) const;
    [[nodiscard]] PictureError error(Stream& stream) const;
    /// The number that a map shows for a pixel.
    [[nodiscard]] TL_HD static float value(PhotonShow show, const PixelFigures& pixel,
                                           const PictureError& picture, float n_pixels);
    [[nodiscard]] Extent extent() const { return extent_; }

  private:
    Extent extent_;
    std::uint32_t sample_ = 0;
    DeviceArray<vec4> pass_;             // the newest pass
    DeviceArray<PlaceFigures> places_;   // of it, of each lane
    DeviceArray<PixelFigures> pixels_;   // of all passes
    DeviceArray<PictureError> picture_;  // one
    ColorScale scale_;
};

TL_DEVICE_END

// Measures the passes of a picture one by one: their variance and the figures of each pixel
// (pixel_figures.h). Costs nothing where it is not called.
#pragma once

#include "core/device/array.h"
#include "renderer/false_color/color_scale.h"
#include "renderer/photon/gather/pixel_figures.h"
#include "renderer/photon/photon_config.h"

TL_DEVICE_BEGIN

/// Accumulates per-pixel figures over passes and shows them as false colours.
class PassFigures {
  public:
    /// Starts pass `sample` of the picture in `film`; the first is 0. Returns the film to render
    /// the pass to; pixels that are done in `film` are done in it as well. `n_path_slots`: paths
    /// per pixel (renderer/path/follow_path.h). Never waits.
    [[nodiscard]] FilmView begin(Stream& stream, const FilmView& film, std::uint32_t sample,
                                 int n_path_slots);
    /// Figures that the pass adds to, one entry for each path of each pixel.
    [[nodiscard]] View<GatherFigures> places() { return places_.view(); }
    /// Ends the pass. `film`: receives the pass as the picture's next sample; may be null. `bias`:
    /// receives the estimated bias of each pixel; may be empty. Never waits.
    void end(Scratch& scratch, const FilmView* film, View<vec3> bias);

    /// Fills the film with the false colours of a map. Never waits.
    void show(Scratch& scratch, const PhotonConfig& config, const PassFigures* leader,
              const FilmView& film);

    // Read by the legend and reports. Each of these waits.
    [[nodiscard]] FalseColorScale scale(Stream& stream, const std::string& title) const {
        return scale_.read(stream, title);
    }
    /// Figures of a pixel; zeros outside the picture and before its first pass.
    [[nodiscard]] PixelFigures pixel(Stream& stream, int x, int y) const;
    [[nodiscard]] PictureError error(Stream& stream) const;
    /// Value that a map shows for a pixel.
    [[nodiscard]] TL_HD static float value(PhotonShow show, const PixelFigures& pixel,
                                           const PictureError& picture, float n_pixels);
    [[nodiscard]] Extent extent() const { return extent_; }

  private:
    Extent extent_;
    std::uint32_t sample_ = 0;
    DeviceArray<vec4> pass_;             // radiance of the newest pass
    DeviceArray<GatherFigures> places_;  // of the newest pass, per path
    DeviceArray<PixelFigures> pixels_;   // over all passes
    DeviceArray<PictureError> picture_;  // one entry
    ColorScale scale_;
};

TL_DEVICE_END

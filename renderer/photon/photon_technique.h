// Interface of the photon mapper's modes: algorithms that render a picture from photons. To add
// one: a class derived from this, a value of PhotonMode, and a case in make_technique() of
// photon_mapper.cu.
#pragma once

#include <vector>

#include "renderer/path/path_job.h"
#include "renderer/photon/gather/pixel_figures.h"
#include "renderer/photon/photon_config.h"
#include "renderer/renderer.h"

TL_DEVICE_BEGIN

class PhotonMaps;

class PhotonTechnique {
  public:
    virtual ~PhotonTechnique() = default;

    /// Renderer::render; `job` describes the camera paths of the frame.
    virtual void render(const FrameContext& context, const PhotonConfig& config,
                        const PathJob& job) = 0;
    /// Renderer::counts.
    [[nodiscard]] virtual std::vector<FrameCount> counts(Stream& stream,
                                                         const PhotonConfig& config) = 0;
    /// Renderer::figures, besides those of the error.
    [[nodiscard]] virtual std::vector<PictureFigure> figures(Stream&, const PhotonConfig&) {
        return {};
    }
    /// Photon maps of the newest frame, for display; null where the technique keeps none.
    [[nodiscard]] virtual const PhotonMaps* maps() const { return nullptr; }
    /// Whether it can show that content instead of the picture.
    [[nodiscard]] virtual bool shows(PhotonShow) const { return true; }
    /// Sets the figures that it adds to from now on, one entry for each path of each pixel; empty:
    /// none.
    void measure(View<GatherFigures> figures) { figures_ = figures; }

  protected:
    View<GatherFigures> figures_;
};

[[nodiscard]] std::unique_ptr<PhotonTechnique> make_progressive_photons();
[[nodiscard]] std::unique_ptr<PhotonTechnique> make_sppm_photons();
[[nodiscard]] std::unique_ptr<PhotonTechnique> make_thesis_photons();
[[nodiscard]] std::unique_ptr<PhotonTechnique> make_vcm();

TL_DEVICE_END

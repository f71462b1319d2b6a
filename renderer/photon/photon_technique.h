// A mode of the photon mapper: a way from photons to a picture. To add one: a class of this kind, a
// value of PhotonMode, and a row in the table of photon_mapper.cu.
#pragma once

#include <vector>

#include "renderer/paths/path_job.h"
#include "renderer/photon/photon_config.h"
#include "renderer/photon/pixel_figures.h"
#include "renderer/renderer.h"

TL_DEVICE_BEGIN

class PhotonMaps;

class PhotonTechnique {
  public:
    virtual ~PhotonTechnique() = default;

    /// Renderer::render; `job` is the frame for paths from the camera.
    virtual void render(const FrameContext& context, const PhotonConfig& config,
                        const PathJob& job) = 0;
    /// Renderer::counts.
    [[nodiscard]] virtual std::vector<FrameCount> counts(Stream& stream,
                                                         const PhotonConfig& config) = 0;
    /// The photons of the newest frame, for display; null where they are kept in another way.
    [[nodiscard]] virtual const PhotonMaps* maps() const { return nullptr; }
    /// Whether it can show that in place of the picture.
    [[nodiscard]] virtual bool shows(PhotonShow) const { return true; }
    /// Where it adds them from now on, one for each lane of each pixel; empty: nowhere.
    void measure(View<PlaceFigures> figures) { figures_ = figures; }

  protected:
    View<PlaceFigures> figures_;
};

[[nodiscard]] std::unique_ptr<PhotonTechnique> make_progressive_photons();
[[nodiscard]] std::unique_ptr<PhotonTechnique> make_sppm_photons();
[[nodiscard]] std::unique_ptr<PhotonTechnique> make_thesis_photons();
[[nodiscard]] std::unique_ptr<PhotonTechnique> make_vcm();

TL_DEVICE_END

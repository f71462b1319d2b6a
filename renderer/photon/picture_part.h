// Parts of the picture, each alone: where paths from the camera look light up, what is found by
// following them is told apart from what is looked up.
#pragma once

#include "renderer/paths/path_job.h"
#include "renderer/photon/photon_config.h"

TL_DEVICE_BEGIN

class PicturePart {
  public:
    /// Takes 16 bytes of scratch memory a pixel unless all of the picture is shown. Never waits.
    PicturePart(Scratch& scratch, PhotonShow show, Extent extent);

    [[nodiscard]] bool with_caustics() const { return shows(PhotonShow::caustics); }
    [[nodiscard]] bool with_indirect() const { return shows(PhotonShow::indirect); }
    /// The frame's work as it needs to be for this part: where light is found by a direction that a
    /// surface draws, it would be found a bounce too late to be told apart.
    [[nodiscard]] PathJob of(PathJob job) const;
    /// Where light that is looked up is added; `sums`: that of the paths.
    [[nodiscard]] View<vec4> looked_up(View<vec4> sums) const;
    /// To be called after each bounce of the paths: leaves in `sums` what belongs to the part.
    void choose(Stream& stream, std::uint32_t bounce, View<vec4> sums) const;

  private:
    [[nodiscard]] bool shows(PhotonShow part) const {
        return show_ == PhotonShow::picture || show_ == part;
    }

    PhotonShow show_;
    View<vec4> kept_;  ///< of each pixel, what is shown
};

TL_DEVICE_END

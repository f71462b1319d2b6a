// Parts of the picture, each alone: where paths from the camera look light up, what is found by
// following them is told apart from what is looked up.
#pragma once

#include "renderer/paths/path_wavefront.h"
#include "renderer/photon/photon_config.h"

TL_DEVICE_BEGIN

class PicturePart {
  public:
    /// All of the picture.
    PicturePart() = default;
    /// Takes 16 bytes of scratch memory for each of the paths' sums unless all of the picture is
    /// shown. Never waits.
    PicturePart(Scratch& scratch, PhotonShow show, std::size_t n_sums);

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

    PhotonShow show_ = PhotonShow::picture;
    View<vec4> kept_;  ///< of each sum, what is shown
};

/// Looks up the light that belongs to a part of the picture.
class PartGather : public PathGather {
  public:
    void add(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
             View<vec4> sums) const final {
        if (part_.with_caustics() || part_.with_indirect())
            look_up(stream, queue, counts, part_.looked_up(sums));
    }
    void end_bounce(Stream& stream, std::uint32_t bounce, View<vec4> sums) const final {
        part_.choose(stream, bounce, sums);
    }

  protected:
    explicit PartGather(const PicturePart& part) : part_(part) {}
    /// PathGather::add.
    virtual void look_up(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
                         View<vec4> sums) const = 0;

  private:
    PicturePart part_;
};

TL_DEVICE_END

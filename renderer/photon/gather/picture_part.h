// Components of the picture, each shown alone: light found by path tracing, kept apart from light
// gathered from photons.
#pragma once

#include "renderer/path/path_wavefront.h"
#include "renderer/photon/photon_config.h"

TL_DEVICE_BEGIN

/// Component of the picture to be shown, and buffers to separate it.
class PicturePart {
  public:
    /// The whole picture.
    PicturePart() = default;
    /// Takes 16 bytes of scratch memory for each of the paths' sums, unless the whole picture is
    /// shown. Never waits.
    PicturePart(Scratch& scratch, PhotonShow show, std::size_t n_sums);

    [[nodiscard]] bool with_caustics() const { return shows(PhotonShow::caustics); }
    [[nodiscard]] bool with_indirect() const { return shows(PhotonShow::indirect); }
    /// The job as this component needs it. Components use next-event estimation alone: emission hit
    /// by BSDF sampling is found one bounce too late to be separated.
    [[nodiscard]] PathJob of(PathJob job) const;
    /// Buffer for light gathered from photons; `sums`: that of the paths.
    [[nodiscard]] View<vec4> looked_up(View<vec4> sums) const;
    /// Keeps in `sums` the light that belongs to the component. To be called after each bounce.
    void choose(Stream& stream, std::uint32_t bounce, View<vec4> sums) const;

  private:
    [[nodiscard]] bool shows(PhotonShow part) const {
        return show_ == PhotonShow::picture || show_ == part;
    }

    PhotonShow show_ = PhotonShow::picture;
    View<vec4> kept_;  ///< per path sum, the light to be shown
};

/// Gathers photons' light for a component of the picture.
class PartGather : public PathGather {
  public:
    void add(Stream& stream, const GatherQueue& queue, WaveCounts* counts,
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
    virtual void look_up(Stream& stream, const GatherQueue& queue, WaveCounts* counts,
                         View<vec4> sums) const = 0;

  private:
    PicturePart part_;
};

TL_DEVICE_END

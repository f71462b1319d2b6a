#include "renderer/photon/gather_by_pixel.h"

#include "renderer/photon/gather_kernels.h"

TL_DEVICE_BEGIN

namespace {

template <bool kMeasured>
struct NearPixel {
    NearPhotons near;
    View<const float> radii;
    View<std::uint32_t> n_found;
    View<vec4> sums;
    PlaceFigures* figures;

    [[nodiscard]] TL_D PhotonSum<kMeasured> sum_at(const GatherPlace&) const { return {}; }
    template <class Use>
    TL_D void for_each(const Team& team, const GatherPlace& at, Use&& use) const {
        near.for_each_within(team, radii[at.pixel], at.position, at.side, at.depth, use);
    }
    TL_D void add(const Team& team, const GatherPlace& at, vec3 weight,
                  PhotonSum<kMeasured> sum) const {
        sum.add_up(team);
        std::uint32_t n = team.sum(sum.n);
        if (Team::rank() != 0) return;
        sums[at.pixel] += vec4(weight * sum.light, 0);
        n_found[at.pixel] += n;
        sum.add_to(figures, at.pixel, weight, near.indirect_share() * radii[at.pixel]);
    }
};

}  // namespace

void GatherByPixel::add(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
                        View<vec4> sums) const {
    if (!near_.with_caustics && !near_.with_indirect) return;
    sums = part_.looked_up(sums);
    // As in PhotonGather::add.
    const NearPixel<true> measured{near_, radii_, n_found_, sums, figures_.data};
    if (figures_.empty())
        gather_photons(stream, scene_, queue, counts,
                       NearPixel<false>{near_, radii_, n_found_, sums, nullptr}, measured);
    else
        gather_photons(stream, scene_, queue, counts, measured, measured);
}

TL_DEVICE_END

#include "renderer/photon/gather_photons.h"

#include "renderer/photon/gather_kernels.h"

TL_DEVICE_BEGIN

namespace {

/// One radius for all.
template <bool kMeasured>
struct NearAll {
    using Sum = PhotonSum<kMeasured>;
    NearPhotons near;
    View<vec4> sums;
    PlaceFigures* figures;

    template <class Use>
    TL_D void for_each(const Team& team, std::uint32_t, vec3 p, vec3 side, std::uint32_t depth,
                       Use&& use) const {
        near.for_each(team, p, side, depth, use);
    }
    TL_D void add(const Team& team, std::uint32_t pixel, vec3 weight, Sum sum) const {
        sum.add_up(team);
        if (Team::rank() != 0) return;
        sums[pixel] += vec4(weight * sum.light, 0);
        sum.add_to(figures + pixel, weight, near.grid.radius);
    }
};

}  // namespace

void PhotonGather::add(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
                       View<vec4> sums) const {
    if (!near_.with_caustics && !near_.with_indirect) return;
    sums = part_.looked_up(sums);
    if (figures_.empty())
        gather_photons(stream, scene_, queue, counts, NearAll<false>{near_, sums, nullptr});
    else
        gather_photons(stream, scene_, queue, counts, NearAll<true>{near_, sums, figures_.data});
}

TL_DEVICE_END

#include "renderer/photon/gather_photons.h"

#include "renderer/photon/gather_kernels.h"

TL_DEVICE_BEGIN

namespace {

/// One radius for all.
struct NearAll {
    NearPhotons near;
    View<vec4> sums;

    template <class Use>
    TL_D void for_each(const Team& team, std::uint32_t, vec3 p, vec3 side, std::uint32_t depth,
                       Use&& use) const {
        near.for_each(team, p, side, depth, use);
    }
    TL_D void add(const Team& team, std::uint32_t pixel, vec3 weight, vec3 sum,
                  std::uint32_t) const {
        sum = team.sum(sum);
        if (Team::rank() == 0) sums[pixel] += vec4(weight * sum, 0);
    }
};

}  // namespace

void PhotonGather::add(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
                       View<vec4> sums) const {
    gather_photons(stream, scene_, queue, counts, NearAll{near_, sums});
}

TL_DEVICE_END

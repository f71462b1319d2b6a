#include "renderer/photon/gather_by_pixel.h"

#include "renderer/photon/gather_kernels.h"

TL_DEVICE_BEGIN

namespace {

struct NearPixel {
    NearPhotons near;
    View<const float> radii;
    View<std::uint32_t> n_found;
    View<vec4> sums;

    template <class Use>
    TL_D void for_each(const Team& team, std::uint32_t pixel, vec3 p, vec3 side,
                       std::uint32_t depth, Use&& use) const {
        near.for_each_within(team, radii[pixel], p, side, depth, use);
    }
    TL_D void add(const Team& team, std::uint32_t pixel, vec3 weight, vec3 sum,
                  std::uint32_t n) const {
        sum = team.sum(sum);
        n = team.sum(n);
        if (Team::rank() != 0) return;
        sums[pixel] += vec4(weight * sum, 0);
        n_found[pixel] += n;
    }
};

}  // namespace

void GatherByPixel::add(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
                        View<vec4> sums) const {
    gather_photons(stream, scene_, queue, counts, NearPixel{near_, radii_, n_found_, sums});
}

TL_DEVICE_END

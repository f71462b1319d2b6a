#include "renderer/photon/gather/gather_by_pixel.h"

#include "core/device/atomics.h"
#include "renderer/photon/gather/gather_kernels.h"

TL_DEVICE_BEGIN

namespace {

template <bool kMeasured>
struct NearPixel {
    NearPhotons near;
    GatheringPixels pixels;
    std::uint32_t n_path_slots;
    View<vec4> sums;

    [[nodiscard]] TL_D PhotonSum<kMeasured> sum_at(const GatherPoint&) const { return {}; }
    template <class AnyTeam, class Use>
    TL_D bool for_each(const AnyTeam& team, const GatherPoint& at, Use&& use,
                       std::uint32_t most_candidates) const {
        return near.for_each_within(team, radius(at), at.position, at.normal, at.depth, use,
                                    most_candidates);
    }
    template <class AnyTeam>
    TL_D void add(const AnyTeam& team, const GatherPoint& at, vec3 weight,
                  PhotonSum<kMeasured> sum) const {
        sum.add_up(team);
        std::uint32_t n = team.sum(sum.n);
        if (AnyTeam::rank() != 0) return;
        sums[at.pixel] += vec4(weight * sum.light, 0);
        atomic_add(&pixels.n_found[at.pixel / n_path_slots], n);
        sum.add_to(pixels.figures.data, at.pixel, weight, near.indirect_ratio() * radius(at));
    }
    [[nodiscard]] TL_D float radius(const GatherPoint& at) const {
        return pixels.radii[at.pixel / n_path_slots];
    }
};

}  // namespace

void GatherByPixel::look_up(Stream& stream, const GatherQueue& queue, WaveCounts* counts,
                            View<vec4> sums) const {
    // PhotonGather::look_up explains why points that are not Lambertian always measure.
    const NearPixel<true> measured{near_, pixels_, n_path_slots_, sums};
    if (pixels_.figures.empty())
        gather_photons(stream, scene_, queue, counts,
                       NearPixel<false>{near_, pixels_, n_path_slots_, sums}, measured);
    else
        gather_photons(stream, scene_, queue, counts, measured, measured);
}

TL_DEVICE_END

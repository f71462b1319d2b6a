#include "renderer/photon/gather/gather_photons.h"

#include "renderer/photon/gather/gather_kernels.h"
#include "renderer/photon/gather/photon_edges.h"
#include "renderer/photon/trace/drawn_photon.h"

TL_DEVICE_BEGIN

namespace {

/// The same search radius at all gather points.
template <bool kMeasured>
struct NearAll {
    NearPhotons near;
    View<vec4> sums;
    GatherFigures* figures;

    [[nodiscard]] TL_D PhotonSum<kMeasured> sum_at(const GatherPoint&) const { return {}; }
    template <class AnyTeam, class Use>
    TL_D bool for_each(const AnyTeam& team, const GatherPoint& at, Use&& use,
                       std::uint32_t most_candidates) const {
        return near.for_each(team, at.position, at.normal, at.depth, use, most_candidates);
    }
    template <class AnyTeam>
    TL_D void add(const AnyTeam& team, const GatherPoint& at, vec3 weight,
                  PhotonSum<kMeasured> sum) const {
        sum.add_up(team);
        if (AnyTeam::rank() != 0) return;
        sums[at.pixel] += vec4(weight * sum.light, 0);
        sum.add_to(figures, at.pixel, weight, near.indirect.with_search_radius().radius);
    }
};

/// Appends the gathers to a queue for edge correction.
struct NearInside {
    NearPhotons near;
    EdgeQueue queue;
    std::uint32_t pass;

    /// Accumulator with a random number that differs for each gather point and pass.
    [[nodiscard]] TL_D DrawnPhoton sum_at(const GatherPoint& at) const {
        return DrawnPhoton(hash_bits(hash_bits(pass + 0x9e3779b9u * at.depth) ^ at.pixel));
    }
    template <class AnyTeam, class Use>
    TL_D bool for_each(const AnyTeam& team, const GatherPoint& at, Use&& use,
                       std::uint32_t most_candidates) const {
        return near.for_each(team, at.position, at.normal, at.depth, use, most_candidates);
    }
    template <class AnyTeam>
    TL_D void add(const AnyTeam& team, const GatherPoint& at, vec3 weight,
                  const DrawnPhoton& sum) const {
        vec3 light = team.sum(sum.light);
        std::uint32_t drawn = sum.of(team);
        if (AnyTeam::rank() != 0 || drawn == DrawnPhoton::kNone) return;
        PhotonPosition photon = load_vectorized(near.indirect.places[drawn]);
        queue.add(at.position, at.normal, photon.position, near.radius_of(photon.surface),
                  sum.random(), {weight * light, at.pixel});
    }
};

}  // namespace

void PhotonGather::look_up(Stream& stream, const GatherQueue& queue, WaveCounts* counts,
                           View<vec4> sums) const {
    // Figures cost little at points that are not Lambertian, and a second kernel there would take
    // long to compile.
    const NearAll<true> measured{near_, sums, figures_.data};
    if (!edges_) {
        if (figures_.empty())
            gather_photons(stream, scene_, queue, counts, NearAll<false>{near_, sums, nullptr},
                           measured);
        else
            gather_photons(stream, scene_, queue, counts, measured, measured);
        return;
    }
    Scratch& scratch = *edges_->scratch;
    Scratch::Scope scope(scratch);
    if (!figures_.empty()) {
        // Figures describe the light without edge correction.
        auto unused = scratch.take<vec4>(sums.size);
        const NearAll<true> alone{near_, unused, figures_.data};
        gather_photons(stream, scene_, queue, counts, alone, alone);
        stream.device().fill_zero(stream, &counts->n_dense, sizeof counts->n_dense);
    }
    // A path gathers at one point at most, Lambertian or not, so one entry per ray suffices.
    EdgeQueue found(scratch, static_cast<std::uint32_t>(queue.rays.size));
    stream.device().fill_zero(stream, found.count, sizeof(std::uint32_t));
    const NearInside inside{near_, found, edges_->pass};
    gather_photons(stream, scene_, queue, counts, inside, inside);
    add_open_light(scratch, scene_, found, sums);
}

TL_DEVICE_END

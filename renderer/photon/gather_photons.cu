#include "renderer/photon/gather_photons.h"

#include "renderer/paths/follow_path.h"
#include "renderer/photon/near_photons.h"
#include "renderer/photon/photon_edges.h"

TL_DEVICE_BEGIN

namespace {

/// One of the photons that count at a place, drawn by what they bring.
class DrawnPhoton {
  public:
    TL_D explicit DrawnPhoton(std::uint32_t random) : random_(random) {}
    TL_D void offer(std::uint32_t k, float weight) {
        total_ += weight;
        if (to_unit_float(hash_bits(random_ + k)) * total_ < weight) index_ = k;
    }
    /// That of the whole team, to all of its threads; kNone where none counts.
    [[nodiscard]] TL_D std::uint32_t of([[maybe_unused]] const Team& team) const {
#if defined(__CUDA_ARCH__)
        // The thread whose exponential variate by its total is least.
        float u = to_unit_float(hash_bits(random_ ^ (Team::rank() + 1)));
        std::uint32_t key = index_ == kNone ? kNone - 1 : bits_of_float(-logf(1 - u) / total_);
        std::uint32_t least = team.minimum_of(key);
        return team.minimum_of(key == least ? index_ : kNone);
#else
        return index_;
#endif
    }
    static constexpr std::uint32_t kNone = ~0u;

  private:
    std::uint32_t random_, index_ = kNone;
    float total_ = 0;
};

/// Another number for each place of a pass.
TL_D std::uint32_t random_of(std::uint32_t pass, std::uint32_t pixel, std::uint32_t depth) {
    return hash_bits(hash_bits(pass + 0x9e3779b9u * depth) ^ pixel);
}

/// Sends the light of a place on to be corrected for edges.
TL_D void add_place(const EdgeQueue& queue, const NearPhotons& near, vec3 p, vec3 side,
                    std::uint32_t drawn, std::uint32_t random, const ArrivingLight& light) {
    PhotonPlace photon = load_whole(near.grid.places[drawn]);
    float radius = Photon::is_caustic(photon.surface) ? near.caustic_radius : near.grid.radius;
    queue.add(p, side, photon.position, radius, random, light);
}

/// As GatherAtEven, into a queue.
struct GatherInside {
    NearPhotons near;
    View<const EvenPlace> places;
    EdgeQueue queue;
    std::uint32_t pass;

    TL_D void operator()(const Team& team, std::uint32_t i) const {
        EvenPlace place = load_whole(places[i]);
        std::uint32_t random = random_of(pass, place.pixel, place.depth());
        DrawnPhoton drawn(random);
        vec3 sum(0);
        near.for_each(team, place.position, place.normal(), place.depth(),
                      [&](std::uint32_t k, vec3 power, std::uint32_t) {
                          sum += power;
                          drawn.offer(k, largest(power));
                      });
        sum = team.sum(sum);
        std::uint32_t photon = drawn.of(team);
        if (team.rank() == 0 && photon != DrawnPhoton::kNone)
            add_place(queue, near, place.position, place.normal(), photon, random,
                      {place.weight * sum, place.pixel});
    }
};

struct GatherAtEven {
    NearPhotons near;
    View<const EvenPlace> places;
    View<vec4> sums;

    TL_D void operator()(const Team& team, std::uint32_t i) const {
        EvenPlace place = load_whole(places[i]);
        vec3 sum(0);
        near.for_each(team, place.position, place.normal(), place.depth(),
                      [&](std::uint32_t, vec3 power, std::uint32_t) { sum += power; });
        sum = team.sum(sum);
        if (team.rank() == 0) sums[place.pixel] += vec4(place.weight * sum, 0);
    }
};

struct GatherAtUneven {
    NearPhotons near;
    SceneView scene;
    View<const PathRay> rays;
    View<const Hit> hits;
    View<vec4> sums;

    TL_D void operator()(const Team& team, std::uint32_t i) const {
        PathRay ray = load_whole(rays[i]);
        PathHit h = path_hit(scene, ray, hits[i]);
        PathPlace at = path_place(scene, ray, hits[i], h, false);
        vec3 sum(0);
        near.for_each(team, h.surface.position, h.side, ray.depth(),
                      [&](std::uint32_t, vec3 power, std::uint32_t direction) {
                          sum += power * scattered(h, at, unpack_direction<16>(direction));
                      });
        sum = team.sum(sum);
        if (team.rank() == 0) sums[ray.pixel] += vec4(ray.weight * h.passed * sum, 0);
    }
    /// The part of a photon's power that a surface scatters broadly to the viewer, 1/sr.
    [[nodiscard]] TL_D static vec3 scattered(const PathHit& h, const PathPlace& at,
                                             vec3 direction) {
        constexpr float kLeastCosine = 0.05f;
        float cosine = maximum(fabsf(fused_dot(h.side, direction)), kLeastCosine);
        return at.bsdf.eval_broad(at.lit.to_viewer, -direction) / cosine;
    }
};

/// As GatherAtUneven, into a queue.
struct GatherUnevenInside {
    GatherAtUneven plain;
    EdgeQueue queue;
    std::uint32_t pass;

    TL_D void operator()(const Team& team, std::uint32_t i) const {
        PathRay ray = load_whole(plain.rays[i]);
        PathHit h = path_hit(plain.scene, ray, plain.hits[i]);
        PathPlace at = path_place(plain.scene, ray, plain.hits[i], h, false);
        std::uint32_t random = random_of(pass, ray.pixel, ray.depth());
        DrawnPhoton drawn(random);
        vec3 sum(0);
        plain.near.for_each(team, h.surface.position, h.side, ray.depth(),
                            [&](std::uint32_t k, vec3 power, std::uint32_t direction) {
                                vec3 found = power * GatherAtUneven::scattered(
                                                         h, at, unpack_direction<16>(direction));
                                sum += found;
                                drawn.offer(k, largest(found));
                            });
        sum = team.sum(sum);
        std::uint32_t photon = drawn.of(team);
        if (team.rank() == 0 && photon != DrawnPhoton::kNone)
            add_place(queue, plain.near, h.surface.position, h.side, photon, random,
                      {ray.weight * h.passed * sum, ray.pixel});
    }
};

/// Calls gather(team, i) for every entry of a queue, from every thread of a team.
template <class Gather>
void for_each_place(Stream& stream, const std::uint32_t* count, std::uint32_t capacity,
                    const Gather& gather) {
    constexpr std::uint32_t kThreads = Team::kThreads;
    std::uint32_t n_threads = std::min(capacity, kQueueThreads) * kThreads;
    parallel_for(
        stream, "gather photons", n_threads,
        TL_LAMBDA(std::uint32_t thread) {
            for (std::uint32_t i = thread / kThreads; i < *count; i += n_threads / kThreads)
                gather(Team(), i);
        },
        1024);
}

}  // namespace

void PhotonGather::add(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
                       View<vec4> sums) const {
    auto most = static_cast<std::uint32_t>(queue.rays.size);
    const GatherAtUneven uneven{near_, scene_, queue.rays, queue.hits, sums};
    if (!edges_) {
        const GatherAtEven even{near_, queue.even, sums};
        for_each_place(stream, &counts->n_even, most, even);
        for_each_place(stream, &counts->n_uneven, most, uneven);
        return;
    }
    Scratch::Scope scope(*edges_->scratch);
    // A path gathers at one place at most, of either kind.
    EdgeQueue found(*edges_->scratch, most);
    stream.device().fill_zero(stream, found.count, sizeof(std::uint32_t));
    const GatherInside even{near_, queue.even, found, edges_->pass};
    for_each_place(stream, &counts->n_even, most, even);
    const GatherUnevenInside inside{uneven, found, edges_->pass};
    for_each_place(stream, &counts->n_uneven, most, inside);
    add_open_light(*edges_->scratch, scene_, found, sums);
}

TL_DEVICE_END

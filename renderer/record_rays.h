// Follows each pixel's rays twice, with a tracer that records its rays: once to count them, once to
// write them. Only files compiled for a device include this header.
#pragma once

#include "accel/bvh/traversal/any_tracer.h"
#include "accel/parallel/operators/operators.h"
#include "accel/parallel/parallel_for.h"
#include "renderer/recorded_rays.h"
#include "renderer/shading/camera_rays.h"
#include "renderer/shading/direct_light.h"

TL_DEVICE_BEGIN

/// Pixels whose rays are interleaved, as those of a warp.
inline constexpr std::uint32_t kInStep = 32;

/// The output arrays. The counts of item i of n for kind k are at k * n + i.
struct RayStore {
    std::uint32_t n_items;
    View<std::uint64_t> counts;  ///< one element more than there are counts: 0
    View<std::uint64_t> scan;
    View<Ray> rays;  ///< empty while rays are counted
    View<ProbeHit> seen;

    /// The index of the item's ray `k` of a kind: after the first k rays of all items interleaved
    /// with it, and after ray k of those before it.
    TL_D std::uint64_t place(std::uint32_t kind, std::uint32_t item, std::uint32_t k) const {
        std::uint32_t first = item - item % kInStep;
        std::uint32_t last = first + kInStep < n_items ? first + kInStep : n_items;
        std::uint64_t of_kind = std::uint64_t(kind) * n_items;
        std::uint64_t at = scan[of_kind + first];
        for (std::uint32_t i = first; i < last; ++i) {
            std::uint64_t n = counts[of_kind + i];
            at += n < k ? n : k;
            at += i < item && n > k;
        }
        return at;
    }
};

/// The number of rays of one item so far.
struct RayLog {
    std::uint32_t kind = 0;  ///< of the next ray
    std::uint32_t counts[kRayPurposes] = {};
};

/// A tracer that records the rays that it traces.
template <class Tracer>
struct RecordingTracer {
    static constexpr bool kPatches = Tracer::kPatches;
    Tracer tracer;
    RayStore store;
    std::uint32_t item;
    RayLog* log;

    TL_D void announce(RayPurpose kind) const { log->kind = static_cast<std::uint32_t>(kind); }
    template <class Stats = NoStats>
    TL_D Hit closest(const Ray& ray, Stats&& stats = {}) const {
        Hit hit = tracer.closest(ray, stats);
        keep(ray, {hit.t, hit.primitive});
        return hit;
    }
    template <class Stats = NoStats>
    TL_D bool occluded(const Ray& ray, Stats&& stats = {}) const {
        bool found = tracer.occluded(ray, stats);
        keep(ray, {0, found ? 0 : Hit::kNone});
        return found;
    }
    TL_D void keep(const Ray& ray, const ProbeHit& hit) const {
        std::uint32_t k = log->counts[log->kind]++;
        if (store.rays.empty()) return;
        std::uint64_t at = store.place(log->kind, item, k);
        store.rays[at] = ray;
        store.seen[at] = hit;
    }
};

/// `Follow`: a struct whose follow(tracer, x, y, pixel) traces the rays of a pixel's sample, in a
/// kernel with kBlocks<Tracer> resident blocks (parallel_for).
template <class Follow>
struct RecordPass {
    Stream& stream;
    const PixelOrder& order;
    const FilmView& film;
    const Follow& follow;
    const RayStore& store;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        // Copies, since a lambda for the device captures no members.
        PixelOrder order = this->order;
        FilmView film = this->film;
        Follow follow = this->follow;
        RayStore store = this->store;
        parallel_for<Follow::template kBlocks<Tracer>>(
            stream, store.rays.empty() ? "count rays" : "record rays", order.n_items,
            TL_LAMBDA(std::uint32_t item) {
                std::uint32_t x, y;
                if (!order.pixel(item, x, y)) return;
                std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
                if (film.is_done(pixel)) return;
                RayLog log;
                follow(RecordingTracer<Tracer>{tracer, store, item, &log}, x, y, pixel);
                if (!store.rays.empty()) return;
                for (std::uint32_t kind = 0; kind < kRayPurposes; ++kind)
                    store.counts[std::uint64_t(kind) * store.n_items + item] = log.counts[kind];
            },
            PixelOrder::kTileItems);
    }
};

/// Records what `follow` traces in the scene's tree, as RayRecorder::record_rays says.
template <class Follow>
RecordedRays record_rays(Scratch& scratch, const SceneView& scene, const PixelOrder& order,
                         const FilmView& film, const Follow& follow, std::uint64_t most_bytes) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto& device = stream.device();
    std::uint32_t n = order.n_items;
    std::size_t n_counts = std::size_t(kRayPurposes) * n + 1;
    RayStore store{
        n, scratch.take<std::uint64_t>(n_counts), scratch.take<std::uint64_t>(n_counts), {}, {}};
    device.fill_zero(stream, store.counts.data, n_counts * sizeof(std::uint64_t));
    const RecordPass<Follow> pass{stream, order, film, follow, store};
    visit_any_tracer(scene.tree, pass);
    exclusive_scan<std::uint64_t>(scratch, store.counts, store.scan);

    RecordedRays recorded;
    recorded.any_hit_shadows = any_hit_shadows(scene);
    for (std::size_t kind = 0; kind <= kRayPurposes; ++kind)
        device.download(stream, &recorded.first[kind], store.scan.data + kind * n,
                        sizeof(std::uint64_t));
    std::uint64_t n_rays = recorded.first[kRayPurposes];
    if (n_rays == 0) return recorded;
    require_room_for_rays(device, n_rays, most_bytes);
    recorded.rays.resize_discard(stream, n_rays);
    recorded.seen.resize_discard(stream, n_rays);
    store.rays = recorded.rays.view();
    store.seen = recorded.seen.view();
    visit_any_tracer(scene.tree, pass);
    return recorded;
}

TL_DEVICE_END

// Records rays in two passes over the same tracing code: the first counts them, the second writes
// them. Only files compiled for a device include this header.
#pragma once

#include <numeric>
#include <stdexcept>

#include "accel/bvh/traversal/any_tracer.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"
#include "renderer/recorded_rays.h"
#include "renderer/shading/camera_rays.h"
#include "renderer/shading/direct_light.h"

TL_DEVICE_BEGIN

/// Number of consecutive items whose rays are interleaved, as by the threads of a warp.
inline constexpr std::uint32_t kInStep = 32;

/// The output arrays. The counts of item i of n for kind k are at k * n + i.
struct RayStore {
    std::uint32_t n_items;
    View<std::uint64_t> counts;  ///< one more element than there are counts: 0
    View<std::uint64_t> scan;
    View<Ray> rays;  ///< empty while rays are counted
    View<ProbeHit> seen;
    std::uint64_t base[kRayPurposes] = {};  ///< start of each kind's rays of these items

    /// Index of the item's ray `k` of a kind. It follows the first k rays of all items interleaved
    /// with it, and ray k of the items before it.
    TL_D std::uint64_t place(std::uint32_t kind, std::uint32_t item, std::uint32_t k) const {
        std::uint32_t first = item - item % kInStep;
        std::uint32_t last = first + kInStep < n_items ? first + kInStep : n_items;
        std::uint64_t of_kind = std::uint64_t(kind) * n_items;
        std::uint64_t at = base[kind] + (scan[of_kind + first] - scan[of_kind]);
        for (std::uint32_t i = first; i < last; ++i) {
            std::uint64_t n = counts[of_kind + i];
            at += n < k ? n : k;
            at += i < item && n > k;
        }
        return at;
    }
};

/// Ray counts of one item so far.
struct RayLog {
    std::uint32_t kind = 0;  ///< kind of the next ray
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

/// Runs `follow` with a recording tracer. `Follow` is a struct whose follow(tracer, item) traces
/// the rays of an item, in a kernel with kBlocks<Tracer> resident blocks (parallel_for).
template <class Follow>
struct RecordPass {
    Stream& stream;
    const Follow& follow;
    const RayStore& store;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        // Copies, since a lambda for the device captures no members.
        Follow follow = this->follow;
        RayStore store = this->store;
        parallel_for<Follow::template kBlocks<Tracer>>(
            stream, store.rays.empty() ? "count rays" : "record rays", store.n_items,
            TL_LAMBDA(std::uint32_t item) {
                RayLog log;
                follow(RecordingTracer<Tracer>{tracer, store, item, &log}, item);
                if (!store.rays.empty()) return;
                for (std::uint32_t kind = 0; kind < kRayPurposes; ++kind)
                    store.counts[std::uint64_t(kind) * store.n_items + item] = log.counts[kind];
            },
            PixelOrder::kTileItems);
    }
};

/// Records the rays of one or more launches, in the order of RayRecorder::record_rays. Each launch
/// is added twice, all in the same order: before start_writing() to be counted, after it to be
/// written.
class RayRecording {
  public:
    explicit RayRecording(Scratch& scratch) : scratch_(scratch) {}

    /// Records the rays that `follow` traces in the scene's tree for items [0, n_items). Waits.
    template <class Follow>
    void add(const SceneView& scene, std::uint32_t n_items, const Follow& follow) {
        Scratch::Scope scope(scratch_);
        auto& stream = scratch_.stream();
        std::size_t n_counts = std::size_t(kRayPurposes) * n_items + 1;
        RayStore store{n_items,
                       scratch_.take<std::uint64_t>(n_counts),
                       scratch_.take<std::uint64_t>(n_counts),
                       {},
                       {}};
        stream.device().fill_zero(stream, store.counts.data, n_counts * sizeof(std::uint64_t));
        visit_any_tracer(scene.tree, RecordPass<Follow>{stream, follow, store});
        exclusive_scan<std::uint64_t>(scratch_, store.counts, store.scan);
        std::uint64_t first[kRayPurposes + 1];
        for (std::size_t kind = 0; kind <= kRayPurposes; ++kind)
            stream.device().download(stream, &first[kind], store.scan.data + kind * n_items,
                                     sizeof(std::uint64_t));
        recorded_.any_hit_shadows = any_hit_shadows(scene);
        for (std::size_t kind = 0; kind < kRayPurposes; ++kind) {
            store.base[kind] = recorded_.first[kind] + n_[kind];
            n_[kind] += first[kind + 1] - first[kind];
            if (writing_ && recorded_.first[kind] + n_[kind] > recorded_.first[kind + 1])
                throw std::logic_error("more rays are written than were counted");
        }
        if (!writing_ || first[kRayPurposes] == 0) return;
        store.rays = recorded_.rays.view();
        store.seen = recorded_.seen.view();
        visit_any_tracer(scene.tree, RecordPass<Follow>{stream, follow, store});
    }
    /// Allocates memory for the counted rays. Throws UserError as RayRecorder::record_rays does.
    void start_writing(std::uint64_t most_bytes) {
        std::inclusive_scan(n_, n_ + kRayPurposes, recorded_.first.begin() + 1);
        auto& stream = scratch_.stream();
        std::uint64_t n_rays = recorded_.first[kRayPurposes];
        require_room_for_rays(stream.device(), n_rays, most_bytes);
        recorded_.rays.resize_discard(stream, n_rays);
        recorded_.seen.resize_discard(stream, n_rays);
        std::fill_n(n_, kRayPurposes, 0);
        writing_ = true;
    }
    [[nodiscard]] RecordedRays take() { return std::move(recorded_); }

  private:
    Scratch& scratch_;
    RecordedRays recorded_;
    std::uint64_t n_[kRayPurposes] = {};  ///< rays of each kind so far, counted or written
    bool writing_ = false;
};

TL_DEVICE_END

#include "app/commands/rays_alone.h"

#include <cmath>

#include "app/jobs/output.h"
#include "core/base/error.h"
#include "renderer/recorded_rays.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNames[kRayPurposes] = {"camera", "secondary", "shadow", "behind holes"};

/// Compares hits with a tolerance, since kernels may round differently.
bool same_hit(const ProbeHit& a, const ProbeHit& b) {
    constexpr float kRounding = 1e-5f;
    return a.primitive == b.primitive &&
           (!a.found() || std::abs(a.t - b.t) <= kRounding * std::abs(b.t));
}

/// Traces one kind of rays repeatedly.
class Probe {
  public:
    Probe(Session& session, const RecordedRays& recorded, RayPurpose kind)
        : session_(session),
          stream_(session.stream()),
          tree_(session.live_scene().view().tree),
          rays_(recorded.rays_of(kind)),
          seen_(recorded.seen_of(kind)) {
        measured_.kind = kNames[static_cast<std::size_t>(kind)];
        measured_.any_hit = recorded.is_any_hit(kind);
        measured_.n_rays = rays_.size;
        if (measured_.any_hit)
            occluded_.resize_discard(stream_, rays_.size);
        else
            hits_.resize_discard(stream_, rays_.size);
    }
    RaysOfKind measure(WorkTimer& timer, int repeat) {
        measured_.each_ms = timer.time(repeat, [&] { trace(RayLaunch::each); });
        measured_.queue_ms = measured_.each_ms;
        if (session_.device().kind() == DeviceKind::cuda)
            measured_.queue_ms = timer.time(repeat, [&] { trace(RayLaunch::queue); });
        compare();
        return measured_;
    }

  private:
    void trace(RayLaunch launch) {
        auto& device = session_.device();
        auto& scratch = session_.scratch();
        HitRecords out{{}, hits_.view(), occluded_.view()};
        if (measured_.any_hit)
            TL_DISPATCH(device, trace_any(scratch, "any hits", tree_, rays_, out, launch));
        else
            TL_DISPATCH(device, trace_closest(scratch, "closest hits", tree_, rays_, out, launch));
    }
    /// Compares the last traced hits with those of the frame.
    void compare() {
        std::vector<ProbeHit> seen(seen_.size);
        stream_.device().download(stream_, seen.data(), seen_.data, seen.size() * sizeof(ProbeHit));
        auto hits = hits_.download(stream_);
        auto occluded = occluded_.download(stream_);
        for (std::size_t i = 0; i < seen.size(); ++i) {
            bool found = measured_.any_hit ? occluded[i] != 0 : hits[i].found();
            bool same = measured_.any_hit ? found == seen[i].found() : same_hit(hits[i], seen[i]);
            measured_.n_hits += found;
            measured_.n_different += !same;
        }
    }

    Session& session_;
    Stream& stream_;
    TreeView tree_;
    View<const Ray> rays_;
    View<const ProbeHit> seen_;
    RaysOfKind measured_;
    DeviceArray<ProbeHit> hits_;
    DeviceArray<std::uint8_t> occluded_;
};

double mrays_per_s(std::size_t n_rays, double ms) {
    return ms > 0 ? static_cast<double>(n_rays) / ms / 1000 : 0;
}

double ratio_of(const RaysAlone& rays, double frame_ms) {
    return rays.sum_ms() > 0 ? frame_ms / rays.sum_ms() : 0;
}

}  // namespace

double RaysAlone::sum_ms() const {
    double sum = 0;
    for (auto& kind : kinds) sum += kind.ms().median;
    return sum;
}

std::size_t RaysAlone::n_counted() const {
    std::size_t n = 0;
    for (auto& kind : kinds)
        if (kind.kind != kNames[static_cast<std::size_t>(RayPurpose::behind_hole)])
            n += kind.n_rays;
    return n;
}

RaysAlone measure_rays_alone(Session& session, int repeat, std::uint64_t most_bytes) {
    RecordedRays recorded = session.inspection().record_rays(most_bytes);
    WorkTimer timer(session.stream(), repeat);
    RaysAlone alone;
    for (std::uint32_t k = 0; k < kRayPurposes; ++k) {
        auto kind = static_cast<RayPurpose>(k);
        if (recorded.count(kind) > 0)
            alone.kinds.push_back(Probe(session, recorded, kind).measure(timer, repeat));
    }
    return alone;
}

void print_rays_alone(const RaysAlone& rays, double frame_ms) {
    print("%-20s %12s %12s %12s %10s %10s  %s\n", "rays alone", "rays", "median ms", "p95 ms",
          "Mrays/s", "hits", "traced");
    for (auto& kind : rays.kinds) {
        print("%-20s %12zu %12.4f %12.4f %10.1f %10zu  %s hit, %s\n", kind.kind.c_str(),
              kind.n_rays, kind.ms().median, kind.ms().p95,
              mrays_per_s(kind.n_rays, kind.ms().median), kind.n_hits,
              kind.any_hit ? "any" : "nearest",
              kind.from_queue() ? "from a queue" : "a thread each");
        if (kind.n_different > 0)
            print("%-20s %12zu hit something else than in the frame\n", "", kind.n_different);
    }
    print("%-20s %12zu %12.4f; tracing and shading took %.2f times as long\n", "sum",
          rays.n_counted(), rays.sum_ms(), ratio_of(rays, frame_ms));
}

Json rays_alone_json(const RaysAlone& rays, double frame_ms) {
    Json kinds = Json::array();
    for (auto& kind : rays.kinds)
        kinds.push_back({{"kind", kind.kind},
                         {"query", kind.any_hit ? "any" : "nearest"},
                         {"rays", kind.n_rays},
                         {"median_ms", kind.ms().median},
                         {"p95_ms", kind.ms().p95},
                         {"mrays_per_s", mrays_per_s(kind.n_rays, kind.ms().median)},
                         {"from_queue", kind.from_queue()},
                         {"each_median_ms", kind.each_ms.median},
                         {"queue_median_ms", kind.queue_ms.median},
                         {"hits", kind.n_hits},
                         {"different", kind.n_different}});
    return {{"kinds", kinds},
            {"counted_rays", rays.n_counted()},
            {"sum_ms", rays.sum_ms()},
            {"trace_and_shade_ms", frame_ms},
            {"ratio", ratio_of(rays, frame_ms)}};
}

}  // namespace tl

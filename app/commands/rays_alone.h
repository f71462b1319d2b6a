// What the rays of a frame cost by themselves: recorded, and traced again through the same tree by
// the kernels that `bench trees` times, without shading.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/jobs/work_timer.h"
#include "app/session.h"

namespace tl {

/// One kind of a frame's rays.
struct RaysOfKind {
    std::string kind;
    bool any_hit = false;  ///< asked for any hit, not for the nearest
    std::size_t n_rays = 0;
    Timing each_ms;   ///< one thread a ray
    Timing queue_ms;  ///< from a queue; on the CPU, which has none, the same
    std::size_t n_hits = 0;
    std::size_t n_different = 0;  ///< rays that meet something else than they did in the frame

    [[nodiscard]] bool from_queue() const { return queue_ms.median < each_ms.median; }
    /// The faster way.
    [[nodiscard]] const Timing& ms() const { return from_queue() ? queue_ms : each_ms; }
};

struct RaysAlone {
    std::vector<RaysOfKind> kinds;  ///< that the frame has

    [[nodiscard]] double sum_ms() const;
    /// Without the rests of rays behind holes, which a frame does not count as rays.
    [[nodiscard]] std::size_t n_counted() const;
};

/// Of the session's newest frame. Throws UserError where the renderer records no rays, or where
/// they take more than `most_bytes`.
[[nodiscard]] RaysAlone measure_rays_alone(Session& session, int repeat, std::uint64_t most_bytes);

/// `frame_ms`: what the frame took to trace and shade.
void print_rays_alone(const RaysAlone& rays, double frame_ms);
[[nodiscard]] nlohmann::ordered_json rays_alone_json(const RaysAlone& rays, double frame_ms);

}  // namespace tl

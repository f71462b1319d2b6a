// Measures the cost of a frame's rays without shading: they are recorded, then traced again through
// the same tree by the kernels that `bench trees` times.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/jobs/work_timer.h"
#include "session/session.h"

namespace tl {

/// One kind of a frame's rays.
struct RaysOfKind {
    std::string kind;
    bool any_hit = false;  ///< any-hit (occlusion) rays, not closest-hit rays
    std::size_t n_rays = 0;
    Timing each_ms;   ///< one thread a ray
    Timing queue_ms;  ///< from a queue; each_ms on the CPU, which has none
    std::size_t n_hits = 0;
    std::size_t n_different = 0;  ///< rays whose hit differs from that in the frame

    [[nodiscard]] bool from_queue() const { return queue_ms.median < each_ms.median; }
    /// The time of the faster method.
    [[nodiscard]] const Timing& ms() const { return from_queue() ? queue_ms : each_ms; }
};

struct RaysAlone {
    std::vector<RaysOfKind> kinds;  ///< those that occur in the frame

    [[nodiscard]] double sum_ms() const;
    /// Without the continuations of rays behind cutout holes, which a frame does not count as rays.
    [[nodiscard]] std::size_t n_counted() const;
};

/// Measures the session's newest frame. Throws UserError if the renderer records no rays, or if
/// they take more than `most_bytes`.
[[nodiscard]] RaysAlone measure_rays_alone(Session& session, int repeat, std::uint64_t most_bytes);

/// `frame_ms`: time that the frame took to trace and shade.
void print_rays_alone(const RaysAlone& rays, double frame_ms);
[[nodiscard]] nlohmann::ordered_json rays_alone_json(const RaysAlone& rays, double frame_ms);

}  // namespace tl

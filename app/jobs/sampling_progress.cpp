#include "app/jobs/sampling_progress.h"

#include <cmath>

#include "app/jobs/format.h"

namespace tl {

TimeLeft::State sampling_state(Session& session, std::uint32_t target) {
    return {session.samples(), target, static_cast<std::uint64_t>(session.extent().pixels()),
            session.inspection().unfinished_pixels()};
}

std::string finished_text(Session& session) {
    auto unfinished = session.inspection().unfinished_pixels();
    if (!unfinished) return "";
    double finished = 1 - *unfinished / static_cast<double>(session.extent().pixels());
    return formatted("%.1f %% of pixels finished", std::floor(finished * 1000) / 10);
}

}  // namespace tl

// The progress of a session's sampling, for terminal and panel.
#pragma once

#include "app/jobs/time_left.h"
#include "session/session.h"

namespace tl {

/// `target`: samples to stop at; 0: none.
[[nodiscard]] TimeLeft::State sampling_state(Session& session, std::uint32_t target);
/// "81.2 % of pixels finished", rounded down, so that 100 % means all; "" where errors are not
/// tracked.
[[nodiscard]] std::string finished_text(Session& session);

}  // namespace tl

// A command that several processes run together, as ranks of one MPI job.
#pragma once

#include <chrono>
#include <string>

#include "core/base/error.h"
#include "core/ranks/ranks.h"

namespace tl {

/// The job of this process, which lives until end_job(); null where the process runs alone. Ranks
/// other than the root print no results from then on, and name themselves in errors. Throws as
/// Ranks::open().
[[nodiscard]] Ranks* open_job(std::chrono::seconds limit);
/// Ends the job of this process, if it has one, once its last error is printed.
void end_job(bool failed);

[[nodiscard]] inline bool is_root(const Ranks* job) {
    return !job || job->is_root();
}
/// " by 4 ranks", or "" where there is one.
[[nodiscard]] std::string ranks_text(const Ranks* job);

/// Calls `work` at all ranks, which end together if it throws at one, as by Ranks::agree().
template <class Work>
void do_together(Ranks* job, const Work& work) {
    if (!job) return work();
    std::string error;
    bool is_usage = false;
    try {
        work();
    } catch (const std::exception& thrown) {
        error = message_of(thrown);
        is_usage = dynamic_cast<const UsageError*>(&thrown) != nullptr;
    }
    job->agree(error, is_usage);
}

}  // namespace tl

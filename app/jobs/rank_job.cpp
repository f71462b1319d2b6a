#include "app/jobs/rank_job.h"

#include "app/jobs/output.h"
#include "app/version.h"
#include "core/base/console.h"

namespace tl {
namespace {

std::unique_ptr<Ranks> job_of_process;

}  // namespace

Ranks* open_job(std::chrono::seconds limit) {
    auto launched = find_launched_rank();
    if (launched.rank > 0) {
        name_process("rank " + std::to_string(launched.rank));
        leave_results_out();
    }
    job_of_process = Ranks::open(version_text(), limit);
    return job_of_process.get();
}

void end_job(bool failed) {
    if (job_of_process) job_of_process->end(failed);
}

std::string ranks_text(const Ranks* job) {
    return job ? " by " + std::to_string(job->size()) + " ranks" : "";
}

}  // namespace tl

#include "app/solve/sparse/sparse_job.h"

#include "app/solve/solver_runs.h"
#include "core/base/error.h"

namespace tl {

SparseOutcome expected_outcome(const SparsePanelTask& task) {
    SparseOutcome outcome;
    outcome.what = task.system.file.empty() ? task.system.spec.kind : task.system.file;
    outcome.device = task.device;
    outcome.precision = task.single ? "float" : "double";
    return outcome;
}

template <class T>
static void solve_system(Stream& stream, const SparseTask& task, JobRun& run,
                         SparseOutcome& outcome) {
    auto answer = run_sparse<T>(stream, task, run);
    outcome.report = std::move(answer.report);
    if (!answer.fault.empty()) throw UserError(answer.fault);
}

void run_sparse_task(const SparsePanelTask& task, JobRun& run, SparseOutcome& outcome) {
    give_way([&] {
        Device& device = find_device(task.device);
        outcome.device = device.id();
        auto stream = create_background_stream(device, task.background);
        outcome.multiprocessors = stream->multiprocessors();
        run.enter("solving");
        if (task.single)
            solve_system<float>(*stream, task.system, run, outcome);
        else
            solve_system<double>(*stream, task.system, run, outcome);
    });
}

}  // namespace tl

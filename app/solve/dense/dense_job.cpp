#include "app/solve/dense/dense_job.h"

#include "app/solve/solver_runs.h"

namespace tl {

DenseOutcome expected_outcome(const DensePanelTask& task) {
    DenseOutcome outcome;
    outcome.problem = id_of(task.dense.problem);
    outcome.what =
        task.dense.input.file.empty() ? task.dense.input.spec.kind : task.dense.input.file;
    outcome.mode = task.dense.mode;
    outcome.device = task.device;
    outcome.precision = task.single ? "float" : "double";
    if (task.dense.input.file.empty()) {
        outcome.rows = task.dense.input.spec.rows;
        outcome.cols = task.dense.input.spec.cols;
    }
    return outcome;
}

void run_dense_task(const DensePanelTask& task, JobRun& run, DenseOutcome& outcome) {
    give_way([&] {
        Device& device = find_device(task.device);
        outcome.device = device.id();
        auto stream = create_background_stream(device, task.background);
        outcome.multiprocessors = stream->multiprocessors();
        run.enter("solving");
        outcome.report = task.single ? run_dense<float>(*stream, task.dense, run, nullptr)
                                     : run_dense<double>(*stream, task.dense, run, nullptr);
        outcome.mode = outcome.report["mode"].get<std::string>();
        outcome.rows = outcome.report["rows"].get<int>();
        outcome.cols = outcome.report["cols"].get<int>();
    });
}

}  // namespace tl

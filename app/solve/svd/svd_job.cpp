#include "app/solve/svd/svd_job.h"

#include <algorithm>
#include <chrono>

#include "app/jobs/format.h"
#include "app/solve/solver_runs.h"
#include "core/device/background.h"
#include "core/device/registry.h"
#include "solvers/svd/low_rank.h"

namespace tl {
namespace {

std::string vectors_text(const SvdTask& task) {
    std::string text = id_of(task.vectors);
    return task.rank > 0 ? text + ", rank " + std::to_string(task.rank) : text;
}

/// Name of the matrix for error messages before it exists.
std::string source_text(const SvdTask& task) {
    auto& spec = task.input.spec;
    switch (task.source) {
        case SvdSource::file:
            return task.input.file;
        case SvdSource::frame:
            return "frame";
        case SvdSource::form_factors:
            return "form factors";
        default:
            return find_row(matrix_kinds(), spec.kind, "matrix kind").has_condition
                       ? spec.kind + formatted(", condition %.3g", spec.condition)
                       : spec.kind;
    }
}

template <class T>
Matrix<T> make_matrix_of(Blas& blas, const SvdTask& task, SvdOutcome& outcome,
                         std::vector<double>& known) {
    Stream& stream = blas.stream();
    if (task.source == SvdSource::frame)
        return uploaded<T>(stream, task.frame.rows, task.frame.cols, task.frame.data);
    if (task.source != SvdSource::form_factors) return make_input<T>(blas, task.input, &known);
    auto block = make_form_factors(stream, task.scene, task.time, task.form_factors);
    outcome.what =
        formatted("form factors, clusters %d and %d of %d, %.2f radii apart, %.0f %% visible",
                  block.pair.first, block.pair.second, task.form_factors.n_clusters,
                  static_cast<double>(block.separation), 100 * block.visible);
    if constexpr (std::is_same_v<T, double>)
        return std::move(block.f);
    else
        return uploaded<T>(stream, block.f.rows(), block.f.cols(), block.f.download(stream));
}

template <class T>
std::shared_ptr<FrameTriplets> kept_frame(Stream& stream, const SvdResult<T>& result) {
    auto frame = std::make_shared<FrameTriplets>();
    frame->stream = find_device("cpu").create_stream();
    auto copy = [&](const Matrix<T>& from) {
        return uploaded<float>(*frame->stream, from.rows(), from.cols(), from.download(stream));
    };
    frame->svd.u = copy(result.u);
    frame->svd.v = copy(result.v);
    frame->svd.values = result.values;
    return frame;
}

/// Runs `solve` with the time of the outcome, and keeps of its result what the panel shows.
template <class Solve>
auto timed(Stream& stream, JobRun& run, SvdOutcome& outcome, Solve solve) {
    run.enter("solving");
    stream.synchronize();
    auto start = std::chrono::steady_clock::now();
    auto result = solve();
    stream.synchronize();
    outcome.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    run.enter("measuring");
    outcome.mode = result.mode;
    outcome.stages = result.stages;
    if (!outcome.stages.empty()) outcome.stages.pop_back();
    outcome.values = result.values;
    return result;
}

template <class T>
void solve_complex_as(const SvdTask& task, SvdSolver& solver, const SvdRequest& request, Blas& blas,
                      JobRun& run, SvdOutcome& outcome) {
    Stream& stream = blas.stream();
    auto a = make_complex_input<T>(blas, task.input);
    outcome.rows = a.rows();
    outcome.cols = a.cols();
    outcome.precision = "complex " + outcome.precision;
    MatrixView<const Complex<T>> view = a.view();
    auto result =
        timed(stream, run, outcome, [&] { return solver.solve(stream, view, request, run); });
    outcome.accuracy = accuracy_json<Complex<T>>(blas, view, result, {});
}

template <class T>
void solve_as(const SvdTask& task, JobRun& run, SvdOutcome& outcome) {
    Device& device = find_device(task.device);
    outcome.device = device.id();
    auto stream = create_background_stream(device, task.background);
    outcome.multiprocessors = stream->multiprocessors();
    auto blas = make_blas(*stream);
    auto solver = make_configured_svd(task.mode, device, {});
    SvdRequest request;
    request.vectors = task.source == SvdSource::frame ? SvdVectors::thin : task.vectors;
    request.rank = task.rank;
    if (task.source == SvdSource::kind)
        require_svd_memory(device, *solver, task.input.spec, request, sizeof(T));
    run.enter("making the matrix");
    if (task.source == SvdSource::file && is_complex(task.input))
        return solve_complex_as<T>(task, *solver, request, *blas, run, outcome);
    std::vector<double> known;
    auto a = make_matrix_of<T>(*blas, task, outcome, known);
    outcome.rows = a.rows();
    outcome.cols = a.cols();
    auto result = timed(*stream, run, outcome, [&] {
        return solver->solve(*stream, MatrixView<const T>(a.view()), request, run);
    });
    outcome.accuracy = accuracy_json<T>(*blas, a.view(), result, known);
    if (task.source == SvdSource::frame) outcome.frame = kept_frame(*stream, result);
}

}  // namespace

SvdOutcome expected_outcome(const SvdTask& task) {
    SvdOutcome outcome;
    outcome.source = task.source;
    outcome.what = source_text(task);
    outcome.mode = task.mode;
    outcome.device = task.device;
    outcome.precision = task.single ? "float" : "double";
    outcome.vectors = vectors_text(task);
    outcome.rows = task.source == SvdSource::kind ? task.input.spec.rows : 0;
    outcome.cols = task.source == SvdSource::kind ? task.input.spec.cols : 0;
    return outcome;
}

void run_svd(const SvdTask& task, JobRun& run, SvdOutcome& outcome) {
    give_way([&] {
        if (task.single)
            solve_as<float>(task, run, outcome);
        else
            solve_as<double>(task, run, outcome);
    });
}

void run_svd_errors(const SvdTask& task, int matrices, JobRun& run, SvdErrors& errors) {
    give_way([&] {
        Device& device = find_device(task.device);
        auto stream = create_background_stream(device, task.background);
        auto blas = make_blas(*stream);
        SvdErrorStudy study(*blas, {.matrix = task.input.spec,
                                    .seeds = matrices,
                                    .single = task.single,
                                    .vectors = task.vectors,
                                    .rank = task.rank,
                                    .modes = modes_with_errors(device, task.rank),
                                    .settings = {}});
        run.enter("measuring errors");
        for (int i = 0; i < matrices; ++i) {
            SolverRun part(run, static_cast<double>(i) / matrices, (i + 1.0) / matrices);
            study.add_matrix(part);
        }
        errors = study.errors();
    });
}

RankPicture approximate(FrameTriplets& frame, int rank) {
    RankPicture picture;
    give_way([&] {
        picture.rank = std::min(rank, static_cast<int>(frame.svd.values.size()));
        picture.energy = energy_kept(frame.svd.values, picture.rank);
        auto blas = make_blas(*frame.stream);
        auto sum = low_rank(*blas, frame.svd, picture.rank);
        picture.luminance = HostMatrix<float>(sum.rows(), sum.cols());
        picture.luminance.data = sum.download(*frame.stream);
    });
    return picture;
}

}  // namespace tl

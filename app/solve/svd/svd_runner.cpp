#include "app/solve/svd/svd_runner.h"

#include <chrono>
#include <cstdio>
#include <new>

#include "accel/parallel/background.h"
#include "solvers/dense/blas_cpu.h"
#include "solvers/svd/low_rank.h"

namespace tl {
namespace {

std::string number(const char* format, double value) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string vectors_text(const SvdTask& task) {
    std::string text = task.vectors == SvdVectors::none   ? "none"
                       : task.vectors == SvdVectors::thin ? "thin"
                                                          : "full";
    return task.rank > 0 ? text + ", rank " + std::to_string(task.rank) : text;
}

/// The matrix as an error message names it, before there is one.
std::string source_text(const SvdTask& task) {
    switch (task.source) {
        case SvdSource::file:
            return task.input.file;
        case SvdSource::frame:
            return "frame";
        case SvdSource::form_factors:
            return "form factors";
        default:
            return task.input.spec.kind + ", condition " +
                   number("%.3g", task.input.spec.condition);
    }
}

template <class T, class From>
Matrix<T> uploaded(Stream& stream, int rows, int cols, const std::vector<From>& elements) {
    Matrix<T> matrix(stream, rows, cols);
    std::vector<T> converted(elements.begin(), elements.end());
    matrix.upload(stream, converted);
    return matrix;
}

}  // namespace

SvdRunner::~SvdRunner() {
    cancel();
    {
        std::scoped_lock lock(mutex_);
        stop_ = true;
        waiting_.reset();
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void SvdRunner::start(SvdTask task) {
    if (busy_) return;
    busy_ = true;
    {
        std::scoped_lock lock(mutex_);
        run_ = std::make_shared<SolverRun>();
        phase_ = "starting";
        waiting_ = std::move(task);
    }
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    changed_.notify_all();
}

void SvdRunner::cancel() {
    std::scoped_lock lock(mutex_);
    if (run_) run_->cancel();
}

float SvdRunner::progress() const {
    std::scoped_lock lock(mutex_);
    return run_ ? run_->progress() : 0;
}

std::string SvdRunner::phase() const {
    std::scoped_lock lock(mutex_);
    return phase_;
}

std::optional<SvdOutcome> SvdRunner::take() {
    std::scoped_lock lock(mutex_);
    if (!finished_) return std::nullopt;
    busy_ = false;
    return std::exchange(finished_, std::nullopt);
}

void SvdRunner::show_rank(int rank) {
    std::scoped_lock lock(mutex_);
    if (!thread_.joinable()) return;
    wanted_rank_ = rank;
    changed_.notify_all();
}

bool SvdRunner::showing() const {
    std::scoped_lock lock(mutex_);
    return wanted_rank_ || approximating_ || picture_;
}

std::optional<RankPicture> SvdRunner::take_picture() {
    std::scoped_lock lock(mutex_);
    return std::exchange(picture_, std::nullopt);
}

/// A cancelled run ends between two phases too.
void SvdRunner::enter(const char* phase) {
    std::scoped_lock lock(mutex_);
    phase_ = phase;
    run_->report(0);
}

void SvdRunner::work() {
    yield_to_other_threads();
    keep_blas_to_its_thread();
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return stop_ || waiting_ || wanted_rank_; });
        if (stop_) return;
        if (waiting_) {
            SvdTask task = *std::exchange(waiting_, std::nullopt);
            lock.unlock();
            SvdOutcome outcome;
            solve(task, outcome);
            lock.lock();
            finished_ = std::move(outcome);
        } else {
            int rank = *std::exchange(wanted_rank_, std::nullopt);
            if (frame_.values.empty()) continue;
            approximating_ = true;
            lock.unlock();
            std::optional<RankPicture> picture;
            try {
                run_on_one_thread([&] { picture = approximate(rank); });
            } catch (const std::exception&) {
                // No memory for it: the preview stays as it is.
            }
            lock.lock();
            approximating_ = false;
            if (picture) picture_ = std::move(picture);
        }
    }
}

void SvdRunner::solve(const SvdTask& task, SvdOutcome& outcome) {
    outcome.source = task.source;
    outcome.what = source_text(task);
    outcome.mode = task.mode;
    outcome.device = task.device;
    outcome.precision = task.single ? "float" : "double";
    outcome.vectors = vectors_text(task);
    outcome.rows = task.source == SvdSource::kind ? task.input.spec.rows : 0;
    outcome.cols = task.source == SvdSource::kind ? task.input.spec.cols : 0;
    try {
        run_on_one_thread([&] {
            if (task.single)
                solve_as<float>(task, outcome);
            else
                solve_as<double>(task, outcome);
        });
    } catch (const std::bad_alloc&) {
        outcome.error = "not enough memory: ask for a smaller matrix";
    } catch (const std::exception& error) {
        outcome.error = error.what();
    }
}

template <class T>
Matrix<T> SvdRunner::make_matrix_of(Blas& blas, const SvdTask& task, SvdOutcome& outcome,
                                    std::vector<double>& known) {
    Stream& stream = blas.stream();
    if (task.source == SvdSource::frame)
        return uploaded<T>(stream, task.frame.rows, task.frame.cols, task.frame.data);
    if (task.source != SvdSource::form_factors) return make_input<T>(blas, task.input, &known);
    auto block = make_form_factors(stream, task.scene, task.time, task.form_factors);
    outcome.what = "form factors, clusters " + std::to_string(block.pair.first) + " and " +
                   std::to_string(block.pair.second) + " of " +
                   std::to_string(task.form_factors.n_clusters) + ", " +
                   number("%.2f radii apart, ", static_cast<double>(block.separation)) +
                   number("%.0f %% visible", 100 * block.visible);
    if constexpr (std::is_same_v<T, double>)
        return std::move(block.f);
    else
        return uploaded<T>(stream, block.f.rows(), block.f.cols(), block.f.download(stream));
}

template <class T>
void SvdRunner::solve_as(const SvdTask& task, SvdOutcome& outcome) {
    Device& device = find_device(task.device);
    outcome.device = device_id(device.kind());
    auto stream = create_background_stream(device, task.background);
    outcome.multiprocessors = stream->multiprocessors();
    auto blas = make_blas(*stream);
    auto solver = make_configured_svd(task.mode, device, {});
    SvdRequest request;
    request.vectors = task.source == SvdSource::frame ? SvdVectors::thin : task.vectors;
    request.rank = task.rank;
    auto& spec = task.input.spec;
    if (task.source == SvdSource::kind)
        require_memory(device,
                       solver->memory_bytes(spec.rows, spec.cols, request, sizeof(T)) +
                           static_cast<std::uint64_t>(spec.rows) * spec.cols * sizeof(T),
                       "the decomposition", kSvdMemoryAdvice);
    enter("making the matrix");
    std::vector<double> known;
    auto a = make_matrix_of<T>(*blas, task, outcome, known);
    outcome.rows = a.rows();
    outcome.cols = a.cols();
    enter("solving");
    stream->synchronize();
    auto start = std::chrono::steady_clock::now();
    auto result = solver->solve(*stream, MatrixView<const T>(a.view()), request, *run_);
    stream->synchronize();
    outcome.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    enter("measuring");
    outcome.accuracy = accuracy_json<T>(*blas, a.view(), result, known);
    outcome.mode = result.mode;
    outcome.stages = result.stages;
    if (!outcome.stages.empty()) outcome.stages.pop_back();
    outcome.values = result.values;
    if (task.source == SvdSource::frame) keep_frame(*stream, result);
}

template <class T>
void SvdRunner::keep_frame(Stream& stream, const SvdResult<T>& result) {
    if (!frame_stream_) frame_stream_ = find_device("cpu").create_stream();
    frame_ = {};
    auto copy = [&](const Matrix<T>& from) {
        return uploaded<float>(*frame_stream_, from.rows(), from.cols(), from.download(stream));
    };
    frame_.u = copy(result.u);
    frame_.v = copy(result.v);
    frame_.values = result.values;
}

RankPicture SvdRunner::approximate(int rank) {
    RankPicture picture;
    picture.rank = std::min(rank, static_cast<int>(frame_.values.size()));
    picture.energy = energy_kept(frame_.values, picture.rank);
    auto blas = make_blas(*frame_stream_);
    auto sum = low_rank(*blas, frame_, picture.rank);
    picture.luminance = HostMatrix<float>(sum.rows(), sum.cols());
    picture.luminance.data = sum.download(*frame_stream_);
    return picture;
}

}  // namespace tl

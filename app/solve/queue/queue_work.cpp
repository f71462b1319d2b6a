#include "app/solve/queue/queue_work.h"

#include <chrono>
#include <deque>

#include "core/base/error.h"
#include "core/base/near_match.h"
#include "core/base/random.h"
#include "core/base/text.h"

namespace tl {
namespace {

/// Tasks under way at once: enough that both copies run beside the computation.
constexpr std::size_t kTasksAhead = 4;

bool is_work(const OperationRow& row) {
    return row.lane == LaneKind::compute && row.n_inputs >= 1 && row.n_results >= 1;
}

const OperationRow& work_row(const std::string& id) {
    for (auto& row : operation_rows())
        if (row.id == id && is_work(row)) return row;
    throw UsageError("unknown operation '" + id + "'" + known_names(id, work_operations()));
}

template <class T>
void fill_randomly(T* to, std::size_t count, std::uint64_t seed) {
    RandomStream random(seed, 0, 0);
    for (std::size_t i = 0; i < count; ++i)
        to[i] = static_cast<T>(random.next_uint() * 0x1p-31 - 1);
}

class WorkClock {
  public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

std::vector<std::string> work_operations() {
    std::vector<std::string> ids;
    for (auto& row : operation_rows())
        if (is_work(row)) ids.emplace_back(row.id);
    return ids;
}

QueueTasks::QueueTasks(const QueueWork& work, Queue& memory)
    : work_(work),
      row_(&work_row(work.operation)),
      shape_{work.size, work.size, work.single ? Precision::float32 : Precision::float64} {
    constexpr int kMatrices = 4;
    for (int m = 0; m < std::min(kMatrices, work.count); ++m) {
        auto& matrix = matrices_.emplace_back(memory.host_memory(shape_.bytes()));
        auto seed = work.seed + static_cast<std::uint64_t>(m);
        if (work.single)
            fill_randomly(static_cast<float*>(matrix.get()), shape_.elements(), seed);
        else
            fill_randomly(static_cast<double*>(matrix.get()), shape_.elements(), seed);
    }
}

std::vector<ValueId> QueueTasks::give(Queue& queue, int task) const {
    auto& host = matrices_[static_cast<std::size_t>(task) % matrices_.size()];
    auto matrix = queue.enqueue({.kind = OperationKind::upload, .shape = shape_, .host = host})[0];
    Operation operation{.kind = row_->kind};
    operation.inputs.assign(static_cast<std::size_t>(row_->n_inputs), matrix);
    operation.shape = shape_;  // of a block: the whole
    auto results = queue.enqueue(std::move(operation));
    queue.release(matrix);
    for (ValueId result : results) queue.read(result);
    return results;
}

void QueueTasks::take(Queue& queue, const std::vector<ValueId>& results) {
    QueueError error;
    for (ValueId result : results) {
        auto host = queue.fetch(result);
        if (host.error && !error) error = host.error;
        queue.release(result);
    }
    if (error) throw UserError(error.message);
}

double QueueTasks::run(Queue& queue, bool overlapping, const std::function<void(int)>& done) const {
    WorkClock clock;
    std::deque<std::vector<ValueId>> under_way;
    int n_done = 0;
    auto take_oldest = [&] {
        auto results = std::move(under_way.front());
        under_way.pop_front();
        take(queue, results);
        done(++n_done);
    };
    for (int task = 0; task < work_.count; ++task) {
        under_way.push_back(give(queue, task));
        if (!overlapping || under_way.size() == kTasksAhead) take_oldest();
    }
    while (!under_way.empty()) take_oldest();
    return clock.seconds();
}

double QueueTasks::run(WorkSplit& split, std::vector<SplitShare>& shares) const {
    std::vector<SplitTask> tasks;
    const std::vector<Shape> operands(static_cast<std::size_t>(row_->n_inputs), shape_);
    double work = row_->work({.kind = row_->kind}, operands);
    for (int task = 0; task < work_.count; ++task)
        tasks.push_back({row_->id, work, [this, task](Queue& queue) { return give(queue, task); },
                         &QueueTasks::take});
    WorkClock clock;
    shares = split.run(tasks);
    return clock.seconds();
}

}  // namespace tl

#include "solvers/queue/work_split.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace tl {
namespace {

using SplitClock = std::chrono::steady_clock;

double seconds_between(SplitClock::time_point from, SplitClock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

/// When the places but one would have done `n` tasks, each given to where it is done first.
double end_without(std::size_t place, std::span<const PlaceLoad> loads, std::size_t n) {
    std::vector<double> ends;
    std::vector<double> costs;
    for (std::size_t p = 0; p < loads.size(); ++p) {
        if (p == place || loads[p].cost < 0) continue;
        ends.push_back(loads[p].backlog);
        costs.push_back(loads[p].cost);
    }
    double last = 0;
    for (; n > 0; --n) {
        std::size_t best = 0;
        for (std::size_t p = 1; p < ends.size(); ++p)
            if (ends[p] + costs[p] < ends[best] + costs[best]) best = p;
        ends[best] += costs[best];
        last = std::max(last, ends[best]);
    }
    return last;
}

}  // namespace

bool is_worth_taking(std::size_t place, std::span<const PlaceLoad> loads, std::size_t n_left) {
    bool has_others = false;
    for (std::size_t p = 0; p < loads.size(); ++p) has_others |= p != place && loads[p].cost >= 0;
    // Nothing is known without a first task.
    if (loads[place].cost < 0 || !has_others) return true;
    return loads[place].backlog + loads[place].cost <= end_without(place, loads, n_left);
}

/// What the threads of a run share.
struct WorkSplit::Running {
    struct Task {
        std::size_t index;
        SplitClock::time_point start;
        std::vector<ValueId> values;
    };
    struct Place {
        std::deque<Task> under_way;
        SplitClock::time_point last_end{};
        SplitShare share;
    };
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t next = 0;
    std::string error;
    std::vector<Place> places;

    [[nodiscard]] std::vector<PlaceLoad> loads(const std::vector<CostModel>& models,
                                               const SplitTask& task) const {
        std::vector<PlaceLoad> loads;
        auto now = SplitClock::now();
        for (std::size_t p = 0; p < places.size(); ++p) {
            auto& place = places[p];
            PlaceLoad load{0, models[p].seconds(task.kind, task.work)};
            if (!place.under_way.empty()) {
                auto since = std::max(place.under_way[0].start, place.last_end);
                load.backlog =
                    std::max(0.0, load.cost * static_cast<double>(place.under_way.size()) -
                                      seconds_between(since, now));
            }
            loads.push_back(load);
        }
        return loads;
    }
};

WorkSplit::WorkSplit(std::vector<Queue*> queues)
    : queues_(std::move(queues)), models_(queues_.size()) {}

std::vector<SplitShare> WorkSplit::run(const std::vector<SplitTask>& tasks) {
    Running running;
    running.places.resize(queues_.size());
    auto start = SplitClock::now();
    std::vector<std::thread> threads;
    for (std::size_t p = 0; p < queues_.size(); ++p)
        threads.emplace_back([&, p] { work(p, tasks, running); });
    for (auto& thread : threads) thread.join();
    if (!running.error.empty()) throw UserError(running.error);
    std::vector<SplitShare> shares;
    for (auto& place : running.places) {
        if (place.share.n_tasks > 0) place.share.seconds = seconds_between(start, place.last_end);
        shares.push_back(place.share);
    }
    return shares;
}

/// The thread of a queue: takes tasks while they are worth it, and waits for its oldest one.
void WorkSplit::work(std::size_t p, const std::vector<SplitTask>& tasks, Running& running) {
    auto& place = running.places[p];
    std::unique_lock lock(running.mutex);
    auto is_over = [&] { return running.next == tasks.size() || !running.error.empty(); };
    auto may_take = [&] {
        if (is_over() || place.under_way.size() >= kAhead) return false;
        auto& task = tasks[running.next];
        auto loads = running.loads(models_, task);
        // One is enough to learn from.
        if (loads[p].cost < 0 && !place.under_way.empty()) return false;
        return is_worth_taking(p, loads, tasks.size() - running.next);
    };
    for (;;) {
        while (may_take()) {
            auto index = running.next++;
            place.under_way.push_back({index, SplitClock::now(), {}});
            lock.unlock();
            auto values = tasks[index].give(*queues_[p]);
            lock.lock();
            place.under_way.back().values = std::move(values);
        }
        if (place.under_way.empty()) {
            if (is_over()) return;
            // Another place may turn out to be slower than it seemed.
            running.changed.wait_for(lock, std::chrono::milliseconds(1));
            continue;
        }
        auto oldest = place.under_way.front();
        lock.unlock();
        QueueError error;
        for (ValueId value : oldest.values)
            if (!error) error = queues_[p]->wait(value);
        auto now = SplitClock::now();
        lock.lock();
        if (error && running.error.empty()) running.error = error.message;
        auto& task = tasks[oldest.index];
        double taken = seconds_between(std::max(oldest.start, place.last_end), now);
        models_[p].observe(task.kind, task.work, taken);
        place.last_end = now;
        place.under_way.pop_front();
        ++place.share.n_tasks;
        place.share.error = models_[p].error(task.kind);
        running.changed.notify_all();
    }
}

}  // namespace tl

#include "solvers/queue/work_split.h"

#include <algorithm>
#include <chrono>
#include <cmath>
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

/// Time at which the queues but `place` would have done `n` tasks, each given to the queue that
/// would end it first.
double end_without(std::size_t place, std::span<const SlotLoad> loads, std::size_t n) {
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

bool is_worth_taking(std::size_t place, std::span<const SlotLoad> loads, std::size_t n_left) {
    bool has_others = false;
    for (std::size_t p = 0; p < loads.size(); ++p) has_others |= p != place && loads[p].cost >= 0;
    // The first task is needed to measure its time.
    if (loads[place].cost < 0 || !has_others) return true;
    return loads[place].backlog + loads[place].cost <= end_without(place, loads, n_left);
}

QueueConfig shared_queue_config(const Device& device) {
    QueueConfig config;
    // About one per core: the lanes of a GPU's queue busy-wait for it.
    if (device.kind() == DeviceKind::cpu && devices().size() > 1)
        config.threads = std::max(static_cast<int>(std::thread::hardware_concurrency()) / 2, 1);
    return config;
}

/// State that the threads of a run share.
struct WorkSplit::Running {
    struct UnderWay {
        std::size_t index;
        SplitClock::time_point start;
        std::vector<ValueId> values;  ///< empty until all operations are given
    };
    struct Task {
        bool is_done = false, is_begun_again = false;
    };
    struct Place {
        std::deque<UnderWay> under_way;
        SplitClock::time_point last_end{};
        SplitShare share;

        /// For how long it has worked on its oldest task.
        [[nodiscard]] double since(SplitClock::time_point now) const {
            return seconds_between(std::max(under_way[0].start, last_end), now);
        }
    };
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t next = 0, n_done = 0;
    std::string error;
    std::vector<Task> tasks;
    std::vector<Place> places;

    [[nodiscard]] bool is_over() const { return n_done == tasks.size() || !error.empty(); }
    [[nodiscard]] std::vector<SlotLoad> loads(const std::vector<CostModel>& models,
                                              const SplitTask& task) const {
        std::vector<SlotLoad> loads;
        auto now = SplitClock::now();
        for (std::size_t p = 0; p < places.size(); ++p) {
            auto& place = places[p];
            SlotLoad load{0, models[p].seconds(task.kind, task.work)};
            if (!place.under_way.empty())
                load.backlog =
                    std::max(0.0, load.cost * static_cast<double>(place.under_way.size()) -
                                      place.since(now));
            loads.push_back(load);
        }
        return loads;
    }
};

/// The thread of a queue.
struct WorkSplit::Worker {
    std::size_t p;
    const std::vector<SplitTask>& to_do;
    std::vector<Queue*>& queues;
    std::vector<CostModel>& models;
    Running& running;
    std::unique_lock<std::mutex> lock{running.mutex};

    /// Takes tasks while that is worthwhile, and waits for its oldest one.
    void work() {
        for (;;) {
            while (may_take()) take(running.next++);
            if (running.is_over() && own().under_way.empty()) return;
            if (own().under_way.empty()) {
                if (auto index = slow_task(); index < to_do.size()) {
                    running.tasks[index].is_begun_again = true;
                    take(index);
                    continue;
                }
                // Another queue may turn out to be slower than predicted.
                running.changed.wait_for(lock, std::chrono::milliseconds(1));
                continue;
            }
            wait_for_oldest();
        }
    }

  private:
    [[nodiscard]] Running::Place& own() { return running.places[p]; }

    bool may_take() {
        auto& under_way = own().under_way;
        if (running.next == to_do.size() || running.is_over() || under_way.size() >= kAhead)
            return false;
        auto loads = running.loads(models, to_do[running.next]);
        // One task is enough to fit the cost model.
        if (loads[p].cost < 0 && !under_way.empty()) return false;
        return is_worth_taking(p, loads, to_do.size() - running.next);
    }
    void take(std::size_t index) {
        own().under_way.push_back({index, SplitClock::now(), {}});
        lock.unlock();
        auto values = to_do[index].give(*queues[p]);
        lock.lock();
        own().under_way.back().values = std::move(values);
    }
    /// Returns the task of another queue that will end last there, and later than it would here;
    /// to_do.size() if there is none. A task that exceeds its predicted time is expected to exceed
    /// it by as much again.
    [[nodiscard]] std::size_t slow_task() const {
        std::size_t slowest = to_do.size();
        double latest = 0;
        auto now = SplitClock::now();
        for (std::size_t q = 0; q < running.places.size(); ++q) {
            auto& place = running.places[q];
            for (std::size_t k = 0; q != p && k < place.under_way.size(); ++k) {
                std::size_t index = place.under_way[k].index;
                auto& task = to_do[index];
                double here = models[p].seconds(task.kind, task.work);
                if (here < 0 || running.tasks[index].is_begun_again || running.tasks[index].is_done)
                    continue;
                double there = std::max(0.0, models[q].seconds(task.kind, task.work));
                double left = std::abs(static_cast<double>(k + 1) * there - place.since(now));
                if (left > std::max(here, latest)) slowest = index, latest = left;
            }
        }
        return slowest;
    }
    void wait_for_oldest() {
        auto oldest = own().under_way.front();
        QueueError error;
        if (!running.tasks[oldest.index].is_done) {
            lock.unlock();
            for (ValueId value : oldest.values)
                if (!error) error = queues[p]->wait(value);
            lock.lock();
        }
        auto now = SplitClock::now();
        auto& task = running.tasks[oldest.index];
        double taken = own().since(now);
        if (task.is_done)
            drop(oldest, taken);
        else if (error) {
            if (running.error.empty()) running.error = error.message;
            for (ValueId value : oldest.values) queues[p]->release(value);
        } else
            finish(oldest, taken);
        own().last_end = now;
        own().under_way.pop_front();
        running.changed.notify_all();
    }
    void finish(const Running::UnderWay& done, double taken) {
        auto& task = running.tasks[done.index];
        task.is_done = true;
        learn(done.index, taken);
        ++own().share.n_tasks;
        own().share.n_again += task.is_begun_again && began_elsewhere(done.index);
        // Cancels the same task on another queue, whose thread thus stops waiting for it.
        for (std::size_t q = 0; q < running.places.size(); ++q)
            for (auto& other : running.places[q].under_way)
                if (q != p && other.index == done.index)
                    for (ValueId value : other.values) queues[q]->cancel(value);
        hand_over(done);
    }
    void hand_over(const Running::UnderWay& done) {
        std::string problem;
        lock.unlock();
        try {
            to_do[done.index].take(*queues[p], done.values);
        } catch (const UserError& error) {
            problem = error.what();
        }
        lock.lock();
        if (running.error.empty()) running.error = problem;
        // The last one that is handed over ends the run.
        ++running.n_done;
    }
    [[nodiscard]] bool began_elsewhere(std::size_t index) const {
        for (std::size_t q = 0; q < running.places.size(); ++q)
            for (auto& other : running.places[q].under_way)
                if (q != p && other.index == index) return true;
        return false;
    }
    /// Releases a task that another queue has done first.
    void drop(const Running::UnderWay& late, double taken) {
        for (ValueId value : late.values) {
            queues[p]->cancel(value);
            queues[p]->release(value);
        }
        auto& task = to_do[late.index];
        // It would have taken longer still.
        if (taken > models[p].seconds(task.kind, task.work)) learn(late.index, taken);
    }
    void learn(std::size_t index, double taken) {
        models[p].observe(to_do[index].kind, to_do[index].work, taken);
        own().share.error = models[p].error(to_do[index].kind);
    }
};

WorkSplit::WorkSplit(std::vector<Queue*> queues)
    : queues_(std::move(queues)), models_(queues_.size()) {}

std::vector<SplitShare> WorkSplit::run(const std::vector<SplitTask>& tasks) {
    Running running;
    running.places.resize(queues_.size());
    running.tasks.resize(tasks.size());
    auto start = SplitClock::now();
    std::vector<std::thread> threads;
    for (std::size_t p = 0; p < queues_.size(); ++p)
        threads.emplace_back([&, p] { Worker{p, tasks, queues_, models_, running}.work(); });
    for (auto& thread : threads) thread.join();
    if (!running.error.empty()) throw UserError(running.error);
    std::vector<SplitShare> shares;
    for (auto& place : running.places) {
        if (place.share.n_tasks > 0) place.share.seconds = seconds_between(start, place.last_end);
        shares.push_back(place.share);
    }
    return shares;
}

}  // namespace tl

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
        bool is_begun = false, is_done = false, is_begun_again = false;
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
    std::size_t n_begun = 0, n_done = 0;
    double work_left = 0;  ///< of the tasks that are not begun
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
            for (auto next = to_take(); next < to_do.size(); next = to_take()) begin(next);
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

    /// The task to begin now; to_do.size() if there is none.
    [[nodiscard]] std::size_t to_take() {
        auto& under_way = own().under_way;
        if (running.n_begun == to_do.size() || running.is_over() || under_way.size() >= kAhead)
            return to_do.size();
        std::size_t next = next_task();
        auto& task = to_do[next];
        auto loads = running.loads(models, task);
        // One task is enough to fit the cost model.
        if (loads[p].cost < 0 && !under_way.empty()) return to_do.size();
        if (task.planned == static_cast<int>(p)) return next;
        double n_left = task.work > 0 ? std::ceil(running.work_left / task.work - 1e-9)
                                      : static_cast<double>(to_do.size() - running.n_begun);
        bool takes = is_worth_taking(p, loads, static_cast<std::size_t>(std::max(n_left, 1.0)));
        return takes ? next : to_do.size();
    }
    /// The first task that is not begun and planned for this queue, the first one for any, or the
    /// last one of another queue.
    [[nodiscard]] std::size_t next_task() const {
        std::size_t any = to_do.size(), last = 0;
        for (std::size_t index = 0; index < to_do.size(); ++index) {
            if (running.tasks[index].is_begun) continue;
            if (to_do[index].planned == static_cast<int>(p)) return index;
            if (to_do[index].planned < 0 && any == to_do.size()) any = index;
            last = index;
        }
        return any < to_do.size() ? any : last;
    }
    void begin(std::size_t index) {
        running.tasks[index].is_begun = true;
        ++running.n_begun;
        running.work_left -= to_do[index].work;
        take(index);
    }
    void take(std::size_t index) {
        own().under_way.push_back({index, SplitClock::now(), {}});
        std::vector<ValueId> values;
        auto problem = without_lock([&] { values = to_do[index].give(*queues[p]); });
        if (problem.empty()) {
            own().under_way.back().values = std::move(values);
            return;
        }
        own().under_way.pop_back();
        fail(problem);
        running.changed.notify_all();
    }
    /// Calls `work` while other threads may use the state. Returns the message of its error, or "".
    template <class Work>
    std::string without_lock(const Work& work) {
        std::string problem;
        lock.unlock();
        try {
            work();
        } catch (const std::exception& error) {
            problem = message_of(error);
        }
        lock.lock();
        return problem;
    }
    /// Ends the run with its first error.
    void fail(const std::string& message) {
        if (running.error.empty()) running.error = message;
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
            fail(error.message);
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
        fail(without_lock([&] { to_do[done.index].take(*queues[p], done.values); }));
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

void WorkSplit::measure(const std::vector<SplitTask>& tasks) {
    for (std::size_t p = 0; p < queues_.size(); ++p)
        for (std::size_t i = 0; i < tasks.size() + 1; ++i) {
            auto& task = tasks[i == 0 ? 0 : i - 1];
            auto start = SplitClock::now();
            QueueError error;
            auto values = task.give(*queues_[p]);
            for (ValueId value : values)
                if (!error) error = queues_[p]->wait(value);
            double taken = seconds_between(start, SplitClock::now());
            for (ValueId value : values) queues_[p]->release(value);
            if (error) throw UserError(error.message);
            if (i > 0) models_[p].observe(task.kind, task.work, taken);
        }
}

std::vector<SplitShare> WorkSplit::run(const std::vector<SplitTask>& tasks) {
    Running running;
    running.places.resize(queues_.size());
    running.tasks.resize(tasks.size());
    for (auto& task : tasks) running.work_left += task.work;
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

// Cost model of queues, and the distribution of tasks by it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>

#include "solvers/queue/divided_work.h"
#include "solvers/queue/work_split.h"

namespace tl::work_split_tests {

TEST(CostModel, FindsTheFixedTimeAndTheRate) {
    CostModel model;
    EXPECT_LT(model.seconds("lu", 1e9), 0);
    for (double work : {1e6, 1e8, 1e9, 1e7, 1e9}) model.observe("lu", work, 0.002 + work * 1e-10);
    EXPECT_NEAR(model.seconds("lu", 5e8), 0.052, 1e-6);
    EXPECT_LT(model.seconds("svd", 1e9), 0);
}

TEST(CostModel, OneSizeAloneIsEnoughForThatSize) {
    CostModel model;
    for (int i = 0; i < 3; ++i) model.observe("lu", 1e9, 0.25);
    EXPECT_NEAR(model.seconds("lu", 1e9), 0.25, 1e-9);
    EXPECT_NEAR(model.error("lu"), 0, 1e-9);
}

TEST(CostModel, CorrectsItselfWhenTheMachineChanges) {
    CostModel model;
    for (int i = 0; i < 10; ++i) model.observe("lu", 1e9, 0.1);
    model.observe("lu", 1e9, 0.4);
    EXPECT_NEAR(model.error("lu"), 0.5 * 0.75, 1e-9);  // 0.1 for 0.4 is 75 % too little
    for (int i = 0; i < 10; ++i) model.observe("lu", 1e9, 0.4);
    EXPECT_NEAR(model.seconds("lu", 1e9), 0.4, 0.02);
}

TEST(CostModel, TimesAreNeverNegative) {
    CostModel model;
    // Falling times would give a rate below 0; rising ones from below, a fixed time below 0.
    model.observe("a", 1e6, 1);
    model.observe("a", 1e9, 0.5);
    model.observe("b", 1e6, 0.0001);
    model.observe("b", 1e7, 0.1);
    for (double work : {1.0, 1e5, 1e8, 1e12}) {
        EXPECT_GT(model.seconds("a", work), 0);
        EXPECT_GT(model.seconds("b", work), 0);
    }
}

/// Completion time of `n` tasks that are distributed over executors with these times per task.
double simulated_end(const std::vector<double>& costs, int n) {
    std::vector<SlotLoad> loads;
    for (double cost : costs) loads.push_back({0, cost});
    double now = 0, last = 0;
    while (n > 0) {
        for (std::size_t p = 0; p < loads.size() && n > 0; ++p)
            if (loads[p].backlog <= 0 && is_worth_taking(p, loads, static_cast<std::size_t>(n))) {
                loads[p].backlog = costs[p];
                last = std::max(last, now + costs[p]);
                --n;
            }
        double step = 1e300;
        for (auto& load : loads)
            if (load.backlog > 0) step = std::min(step, load.backlog);
        now += step;
        for (auto& load : loads) {
            load.backlog -= step;
            if (load.backlog < 1e-12) load.backlog = 0;
        }
    }
    return last;
}

/// Lower bound of the completion time: the first moment by which all executors together could have
/// finished n tasks.
double earliest_end(const std::vector<double>& costs, int n) {
    double best = 1e300;
    for (double cost : costs)
        for (int k = 1; k <= n; ++k) {
            double end = k * cost;
            int done = 0;
            for (double other : costs) done += static_cast<int>(std::floor(end / other + 1e-9));
            if (done >= n) best = std::min(best, end);
        }
    return best;
}

TEST(WorkSplit, KnownTimesAreSplitAsWellAsCanBe) {
    for (double slow : {1.0, 1.3, 2.0, 3.7, 9.0, 24.0, 26.0, 100.0})
        for (int n : {1, 2, 7, 25}) {
            std::vector<double> costs{1.0, slow};
            EXPECT_NEAR(simulated_end(costs, n), earliest_end(costs, n), 1e-9)
                << n << " tasks, " << slow << " times slower";
        }
    EXPECT_NEAR(simulated_end({1.0, 2.5, 4.2}, 25), earliest_end({1.0, 2.5, 4.2}, 25), 1e-9);
}

/// Tasks that factorise a small matrix, and count what is handed over.
struct SmallTasks {
    static constexpr double kNumbers[] = {4, 3, 6, 3};
    std::function<void(Queue&)> at_start = [](Queue&) {};
    std::mutex mutex;
    int n_given = 0, n_taken = 0;

    [[nodiscard]] SplitTask task() {
        auto give = [this](Queue& queue) {
            at_start(queue);
            std::scoped_lock lock(mutex);
            ++n_given;
            auto a = queue.upload({2, 2, Precision::float64}, kNumbers, 2);
            auto results = queue.enqueue({.kind = OperationKind::lu, .inputs = {a}});
            queue.release(a);
            return results;
        };
        auto take = [this](Queue& queue, const std::vector<ValueId>& values) {
            auto u = queue.fetch(values.at(1));
            EXPECT_EQ(static_cast<const double*>(u.data.get())[0], 4);
            for (ValueId each : values) queue.release(each);
            std::scoped_lock lock(mutex);
            ++n_taken;
        };
        return {"lu", 1, give, take};
    }
};

TEST(WorkSplit, EveryTaskIsDoneOnceByOneOfTheQueues) {
    Device& device = find_device("cpu");
    Queue first(device), second(device);
    WorkSplit split({&first, &second});
    SmallTasks small;
    auto shares = split.run(std::vector<SplitTask>(40, small.task()));
    EXPECT_EQ(small.n_taken, 40);
    EXPECT_EQ(shares[0].n_tasks + shares[1].n_tasks, 40);
    EXPECT_GT(std::max(split.model(0).seconds("lu", 1), split.model(1).seconds("lu", 1)), 0);
    for (Queue* queue : {&first, &second}) {
        queue->wait_for_all();
        EXPECT_EQ(queue->n_values(), 0);
    }
}

TEST(WorkSplit, TasksOfAQueueThatStopsAreDoneByAnother) {
    Device& device = find_device("cpu");
    Queue stopped(device), working(device);
    WorkSplit split({&stopped, &working});
    SmallTasks small;
    std::atomic<int> n_stopped = 0;
    small.at_start = [&](Queue& queue) {
        if (&queue == &stopped) ++n_stopped;
        // Both take part, whichever thread starts first.
        while (n_stopped == 0) std::this_thread::yield();
    };
    // The queue takes tasks, and never begins them.
    stopped.pause();
    auto shares = split.run(std::vector<SplitTask>(10, small.task()));
    EXPECT_GT(n_stopped, 0);
    EXPECT_EQ(small.n_given, 10 + n_stopped);
    EXPECT_EQ(small.n_taken, 10);
    EXPECT_EQ(shares[0].n_tasks, 0);
    EXPECT_EQ(shares[1].n_tasks, 10);
    EXPECT_EQ(shares[1].n_again, n_stopped);
    stopped.resume();
    stopped.wait_for_all();
    EXPECT_EQ(stopped.n_values(), 0);
}

TEST(WorkSplit, MeasuringTellsTheCostsOfEveryQueue) {
    Device& device = find_device("cpu");
    Queue first(device), second(device);
    WorkSplit split({&first, &second});
    SmallTasks small;
    split.measure({small.task(), small.task()});
    for (std::size_t p : {0, 1}) EXPECT_GT(split.model(p).seconds("lu", 1), 0);
    // Each task on each queue, and the first one twice.
    EXPECT_EQ(small.n_given, 6);
    EXPECT_EQ(small.n_taken, 0);
    for (Queue* queue : {&first, &second}) {
        queue->wait_for_all();
        EXPECT_EQ(queue->n_values(), 0);
    }
}

TEST(WorkSplit, AQueueBeginsWithTheTasksThatArePlannedForIt) {
    Queue queue(find_device("cpu"));
    WorkSplit split({&queue});
    SmallTasks small;
    std::vector<int> order;
    std::vector<SplitTask> tasks;
    for (int planned : {-1, 1, 0, -1, 0}) {
        auto& task = tasks.emplace_back(small.task());
        task.planned = planned;
        task.give = [&order, give = task.give,
                     index = static_cast<int>(tasks.size()) - 1](Queue& on) {
            order.push_back(index);
            return give(on);
        };
    }
    auto shares = split.run(tasks);
    // Its own, those of no queue, and that of another one.
    EXPECT_EQ(order, (std::vector<int>{2, 4, 0, 3, 1}));
    EXPECT_EQ(shares[0].n_tasks, 5);
}

TEST(WorkSplit, PlannedTasksOfAQueueThatStopsAreDoneByAnother) {
    Device& device = find_device("cpu");
    Queue stopped(device), working(device);
    WorkSplit split({&stopped, &working});
    SmallTasks small;
    split.measure({small.task()});
    stopped.pause();
    std::vector<SplitTask> tasks(8, small.task());
    for (auto& task : tasks) task.planned = 0;
    auto shares = split.run(tasks);
    EXPECT_EQ(shares[1].n_tasks, 8);
    EXPECT_EQ(small.n_taken, 8);
    stopped.resume();
    stopped.wait_for_all();
    EXPECT_EQ(stopped.n_values(), 0);
}

/// The end of the last queue.
double end_of(const std::vector<int>& parts, const std::vector<ItemCost>& costs) {
    double last = 0;
    for (std::size_t p = 0; p < parts.size(); ++p)
        if (parts[p] > 0) last = std::max(last, costs[p].fixed + costs[p].each * parts[p]);
    return last;
}

TEST(DividedWork, NoOtherDivisionEndsEarlier) {
    const std::vector<std::vector<ItemCost>> machines{
        {{0, 1}, {0, 1}, {0, 1}},       {{0, 1}, {5, 0.01}, {0.5, 3}},
        {{0.2, 1}, {100, 0}, {7, 0.1}}, {{0, 1}, {0, 1e-6}, {1, 0.5}},
        {{3, 0.2}, {3.1, 0.2}, {0, 9}}, {{0, 0}, {0, 1}, {1, 1}},
    };
    for (auto& costs : machines)
        for (int n : {1, 2, 7, 30, 61}) {
            auto parts = divide_items(n, costs);
            EXPECT_EQ(parts[0] + parts[1] + parts[2], n);
            double best = HUGE_VAL;
            for (int i = 0; i <= n; ++i)
                for (int j = 0; i + j <= n; ++j)
                    best = std::min(best, end_of({i, j, n - i - j}, costs));
            EXPECT_NEAR(end_of(parts, costs), best, 1e-9) << n << " items";
        }
}

TEST(DividedWork, BatchesCoverAllItemsAndCostLittle) {
    const std::vector<ItemCost> costs{{0.1, 1}, {20, 0.2}};
    auto batches = batches_of(121, costs);
    int next = 0;
    std::vector<int> parts(2, 0), counts(2, 0);
    for (auto& batch : batches) {
        EXPECT_EQ(batch.first, next);
        EXPECT_GT(batch.count, 0);
        next += batch.count;
        auto queue = static_cast<std::size_t>(batch.queue);
        parts[queue] += batch.count;
        ++counts[queue];
    }
    EXPECT_EQ(next, 121);
    EXPECT_EQ(parts, divide_items(121, costs));
    EXPECT_EQ(counts[0], kMostBatches);
    // Two batches would double its fixed cost, which is more than a fifth of the rest.
    EXPECT_EQ(counts[1], 1);
}

TEST(WorkSplit, AnErrorEndsTheRun) {
    Queue queue(find_device("cpu"));
    WorkSplit split({&queue});
    const double zeros[4] = {};
    SplitTask task{"inverse", 1,
                   [&](Queue& q) {
                       auto a = q.upload({2, 2, Precision::float64}, zeros, 2);
                       return q.enqueue({.kind = OperationKind::inverse, .inputs = {a}});
                   },
                   [](Queue&, const std::vector<ValueId>&) {}};
    try {
        (void)split.run({task, task});
        FAIL() << "it succeeded";
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("singular"), std::string::npos);
    }
}

/// Tasks of two queues, each of which is changed before the run.
std::string error_of_run(const std::function<void(SplitTask&)>& change) {
    Device& device = find_device("cpu");
    Queue first(device), second(device);
    WorkSplit split({&first, &second});
    SmallTasks small;
    std::vector<SplitTask> tasks(12, small.task());
    for (auto& task : tasks) change(task);
    std::string message;
    try {
        (void)split.run(tasks);
    } catch (const UserError& error) {
        message = error.what();
    }
    EXPECT_LT(small.n_taken, 12);
    for (Queue* queue : {&first, &second}) {
        queue->wait_for_all();
        EXPECT_EQ(queue->n_values(), 0);
    }
    return message;
}

TEST(WorkSplit, AnExceptionOfAnyKindEndsTheRun) {
    std::atomic<int> n_given = 0;
    auto give_few = [&](SplitTask& task, const std::function<void()>& fail) {
        n_given = 0;
        task.give = [&n_given, fail, give = task.give](Queue& queue) {
            if (++n_given > 4) fail();
            return give(queue);
        };
    };
    EXPECT_EQ(error_of_run([&](SplitTask& task) {
                  give_few(task, [] { throw UserError("no pinned memory"); });
              }),
              "no pinned memory");
    EXPECT_EQ(error_of_run([&](SplitTask& task) {
                  give_few(task, [] { throw std::runtime_error("a library has failed"); });
              }),
              "a library has failed");
    EXPECT_EQ(error_of_run([&](SplitTask& task) {
                  task.take = [](Queue& queue, const std::vector<ValueId>& values) {
                      for (ValueId each : values) queue.release(each);
                      throw std::runtime_error("nowhere to write");
                  };
              }),
              "nowhere to write");
}

}  // namespace tl::work_split_tests

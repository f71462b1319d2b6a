// Background jobs: results, cancellation, precedence of the newest of several requests, and the
// measured frame rates.
#include "app/jobs/background_job.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "app/jobs/work_share.h"
#include "core/device/device.h"

namespace tl::background_job_tests {
namespace {

using namespace std::chrono_literals;

template <class Done>
void wait_until(Done done) {
    auto end = std::chrono::steady_clock::now() + 10s;
    while (!done()) {
        ASSERT_LT(std::chrono::steady_clock::now(), end);
        std::this_thread::sleep_for(1ms);
    }
}

template <class Result>
typename BackgroundJob<Result>::Ended outcome(BackgroundJob<Result>& job) {
    std::optional<typename BackgroundJob<Result>::Ended> ended;
    wait_until([&] { return (ended = job.take()).has_value(); });
    return ended ? *ended : typename BackgroundJob<Result>::Ended{};
}

/// Runs until it is cancelled.
void endless(JobRun& run, int& value) {
    value = -1;
    run.enter("going on");
    while (true) {
        run.report(0.5);
        std::this_thread::sleep_for(1ms);
    }
}

TEST(BackgroundJob, GivesWhatTheWorkHasMadeOfItsStart) {
    BackgroundJob<std::vector<int>> job;
    EXPECT_FALSE(job.busy());
    EXPECT_FALSE(job.take());
    job.start("numbers", {1}, [](JobRun&, std::vector<int>& numbers) { numbers.push_back(2); });
    EXPECT_TRUE(job.busy());
    EXPECT_EQ(job.name(), "numbers");
    auto ended = outcome(job);
    EXPECT_EQ(ended.result, (std::vector{1, 2}));
    EXPECT_EQ(ended.error, "");
    EXPECT_FALSE(job.busy());
    EXPECT_EQ(job.name(), "");
    EXPECT_FALSE(job.take());
}

TEST(BackgroundJob, TellsItsPhaseAndProgressAndEndsWhenCancelled) {
    BackgroundJob<int> job;
    job.start("count", 0, endless);
    wait_until([&] { return job.progress() == 0.5f; });
    EXPECT_EQ(job.phase(), "going on");
    job.cancel();
    auto ended = outcome(job);
    EXPECT_EQ(ended.error, "cancelled");
    EXPECT_EQ(ended.result, -1);  // the value at cancellation
    // Cancelling affects one run only.
    job.start("count", 0, [](JobRun& run, int& value) {
        run.enter("counting");
        value = 7;
    });
    EXPECT_EQ(outcome(job).result, 7);
}

TEST(BackgroundJob, WhatTheWorkThrowsIsItsError) {
    BackgroundJob<int> job;
    job.start("failure", 0, [](JobRun&, int&) { throw std::runtime_error("no such matrix"); });
    EXPECT_EQ(outcome(job).error, "no such matrix");
    job.start("failure", 0, [](JobRun&, int&) { throw std::bad_alloc(); });
    EXPECT_NE(outcome(job).error.find("not enough memory"), std::string::npos);
}

TEST(BackgroundJob, TheNewestWorkWinsAndCancelsTheOneBefore) {
    BackgroundJob<int> job;
    job.start("endless", 0, endless);
    for (int i = 1; i <= 20; ++i) job.start("short", i, [](JobRun&, int& value) { value *= 10; });
    auto ended = outcome(job);
    EXPECT_EQ(ended.result, 200);
    EXPECT_EQ(ended.error, "");
    std::this_thread::sleep_for(20ms);
    EXPECT_FALSE(job.take());
}

TEST(BackgroundJob, WhatNobodyWantsIsFreedWhenItEnds) {
    BackgroundJob<std::shared_ptr<int>> job;
    auto value = std::make_shared<int>(1);
    std::atomic<bool> begun = false, ends = false;
    job.start("dropped", value, [&](JobRun&, std::shared_ptr<int>&) {
        begun = true;
        while (!ends) std::this_thread::sleep_for(1ms);
    });
    wait_until([&] { return begun.load(); });
    job.drop();
    EXPECT_FALSE(job.busy());
    EXPECT_TRUE(BackgroundWork::any_works());
    auto unwanted = BackgroundWork::n_unwanted();
    ends = true;
    wait_until([&] { return value.use_count() == 1; });
    wait_until([&] { return !BackgroundWork::any_works(); });
    wait_until([&] { return BackgroundWork::n_unwanted() == unwanted + 1; });
    EXPECT_FALSE(job.take());
    job.start("wanted", value, [](JobRun&, std::shared_ptr<int>&) {});
    EXPECT_EQ(outcome(job).result, value);
}

TEST(WorkShare, TellsWhatIsToldOrExpected) {
    WorkShare share;
    EXPECT_EQ(share.state().what, nullptr);
    EXPECT_FALSE(share.state().share);
    bool ends = false;
    run_told(
        share, [&] { return ends; },
        [&](const ReadProgress& progress) {
            progress.report_work("copying", 0.25);
            EXPECT_STREQ(share.state().what, "copying");
            EXPECT_EQ(share.state().share, 0.25);
            ASSERT_TRUE(progress.wants_estimates());
            progress.report_estimate("building", 0.02);
            EXPECT_STREQ(share.state().what, "building");
            auto first = share.state().share;
            std::this_thread::sleep_for(5ms);
            EXPECT_GT(share.state().share, first);
            std::this_thread::sleep_for(20ms);
            EXPECT_EQ(share.state().share, 0.99) << "it takes longer than expected";
            progress.report_estimate("building", 0);
            EXPECT_FALSE(share.state().share);
            ends = true;
            EXPECT_THROW(progress.report_work("copying", 0.5), Cancelled);
        });
}

TEST(BackgroundJob, MayGoInTheMiddleOfItsWork) {
    BackgroundJob<int> job;
    job.start("endless", 0, endless);
    job.start("endless too", 0, endless);
}

/// Frames of one picture.
void add_frames(FrameLog& log, int count, double seconds, const FrameState& state = {}) {
    for (int i = 0; i < count; ++i) log.add(seconds, state);
}

TEST(BackgroundJob, TakesTheFrameRateMeanwhileAndAfterwards) {
    BackgroundJob<int> job;
    FrameLog log;
    add_frames(log, 20, 0.01);
    ASSERT_NEAR(log.rate(), 100, 1e-9);
    job.start("work", 0, endless, {log.rate(), log.state(), log.count()});
    EXPECT_EQ(job.rates().before, log.rate());
    // The loop goes round more often than there are frames.
    for (int i = 0; i < 1000; ++i) {
        if (i % 100 == 0) log.add(0.02, {});
        job.follow_frames(log, true);
    }
    EXPECT_NEAR(job.rates().during, 50, 1e-9);
    job.cancel();
    (void)outcome(job);
    EXPECT_TRUE(job.measuring());
    EXPECT_EQ(job.rates().after, 0);
    log.add(0.02, {});  // began before the end
    wait_until([&] {
        log.add(0.01, {});
        job.follow_frames(log, true);
        return !job.measuring();
    });
    EXPECT_NEAR(job.rates().after, 100, 1e-9);
    EXPECT_NEAR(job.rates().during, 50, 1e-9);
}

TEST(BackgroundJob, SaysNothingOfFramesThatCannotBeCompared) {
    FrameLog log;
    add_frames(log, 20, 0.01, {.film = {640, 480}, .picture = 1});
    auto during = [&](double rate, auto&& add) {
        BackgroundJob<int> job;
        job.start("work", 0, endless, {rate, log.state(), log.count()});
        add();
        job.follow_frames(log, true);
        job.cancel();
        (void)outcome(job);
        job.follow_frames(log, false);
        EXPECT_FALSE(job.measuring());
        EXPECT_EQ(job.rates().after, 0);
        return job.rates().during;
    };
    auto same = log.state();
    EXPECT_EQ(during(0, [&] { add_frames(log, 50, 0.01, same); }), 0) << "none before";
    EXPECT_EQ(during(100, [&] { add_frames(log, 4, 0.01, same); }), 0) << "too few";
    EXPECT_GT(during(100, [&] { add_frames(log, 5, 0.01, same); }), 0);
    EXPECT_EQ(during(100,
                     [&] {
                         add_frames(log, 50, 0.002, {.film = {320, 240}});
                     }),
              0)
        << "smaller pictures";
    add_frames(log, 20, 0.01, same);
    EXPECT_EQ(during(100, [&] { add_frames(log, 50, 0.002, {.film = same.film, .picture = 2}); }),
              0)
        << "another picture";
}

TEST(FrameLog, ARateIsTheMedianOfFramesAlikeWithoutTheFirst) {
    FrameLog log;
    EXPECT_EQ(log.rate(), 0);
    FrameState state{.film = {8, 8}, .picture = 1};
    log.add(0, state);
    log.add(3, state);  // builds data for the next frames
    add_frames(log, 3, 0.01, state);
    EXPECT_EQ(log.rate(), 0) << "too few";
    log.add(0, state);  // after a rest
    EXPECT_EQ(log.rate(), 0);
    log.add(0.5, state);  // one hiccup
    EXPECT_NEAR(log.rate(), 100, 1e-9);
    add_frames(log, FrameLog::kWindow, 0.02, state);
    EXPECT_NEAR(log.rate(), 50, 1e-9);
    state.picture = 2;
    add_frames(log, FrameLog::kWarmUp + 3, 0.001, state);
    EXPECT_EQ(log.rate(), 0) << "the frames before are of another picture";
    log.add(0.001, state);
    EXPECT_NEAR(log.rate(), 1000, 1e-6);
    EXPECT_EQ(log.periods_since(log.count() - 2, state).size(), 2u);
}

}  // namespace
}  // namespace tl::background_job_tests

// Progress line of long commands, and the flag that Ctrl+C sets.
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>

#include "app/jobs/interrupt.h"
#include "app/jobs/terminal_progress.h"
#include "app/jobs/time_left.h"
#include "core/base/files.h"
#include "tests/unit/temp_folder.h"

namespace tl::terminal_progress_tests {
namespace {

TEST(TerminalProgress, TellsWorkTimeAndWhatIsLeft) {
    EXPECT_EQ(progress_line("samples", 0, 64, 0.2),
              "[                        ] 0 of 64 samples, 0 s");
    EXPECT_EQ(progress_line("samples", 16, 64, 40),
              "[######                  ] 16 of 64 samples, 40 s, 2 min 0 s left");
    EXPECT_EQ(progress_line("frames", 0, 10, 3, {"sample 6 of 12", 57.0}),
              "[                        ] 0 of 10 frames, sample 6 of 12, 3 s, 57 s left");
    EXPECT_EQ(progress_line("frames", 1, 1000, 10),
              "[                        ] 1 of 1000 frames, 10 s, 2 h 46 min left");
    EXPECT_EQ(progress_line("frames", 5, 5, 3),
              "[########################] 5 of 5 frames, 3 s, 0 s left");
}

TEST(TerminalProgress, TellsWhatTheCommandKnowsBetter) {
    EXPECT_EQ(progress_line("samples", 16, 64, 40, {"81.2 % of pixels finished", 7.0}),
              "[######                  ] 16 of 64 samples, 81.2 % of pixels finished, 40 s, 7 s "
              "left");
}

TEST(TimeLeft, IsOfTheSamplesThatAreMissing) {
    TimeLeft left;
    EXPECT_FALSE(left.seconds());
    EXPECT_EQ(left.text(), "");
    left.add({.samples = 1, .target = 100, .pixels = 10}, 30);  // the first prepares much
    EXPECT_FALSE(left.seconds());
    for (std::uint32_t i = 2; i <= 20; ++i)
        left.add({.samples = i, .target = 100, .pixels = 10}, 2);
    ASSERT_TRUE(left.seconds());
    EXPECT_NEAR(*left.seconds(), 160, 1e-6);
    EXPECT_EQ(left.text(), "2 min 40 s left");
    EXPECT_FLOAT_EQ(*left.progress(), 0.2f);
    // A new picture restarts the estimate, and a picture without an end has none.
    left.add({.samples = 1, .target = 100, .pixels = 10}, 2);
    EXPECT_FALSE(left.seconds());
    left.add({.samples = 2, .target = 0, .pixels = 10}, 2);
    EXPECT_FALSE(left.seconds());
    EXPECT_FALSE(left.progress());
}

TEST(TimeLeft, ForeseesWhenAllPixelsAreDone) {
    // After n samples, 10,000 (16 / n)^2 of 10,000 pixels are not done: less than half a pixel for
    // n above 16 sqrt(20,000).
    TimeLeft left;
    double expected = 16 * std::sqrt(20000.0);
    for (std::uint32_t n = 1; n <= 64; ++n) {
        TimeLeft::State state{.samples = n, .target = 0, .pixels = 10'000};
        if (n >= 16)
            state.unfinished = static_cast<std::uint32_t>(1e4 * std::pow(16.0 / (n / 8 * 8), 2));
        left.add(state, 1);
    }
    ASSERT_TRUE(left.samples_expected());
    EXPECT_NEAR(*left.samples_expected() / expected, 1, 0.02);
    EXPECT_NEAR(*left.seconds(), expected - 64, 0.02 * expected);
    // Whichever ends first.
    left.add({.samples = 65, .target = 70, .pixels = 10'000, .unfinished = 625}, 1);
    EXPECT_NEAR(*left.seconds(), 5, 1e-6);
    left.add({.samples = 66, .target = 70, .pixels = 10'000, .unfinished = 0}, 1);
    EXPECT_EQ(left.seconds(), 0);
}

TEST(TimeLeft, IsNotForeseenFromLittle) {
    TimeLeft left;
    for (std::uint32_t n = 1; n <= 64; ++n) {
        TimeLeft::State state{.samples = n, .target = 0, .pixels = 10'000};
        if (n >= 16) state.unfinished = 10'000 - n / 8;
        left.add(state, 1);
    }
    EXPECT_FALSE(left.seconds());
    EXPECT_FALSE(left.progress());
    left.add({.samples = 65, .target = 100, .pixels = 10'000, .unfinished = 9'990}, 1);
    EXPECT_NEAR(*left.seconds(), 35, 1e-6);
}

TEST(InterruptFlag, IsSetByTheFirstSignal) {
    InterruptFlag flag;
    EXPECT_FALSE(flag.is_set());
    std::raise(SIGINT);
    EXPECT_TRUE(flag.is_set());
    EXPECT_EQ(flag.cause(), "Ctrl+C");
}

TEST(InterruptFlag, IsSetBySigtermToo) {
    InterruptFlag flag;
    std::raise(SIGTERM);
    EXPECT_TRUE(flag.is_set());
    EXPECT_EQ(flag.cause(), "SIGTERM");
}

/// Ends a process of its own, in which a file is being written, by `signal`; returns the names that
/// are left in the folder.
std::vector<std::string> left_by(int signal, const test::TempFolder& folder) {
    EXPECT_EXIT(
        {
            end_tidily_on_signals();
            FileWriter file(folder.path("a"));
            file.write("lost");
            std::raise(signal);
        },
        testing::KilledBySignal(signal), "");
    std::vector<std::string> names;
    for (auto& entry : std::filesystem::directory_iterator(folder.path("")))
        names.push_back(entry.path().filename());
    return names;
}

TEST(Signals, RemoveUnfinishedFiles) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";  // other tests have left threads
    test::TempFolder folder;
    folder.write("a", "kept");
    for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
        EXPECT_EQ(left_by(signal, folder), std::vector<std::string>{"a"}) << signal;
    EXPECT_EQ(read_file(folder.path("a")), "kept");
}

}  // namespace
}  // namespace tl::terminal_progress_tests

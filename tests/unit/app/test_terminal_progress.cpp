// The line that long commands show, and the flag that Ctrl+C sets.
#include <gtest/gtest.h>

#include <csignal>

#include "app/jobs/terminal_progress.h"

namespace tl {
namespace {

TEST(TerminalProgress, TellsWorkTimeAndWhatIsLeft) {
    EXPECT_EQ(progress_line("samples", 0, 64, 0.2),
              "[                        ] 0 of 64 samples, 0 s");
    EXPECT_EQ(progress_line("samples", 16, 64, 40),
              "[######                  ] 16 of 64 samples, 40 s, 2 min 0 s left");
    EXPECT_EQ(progress_line("frames", 1, 1000, 10),
              "[                        ] 1 of 1000 frames, 10 s, 2 h 46 min left");
    EXPECT_EQ(progress_line("frames", 5, 5, 3),
              "[########################] 5 of 5 frames, 3 s, 0 s left");
}

TEST(InterruptFlag, IsSetByTheFirstSignal) {
    InterruptFlag flag;
    EXPECT_FALSE(flag.is_set());
    std::raise(SIGINT);
    EXPECT_TRUE(flag.is_set());
}

}  // namespace
}  // namespace tl

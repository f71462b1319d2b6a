// Devices that share the dense systems of shallow water, without the water.
#include <gtest/gtest.h>

#include <thread>

#include "solvers/shallow_water/plu_share.h"

namespace tl::plu_share_tests {
namespace {

/// Lines between walls, whose solution is 1 everywhere: the rows of each matrix add up to 1.
PluSystems lines_of_ones(int n, int m) {
    auto cells = static_cast<std::size_t>(n), lines = static_cast<std::size_t>(m);
    PluSystems systems{n, m, false, {}, std::vector<double>(cells * lines, 1.0), {}};
    systems.levels.resize(cells * lines);
    for (std::size_t t = 0; t < lines; ++t)
        for (std::size_t i = 0; i <= cells; ++i)
            systems.faces.push_back(i == 0 || i == cells ? 0 : 0.5 + static_cast<double>(t));
    return systems;
}

TEST(PluShare, ADeviceThatHasFailedIsMeasuredAgain) {
    Device& device = find_device("cpu");
    std::vector<std::unique_ptr<Queue>> queues;
    for (int i = 0; i < 2; ++i) queues.push_back(std::make_unique<Queue>(device));
    Queue &working = *queues[0], &failing = *queues[1];
    PluShare share(std::move(queues));
    auto systems = lines_of_ones(8, 2);
    failing.pause();
    std::thread cancelling([&] {
        while (failing.n_pending() == 0) std::this_thread::yield();
        failing.cancel_all();
    });
    EXPECT_THROW(share.solve(systems, false), UserError);
    cancelling.join();
    failing.resume();
    auto n_before = working.counts().operations;
    share.solve(systems, false);
    // Two uploads and a solution: for each of three tasks that measure, but for two lines at most.
    EXPECT_GE(working.counts().operations - n_before, 9u);
    for (double level : systems.levels) EXPECT_NEAR(level, 1, 1e-14);
    EXPECT_EQ(share.shares()[0].systems + share.shares()[1].systems, 2u);
}

TEST(PluShare, ADeviceThatIsFasterAloneSolvesAllLines) {
    Device& device = find_device("cpu");
    std::vector<std::unique_ptr<Queue>> queues;
    for (int i = 0; i < 2; ++i) queues.push_back(std::make_unique<Queue>(device));
    Queue &first = *queues[0], &second = *queues[1];
    PluShare share(std::move(queues));
    // Handing two small matrices to queues costs far more than their solution.
    auto solve = [&] {
        auto systems = lines_of_ones(4, 2);
        share.solve(systems, true);
        for (double level : systems.levels) EXPECT_NEAR(level, 1, 1e-6);
    };
    for (int i = 0; i < 9; ++i) solve();
    auto n_before = first.counts().operations + second.counts().operations;
    EXPECT_GT(n_before, 0u);
    for (int i = 0; i < 5; ++i) solve();
    EXPECT_EQ(first.counts().operations + second.counts().operations, n_before);
    EXPECT_EQ(share.shares()[0].systems + share.shares()[1].systems, 14u * 2);
}

}  // namespace
}  // namespace tl::plu_share_tests

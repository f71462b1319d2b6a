// Approximations by the largest singular triplets, on every device.
#include "solvers/svd/low_rank.h"
#include "tests/solvers/svd_checks.h"

namespace tl::low_rank_tests {
namespace {

TEST(LowRank, MissesTheRemainingValuesAndNothingElse) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        auto blas = make_blas(*stream);
        auto a = make_matrix<double>(*blas, {"uniform", 40, 25, 1e3, 5});
        auto result = test::solve<double>(*stream, "divide-conquer", a.view());
        auto host = a.download(*stream);
        double all = 0;
        for (double element : host) all += element * element;
        for (int rank : {0, 1, 7, 24, 25}) {
            auto near = low_rank(*blas, result, rank).download(*stream);
            ASSERT_EQ(near.size(), host.size());
            double missed = 0;
            for (std::size_t i = 0; i < host.size(); ++i)
                missed += (host[i] - near[i]) * (host[i] - near[i]);
            double rest = 0;
            for (std::size_t i = rank; i < result.values.size(); ++i)
                rest += result.values[i] * result.values[i];
            EXPECT_NEAR(missed, rest, 1e-12 * all) << rank;
            EXPECT_NEAR(energy_kept(result.values, rank), 1 - rest / all, 1e-12) << rank;
            SolverRun run;
            auto best = best_of_rank<double>(*stream, a.view(), rank, run);
            EXPECT_NEAR(best.error, std::sqrt(missed / all), 1e-7) << rank;
            auto again = best.matrix.download(*stream);
            for (std::size_t i = 0; i < host.size(); ++i) ASSERT_NEAR(again[i], near[i], 1e-12);
        }
    }
}

TEST(LowRank, EnergyStandsExtremeScalesAndZeros) {
    EXPECT_DOUBLE_EQ(energy_kept({4e300, 3e300}, 1), 0.64);
    EXPECT_DOUBLE_EQ(energy_kept({4e-300, 3e-300}, 1), 0.64);
    EXPECT_EQ(energy_kept({0, 0}, 1), 1);
    EXPECT_EQ(energy_kept({}, 0), 1);
    EXPECT_TRUE(std::isnan(energy_kept({std::nan(""), 1}, 1)));
}

}  // namespace
}  // namespace tl::low_rank_tests

#include "renderer/scene/alias_table.h"

#include <gtest/gtest.h>

#include <random>

namespace tl::alias_table_tests {
namespace {

/// The probability with which each entry is drawn, from the table itself.
std::vector<double> probabilities(const std::vector<AliasEntry>& table) {
    std::vector<double> p(table.size(), 0);
    for (std::size_t i = 0; i < table.size(); ++i) {
        p[i] += double(table[i].keep) / double(table.size());
        p[table[i].other] += (1 - double(table[i].keep)) / double(table.size());
    }
    return p;
}

TEST(AliasTable, DrawsInProportionToWeights) {
    std::mt19937 random(7);
    for (int n : {1, 2, 3, 10, 1000, 100'000}) {
        std::vector<double> weights;
        double sum = 0;
        for (int i = 0; i < n; ++i) {
            // Some are 0, some a million times as heavy as others.
            double w = std::exp(std::uniform_real_distribution<>(-7, 7)(random));
            weights.push_back(n > 1 && i % 5 == 1 ? 0 : w);
            sum += weights.back();
        }
        auto table = make_alias_table(weights);
        ASSERT_EQ(table.size(), weights.size());
        auto p = probabilities(table);
        for (int i = 0; i < n; ++i) {
            double expected = weights[std::size_t(i)] / sum;
            EXPECT_NEAR(p[std::size_t(i)], expected, 1e-6 / n + 1e-6 * expected)
                << i << " of " << n;
            EXPECT_NEAR(double(table[std::size_t(i)].probability), expected, 1e-6 * expected);
            if (expected == 0) {
                EXPECT_EQ(p[std::size_t(i)], 0);
            }
        }
    }
}

TEST(AliasTable, WithoutWeightThereIsNothingToDraw) {
    EXPECT_TRUE(make_alias_table({}).empty());
    std::vector<double> zeros(3, 0.0);
    EXPECT_TRUE(make_alias_table(zeros).empty());
}

TEST(AliasTable, EntriesAreDrawnInProportionToTheirWeights) {
    auto table = make_alias_table(std::vector<double>{1, 3, 0, 6});
    int drawn[4] = {};
    constexpr int kN = 400;
    for (int i = 0; i < kN; ++i)
        for (int j = 0; j < kN; ++j) {
            vec2 r((float(i) + 0.5f) / kN, (float(j) + 0.5f) / kN);
            ++drawn[draw_alias(table.data(), 4, r)];
        }
    EXPECT_NEAR(drawn[0] / double(kN * kN), 0.1, 0.005);
    EXPECT_NEAR(drawn[1] / double(kN * kN), 0.3, 0.005);
    EXPECT_EQ(drawn[2], 0);
    EXPECT_NEAR(drawn[3] / double(kN * kN), 0.6, 0.005);
}

}  // namespace
}  // namespace tl::alias_table_tests

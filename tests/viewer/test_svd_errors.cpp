// Errors of singular values and vectors over several matrices.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/solve/svd/svd_errors.h"
#include "core/device/registry.h"

namespace tl::svd_errors_tests {
namespace {

/// The errors over `count` matrices from this seed on.
SvdErrors errors_over(int count, std::uint64_t seed, bool single) {
    auto stream = find_device("cpu").create_stream();
    auto blas = make_blas(*stream);
    SvdErrorStudy study(*blas, {.matrix = {"uniform", 40, 30, 1, seed},
                                .seeds = count,
                                .single = single,
                                .modes = {"golub-reinsch", "lapack-gesdd", "randomised"},
                                .settings = {}});
    SolverRun run;
    for (int i = 0; i < count; ++i) study.add_matrix(run);
    return study.errors();
}

TEST(SvdErrors, AreSmallButNotZeroInEitherPrecision) {
    for (bool single : {false, true}) {
        auto errors = errors_over(2, 1, single);
        double epsilon = single ? 1.2e-7 : 2.2e-16;
        for (int m : {0, 1}) {
            auto& all = errors.modes[m].all;
            EXPECT_LT(all.absolute.most, 20 * epsilon * errors.values[0]);
            EXPECT_LT(all.relative.mean, 20 * epsilon);
            EXPECT_GT(all.relative.mean, 1e-3 * epsilon);
            EXPECT_GE(all.relative.most, all.relative.mean);
        }
        // A mode that needs a rank fails, and the others go on.
        EXPECT_NE(errors.modes[2].error.find("needs a rank"), std::string::npos);
        auto table = errors_table(errors);
        EXPECT_NE(table.find("needs a rank"), std::string::npos) << table;
        EXPECT_NE(table.find(exact_values_of(single)), std::string::npos) << table;
    }
}

TEST(SvdErrors, AreMeansAndMaximaOverTheMatrices) {
    auto both = errors_over(2, 5, false), first = errors_over(1, 5, false),
         second = errors_over(1, 6, false);
    for (std::size_t i = 0; i < 30; ++i) {
        EXPECT_DOUBLE_EQ(both.values[i], (first.values[i] + second.values[i]) / 2);
        for (auto& kind : value_error_kinds()) {
            auto error = [&](const SvdErrors& of) { return of.modes[0].values[i].*kind.range; };
            EXPECT_DOUBLE_EQ(error(both).mean, (error(first).mean + error(second).mean) / 2);
            EXPECT_EQ(error(both).most, std::max(error(first).most, error(second).most));
            EXPECT_LE(error(first).mean, error(first).most);
        }
        for (auto kind : {&ValueError::absolute, &ValueError::relative})
            EXPECT_EQ((first.modes[0].values[i].*kind).most, (first.modes[0].values[i].*kind).mean);
    }
    for (auto range : {&ModeErrors::product, &ModeErrors::residual}) {
        auto error = [&](const SvdErrors& of) { return of.modes[0].*range; };
        EXPECT_DOUBLE_EQ(error(both).mean, (error(first).mean + error(second).mean) / 2);
        EXPECT_EQ(error(both).most, std::max(error(first).most, error(second).most));
    }
}

TEST(SvdErrors, VectorsAndProductsAreComparedWithLapacks) {
    double in_double = 0;
    for (bool single : {false, true}) {
        auto errors = errors_over(2, 1, single);
        EXPECT_EQ(errors.n_pairs(), 60);
        EXPECT_EQ(errors.n_left_out(), 0);
        EXPECT_EQ(errors.compared, std::vector<int>(30, 2));
        // A vector moves by some roundings of the largest value over the distance to the next one.
        double epsilon = single ? 1.2e-7 : 2.2e-16;
        auto& mode = errors.modes[0];
        for (auto& range : {mode.all.u, mode.all.v, mode.product}) {
            EXPECT_GT(range.mean, 1e-2 * epsilon);
            EXPECT_LT(range.mean, 100 * epsilon);
            EXPECT_GT(range.most, range.mean);
            EXPECT_LT(range.most, 1e4 * epsilon);
        }
        EXPECT_GT(mode.residual.mean, epsilon / 10);
        EXPECT_LT(mode.residual.most, 20 * epsilon);
        auto table = errors_table(errors);
        EXPECT_NE(table.find("0 of 60 pairs of vectors are left out"), std::string::npos) << table;
        if (single) {
            EXPECT_GT(mode.all.u.mean, 1e6 * in_double);
        } else {
            in_double = mode.all.u.mean;
        }
    }
}

TEST(SvdErrors, VectorsOfCloseValuesAreLeftOutAndCounted) {
    auto stream = find_device("cpu").create_stream();
    auto blas = make_blas(*stream);
    SvdErrorStudy study(*blas, {.matrix = {"one-large", 12, 12, 1e3, 3},
                                .seeds = 1,
                                .modes = {"divide-conquer"},
                                .settings = {}});
    SolverRun run;
    study.add_matrix(run);
    auto errors = study.errors();
    // One value is 1, the others are 1e-3.
    EXPECT_EQ(errors.n_left_out(), 11);
    EXPECT_LT(errors.modes[0].values[0].u.most, 1e-13);
    EXPECT_EQ(errors.modes[0].values.back().u.mean, -1);
    EXPECT_LT(errors.modes[0].residual.most, 1e-14);
    EXPECT_EQ(errors_json(errors).at("vectors").at("left_out"), errors.n_left_out());
}

TEST(SvdErrors, OfVectorsDoNotExistWithoutThem) {
    auto stream = find_device("cpu").create_stream();
    auto blas = make_blas(*stream);
    SvdErrorStudy study(*blas, {.matrix = {"uniform", 6, 4, 1, 0},
                                .seeds = 1,
                                .vectors = SvdVectors::none,
                                .modes = {"golub-reinsch"},
                                .settings = {}});
    SolverRun run;
    study.add_matrix(run);
    auto json = errors_json(study.errors());
    EXPECT_TRUE(json.at("vectors").is_null());
    for (const char* name : {"u_mean", "v_max", "product_mean", "residual_max"})
        EXPECT_TRUE(json.at("modes").at(0).at(name).is_null()) << name;
    EXPECT_EQ(vectors_text(study.errors()), "");
    EXPECT_EQ(errors_table(study.errors()).find("A-USV'"), std::string::npos);
}

TEST(SvdErrors, ValuesThatAreZeroHaveNoRelativeError) {
    auto stream = find_device("cpu").create_stream();
    auto blas = make_blas(*stream);
    SvdErrorStudy study(
        *blas,
        {.matrix = {"zero", 5, 5, 1, 0}, .seeds = 1, .modes = {"divide-conquer"}, .settings = {}});
    SolverRun run;
    study.add_matrix(run);
    auto errors = study.errors();
    EXPECT_EQ(errors.modes[0].all.absolute.most, 0);
    EXPECT_EQ(errors.modes[0].all.relative.mean, -1);
    EXPECT_TRUE(errors_json(errors).at("modes").at(0).at("relative_mean").is_null());
}

}  // namespace
}  // namespace tl::svd_errors_tests

// The table of measured widths, and solvers that take theirs from it.
#include <gtest/gtest.h>

#include <fstream>

#include "core/base/error.h"
#include "core/device/device.h"
#include "solvers/dense/lu/lu.h"
#include "solvers/dense/matrix_kinds.h"
#include "solvers/tuning/tuning.h"
#include "tests/unit/temp_folder.h"

namespace tl::tuning_tests {
namespace {

TEST(Tuning, TheRowOfTheNearestSizeIsFound) {
    Tuning tuning;
    tuning.replace({{"A", "lu", 8, 1000, 64, 128, 1, 2},
                    {"A", "lu", 8, 4000, 128, 256, 1, 2},
                    {"A", "lu", 4, 1000, 32, 32, 1, 2},
                    {"B", "lu", 8, 1000, 96, 96, 1, 2}});
    EXPECT_EQ(tuning.find("A", "lu", 8, 1100)->block, 128);
    EXPECT_EQ(tuning.find("A", "lu", 8, 2500)->block, 256);
    EXPECT_EQ(tuning.find("A", "lu", 4, 500)->block, 32);
    EXPECT_EQ(tuning.find("A", "lu", 8, 499), nullptr);
    EXPECT_EQ(tuning.find("A", "lu", 8, 8001), nullptr);
    EXPECT_EQ(tuning.find("A", "svd", 8, 1000), nullptr);
    EXPECT_EQ(tuning.find("C", "lu", 8, 1000), nullptr);
    tuning.replace({{"A", "svd", 8, 1000, 0, 16, 1, 2}});
    EXPECT_EQ(tuning.find("A", "lu", 8, 1100), nullptr);
    EXPECT_EQ(tuning.find("A", "svd", 8, 1000)->block, 16);
    EXPECT_EQ(tuning.find("B", "lu", 8, 1000)->block, 96);
}

TEST(Tuning, AFileHasTheSameRows) {
    test::TempFolder folder;
    auto path = folder.write("none", "") + "-folder/tuning.txt";
    EXPECT_TRUE(Tuning::read(path).rows().empty());
    Tuning tuning;
    tuning.replace({{"Fast GPU 9", "lu", 8, 1000, 64, 128, 0.25, 0.5},
                    {"CPU, 2 threads", "svd", 4, 20, 0, 16, 1e-3, 1e-3}});
    tuning.write(path);
    auto read = Tuning::read(path);
    ASSERT_EQ(read.rows().size(), 2u);
    EXPECT_EQ(read.rows()[0].device, "Fast GPU 9");
    EXPECT_EQ(read.rows()[0].leaf, 64);
    EXPECT_EQ(read.rows()[0].seconds, 0.25);
    EXPECT_EQ(read.rows()[1].block, 16);
}

TEST(Tuning, ADamagedFileIsNamedWithItsLine) {
    test::TempFolder folder;
    const std::string head = "treelight tuning 1\n", good = "A\tlu\t8\t10\t64\t64\t1\t1\n";
    for (const char* bad : {"A\tlu\t8\t10\t64\n", "A\n", "A\tqr\t8\t10\t64\t64\t1\t1\n",
                            "A\tlu\t8\t-1\t64\t64\t1\t1\n", "A\tlu\t8\t10\t64\t9999\t1\t1\n",
                            "A\tlu\t8\t10\t64\t64\t1\t1 x\n"})
        try {
            (void)Tuning::read(folder.write("t", head + good + bad));
            ADD_FAILURE() << bad;
        } catch (const UserError& error) {
            EXPECT_NE(std::string(error.what()).find("t:3: "), std::string::npos) << error.what();
        }
    EXPECT_THROW((void)Tuning::read(folder.write("t", good)), UserError);
}

TEST(Tuning, SolversTakeTheWidthsThatAreLeftOpen) {
    Device& device = find_device("cpu");
    auto stream = device.create_stream();
    auto blas = make_blas(*stream);
    auto a = make_matrix<double>(*blas, {"uniform", 300, 300, 1, 1});
    auto factors = [&](const char* block) {
        auto solver = make_lu_solver("blocked", device);
        auto settings = solver->settings();
        find_setting(settings, "block", "blocked").set(block);
        SolverRun run;
        return solver->factorise(*stream, a.view(), run).lu.download(*stream);
    };
    auto by_itself = factors("0"), narrow = factors("16"), wide = factors("200");
    ASSERT_NE(narrow, by_itself);
    Tuning tuning;
    tuning.replace({{device.name(), "lu", 8, 256, 0, 16, 1, 2}});
    use_tuning(tuning);
    EXPECT_EQ(factors("0"), narrow);
    EXPECT_EQ(factors("200"), wide);
    use_tuning({});
    EXPECT_EQ(factors("0"), by_itself);
}

}  // namespace
}  // namespace tl::tuning_tests

// Tables and numbers of results.
#include "app/jobs/format.h"
#include "app/jobs/text_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/solve/accuracy_text.h"

namespace tl::text_table_tests {
namespace {

TEST(TextTable, NumbersHaveThreeDigits) {
    EXPECT_EQ(three_digits(0), "0");
    EXPECT_EQ(three_digits(0.0123456), "0.0123");
    EXPECT_EQ(three_digits(-1.23456), "-1.23");
    EXPECT_EQ(three_digits(9.999), "10.0");
    EXPECT_EQ(three_digits(12.3456), "12.3");
    EXPECT_EQ(three_digits(999.7), "1000");
    EXPECT_EQ(three_digits(123456.7), "123457");
    EXPECT_EQ(three_digits(1.23456e-9), "1.23e-09");
    EXPECT_EQ(three_digits(5e12), "5.00e+12");
    EXPECT_EQ(three_digits(std::nan("")), "nan");
}

TEST(TextTable, ColumnsAreAlignedAndTitlesStandOnce) {
    testing::internal::CaptureStdout();
    TextTable table("mode", 8);
    table.row("a").number("median ms", 1.5).cell("count", "12").print();
    table.row("longer").number("median ms", 123.4).cell("count", "7").print();
    table.row("b").number("GFLOP/s", 20).note("note", "x").print();
    EXPECT_EQ(testing::internal::GetCapturedStdout(),
              "  mode      median ms      count\n"
              "  a              1.50         12\n"
              "  longer          123          7\n"
              "  mode        GFLOP/s  note\n"
              "  b              20.0  x\n");
}

TEST(TextTable, ErrorsOfRoundingAreMultiplesOfEpsN) {
    double unit = rounding_unit(100, 50, false);
    EXPECT_NEAR(unit, 100 * 0x1p-52, 1e-25);
    auto relative = accuracy_text("orthogonality_u", 2 * unit, unit);
    EXPECT_EQ(relative.name, "orthogonality U");
    EXPECT_EQ(relative.value, "2.00 x eps n");
    EXPECT_EQ(accuracy_text("residual", 0.0263, 1).value, "0.0263 x eps n");
    EXPECT_EQ(accuracy_text("growth", 7.554, unit).value, "7.55");
    EXPECT_EQ(accuracy_text("some_key", "not measured", unit).name, "some key");
    EXPECT_EQ(accuracy_text("some_key", "not measured", unit).value, "not measured");
}

}  // namespace
}  // namespace tl::text_table_tests

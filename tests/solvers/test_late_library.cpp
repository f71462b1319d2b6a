// Shared libraries that are opened when they are first needed.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "accel/parallel/error.h"
#include "solvers/dense/late_library.h"

namespace tl::late_library_tests {
namespace {

std::string message_of(const LateFunction<double(double)>& function) {
    try {
        function(1);
    } catch (const UserError& error) {
        return error.what();
    }
    return "no error";
}

TEST(LateLibrary, ItsFunctionsAreCalledLikeAnyOther) {
    const LateLibrary mathematics("the mathematics library", "libm.so.6");
    const LateFunction<double(double)> cosine(mathematics, "cos");
    const LateFunction<double(double, double)> power(mathematics, "pow");
    EXPECT_EQ(cosine(0.5), std::cos(0.5));
    EXPECT_EQ(cosine(0.25), std::cos(0.25));
    EXPECT_EQ(power(2, 10), 1024);
}

TEST(LateLibrary, WhatIsMissingIsNamedAtEachCall) {
    const LateLibrary nowhere("cuNothing", "libcunothing.so.1"),
        mathematics("mathematics", "libm.so.6");
    const LateFunction<double(double)> of_nowhere(nowhere, "cos"),
        unknown(mathematics, "no_such_function");
    for (int time = 0; time < 2; ++time) {
        EXPECT_NE(message_of(of_nowhere).find("cuNothing cannot be opened (libcunothing.so.1"),
                  std::string::npos)
            << message_of(of_nowhere);
        EXPECT_NE(message_of(unknown).find("libm.so.6 has no function no_such_function"),
                  std::string::npos)
            << message_of(unknown);
    }
}

}  // namespace
}  // namespace tl::late_library_tests

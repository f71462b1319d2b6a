// Shared libraries that are opened when they are first needed.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/base/error.h"
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
    const LateLibrary mathematics("the mathematics library", "libm.so.6", "/lib", "libc6");
    const LateFunction<double(double)> cosine(mathematics, "cos");
    const LateFunction<double(double, double)> power(mathematics, "pow");
    EXPECT_EQ(cosine(0.5), std::cos(0.5));
    EXPECT_EQ(cosine(0.25), std::cos(0.25));
    EXPECT_EQ(power(2, 10), 1024);
}

TEST(LateLibrary, WhatIsMissingIsNamedAtEachCall) {
    const LateLibrary nowhere("cuNothing", "libcunothing.so.1", "/nowhere", "nothing"),
        mathematics("mathematics", "libm.so.6", "/lib", "libc6");
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

int n_before = 0, n_after = 0;

void refuse_at_first() {
    if (++n_before == 1) throw UserError("not yet");
}

TEST(LateLibrary, WhatIsCalledBeforeMayRefuseToOpenIt) {
    const LateLibrary mathematics("mathematics", "libm.so.6", "/lib", "libc6",
                                  {refuse_at_first, [](void* handle) { n_after += !!handle; }});
    const LateFunction<double(double)> cosine(mathematics, "cos"), sine(mathematics, "sin");
    EXPECT_EQ(message_of(cosine), "not yet");
    mathematics.with_handle([](void* handle) { EXPECT_EQ(handle, nullptr); });
    EXPECT_EQ(cosine(0.5), std::cos(0.5));
    EXPECT_EQ(sine(0.5), std::sin(0.5));
    mathematics.with_handle([](void* handle) { EXPECT_NE(handle, nullptr); });
    EXPECT_EQ(n_before, 2);
    EXPECT_EQ(n_after, 1);
}

}  // namespace
}  // namespace tl::late_library_tests

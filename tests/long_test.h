// Marks tests that take long for what they draw, count or average rather than for the code that
// they reach, which shorter tests reach as well. Runs that look for faults in memory, which
// sanitizers make ten times as slow, leave them out: with TREELIGHT_SKIP_LONG_TESTS set. Scripts
// that take long have the label `long` of CTest.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

namespace tl::test {

[[nodiscard]] inline bool skips_long_tests() {
    static const bool skips = std::getenv("TREELIGHT_SKIP_LONG_TESTS") != nullptr;
    return skips;
}

}  // namespace tl::test

/// First line of a long test.
#define TL_LONG_TEST() TL_LONG_TEST_IF(true)
/// First line of a test that is long for some of its parameters.
#define TL_LONG_TEST_IF(condition)                     \
    if (::tl::test::skips_long_tests() && (condition)) \
    GTEST_SKIP() << "a long test, left out by request"

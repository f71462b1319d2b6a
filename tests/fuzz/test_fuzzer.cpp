// The fuzzer finds the failures it should find, and its inputs do not depend on the machine.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "core/base/error.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/repair.h"
#include "tests/fuzz/supervisor.h"
#include "tests/fuzz/worker.h"

namespace tl::fuzz {
namespace {

using Warnings = std::vector<std::string>;

/// First finding about a reader; "" if it has no fault.
std::string fault_of(Warnings (*read)(const std::string&), std::uint64_t n_valid = 0) {
    Reader reader{.name = "made-up", .read = read, .most_seconds = 0.5};
    auto three = [](std::uint64_t number) {
        return number < 3 ? std::optional(Input{".txt", "abc"}) : std::nullopt;
    };
    Tally tally = watch_reader(reader, three, 60, n_valid);
    if (tally.findings.empty()) return {};
    EXPECT_EQ(tally.findings.size(), 1u);
    EXPECT_EQ(tally.findings[0].count, 3u);
    EXPECT_EQ(tally.findings[0].number, 0u);
    EXPECT_EQ(tally.findings[0].input.bytes, "abc");
    return tally.findings[0].what;
}

volatile std::size_t sink = 0;
void* volatile kept = nullptr;

TEST(Fuzzer, ReadersThatAnswerProperlyPass) {
    EXPECT_EQ(fault_of([](auto& path) { return Warnings{path + ": a warning"}; }, 3), "");
    EXPECT_EQ(fault_of([](auto& path) -> Warnings { throw UserError(path + ": is bad"); }), "");
    EXPECT_EQ(
        fault_of([](auto& path) { return Warnings(1000, path + ": memory that is given back"); }),
        "");
}

TEST(Fuzzer, FaultsAreFound) {
    EXPECT_EQ(fault_of([](auto&) -> Warnings { std::abort(); }).substr(0, 6), "crash:");
    EXPECT_EQ(fault_of([](auto&) -> Warnings { throw std::length_error("vector"); }),
              "exception: std::length_error: vector");
    EXPECT_EQ(fault_of([](auto&) -> Warnings { throw UserError("is bad"); }),
              "message: a refusal names no file: is bad");
    EXPECT_EQ(fault_of([](auto&) { return Warnings{""}; }), "message: a warning is empty: ");
    EXPECT_EQ(fault_of([](auto& path) -> Warnings { throw UserError(path); }, 3),
              "seed: a valid file is refused");
}

TEST(Fuzzer, MemoryIsCounted) {
    auto take_much = [](auto&) {
        std::vector<char> much(std::size_t{3} << 20);
        sink = much.size();
        return Warnings(much.data() == nullptr ? 1 : 0);
    };
    EXPECT_EQ(fault_of(take_much).substr(0, 7), "memory:");
    auto leak = [](auto&) {
        kept = std::malloc(100);  // NOLINT: the leak that is to be found
        return Warnings{};
    };
    EXPECT_EQ(fault_of(leak), "leak: at every reading");
}

TEST(Fuzzer, InputsWithoutEndAreEnded) {
    auto hang = [](auto&) -> Warnings {
        for (;;) sink = sink + 1;
    };
    EXPECT_EQ(fault_of(hang), "slow: does not end");
}

TEST(Mutator, InputsDependOnTheirNumberAndTheSeedAlone) {
    std::vector<Input> seeds{{".a", "v 1.5 -2 word\nsecond line\n"}, {".b", "other words"}};
    Mutator one(seeds, 7), same(seeds, 7), another(seeds, 8);
    EXPECT_EQ(one.input(0).bytes, seeds[0].bytes);
    EXPECT_EQ(one.input(1).ending, ".b");
    std::set<std::string> different;
    int n_equal_to_another = 0;
    for (std::uint64_t number = 2000; number-- > 2;) {
        std::string bytes = one.input(number).bytes;
        EXPECT_EQ(bytes, same.input(number).bytes);
        EXPECT_LE(bytes.size(), Mutator::kMostBytes);
        n_equal_to_another += bytes == another.input(number).bytes;
        different.insert(std::move(bytes));
    }
    EXPECT_GT(different.size(), 1500u);
    EXPECT_LT(n_equal_to_another, 200);
    // The mutated text is the same on every machine.
    EXPECT_EQ(one.input(1008).bytes, "v 1.5 -\"other/2 word\nsecond line\n");
}

TEST(Repair, SumsAndLengthsFitAgain) {
    // Empty chunk at the end of any PNG, whose checksum is known.
    std::string png("\x89PNG\r\n\x1a\n\0\0\0\0IEND\xae\x42\x60\x82", 20);
    std::string damaged = png;
    damaged[17] = 'x';
    repair(damaged);
    EXPECT_EQ(damaged, png);

    std::string glb("glTF\2\0\0\0????????JSON{}  ????BIN\0abcd", 36);
    repair(glb);
    EXPECT_EQ(glb, std::string("glTF\2\0\0\0\x24\0\0\0\4\0\0\0JSON{}  \4\0\0\0BIN\0abcd", 36));
    std::string text = "any other text";
    repair(text);
    EXPECT_EQ(text, "any other text");
}

TEST(Mutator, AnEmptySeedStaysEmpty) {
    Mutator mutator({{".a", ""}}, 1);
    for (std::uint64_t number = 0; number < 100; ++number)
        EXPECT_EQ(mutator.input(number).bytes, "");
}

}  // namespace
}  // namespace tl::fuzz

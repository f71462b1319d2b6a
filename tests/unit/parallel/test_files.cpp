// Atomic file writes: a file appears complete or not at all; texts of files in messages.
#include "accel/parallel/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "accel/parallel/json_depth.h"
#include "accel/parallel/one_line.h"
#include "tests/unit/temp_folder.h"

namespace tl {
namespace {

using test::refusal;
using test::TempFolder;

std::size_t entries_of(const TempFolder& folder) {
    std::filesystem::directory_iterator entries(folder.path(""));
    return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

TEST(Files, WhatIsWrittenReplacesWhatStoodThere) {
    TempFolder folder;
    std::string path = folder.write("a", "something longer");
    FileWriter file(path);
    file.write("one ");
    EXPECT_EQ(read_file(path), "something longer");
    file.write({"two\0", 4});
    file.finish();
    EXPECT_EQ(read_file(path), (std::string{"one two\0", 8}));
    write_file(path, "");
    EXPECT_EQ(read_file(path), "");
    EXPECT_EQ(entries_of(folder), 1u);
}

TEST(Files, WhatIsNotFinishedLeavesNothing) {
    TempFolder folder;
    std::string path = folder.write("a", "kept");
    FileWriter(path).write("lost");
    FileWriter(folder.path("b")).write("lost");
    EXPECT_EQ(read_file(path), "kept");
    EXPECT_EQ(entries_of(folder), 1u);
}

TEST(Files, RefusalsNameTheFileAndTheReason) {
    TempFolder folder;
    std::string message = refusal([&] { write_file(folder.path("none/a"), "text"); });
    TL_EXPECT_CONTAINS(message, "none/a: cannot be written: No such file or directory; ");
    TL_EXPECT_CONTAINS(refusal([&] { write_file(folder.path(""), "text"); }), "Is a directory");
    EXPECT_EQ(entries_of(folder), 0u);
}

TEST(Files, PipesStayPipes) {
    TempFolder folder;
    std::string path = folder.path("pipe");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
    write_file(path, "text");
    char text[8];
    EXPECT_EQ(read(reader, text, sizeof text), 4);
    close(reader);
    EXPECT_TRUE(std::filesystem::is_fifo(path));
    EXPECT_EQ(entries_of(folder), 1u);
}

TEST(JsonDepth, CountsBracketsOutsideOfTexts) {
    EXPECT_EQ(json_depth(""), 0u);
    EXPECT_EQ(json_depth("12"), 0u);
    EXPECT_EQ(json_depth(R"({"a": [1, {}], "b": []})"), 3u);
    EXPECT_EQ(json_depth(R"(["[[[", "\"[[", "\\", [1]])"), 2u);
    EXPECT_EQ(json_depth(R"("\\"[[)"), 2u);
    EXPECT_EQ(json_depth("]]]["), 1u);
    EXPECT_EQ(json_depth(std::string(1'000'000, '[')), 1'000'000u);
}

TEST(OneLine, IsPrintableAndBounded) {
    EXPECT_EQ(one_line("\n a\n\tb\x1b[0m \x7f"), "a b [0m");
    EXPECT_EQ(one_line("caf\xc3\xa9"), "caf\xc3\xa9");
    EXPECT_EQ(one_line("abcdef", 3), "abc...");
    EXPECT_EQ(one_line("abc", 3), "abc");
}

}  // namespace
}  // namespace tl

// Atomic file writes: a file appears complete or not at all; texts of files in messages.
#include "core/base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "core/base/json_depth.h"
#include "core/base/one_line.h"
#include "core/base/paths.h"
#include "tests/unit/temp_folder.h"

namespace tl::files_tests {
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

TEST(Files, LinksStayLinks) {
    TempFolder folder;
    std::string path = folder.write("target", "old"), link = folder.path("link");
    std::filesystem::create_symlink("target", link);
    write_file(link, "new");
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(read_file(path), "new");
    EXPECT_EQ(entries_of(folder), 2u);
}

TEST(Files, PermissionsStay) {
    TempFolder folder;
    std::string path = folder.write("a", "old");
    chmod(path.c_str(), 0600);
    write_file(path, "new");
    struct stat now {};
    ASSERT_EQ(stat(path.c_str(), &now), 0);
    EXPECT_EQ(now.st_mode & 0777, 0600u);
}

TEST(Files, NamesMayBeAsLongAsTheSystemAllows) {
    TempFolder folder;
    std::string path = folder.path(std::string(255, 'n'));
    write_file(path, "text");
    EXPECT_EQ(read_file(path), "text");
}

TEST(Files, ASetIsMovedWhenAllOfItIsComplete) {
    TempFolder folder;
    std::string first = folder.write("first", "old"), second = folder.write("second", "old");
    FileWriter a(first), b(second);
    a.write("new");
    b.write("new");
    a.complete();
    EXPECT_EQ(read_file(first), "old");
    b.complete();
    EXPECT_EQ(read_file(first), "old");
    a.publish();
    EXPECT_EQ(read_file(first), "new");
    EXPECT_EQ(read_file(second), "old");
    b.publish();
    EXPECT_EQ(read_file(second), "new");
    EXPECT_EQ(entries_of(folder), 2u);
}

TEST(Files, WhatCannotBeWrittenIsKnownBefore) {
    TempFolder folder;
    std::string kept = folder.write("kept", "text");
    require_writable(kept);
    require_writable(folder.path("new"));
    require_writable("/dev/null");
    EXPECT_EQ(read_file(kept), "text");
    EXPECT_EQ(entries_of(folder), 1u);
    TL_EXPECT_CONTAINS(refusal([&] { require_writable(folder.path("none/a")); }),
                       "none/a: cannot be written: No such file or directory; ");
    TL_EXPECT_CONTAINS(refusal([&] { require_writable(folder.path("")); }), "Is a directory");
    TL_EXPECT_CONTAINS(refusal([&] { require_writable(kept + "/a"); }), "Not a directory");
    TL_EXPECT_CONTAINS(refusal([&] { require_writable(kept, std::uint64_t{1} << 62); }),
                       " bytes, and it takes at least 4611686018427387904; make room");
    if (geteuid() == 0) return;  // whom no permissions hold back
    chmod(kept.c_str(), 0400);
    TL_EXPECT_CONTAINS(refusal([&] { require_writable(kept); }), "Permission denied");
    chmod(folder.path("").c_str(), 0500);
    TL_EXPECT_CONTAINS(refusal([&] { require_writable(folder.path("new")); }), "Permission denied");
    chmod(folder.path("").c_str(), 0700);
}

TEST(Files, TemporaryFilesCanBeRemovedAtOnce) {
    TempFolder folder;
    FileWriter a(folder.path("a")), b(folder.path("b"));
    EXPECT_EQ(entries_of(folder), 2u);
    remove_temporary_files();
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

TEST(Files, APipeThatNobodyReadsIsWaitedForButNotForEver) {
    TempFolder folder;
    std::string path = folder.path("pipe");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    TL_EXPECT_CONTAINS(refusal([&] { write_file(path, "text"); }),
                       path + ": is a pipe that nobody reads; start its reader, or name a file");
    // A reader that comes late.
    std::string read_text;
    std::thread reader([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        std::ifstream(path) >> read_text;
    });
    write_file(path, "text");
    reader.join();
    EXPECT_EQ(read_text, "text");
}

TEST(Files, OnlyRegularFilesAreReadAndNothingIsWaitedFor) {
    TempFolder folder;
    std::string pipe = folder.path("pipe"), socket_path = folder.path("socket");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    ASSERT_LT(socket_path.size(), sizeof address.sun_path);
    socket_path.copy(address.sun_path, socket_path.size());
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(bind(server, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const std::pair<std::string, const char*> others[] = {{pipe, "a pipe"},
                                                          {socket_path, "a socket"},
                                                          {"/dev/zero", "a device"},
                                                          {folder.path(""), "folder"},
                                                          {folder.path("none"), "no such file"}};
    for (auto& [path, words] : others)
        for (bool whole : {true, false}) {
            std::string message =
                refusal([&] { whole ? (void)read_file(path) : (void)regular_file_size(path); });
            EXPECT_TRUE(message.starts_with(path + ": ")) << message;
            TL_EXPECT_CONTAINS(message, words);
        }
    close(server);
    EXPECT_EQ(regular_file_size(folder.write("a", "five\n")), 5u);
}

TEST(Files, WhatIsLargerThanMemoryIsRefusedBeforeItIsRead) {
    TempFolder folder;
    std::string path = folder.write("hole", "");
    ASSERT_EQ(truncate(path.c_str(), off_t{1} << 42), 0);
    TL_EXPECT_CONTAINS(refusal([&] { (void)read_file(path); }), "hole: the file needs about");
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

TEST(OneLine, EscapedTextKeepsAllBytes) {
    using std::string_literals::operator""s;
    EXPECT_EQ(escaped("a\0\x1f\x7f\xc3\xa9"s), "a\\x00\\x1f\\x7f\xc3\xa9");
    EXPECT_EQ(hex_text(0x0a), "0a");
    EXPECT_EQ(hex_text(0xf0), "f0");
}

TEST(Paths, AreAbsoluteWithoutDots) {
    auto here = std::filesystem::current_path();
    EXPECT_EQ(absolute_path("a.obj"), here / "a.obj");
    EXPECT_EQ(absolute_path("a/../b/./c"), here / "b/c");
    EXPECT_EQ(absolute_path("/a/../b"), "/b");
    EXPECT_EQ(absolute_path(""), "");
}

}  // namespace
}  // namespace tl::files_tests

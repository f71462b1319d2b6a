// Atomic file writes: a file appears complete or not at all.
#include "accel/parallel/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

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

}  // namespace
}  // namespace tl

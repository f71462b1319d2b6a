#include "app/jobs/video_writer.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/redirect_writes.h"
#include "core/base/text.h"

extern char** environ;

namespace tl {
namespace {

namespace fs = std::filesystem;

/// Path beside the video, with its extension, from which ffmpeg takes the format.
std::string part_path(const fs::path& path) {
    auto name = "." + path.stem().string() + "." + std::to_string(getpid()) + ".part" +
                path.extension().string();
    return (path.parent_path() / name).string();
}

std::vector<std::string> ffmpeg_arguments(const std::string& part, Extent size, float fps) {
    auto extent = std::to_string(size.width) + "x" + std::to_string(size.height);
    std::vector<std::string> all{"ffmpeg", "-hide_banner", "-loglevel",      "error", "-y",
                                 "-f",     "rawvideo",     "-pixel_format",  "rgb24", "-video_size",
                                 extent,   "-framerate",   number_text(fps), "-i",    "-"};
    // The usual kind of video has an even number of rows and columns.
    if (size.width % 2 != 0 || size.height % 2 != 0)
        all.insert(all.end(), {"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"});
    all.insert(all.end(), {"-pix_fmt", "yuv420p", part.starts_with('-') ? "./" + part : part});
    return all;
}

/// Starts ffmpeg; returns an error number.
int start_ffmpeg(const std::vector<std::string>& words, int input, int messages, pid_t& process) {
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, messages, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
    // Ctrl+C is for this program, which then lets ffmpeg finish or ends it.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    int error = posix_spawnp(&process, "ffmpeg", &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/// Returns the last line of a file, where programs say why they have failed.
std::string last_line_of(int file) {
    std::string text;
    std::array<char, 4096> buffer;
    lseek(file, 0, SEEK_SET);
    for (ssize_t n = 0; (n = read(file, buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<std::size_t>(n));
    auto lines = trimmed(text);
    auto from = lines.rfind('\n');
    return std::string(from == std::string_view::npos ? lines : lines.substr(from + 1));
}

/// A process that writes a file. Signal handlers read it.
struct RunningVideo {
    std::atomic<pid_t> process = 0;  // 0: free; kReserved: being filled in
    std::string part;
};
constexpr pid_t kReserved = -1;
std::array<RunningVideo, 8> running_videos;

/// Reserves a slot in the list; returns the length of the list if none is free.
std::size_t note_video(pid_t process, const std::string& part) {
    for (std::size_t i = 0; i < running_videos.size(); ++i) {
        pid_t free = 0;
        if (!running_videos[i].process.compare_exchange_strong(free, kReserved)) continue;
        running_videos[i].part = part;
        running_videos[i].process = process;
        return i;
    }
    return running_videos.size();
}

void forget_video(std::size_t slot) {
    if (slot < running_videos.size()) running_videos[slot].process = 0;
}

}  // namespace

void end_unfinished_videos() {
    for (auto& video : running_videos) {
        pid_t process = video.process;
        if (process <= 0) continue;
        kill(process, SIGKILL);
        unlink(video.part.c_str());
    }
}

bool is_video(const std::string& path) {
    auto ending = lower_case(fs::path(path).extension().string());
    constexpr std::array kEndings{".mp4", ".mkv", ".mov", ".webm"};
    return std::ranges::find(kEndings, ending) != kEndings.end();
}

VideoWriter::VideoWriter(const std::string& path, Extent size, float fps)
    : path_(place_of_write(path)), part_(part_path(path_)), size_(size) {
    require_writable(path_);
    // To a socket one can write without the signal that ends programs whose reader has gone.
    int ends[2] = {-1, -1};
    messages_ = memfd_create("ffmpeg", MFD_CLOEXEC);
    if (messages_ < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw UserError(path_ + ": no pipe to ffmpeg: " + std::strerror(errno));
    pipe_ = ends[0];
    pid_t process = -1;
    int error = start_ffmpeg(ffmpeg_arguments(part_, size, fps), ends[1], messages_, process);
    close(ends[1]);
    if (error != 0) {
        close_pipe();
        close(messages_);
        throw UserError(path_ + ": videos are made by ffmpeg, which cannot be started (" +
                        std::strerror(error) +
                        "): install it, or write pictures into frame_%04d.png");
    }
    process_ = process;
    slot_ = note_video(process, part_);
}

VideoWriter::~VideoWriter() {
    if (process_ >= 0) {
        kill(process_, SIGKILL);
        close_pipe();
        (void)wait();
        unlink(part_.c_str());
    }
    if (messages_ >= 0) close(messages_);
}

void VideoWriter::close_pipe() {
    if (pipe_ >= 0) close(std::exchange(pipe_, -1));
}

bool VideoWriter::wait() {
    int status = 0;
    forget_video(slot_);  // before its number can be another process's
    while (waitpid(process_, &status, 0) < 0)
        if (errno != EINTR) break;
    process_ = -1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void VideoWriter::fail() {
    close_pipe();
    (void)wait();
    unlink(part_.c_str());
    auto said = last_line_of(messages_);
    throw UserError(path_ + ": ffmpeg has failed" + (said.empty() ? "" : ": " + said));
}

void VideoWriter::add(const Image8& picture) {
    std::vector<std::uint8_t> rgb;
    rgb.reserve(picture.rgba.size() / 4 * 3);
    for (std::size_t i = 0; i < picture.rgba.size(); i += 4)
        rgb.insert(rgb.end(), &picture.rgba[i], &picture.rgba[i] + 3);
    for (std::size_t sent = 0; sent < rgb.size();) {
        ssize_t n = send(pipe_, rgb.data() + sent, rgb.size() - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail();
        sent += static_cast<std::size_t>(n);
    }
}

void VideoWriter::finish() {
    close_pipe();
    if (!wait()) fail();
    if (std::rename(part_.c_str(), path_.c_str()) == 0) return;
    int error = errno;
    unlink(part_.c_str());
    throw UserError(path_ + ": cannot be written: " + std::strerror(error));
}

}  // namespace tl

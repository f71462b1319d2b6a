#include "renderer/scene/loaders/run_apart.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include "accel/parallel/error.h"

namespace tl {
namespace {

constexpr char kResult = 'R', kError = 'E';

void write_all(int file, const char* bytes, std::size_t size) {
    while (size > 0) {
        ssize_t n = write(file, bytes, size);
        if (n < 0 && errno != EINTR) _exit(1);
        if (n <= 0) continue;
        bytes += n;
        size -= static_cast<std::size_t>(n);
    }
}

/// Bytes of private memory that this process has mapped; 0 where the system does not tell.
rlim_t mapped_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmData:")) return std::stoull(line.substr(7)) << 10;
    return 0;
}

/// Leaves the terminal to the parent, dies quietly, and is what the kernel ends when memory runs
/// out.
void settle_child(ApartLimits limits) {
    for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGINT, SIGXCPU})
        std::signal(signal, SIG_DFL);
    const rlimit no_core{0, 0}, time{limits.seconds, limits.seconds};
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_CPU, &time);
    if (rlim_t mapped = mapped_bytes(); mapped > 0) {
        const rlimit memory{mapped + limits.bytes, mapped + limits.bytes};
        setrlimit(RLIMIT_DATA, &memory);
    }
    if (int none = open("/dev/null", O_RDWR); none >= 0) {
        dup2(none, STDOUT_FILENO);
        dup2(none, STDERR_FILENO);
    }
    if (int score = open("/proc/self/oom_score_adj", O_WRONLY); score >= 0) {
        write_all(score, "1000", 4);
        close(score);
    }
}

[[noreturn]] void run_child(int out, const std::function<std::string()>& work, ApartLimits limits) {
    settle_child(limits);
    std::string answer(1, kResult);
    try {
        answer += work();
    } catch (const std::exception& error) {
        answer = kError + message_of(error);
    } catch (...) {
        answer = std::string(1, kError) + "cannot be read";
    }
    write_all(out, answer.data(), answer.size());
    _exit(0);
}

/// All that the child writes.
std::string read_all(int file) {
    std::string bytes;
    std::string block(std::size_t{1} << 20, '\0');
    for (;;) {
        ssize_t n = read(file, block.data(), block.size());
        if (n == 0) return bytes;
        if (n > 0) bytes.append(block, 0, static_cast<std::size_t>(n));
        if (n < 0 && errno != EINTR) return {};
    }
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return status;
}

}  // namespace

std::string run_apart(const std::function<std::string()>& work, ApartLimits limits) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        throw UserError(std::string("no pipe for reading a file: ") + std::strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_child(ends[1], work, limits);
    }
    int fault = errno;
    close(ends[1]);
    std::string answer;
    if (child > 0) {
        try {
            answer = read_all(ends[0]);
        } catch (const std::bad_alloc&) {
            kill(child, SIGKILL);
            close(ends[0]);
            wait_for(child);
            throw;
        }
    }
    close(ends[0]);
    if (child < 0)
        throw UserError(std::string("no process to read a file: ") + std::strerror(fault));
    int status = wait_for(child);
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
        throw UserError("takes too much time or memory to read; it may be damaged");
    bool is_whole = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !answer.empty();
    if (!is_whole) throw UserError("is damaged, or of a kind that its reader does not know");
    if (answer[0] == kError) throw UserError(answer.substr(1));
    return answer.substr(1);
}

}  // namespace tl

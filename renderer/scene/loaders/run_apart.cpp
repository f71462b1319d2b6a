#include "renderer/scene/loaders/run_apart.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>

namespace tl {
namespace {

constexpr char kResult = 'R', kError = 'E', kShare = 'S';

/// Progress message of the child while it works, sent after kShare.
struct ProgressMessage {
    std::uint32_t phase;  ///< index of the phase
    float share;          ///< fraction of the phase that is done
};

void write_all(int file, const char* bytes, std::size_t size) {
    while (size > 0) {
        ssize_t n = write(file, bytes, size);
        if (n < 0 && errno != EINTR) _exit(1);
        if (n <= 0) continue;
        bytes += n;
        size -= static_cast<std::size_t>(n);
    }
}

/// Bytes of private memory that this process has mapped; 0 where the system does not report it.
rlim_t mapped_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmData:")) return std::stoull(line.substr(7)) << 10;
    return 0;
}

/// Prepares the child: it leaves the terminal to the parent, dies quietly, and is the process that
/// the kernel ends when memory runs out.
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

[[noreturn]] void run_child(int out, const std::function<std::string(const ReadProgress&)>& work,
                            ApartLimits limits, const std::vector<const char*>& phases) {
    settle_child(limits);
    auto send = [&](const char* what, double share) {
        auto phase = std::ranges::find(phases, std::string_view(what));
        if (phase == phases.end()) return;
        char bytes[1 + sizeof(ProgressMessage)] = {kShare};
        const ProgressMessage told{static_cast<std::uint32_t>(phase - phases.begin()),
                                   static_cast<float>(share)};
        std::memcpy(bytes + 1, &told, sizeof told);
        write_all(out, bytes, sizeof bytes);
    };
    std::string answer(1, kResult);
    try {
        answer += work({.on_work = send});
    } catch (const std::exception& error) {
        answer = kError + message_of(error);
    } catch (...) {
        answer = std::string(1, kError) + "cannot be read";
    }
    write_all(out, answer.data(), answer.size());
    _exit(0);
}

/// Reads what the child writes, and reports its progress.
class Listener {
  public:
    Listener(int file, const std::vector<const char*>& phases, const ReadProgress& progress)
        : file_(file), phases_(phases), progress_(progress) {}

    /// The child's answer, incomplete if the child ended early. Throws ApartFailure after
    /// `most_seconds` of wall-clock time; 0: no limit.
    std::string answer(std::size_t most_seconds) {
        auto start = Clock::now();
        std::string block(std::size_t{1} << 20, '\0');
        for (;;) {
            pollfd waits{file_, POLLIN, 0};
            bool silent = poll(&waits, 1, kPause) == 0;
            ssize_t n = silent ? 0 : read(file_, block.data(), block.size());
            if (n < 0 && errno != EINTR) return {};
            if (n > 0) bytes_.append(block, 0, static_cast<std::size_t>(n));
            if (n == 0 && !silent) return std::move(bytes_);
            take_shares();
            if (most_seconds > 0 && Clock::now() - start > std::chrono::seconds(most_seconds))
                throw ApartFailure(ApartFailure::Cause::limit);
            if (newest_ && Clock::now() - last_ >= std::chrono::milliseconds(kPause)) report();
        }
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr int kPause = 100;  // milliseconds

    void take_shares() {
        std::size_t at = 0;
        for (; bytes_.size() - at > sizeof(ProgressMessage) && bytes_[at] == kShare;
             at += 1 + sizeof(ProgressMessage)) {
            std::memcpy(&newest_.emplace(), bytes_.data() + at + 1, sizeof(ProgressMessage));
            report();
        }
        if (at > 0) bytes_.erase(0, at);
    }
    void report() {
        last_ = Clock::now();
        // A damaged child may send any value.
        float share = newest_->share >= 0 ? std::min(newest_->share, 1.0f) : 0;
        if (newest_->phase < phases_.size())
            progress_.report_work(phases_[newest_->phase], double{share});
    }

    int file_;
    const std::vector<const char*>& phases_;
    const ReadProgress& progress_;
    std::string bytes_;  // bytes that were not processed yet
    std::optional<ProgressMessage> newest_;
    Clock::time_point last_;
};

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return status;
}

}  // namespace

std::string run_apart(const std::function<std::string(const ReadProgress&)>& work,
                      ApartLimits limits, const std::vector<const char*>& phases,
                      const ReadProgress& progress) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        throw UserError(std::string("no pipe for reading a file: ") + std::strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_child(ends[1], work, limits, phases);
    }
    int fault = errno;
    close(ends[1]);
    std::string answer;
    if (child > 0) {
        try {
            answer = Listener(ends[0], phases, progress).answer(limits.clock_seconds);
        } catch (...) {
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
        throw ApartFailure(ApartFailure::Cause::limit);
    bool is_whole = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !answer.empty();
    if (!is_whole) throw ApartFailure(ApartFailure::Cause::crash);
    if (answer[0] == kError) throw UserError(answer.substr(1));
    return answer.substr(1);
}

}  // namespace tl

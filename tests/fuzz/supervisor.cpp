#include "tests/fuzz/supervisor.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/fuzz/worker.h"
#include "tests/unit/temp_folder.h"

namespace tl::fuzz {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMostFindings = 20;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

Board* make_board() {
    void* memory =
        mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw UserError("no memory to share with another process");
    return new (memory) Board{};
}

/// Sends the worker's output to a file; the worker dies with its supervisor and without a core
/// dump.
void settle_worker(const std::string& report) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (int file = open(report.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600); file >= 0) {
        dup2(file, STDOUT_FILENO);
        dup2(file, STDERR_FILENO);
        close(file);
    }
}

std::int64_t processor_time_of(pid_t process) {
    clockid_t clock{};
    timespec now{};
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &now) != 0) return 0;
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

struct End {
    int status = 0;
    std::string fault;  // fault for which the supervisor ended the worker
};

/// Waits for a worker, and ends it when an input takes too long. The first signal lets a sanitizer
/// report the worker's position.
End wait_for_worker(pid_t worker, const Board& board, double most_seconds) {
    constexpr double kMostWaiting = 60;  // waiting for anything but a processor, seconds
    constexpr timespec kPause{0, 2'000'000};
    End end;
    std::uint64_t number = UINT64_MAX;
    Clock::time_point begun, ended;
    while (waitpid(worker, &end.status, WNOHANG) == 0) {
        nanosleep(&kPause, nullptr);
        if (!end.fault.empty()) {
            if (seconds_since(ended) > 10) kill(worker, SIGKILL);
            continue;
        }
        if (board.number != number) {
            number = board.number;
            begun = Clock::now();
        }
        double used = 1e-9 * static_cast<double>(processor_time_of(worker) - board.started);
        if (used > most_seconds) end.fault = "slow: does not end";
        if (seconds_since(begun) > kMostWaiting) end.fault = "slow: waits without end";
        if (end.fault.empty()) continue;
        ended = Clock::now();
        kill(worker, SIGABRT);
    }
    return end;
}

/// End of the line that starts with `begin` in a report; "" if there is none.
std::string line_after(const std::string& report, std::string_view begin) {
    std::size_t at = report.find(begin);
    if (at == std::string::npos) return {};
    at += begin.size();
    return report.substr(at, report.find('\n', at) - at);
}

std::string described(const End& end, const Board& board, const std::string& report) {
    if (!end.fault.empty()) return end.fault;
    if (board.fault[0] != 0) return board.fault;
    if (auto summary = line_after(report, "SUMMARY: "); !summary.empty())
        return (summary.find("leaked") == std::string::npos ? "crash: " : "leak: ") + summary;
    if (WIFSIGNALED(end.status)) return std::string("crash: ") + strsignal(WTERMSIG(end.status));
    return "crash: exit code " + std::to_string(WEXITSTATUS(end.status));
}

/// Removes from a description everything that differs between inputs: numbers and quoted words.
std::string kind_of(const std::string& what) {
    std::string kind;
    bool quoted = false;
    for (char c : what) {
        if (c == '\'') quoted = !quoted;
        if (!quoted && !std::isdigit(static_cast<unsigned char>(c))) kind += c;
    }
    return kind.substr(0, kind.find(": ", kind.find(": ") + 1));
}

void add_finding(Tally& tally, Finding finding) {
    std::string kind = kind_of(finding.what);
    for (auto& known : tally.findings) {
        if (kind_of(known.what) != kind) continue;
        ++known.count;
        return;
    }
    tally.findings.push_back(std::move(finding));
}

}  // namespace

Tally watch_reader(const Reader& reader, const Inputs& inputs, double seconds,
                   std::uint64_t n_valid) {
    test::TempFolder folder;
    const std::string place = folder.path(".");
    copy_companions(place);
    std::string report_path = folder.path("report.txt");
    auto unmap = [](Board* board) { munmap(board, sizeof(Board)); };
    std::unique_ptr<Board, decltype(unmap)> board(make_board(), unmap);
    Tally tally;
    auto start = Clock::now();
    for (std::uint64_t first = 0; tally.findings.size() < kMostFindings;) {
        double left = seconds - seconds_since(start);
        if (left <= 0) break;
        board->fault[0] = 0;
        board->number = first;
        board->started = 0;
        pid_t worker = fork();
        if (worker < 0) throw UserError("no process to read files in");
        if (worker == 0) {
            settle_worker(report_path);
            run_worker({reader, inputs, first, n_valid, left, place}, *board);
        }
        End end = wait_for_worker(worker, *board, reader.most_seconds);
        if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0 && end.fault.empty()) break;
        std::uint64_t number = board->number;
        std::string report = read_file(report_path);
        add_finding(tally, {described(end, *board, report), number,
                            inputs(number).value_or(Input{}), report});
        first = number + 1;
    }
    tally.n_accepted = board->n_accepted;
    tally.n_refused = board->n_refused;
    tally.n_left_out = board->n_left_out;
    tally.seconds = board->seconds;
    tally.bytes = board->bytes;
    return tally;
}

}  // namespace tl::fuzz

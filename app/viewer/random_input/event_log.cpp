#include "app/viewer/random_input/event_log.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

// Only in programs that a sanitizer checks: it ends the program without a signal.
extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

namespace tl {
namespace {

constexpr std::size_t kKeptLines = 40, kLineLength = 100;
constexpr std::array kFatal = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM};

// Handlers of signals use nothing else.
char kept_lines[kKeptLines][kLineLength];
char first_line[kLineLength];
volatile std::size_t n_lines_added = 0;
pid_t own_process = 0;
std::array<struct sigaction, kFatal.size()> replaced_actions;

void print_text(const char* text) {
    // Nothing can be done where standard error cannot be written.
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

void print_and_go_on(int signal) {
    // Copies of the process, which read files of other programs, may crash.
    if (getpid() == own_process) {
        if (signal == SIGALRM) print_text("random input: the interface does not answer\n");
        EventLog::print();
    }
    // Back to what would have happened: the same fault occurs again.
    for (std::size_t i = 0; i < kFatal.size(); ++i)
        sigaction(kFatal[i], &replaced_actions[i], nullptr);
    if (signal == SIGABRT || signal == SIGALRM) raise(signal);
}

}  // namespace

EventLog::EventLog(std::uint64_t seed, unsigned limit) : limit_(limit) {
    std::snprintf(first_line, sizeof(first_line),
                  "random input: seed %llu; the last events were:\n",
                  static_cast<unsigned long long>(seed));
    n_lines_added = 0;
    own_process = getpid();
    struct sigaction action {};
    action.sa_handler = print_and_go_on;
    action.sa_flags = SA_NODEFER;
    for (std::size_t i = 0; i < kFatal.size(); ++i)
        sigaction(kFatal[i], &action, &replaced_actions[i]);
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(EventLog::print);
}

EventLog::~EventLog() {
    alarm(0);
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(nullptr);
    for (std::size_t i = 0; i < kFatal.size(); ++i)
        sigaction(kFatal[i], &replaced_actions[i], nullptr);
}

void EventLog::add(const std::string& event) {
    auto& line = kept_lines[n_lines_added % kKeptLines];
    std::snprintf(line, kLineLength, "  %zu: %.80s\n", n_lines_added + 1, event.c_str());
    n_lines_added = n_lines_added + 1;
    if (limit_ > 0) alarm(limit_);
}

void EventLog::print() {
    print_text(first_line);
    for (std::size_t i = n_lines_added > kKeptLines ? n_lines_added - kKeptLines : 0;
         i < n_lines_added; ++i)
        print_text(kept_lines[i % kKeptLines]);
}

}  // namespace tl

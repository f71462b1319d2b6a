#include "app/jobs/interrupt.h"

#include <csignal>

#include "app/jobs/video_writer.h"
#include "core/base/files.h"

namespace tl {
namespace {

constexpr int kFlagSignals[] = {SIGINT, SIGTERM};
volatile std::sig_atomic_t interrupted_by = 0;

void end_program(int signal) {
    remove_temporary_files();
    end_unfinished_videos();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void set_flag(int signal) {
    interrupted_by = signal;
    for (int each : kFlagSignals) std::signal(each, end_program);
}

}  // namespace

void end_tidily_on_signals() {
    for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
        if (std::signal(signal, end_program) == SIG_IGN) std::signal(signal, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

InterruptFlag::InterruptFlag() {
    interrupted_by = 0;
    for (int signal : kFlagSignals) std::signal(signal, set_flag);
}

InterruptFlag::~InterruptFlag() {
    for (int signal : kFlagSignals) std::signal(signal, end_program);
}

bool InterruptFlag::is_set() const {
    return interrupted_by != 0;
}

std::string InterruptFlag::cause() const {
    return interrupted_by == SIGTERM ? "SIGTERM" : "Ctrl+C";
}

}  // namespace tl

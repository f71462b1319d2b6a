#include "app/jobs/output.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "app/jobs/format.h"
#include "core/base/console.h"
#include "core/base/error.h"

namespace tl {
namespace {

bool stdout_is_for_a_report = false;
bool leaves_results_out = false;
int first_error = 0;  // errno of the first write that failed

/// Whether all that was printed has arrived.
bool flush_output() {
    errno = 0;
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
    if (first_error == 0) first_error = errno;
    return false;
}

}  // namespace

void print(const char* format, ...) {
    if (leaves_results_out) return;
    std::va_list values;
    va_start(values, format);
    auto text = printable(formatted_list(format, values), true);
    va_end(values);
    std::fwrite(text.data(), 1, text.size(), stdout_is_for_a_report ? stderr : stdout);
    // A line arrives at once, also in a file or a pipe: what follows may take minutes.
    if (text.ends_with('\n') && !stdout_is_for_a_report) (void)flush_output();
}

void leave_results_out() {
    leaves_results_out = true;
}

void results_to_stderr() {
    stdout_is_for_a_report = true;
}

void finish_output() {
    if (flush_output()) return;
    std::string reason = first_error != 0 ? std::strerror(first_error) : "an earlier write failed";
    throw UserError("standard output cannot be written: " + reason +
                    "; a part of the result is missing");
}

}  // namespace tl

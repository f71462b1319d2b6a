#include "app/jobs/output.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "accel/parallel/console.h"
#include "accel/parallel/error.h"
#include "app/jobs/format.h"

namespace tl {
namespace {

bool stdout_is_for_a_report = false;

}  // namespace

void print(const char* format, ...) {
    std::va_list values;
    va_start(values, format);
    auto text = printable(formatted_list(format, values), true);
    va_end(values);
    std::fwrite(text.data(), 1, text.size(), stdout_is_for_a_report ? stderr : stdout);
}

void results_to_stderr() {
    stdout_is_for_a_report = true;
}

void finish_output() {
    errno = 0;
    bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
    if (!failed) return;
    std::string reason = errno != 0 ? std::strerror(errno) : "an earlier write failed";
    throw UserError("standard output cannot be written: " + reason +
                    "; a part of the result is missing");
}

}  // namespace tl

// Standard output: results as text and as JSON.
#pragma once

#include <string>

namespace tl {

/// Prints a part of a result as printf() does, to standard output or, after results_to_stderr(), to
/// standard error. A line is written when it is complete. Control characters are escaped (see
/// printable()), except line breaks.
[[gnu::format(printf, 1, 2)]] void print(const char* format, ...);

/// Redirects print() to standard error, since standard output is for a report.
void results_to_stderr();

/// print() writes nothing from now on: another process of the job prints the results.
void leave_results_out();

/// Throws UserError if anything that was written to standard output has not arrived.
void finish_output();

}  // namespace tl

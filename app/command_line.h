// The program's command line.
#pragma once

namespace tl {

/// Runs the command that the arguments name, and returns the program's exit code: 0, 1 after an
/// error, which it has reported, or 2 where the arguments are wrong.
int run_command_line(int argc, char** argv);

}  // namespace tl

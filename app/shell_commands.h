// Commands about the program itself: its help, completion in shells, and its manual.
#pragma once

namespace CLI {
class App;
}

namespace tl {

/// Adds `help`, `completion` and `manual`, which describe all commands of the program.
void add_shell_commands(CLI::App& program);

}  // namespace tl

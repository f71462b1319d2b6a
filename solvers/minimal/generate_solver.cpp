// The build's own tool: generate_solver SYSTEM.txt OUTPUT.h
#include <cstdio>
#include <exception>

#include "core/base/files.h"
#include "solvers/minimal/solver_writer.h"

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: generate_solver SYSTEM.txt OUTPUT.h\n", stderr);
        return 2;
    }
    try {
        auto system = tl::minimal::read_system(tl::read_text_file(argv[1]), argv[1]);
        tl::write_file(argv[2], tl::minimal::solver_text(system, find_template(system)));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "generate_solver: %s\n", error.what());
        return 1;
    }
}

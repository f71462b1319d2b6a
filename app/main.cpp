// The program `treelight`: viewer, offline renderer, benchmarks and solvers.
#include <cstdio>

#include "app/command_line.h"

int main(int argc, char** argv) {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
        std::fputs("treelight: this processor lacks AVX2 or FMA, which the program is built for\n",
                   stderr);
        return 1;
    }
    return tl::run_command_line(argc, argv);
}

// Writes the bytes of the tables of GGX microfacets as words of C++ to the file that is named.
// Runs during the build, so that no start of the program computes them.
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>

#include "renderer/optics/compute_ggx_tables.h"

int main(int n_arguments, char** arguments) {
    if (n_arguments != 2) {
        std::cerr << "write_ggx_tables: wants the name of the file to write\n";
        return 2;
    }
    auto tables = tl::compute_ggx_tables();
    static std::array<std::uint32_t, sizeof(tl::GgxTables) / sizeof(std::uint32_t)> words;
    static_assert(sizeof(words) == sizeof(tl::GgxTables));
    std::memcpy(words.data(), tables.get(), sizeof(words));
    std::ofstream file(arguments[1]);
    constexpr std::size_t kWordsOfLine = 8;
    for (std::size_t i = 0; i < words.size(); ++i)
        file << words[i] << (i % kWordsOfLine + 1 < kWordsOfLine ? "," : ",\n");
    file.flush();
    if (file) return 0;
    std::cerr << "write_ggx_tables: cannot write '" << arguments[1] << "'\n";
    return 1;
}

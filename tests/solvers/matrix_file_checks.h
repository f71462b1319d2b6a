// Contents of matrix files, and checks of the errors that their readers throw.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.h"
#include "solvers/dense/matrix_files.h"

namespace tl::test {

/// Expects a UserError with these words from a call.
template <class Call>
void expect_error(Call call, const std::string& words) {
    try {
        call();
        FAIL() << words;
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
}
inline void expect_refused(const std::string& path, const std::string& words) {
    expect_error([&] { (void)read_matrix(path); }, words);
}
inline void expect_complex_refused(const std::string& path, const std::string& words) {
    expect_error([&] { (void)read_complex_matrix(path); }, words);
}

/// A .npy file of version 1 with this dictionary.
inline std::string npy(const std::string& dictionary, const std::string& data) {
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(dictionary.size());
    text += '\0';
    return text + dictionary + data;
}

inline std::string bytes_of(const std::vector<double>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

/// A .npy file of complex doubles, whose data alternate real and imaginary parts.
inline std::string complex_npy(const std::string& shape, const std::vector<double>& parts,
                               bool column_major = false) {
    return npy(std::string("{'descr': '<c16', 'fortran_order': ") +
                   (column_major ? "True" : "False") + ", 'shape': " + shape + ", }",
               bytes_of(parts));
}

/// Error of readers of real numbers.
inline constexpr const char* kTakers =
    "the numbers are complex: solve lu, solve, svd and eig take complex matrices";

}  // namespace tl::test

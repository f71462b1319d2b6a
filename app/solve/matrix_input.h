// The matrix that a command or the panel solves with: read from a file, or generated.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/device/stage_timer.h"
#include "solvers/dense/matrix_kinds.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tl {

struct MatrixInput {
    std::string file;  ///< .npy or .mtx; "" for the spec
    MatrixSpec spec;
    bool complex = false;  ///< the generated matrix has two parts of the spec
};
/// Whether the matrix is complex: by the flag, or by the header of its file, which may be "".
/// Throws UserError if that cannot be read.
[[nodiscard]] bool is_complex(const MatrixInput& input);

/// Adds --input, or else --kind, --rows, --cols, --cond and --seed, whose help is `seed_help`.
void add_matrix_flags(CLI::App& command, MatrixInput& input, const std::string& seed_help);
/// Adds --complex, for commands that take complex matrices.
void add_complex_flag(CLI::App& command, MatrixInput& input);
/// Adds --rhs, or else --sides: right sides from a file, or their number. Returns --rhs.
CLI::Option* add_right_side_flags(CLI::App& command, std::string& file, int& n_sides);
/// Makes a matrix square that has no columns yet. Throws UsageError if the flags name none.
void complete_matrix(MatrixInput& input, const std::string& command);

/// A matrix on the stream's device with these elements, column by column, converted to T.
template <class T, class From>
[[nodiscard]] Matrix<T> uploaded(Stream& stream, int rows, int cols,
                                 const std::vector<From>& elements) {
    Matrix<T> matrix(stream, rows, cols);
    std::vector<T> converted(elements.begin(), elements.end());
    matrix.upload(stream, converted);
    return matrix;
}

/// Generates or reads the matrix on the device as T. `known` receives its exact singular values if
/// they are known.
template <class T>
[[nodiscard]] Matrix<T> make_input(Blas& blas, const MatrixInput& input,
                                   std::vector<double>* known);
template <>
Matrix<float> make_input(Blas& blas, const MatrixInput& input, std::vector<double>* known);
template <>
Matrix<double> make_input(Blas& blas, const MatrixInput& input, std::vector<double>* known);

/// The same as a complex matrix, also of a real file.
template <class T>
[[nodiscard]] Matrix<Complex<T>> make_complex_input(Blas& blas, const MatrixInput& input);
template <>
Matrix<Complex<float>> make_complex_input(Blas& blas, const MatrixInput& input);
template <>
Matrix<Complex<double>> make_complex_input(Blas& blas, const MatrixInput& input);

/// {kind, condition, seed, complex?}, or {file}.
[[nodiscard]] nlohmann::ordered_json matrix_json(const MatrixInput& input);

[[nodiscard]] nlohmann::ordered_json stages_json(const std::vector<StageTime>& stages);
/// Stages of a report in one line, but for their total: "scale 0.17, bidiagonalise 32.3".
[[nodiscard]] std::string stages_text(const nlohmann::ordered_json& stages);
/// Prints the stages of a report, each in a line.
void print_stages_of(const nlohmann::ordered_json& report);

}  // namespace tl

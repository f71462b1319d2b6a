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
}

namespace tl {

struct MatrixInput {
    std::string file;  ///< .npy or .mtx; "" for the spec
    MatrixSpec spec;
};

/// Adds --input, or else --kind, --rows, --cols, --cond and --seed, whose help is `seed_help`.
void add_matrix_flags(CLI::App& command, MatrixInput& input, const std::string& seed_help);
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

/// {kind, condition, seed}, or {file}.
[[nodiscard]] nlohmann::ordered_json matrix_json(const MatrixInput& input);

[[nodiscard]] nlohmann::ordered_json stages_json(const std::vector<StageTime>& stages);

}  // namespace tl

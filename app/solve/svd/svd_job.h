// One singular value decomposition as the commands run it: the matrix, the mode with its settings,
// and what came of it, in either precision.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "solvers/dense/matrix_kinds.h"
#include "solvers/svd/svd.h"

namespace CLI {
class App;
}

namespace tl {

/// What is decomposed: a file, or a matrix that is made.
struct SvdInput {
    std::string file;  ///< .npy or .mtx; "" for the spec
    MatrixSpec spec;
};

/// A matrix on the device, made or read as T. `known` receives its exact values where they are
/// known.
template <class T>
[[nodiscard]] Matrix<T> make_input(Blas& blas, const SvdInput& input, std::vector<double>* known);

/// The mode for the stream's device with the settings that were given ("divide-conquer.block").
[[nodiscard]] std::unique_ptr<SvdSolver> make_configured_svd(
    const std::string& mode, const Device& device, const std::map<std::string, std::string>& given);

/// A flag for every declared setting of our own modes (--divide-conquer-block).
void add_svd_setting_flags(CLI::App& command, std::map<std::string, std::string>& given);

/// {residual, orthogonality_u, orthogonality_v, value_error?}: the last against `known`.
template <class T>
[[nodiscard]] nlohmann::ordered_json accuracy_json(Blas& blas, MatrixView<const T> a,
                                                   const SvdResult<T>& result,
                                                   const std::vector<double>& known);

[[nodiscard]] nlohmann::ordered_json stages_json(const std::vector<StageTime>& stages);

}  // namespace tl

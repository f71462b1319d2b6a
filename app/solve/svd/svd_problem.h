// One singular value decomposition for the commands: the matrix, the mode with its settings, and
// the results, in float or double.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/solve/accuracy_text.h"
#include "app/solve/matrix_input.h"
#include "solvers/svd/svd.h"

namespace tl {

/// "none", "thin" or "full", for flags and files.
[[nodiscard]] const char* id_of(SvdVectors vectors);
[[nodiscard]] SvdVectors vectors_of(const std::string& id);

/// Call before making a matrix: throws UserError if it and its decomposition do not fit into
/// memory.
void require_svd_memory(const Device& device, const SvdSolver& solver, const MatrixSpec& spec,
                        const SvdRequest& request, std::size_t element_size);

/// Creates the mode for a device, with the given settings ("divide-conquer.block").
[[nodiscard]] std::unique_ptr<SvdSolver> make_configured_svd(
    const std::string& mode, const Device& device, const std::map<std::string, std::string>& given);

/// Adds a flag for every declared setting of Treelight's own modes (--divide-conquer-block).
void add_svd_setting_flags(CLI::App& command, std::map<std::string, std::string>& given);

/// Throws UsageError if a given setting belongs to none of `modes`, which come from `flag`.
void check_svd_settings(const std::map<std::string, std::string>& given,
                        const std::vector<std::string>& modes, const std::string& flag);

/// Rows and columns of a size given to a benchmark, "512x256". Throws UsageError.
[[nodiscard]] std::pair<int, int> extents_of_size(const std::string& size);
/// The modes of a benchmark: `modes`, which must run on the device, and, with `peers`, those of all
/// its libraries.
[[nodiscard]] std::vector<std::string> svd_modes_to_measure(const std::vector<std::string>& modes,
                                                            bool peers, const Device& device);

/// The matrix of T, a real or Complex type. `known` receives its exact singular values if they are
/// known.
template <class T>
[[nodiscard]] Matrix<T> make_svd_input(Blas& blas, const MatrixInput& input,
                                       std::vector<double>& known) {
    if constexpr (kIsComplex<T>)
        return make_complex_input<RealOf<T>>(blas, input);
    else
        return make_input<T>(blas, input, &known);
}

/// An entry of accuracy_json() in words. With a `rank`, which is 0 for all triplets, the residual
/// is what the other triplets hold, not an error of rounding. `unit`: rounding_unit().
[[nodiscard]] AccuracyText svd_accuracy(const std::string& key, const nlohmann::ordered_json& value,
                                        double unit, int rank);

/// {residual, orthogonality_u, orthogonality_v, value_error?}: the first three for a result with
/// vectors; value_error compares with `known`, unless that is empty. T is a real or Complex type.
template <class T>
[[nodiscard]] nlohmann::ordered_json accuracy_json(Blas& blas, MatrixView<const T> a,
                                                   const SvdResult<T>& result,
                                                   const std::vector<double>& known);
#define TL_DECLARE(T)                                                       \
    template <>                                                             \
    nlohmann::ordered_json accuracy_json(Blas& blas, MatrixView<const T> a, \
                                         const SvdResult<T>& result,        \
                                         const std::vector<double>& known);
TL_DECLARE(float)
TL_DECLARE(double)
TL_DECLARE(Complex<float>)
TL_DECLARE(Complex<double>)
#undef TL_DECLARE

}  // namespace tl

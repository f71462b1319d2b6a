// Shared by the commands of batched eigenvalue problems: modes with their settings,
// and reports.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "solvers/complex/complex_eigen.h"

namespace CLI {
class App;
}

namespace tl {

/// "values", "real" or "all", for flags and files.
[[nodiscard]] const char* id_of(EigenPairs pairs);
[[nodiscard]] EigenPairs pairs_of(const std::string& id);

/// Creates the mode for a device, with the given settings ("eig.sweeps"). Throws UserError where
/// the mode has no such setting.
[[nodiscard]] std::unique_ptr<EigenSolver> make_configured_eigen(
    const std::string& mode, const Device& device, const std::map<std::string, std::string>& given);

/// The given settings of complex matrices.
[[nodiscard]] EigenLimits configured_limits(const std::map<std::string, std::string>& given);

/// Adds a flag for every setting of Treelight's own modes (--eig-sweeps).
void add_eigen_setting_flags(CLI::App& command, std::map<std::string, std::string>& given);

/// Sums and maxima over the parts of a batch.
struct EigenSummary {
    std::size_t count = 0, n_not_converged = 0, n_not_finite = 0;
    double seconds = 0;
    std::uint64_t n_sweeps = 0;
    int most_sweeps = 0;
    std::vector<std::size_t> histogram;  ///< matrices by their number of sweeps
    /// indices of the first kMostFailed matrices without results
    std::vector<std::size_t> failed;
    EigenAccuracy accuracy;  ///< of `n_checked` matrices
    std::size_t n_checked = 0;

    static constexpr std::size_t kMostFailed = 1000;

    [[nodiscard]] double mean_sweeps() const {
        return count > 0 ? static_cast<double>(n_sweeps) / static_cast<double>(count) : 0;
    }

    /// Adds the next part of the batch. `a` holds its first matrices, whose accuracy is measured.
    void add(const HostEigen<float>& part, std::span<const float> a);
    void add(const HostEigen<double>& part, std::span<const double> a);
    void add(const HostEigen<float>& part, std::span<const Complex<float>> a);
    void add(const HostEigen<double>& part, std::span<const Complex<double>> a);

  private:
    template <class T, class Number>
    void add_part(const HostEigen<T>& part, std::span<const Number> a);
};

/// Returns {seconds, matrices_per_second, not_converged, not_finite, failed, sweeps, accuracy}.
[[nodiscard]] nlohmann::ordered_json summary_json(const EigenSummary& summary);

}  // namespace tl

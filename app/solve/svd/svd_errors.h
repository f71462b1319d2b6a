// Errors of each singular value that a mode finds, over random matrices of one kind and size
// (Lahabar 2010, section 3.3 and figure 3.6). Known to the command and the panel.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/solve/matrix_input.h"
#include "solvers/svd/precise_values.h"
#include "solvers/svd/svd.h"

namespace tl {

/// Matrices, modes and precision of a study.
struct SvdErrorSpec {
    MatrixSpec matrix;    ///< with the first seed; further matrices have the next ones
    int seeds = 10;       ///< number of matrices
    bool single = false;  ///< float instead of double
    SvdVectors vectors = SvdVectors::thin;
    int rank = 0;                                 ///< 0: all values
    std::vector<std::string> modes;               ///< ids
    std::map<std::string, std::string> settings;  ///< of modes
};

/// Mean and maximum of an error over the matrices.
struct ErrorRange {
    double mean = 0, most = 0;
};
/// A value's error: |found - exact|, and that over exact; -1 if an exact value is 0.
struct ValueError {
    ErrorRange absolute, relative;
};

/// Errors of a mode. If a run failed, `error` has the reason and `values` is empty.
struct ModeErrors {
    std::string mode, error;
    std::vector<ValueError> values;  ///< in descending order of the values
    /// Over all values; relative errors of the values that have one.
    ValueError all;
};

struct SvdErrors {
    SvdErrorSpec spec;
    std::string device;
    int n_matrices = 0;          ///< that have been measured
    std::vector<double> values;  ///< exact values, mean over the matrices
    std::vector<ModeErrors> modes;
};

/// Words for the numbers that errors are taken against.
[[nodiscard]] const char* exact_values_of(bool single);

/// Modes of a device whose errors can be measured: those of the program and of libraries, `auto`
/// left out, which is one of them, and those that need a rank where there is none.
[[nodiscard]] std::vector<std::string> modes_with_errors(const Device& device, int rank);

/// Measures one matrix after the other.
class SvdErrorStudy {
  public:
    /// Throws UsageError for a faulty spec, UserError if a mode does not run on the device.
    SvdErrorStudy(Blas& blas, SvdErrorSpec spec);
    ~SvdErrorStudy();
    SvdErrorStudy(const SvdErrorStudy&) = delete;
    SvdErrorStudy& operator=(const SvdErrorStudy&) = delete;

    /// Makes the next matrix, finds its exact values, and runs all modes on it that have not
    /// failed. Exact values of a float matrix come from divide and conquer in double, those of a
    /// double matrix from precise_singular_values(). Throws UserError if these fail, and Cancelled.
    void add_matrix(SolverRun& run);
    /// The errors over the matrices so far.
    [[nodiscard]] SvdErrors errors() const;

  private:
    template <class T>
    void add_matrix_of(SolverRun& run);

    Blas& blas_;
    SvdErrorSpec spec_;
    std::vector<std::unique_ptr<SvdSolver>> solvers_;
    SvdErrors sums_;  ///< holds sums instead of means
};

/// {kind, condition, rows, cols, exact, values, modes: [{mode, relative_mean, relative_max,
/// absolute_mean, absolute_max, values: {relative_mean: [...], ...}} or {mode, error}]}; null
/// stands for a relative error that does not exist.
[[nodiscard]] nlohmann::ordered_json errors_json(const SvdErrors& errors);
/// A row for each mode and value.
[[nodiscard]] std::string errors_csv(const std::vector<SvdErrors>& all);
/// A table for people: modes side by side, some values from the first to the last, and all of them.
[[nodiscard]] std::string errors_table(const SvdErrors& errors);

}  // namespace tl

// Errors of the singular values that a mode finds, of their vectors, and of the product U S V^T, as
// Lahabar 2010, section 3.3 and figure 3.6. Matrices are random, of one kind and size. Known to the
// command and the panel.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/solve/matrix_input.h"
#include "solvers/svd/precise_values.h"
#include "solvers/svd/svd.h"
#include "solvers/svd/vector_errors.h"

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

/// Errors of a value and of its vectors, mean and maximum over the matrices.
struct ValueError {
    ErrorRange absolute;  ///< |found - exact|
    ErrorRange relative;  ///< |found - exact| / exact; -1 if an exact value is 0
    ErrorRange u, v;      ///< over the entries of its vectors; -1 if none were compared
};

/// A kind of error, of which each value has one.
struct ValueErrorKind {
    const char* id;     ///< for JSON and CSV: "relative"
    const char* title;  ///< displayed name
    ErrorRange ValueError::*range;
};
[[nodiscard]] const std::vector<ValueErrorKind>& value_error_kinds();

/// Errors of a mode. If a run failed, `error` has the reason and `values` is empty.
struct ModeErrors {
    std::string mode, error;
    std::vector<ValueError> values;  ///< in descending order of the values
    /// Over all values; errors of the values that have one.
    ValueError all;
    ErrorRange product{-1, -1};   ///< over the entries of A - U S V^T; -1 without vectors
    ErrorRange residual{-1, -1};  ///< ||A - U S V^T|| / ||A||, Frobenius norms; -1 without vectors
};

struct SvdErrors {
    SvdErrorSpec spec;
    std::string device;
    int n_matrices = 0;          ///< that have been measured
    std::vector<double> values;  ///< exact values, mean over the matrices
    /// Matrices in which the vectors of each value were compared; empty without vectors.
    std::vector<int> compared;
    std::vector<ModeErrors> modes;
    /// Pairs of vectors of all matrices, and those left out of the comparison (VectorReference).
    [[nodiscard]] int n_pairs() const;
    [[nodiscard]] int n_left_out() const;
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

    /// Makes the next matrix, finds its exact values and the reference of its vectors, and runs all
    /// modes on it that have not failed. Exact values of a float matrix come from divide and
    /// conquer in double, those of a double matrix from precise_singular_values(). Throws UserError
    /// if these or the reference fail, and Cancelled.
    void add_matrix(SolverRun& run);
    /// The errors over the matrices so far.
    [[nodiscard]] SvdErrors errors() const;

  private:
    template <class T>
    void add_matrix_of(SolverRun& run);
    /// Runs a mode on the matrix and adds its errors, or keeps the reason for its failure.
    template <class T>
    void add_mode(std::size_t mode, MatrixView<const T> a, const std::vector<Extended>& exact,
                  const VectorReference* reference, SolverRun& run);

    Blas& blas_;
    SvdErrorSpec spec_;
    std::vector<std::unique_ptr<SvdSolver>> solvers_;
    SvdErrors sums_;  ///< holds sums instead of means
};

/// {kind, condition, rows, cols, exact, matrices, vectors: {reference, pairs, left_out}, values,
/// modes: [{mode, relative_mean, relative_max, ..., values: {relative_mean: [...], ...}} or {mode,
/// error}]}; each kind of error has a mean and a maximum, of a mode also product and residual. An
/// error that does not exist is null.
[[nodiscard]] nlohmann::ordered_json errors_json(const SvdErrors& errors);
/// A row for each mode and value; product and residual are those of the mode.
[[nodiscard]] std::string errors_csv(const std::vector<SvdErrors>& all);
/// A table for people: modes side by side, some values from the first to the last, and all of them,
/// then vectors and product.
[[nodiscard]] std::string errors_table(const SvdErrors& errors);
/// The reference of the vectors and how many pairs were left out, in a sentence; "" without
/// vectors.
[[nodiscard]] std::string vectors_text(const SvdErrors& errors);

}  // namespace tl

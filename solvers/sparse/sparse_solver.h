// Systems A x = b with sparse matrices, by preconditioned Krylov methods (Brodtkorb 2007, sections
// 3.1.2 and 3.3.3, after Bolz et al. 2003), with float or double vectors.
#pragma once

#include <span>

#include "solvers/sparse/aggregation.h"
#include "solvers/sparse/krylov.h"

namespace tl {

struct SparseConfig : AggregationConfig {
    KrylovMethod method = KrylovMethod::automatic;
    PreconditionerKind preconditioner = PreconditionerKind::automatic;
    SparseFormat format = SparseFormat::automatic;
    /// Largest norm of b - A x over that of b; 0: 1e-8 in double, 1e-5 in float.
    float tolerance = 0;
    int most_iterations = 10000;

    /// The settings, bound to this config.
    [[nodiscard]] static const SettingsOf<SparseConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

/// The solution for one right side.
template <class T>
struct SparseSolution {
    std::vector<T> x;
    bool converged = false;  ///< the residual is at most the tolerance
    std::string fault;       ///< why it is not, and what to do; "" where it is
    int iterations = 0;
    double residual = 0;  ///< ||b - A x|| / ||b||, recomputed in double
    double seconds = 0;
};

/// A matrix with its preconditioner on one device, for any number of right sides.
template <class T>
class SparseSystem {
  public:
    /// Uploads the matrix and makes the preconditioner; choices that are automatic are made here.
    /// `a` must outlive the system. Throws UserError if the matrix is not square, is not symmetric
    /// where the method needs it, or the preconditioner is not possible, or memory is insufficient.
    /// Throws Cancelled.
    SparseSystem(Stream& stream, const HostCsr& a, const SparseConfig& config, SolverRun& run);

    /// Solves from x = 0. An automatic method changes to BiCGSTAB if the matrix is not definite.
    /// Throws UserError if b has another size or an element that is not finite, and Cancelled. Does
    /// not throw if the iteration fails: see SparseSolution::fault.
    [[nodiscard]] SparseSolution<T> solve(Stream& stream, std::span<const T> b, SolverRun& run);

    /// The choices that were made: none is automatic.
    [[nodiscard]] KrylovMethod method() const { return method_; }
    [[nodiscard]] PreconditionerKind preconditioner() const { return preconditioner_; }
    [[nodiscard]] SparseFormat format() const { return matrix_->format(); }
    [[nodiscard]] double tolerance() const;
    /// Description of the preconditioner, such as "5 levels"; "" for nothing worth saying.
    [[nodiscard]] std::string summary() const;
    /// Choices that had to be changed: "not definite: solved by bicgstab"; "" for none.
    [[nodiscard]] const std::string& note() const { return note_; }
    /// Device memory of matrix and preconditioner.
    [[nodiscard]] std::size_t bytes() const;
    /// Seconds of the set-up: matrix and preconditioner.
    [[nodiscard]] double setup_seconds() const { return setup_seconds_; }

  private:
    void choose_method();
    void make_preconditioner(Stream& stream, SolverRun& run);
    void make_preconditioner_of(Stream& stream, PreconditionerKind kind, SolverRun& run);
    void change_to_bicgstab(Stream& stream, SolverRun& run);
    void check_right(std::span<const T> b) const;
    [[nodiscard]] std::string fault_of(const KrylovResult& result, double residual) const;
    void add_note(const std::string& text);

    const HostCsr& a_;
    SparseConfig config_;
    bool symmetric_ = false;
    KrylovMethod method_ = KrylovMethod::cg;
    PreconditionerKind preconditioner_ = PreconditionerKind::none;
    std::unique_ptr<SparseMatrix<T>> matrix_;
    std::unique_ptr<Preconditioner<T>> made_;
    std::string note_;
    double setup_seconds_ = 0;
};

}  // namespace tl

// Errors of the entries of U and V and of the product U S V^T against a decomposition by LAPACK in
// double on the CPU (Lahabar 2010, section 3.3). Departs from the thesis: a pair of vectors has its
// sign from the reference's, and pairs that rounding determines are left out.
#pragma once

#include <memory>
#include <vector>

#include "solvers/dense/blas.h"
#include "solvers/solver.h"

namespace tl {

/// Mean and maximum of an error; both are -1 if there is none.
struct ErrorRange {
    double mean = 0, most = 0;
};

/// Singular triplets in double on the host. Columns of u and v are vectors, at least as many as
/// there are values, which descend.
struct HostTriplets {
    HostMatrix<double> u, v;
    std::vector<double> values;
};

/// Absolute differences of a decomposition from the reference and from its matrix A.
struct TripletErrors {
    std::vector<ErrorRange> u, v;  ///< over the entries of each vector; -1 for pairs left out
    ErrorRange product;            ///< over the entries of A - U S V^T
    double residual = 0;           ///< ||A - U S V^T|| / ||A||, Frobenius norms
};

/// A matrix with its decomposition by LAPACK's gesdd in double.
class VectorReference {
  public:
    static constexpr const char* kMode = "lapack-gesdd";

    /// Decomposes `a`. A pair of vectors is left out if its value is closer to the next one, or to
    /// 0, than `epsilon` sqrt(larger extent) times the largest value: rounding to `epsilon` then
    /// determines the vectors. Throws UserError if an element is not finite or memory is
    /// insufficient, and Cancelled.
    VectorReference(const HostMatrix<double>& a, double epsilon, SolverRun& run);
    ~VectorReference();
    VectorReference(const VectorReference&) = delete;
    VectorReference& operator=(const VectorReference&) = delete;

    /// Whether each pair of vectors, in the order of the values, is compared; false: left out.
    [[nodiscard]] const std::vector<bool>& compared() const { return compared_; }
    /// Compares the first triplets of the matrix, all or a smaller rank. Vectors u_i and v_i
    /// together take the sign for which they are nearer to the reference.
    [[nodiscard]] TripletErrors errors_of(const HostTriplets& found) const;

  private:
    void add_product_errors(const HostTriplets& found, TripletErrors& errors) const;

    std::unique_ptr<Stream> stream_;
    std::unique_ptr<Blas> blas_;
    HostMatrix<double> a_;
    HostTriplets triplets_;
    std::vector<bool> compared_;
};

}  // namespace tl

// Products of dense matrices by Treelight's own kernels, and the table of modes with those of
// libraries for comparison. Solvers use the Blas of solvers/dense/blas.h.
#pragma once

#include <memory>

#include "solvers/dense/blas.h"
#include "solvers/solver.h"

namespace tl {

class Multiplier : public Solver {
  public:
    /// C = alpha op(A) op(B) + beta C on the stream's device, for any sizes and strides; C is not
    /// read where beta is 0. Shapes must agree. Does not wait. Throws UsageError where the mode
    /// does not have this precision.
    virtual void multiply(Stream& stream, Transpose op_a, Transpose op_b, float alpha,
                          MatrixView<const float> a, MatrixView<const float> b, float beta,
                          MatrixView<float> c) = 0;
    virtual void multiply(Stream& stream, Transpose op_a, Transpose op_b, double alpha,
                          MatrixView<const double> a, MatrixView<const double> b, double beta,
                          MatrixView<double> c) = 0;
};

/// A row of the table of modes; a function is null if the mode does not run on that device.
struct MultiplierRow {
    std::string id;     ///< for flags and files: "own"
    std::string title;  ///< displayed name
    std::string help;   ///< one sentence
    bool peer;          ///< a library's mode, for comparison
    bool tf32;          ///< floats are rounded to 10 bits after the point; there are no doubles
    std::unique_ptr<Multiplier> (*make_cpu)();
    std::unique_ptr<Multiplier> (*make_cuda)();
};

[[nodiscard]] const std::vector<MultiplierRow>& multipliers();
/// The mode `id` for a device. Throws UsageError listing the known ids, or UserError if the mode
/// does not run on the device.
[[nodiscard]] std::unique_ptr<Multiplier> make_multiplier(const std::string& id,
                                                          const Device& device);

/// The largest |C - A B| over eps |A| |B| for a sample of the rows, in units that do not depend on
/// size or scale: 1 is the worst case of one rounding per product.
template <class T>
[[nodiscard]] double product_error(Stream& stream, MatrixView<const T> a, MatrixView<const T> b,
                                   MatrixView<const T> c);

}  // namespace tl

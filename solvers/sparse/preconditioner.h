// Preconditioners M of sparse systems, applied as z = M r, an approximation of A^-1 r.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "core/base/enum_names.h"
#include "solvers/sparse/csr.h"

namespace tl {

enum class PreconditionerKind {
    automatic,  ///< amg for symmetric matrices, ilu0 for others; less where they are not possible
    none,
    jacobi,  ///< the inverse of the diagonal
    ilu0,    ///< incomplete factors with the matrix's own pattern
    amg,     ///< a cycle of algebraic multigrid
};
[[nodiscard]] constexpr auto names_of(PreconditionerKind) {
    return std::to_array<EnumName<PreconditionerKind>>({{PreconditionerKind::automatic, "auto"},
                                                        {PreconditionerKind::none, "none"},
                                                        {PreconditionerKind::jacobi, "jacobi"},
                                                        {PreconditionerKind::ilu0, "ilu0"},
                                                        {PreconditionerKind::amg, "amg"}});
}

/// A preconditioner on one device. For symmetric positive definite A it is so too.
template <class T>
class Preconditioner {
  public:
    virtual ~Preconditioner() = default;
    /// z = M r, in stream order; the vectors must not overlap.
    virtual void apply(Stream& stream, View<const T> r, View<T> z) = 0;
    /// Device memory of the preconditioner.
    [[nodiscard]] virtual std::size_t bytes() const = 0;
    /// Description of the preconditioner, such as "5 levels"; "" for nothing worth saying.
    [[nodiscard]] virtual std::string summary() const { return ""; }
};

/// The inverse of the diagonal. Throws UserError naming a row whose diagonal element is zero.
template <class T>
[[nodiscard]] std::unique_ptr<Preconditioner<T>> make_jacobi(Stream& stream, const HostCsr& a);

/// One over each diagonal element. Throws UserError naming a row where it is zero, and `what` needs
/// it: "Jacobi's preconditioner".
[[nodiscard]] std::vector<double> inverse_diagonal(const HostCsr& a, const std::string& what);

/// Elements converted to T.
template <class T>
[[nodiscard]] std::vector<T> converted(const std::vector<double>& values) {
    return {values.begin(), values.end()};
}

}  // namespace tl

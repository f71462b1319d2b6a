// Jacobi's preconditioner.
#include "solvers/sparse/preconditioner.h"
#include "solvers/sparse/vector_kernels.h"

namespace tl {
namespace {

template <class T>
class Jacobi final : public Preconditioner<T> {
  public:
    Jacobi(Stream& stream, const std::vector<double>& inverse)
        : inverse_(stream, converted<T>(inverse)) {}
    void apply(Stream& stream, View<const T> r, View<T> z) override {
        TL_DISPATCH(stream.device(), scale_elements<T>(stream, inverse_.view(), r, z));
    }
    [[nodiscard]] std::size_t bytes() const override { return inverse_.bytes(); }

  private:
    DeviceArray<T> inverse_;
};

}  // namespace

std::vector<double> inverse_diagonal(const HostCsr& a, const std::string& what) {
    auto inverse = diagonal_of(a);
    for (std::size_t i = 0; i < inverse.size(); ++i) {
        if (inverse[i] == 0)
            throw UserError("the diagonal element of row " + std::to_string(i) +
                            ", counted from 0, is zero: " + what +
                            " needs it; use another preconditioner, such as none");
        inverse[i] = 1 / inverse[i];
    }
    return inverse;
}

template <class T>
std::unique_ptr<Preconditioner<T>> make_jacobi(Stream& stream, const HostCsr& a) {
    return std::make_unique<Jacobi<T>>(stream, inverse_diagonal(a, "Jacobi's preconditioner"));
}

template std::unique_ptr<Preconditioner<float>> make_jacobi(Stream&, const HostCsr&);
template std::unique_ptr<Preconditioner<double>> make_jacobi(Stream&, const HostCsr&);

}  // namespace tl

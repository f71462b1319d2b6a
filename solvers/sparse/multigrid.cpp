#include "solvers/sparse/multigrid.h"

#include "core/base/text.h"
#include "solvers/sparse/sparse_matrix.h"
#include "solvers/sparse/vector_kernels.h"

namespace tl {
namespace {

/// Sweeps on the last level where it has no inverse.
constexpr int kLastSweeps = 8;

/// A level on the device. Its vectors are the right side and the correction, which the finest
/// level has from outside, and the residual.
template <class T>
struct DeviceLevel {
    std::unique_ptr<SparseMatrix<T>> a, prolongation, restriction;
    DeviceArray<T> damping, right, correction, residual;
    int n = 0;

    DeviceLevel(Stream& stream, const AmgLevel& level, bool is_first, bool is_last)
        : a(make_sparse_matrix<T>(stream, level.a)),
          damping(stream, converted<T>(level.damping)),
          residual(stream, level.damping.size()),
          n(level.a.rows) {
        if (!is_first) {
            right.resize_discard(stream, level.damping.size());
            correction.resize_discard(stream, level.damping.size());
        }
        if (is_last) return;
        prolongation = make_sparse_matrix<T>(stream, level.prolongation, SparseFormat::csr);
        restriction =
            make_sparse_matrix<T>(stream, transposed(level.prolongation), SparseFormat::csr);
    }
    [[nodiscard]] std::size_t bytes() const {
        std::size_t matrices = a->bytes();
        if (prolongation) matrices += prolongation->bytes() + restriction->bytes();
        return matrices + damping.bytes() + right.bytes() + correction.bytes() + residual.bytes();
    }
};

template <class T>
class Multigrid final : public Preconditioner<T> {
  public:
    Multigrid(Stream& stream, const AmgHierarchy& hierarchy, int sweeps)
        : sweeps_(sweeps), complexity_(hierarchy.operator_complexity()) {
        auto& levels = hierarchy.levels;
        for (std::size_t l = 0; l < levels.size(); ++l)
            levels_.emplace_back(stream, levels[l], l == 0, l + 1 == levels.size());
        if (hierarchy.coarsest_inverse.entries() > 0)
            inverse_ = make_sparse_matrix<T>(stream, hierarchy.coarsest_inverse, SparseFormat::csr);
    }
    void apply(Stream& stream, View<const T> r, View<T> z) override { cycle(stream, 0, r, z); }
    [[nodiscard]] std::size_t bytes() const override {
        std::size_t sum = inverse_ ? inverse_->bytes() : 0;
        for (auto& level : levels_) sum += level.bytes();
        return sum;
    }
    [[nodiscard]] std::string summary() const override {
        return std::to_string(levels_.size()) + " levels, " + std::to_string(levels_.back().n) +
               " rows in the last, entries of all " + number_text(rounded_to_hundredth()) +
               " times those of the matrix";
    }

  private:
    [[nodiscard]] double rounded_to_hundredth() const {
        return static_cast<double>(static_cast<int>(complexity_ * 100 + 0.5)) / 100;
    }
    void cycle(Stream& stream, std::size_t l, View<const T> right, View<T> x) {
        auto& level = levels_[l];
        bool is_last = l + 1 == levels_.size();
        if (is_last && inverse_) return inverse_->multiply(stream, {T(1), right, T(0), {}}, x);
        TL_DISPATCH(stream.device(), scale_elements<T>(stream, level.damping.view(), right, x));
        for (int k = 1; k < (is_last ? kLastSweeps : sweeps_); ++k) sweep(stream, level, right, x);
        if (is_last) return;
        auto& next = levels_[l + 1];
        auto residual = level.residual.view();
        level.a->multiply(stream, {T(-1), x, T(1), right}, residual);
        level.restriction->multiply(stream, {T(1), residual, T(0), {}}, next.right.view());
        cycle(stream, l + 1, next.right.view(), next.correction.view());
        level.prolongation->multiply(stream, {T(1), next.correction.view(), T(1), x}, x);
        for (int k = 0; k < sweeps_; ++k) sweep(stream, level, right, x);
    }
    void sweep(Stream& stream, DeviceLevel<T>& level, View<const T> right, View<T> x) {
        auto residual = level.residual.view();
        level.a->multiply(stream, {T(-1), x, T(1), right}, residual);
        TL_DISPATCH(stream.device(),
                    add_scaled_elements<T>(stream, level.damping.view(), residual, x));
    }

    int sweeps_;
    double complexity_;
    std::vector<DeviceLevel<T>> levels_;
    std::unique_ptr<SparseMatrix<T>> inverse_;  ///< of the last level's matrix; null for none
};

}  // namespace

template <class T>
std::unique_ptr<Preconditioner<T>> make_multigrid(Stream& stream, const HostCsr& a,
                                                  const AggregationConfig& config, bool symmetric,
                                                  const std::function<void()>& check) {
    return std::make_unique<Multigrid<T>>(stream, make_hierarchy(a, config, symmetric, check),
                                          config.sweeps);
}

template std::unique_ptr<Preconditioner<float>> make_multigrid(Stream&, const HostCsr&,
                                                               const AggregationConfig&, bool,
                                                               const std::function<void()>&);
template std::unique_ptr<Preconditioner<double>> make_multigrid(Stream&, const HostCsr&,
                                                                const AggregationConfig&, bool,
                                                                const std::function<void()>&);

}  // namespace tl

// Randomised SVD (Halko, Martinsson & Tropp 2011, algorithms 4.4 and 5.1): a random sample of A's
// range, refined by power iterations with orthogonalisation after every product, then the SVD of A
// projected onto that basis.
#include <algorithm>
#include <cmath>

#include "solvers/dense/block_reflector.h"
#include "solvers/dense/random_matrix.h"
#include "solvers/svd/divide_conquer.h"
#include "solvers/svd/svd_dense.h"
#include "solvers/svd/svd_mode_base.h"
#include "solvers/svd/svd_modes.h"

namespace tl {
namespace {

class RandomisedMode final : public SvdMode<RandomisedMode> {
  public:
    RandomisedMode() : SvdMode("randomised") {}

    Settings settings() override {
        static const SettingsOf<Config> all{
            {"oversampling", &Config::oversampling, 0, 512, "",
             "columns of the sample beyond the rank"},
            {"power-iterations", &Config::power_iterations, 0, 16, "",
             "products with A A^H that sharpen the sample"},
        };
        return all.of(config_);
    }
    std::uint64_t memory_bytes(int rows, int cols, const SvdRequest& request,
                               std::size_t element_size) const override {
        auto l = static_cast<std::uint64_t>(sample_size(rows, cols, request));
        auto m = static_cast<std::uint64_t>(rows), n = static_cast<std::uint64_t>(cols);
        return (m * n + 3 * l * (m + n) + 6 * l * l) * element_size;
    }

    template <class T>
    SvdResult<T> solve_as(Stream& stream, MatrixView<const T> a, const SvdRequest& request,
                          SolverRun& run) {
        if (request.rank == 0)
            throw UsageError("svd mode randomised needs a rank: the number of triplets to compute");
        bool all_zero = false;
        int exponent = scale_exponent(stream, a, all_zero);
        if (all_zero) return make_svd_divide_conquer()->solve(stream, a, request, run);

        auto blas = make_blas(stream);
        StageTimer timer(stream);
        timer.begin_frame();
        Matrix<T> scaled(stream, a.rows, a.cols);
        {
            StageTimer::Scope stage(timer, "scale");
            TL_DISPATCH(stream.device(), scale_by_power<RealOf<T>>(stream, parts_of(a), -exponent,
                                                                   parts_of(scaled.view())));
        }
        int size = sample_size(a.rows, a.cols, request);
        auto basis = sample_range<T>(*blas, scaled.view(), size, request.seed, timer, run);
        run.report(0.6);
        SvdResult<T> result = project<T>(*blas, scaled.view(), basis, request, timer, run);
        for (double& value : result.values) value = std::ldexp(value, exponent);
        timer.end_frame();
        timer.flush();
        result.stages = timer.latest();
        return result;
    }

  private:
    struct Config {
        int oversampling = 32;
        int power_iterations = 2;
    };

    [[nodiscard]] int sample_size(int rows, int cols, const SvdRequest& request) const {
        return std::min({request.rank + config_.oversampling, rows, cols});
    }

    /// An orthonormal basis (rows x size) that approximates the span of A's largest left vectors.
    template <class T>
    Matrix<T> sample_range(Blas& blas, MatrixView<const T> a, int size, std::uint64_t seed,
                           StageTimer& timer, SolverRun& run) {
        Stream& stream = blas.stream();
        Matrix<T> across(stream, a.cols, size), basis(stream, a.rows, size);
        StageTimer::Scope stage(timer, "sample");
        TL_DISPATCH(stream.device(), fill_elements<RealOf<T>>(stream, ElementKind::bell, 1, seed,
                                                              parts_of(across.view())));
        auto multiply = [&](Transpose op, Matrix<T>& by, Matrix<T>& to) {
            blas.gemm(op, Transpose::no, T(1), a, by.view(), T(0), to.view());
            TL_DISPATCH(stream.device(), orthonormalise<T>(blas, to.view()));
        };
        multiply(Transpose::no, across, basis);
        for (int i = 0; i < config_.power_iterations; ++i) {
            run.report(0.5 * (i + 1) / (config_.power_iterations + 1));
            multiply(Transpose::yes, basis, across);
            multiply(Transpose::no, across, basis);
        }
        return basis;
    }

    /// Computes the SVD of basis^H A, the projection of A.
    template <class T>
    SvdResult<T> project(Blas& blas, MatrixView<const T> a, Matrix<T>& basis,
                         const SvdRequest& request, StageTimer& timer, SolverRun& run) {
        Stream& stream = blas.stream();
        StageTimer::Scope stage(timer, "project");
        int size = basis.cols();
        Matrix<T> seen(stream, a.cols, size);
        blas.gemm(Transpose::yes, Transpose::no, T(1), a, basis.view(), T(0), seen.view());
        SvdRequest all;
        all.vectors = request.vectors;
        all.rank = request.rank;
        SolverRun inner(run, 0.6, 0.9);
        auto small =
            svd_dense<T>(stream, seen.view(), all, {}, divide_and_conquer<RealOf<T>>, inner);
        SvdResult<T> result;
        result.values = std::move(small.values);
        if (request.vectors == SvdVectors::none) return result;
        // seen = A^H basis = V S W^H, so U = basis W.
        result.u = Matrix<T>(stream, a.rows, request.rank);
        blas.gemm(Transpose::no, Transpose::no, T(1), basis.view(), small.v.view(), T(0),
                  result.u.view());
        result.v = std::move(small.u);
        return result;
    }

    Config config_;
};

}  // namespace

std::unique_ptr<SvdSolver> make_svd_randomised() {
    return std::make_unique<RandomisedMode>();
}

}  // namespace tl

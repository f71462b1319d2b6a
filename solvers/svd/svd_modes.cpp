#include "solvers/svd/svd_modes.h"

#include "solvers/svd/divide_conquer.h"
#include "solvers/svd/svd_dense.h"
#include "solvers/svd/svd_input.h"

namespace tl {
namespace {

/// A mode that differs in what it does with the bidiagonal.
class DenseMode : public SvdSolver {
  public:
    DenseMode(const char* id, int extra_squares) : id_(id), extra_squares_(extra_squares) {}

    Settings settings() override {
        return {{"block", config_.block, 1, 64, "", "columns of a panel of the bidiagonalisation"},
                {"qr-ratio", config_.qr_ratio, 1.0f, 100.0f, "",
                 "a QR factorisation comes first where rows / columns is at least this"}};
    }
    SvdResult<float> solve(Stream& stream, MatrixView<const float> a, const SvdRequest& request,
                           SolverRun& run) override {
        return solve_as<float>(stream, a, request, run);
    }
    SvdResult<double> solve(Stream& stream, MatrixView<const double> a, const SvdRequest& request,
                            SolverRun& run) override {
        return solve_as<double>(stream, a, request, run);
    }
    std::uint64_t memory_bytes(int rows, int cols, const SvdRequest& request,
                               std::size_t element_size) const override {
        return svd_dense_bytes(rows, cols, request, config_, extra_squares_, element_size);
    }

  protected:
    virtual BidiagonalSvd<float> diagonaliser(float) = 0;
    virtual BidiagonalSvd<double> diagonaliser(double) = 0;

  private:
    template <class T>
    SvdResult<T> solve_as(Stream& stream, MatrixView<const T> a, const SvdRequest& request,
                          SolverRun& run) {
        check_request(a.rows, a.cols, request);
        require_memory(stream.device(), memory_bytes(a.rows, a.cols, request, sizeof(T)),
                       std::string("svd mode ") + id_);
        auto result = svd_dense<T>(stream, a, request, config_, diagonaliser(T()), run);
        result.mode = id_;
        return result;
    }

    const char* id_;
    int extra_squares_;
    SvdDenseConfig config_;
};

class DivideConquerMode final : public DenseMode {
  public:
    DivideConquerMode() : DenseMode("divide-conquer", 2) {}
    BidiagonalSvd<float> diagonaliser(float) override { return divide_and_conquer<float>; }
    BidiagonalSvd<double> diagonaliser(double) override { return divide_and_conquer<double>; }
};

class GolubReinschMode final : public DenseMode {
  public:
    GolubReinschMode() : DenseMode("golub-reinsch", 1) {}
    BidiagonalSvd<float> diagonaliser(float) override { return bidiagonal_by_sweeps<float>; }
    BidiagonalSvd<double> diagonaliser(double) override { return bidiagonal_by_sweeps<double>; }
};

/// Hands over to the randomised mode where few triplets of a large matrix are asked for.
class AutoMode final : public SvdSolver {
  public:
    SvdResult<float> solve(Stream& stream, MatrixView<const float> a, const SvdRequest& request,
                           SolverRun& run) override {
        return choose(a.rows, a.cols, request)->solve(stream, a, request, run);
    }
    SvdResult<double> solve(Stream& stream, MatrixView<const double> a, const SvdRequest& request,
                            SolverRun& run) override {
        return choose(a.rows, a.cols, request)->solve(stream, a, request, run);
    }
    std::uint64_t memory_bytes(int rows, int cols, const SvdRequest& request,
                               std::size_t element_size) const override {
        return choose(rows, cols, request)->memory_bytes(rows, cols, request, element_size);
    }

  private:
    static std::unique_ptr<SvdSolver> choose(int rows, int cols, const SvdRequest& request) {
        int least = rows < cols ? rows : cols;
        constexpr int kSmall = 256;  // below it the whole decomposition costs no more
        bool few = request.rank > 0 && request.rank <= least / 16;
        return few && least > kSmall ? make_svd_randomised() : make_svd_divide_conquer();
    }
};

}  // namespace

std::unique_ptr<SvdSolver> make_svd_divide_conquer() {
    return std::make_unique<DivideConquerMode>();
}
std::unique_ptr<SvdSolver> make_svd_golub_reinsch() {
    return std::make_unique<GolubReinschMode>();
}
std::unique_ptr<SvdSolver> make_svd_auto() {
    return std::make_unique<AutoMode>();
}

}  // namespace tl

// The table of SVD modes, and those by way of a bidiagonal matrix.
#include <algorithm>

#include "core/device/registry.h"
#include "solvers/svd/divide_conquer.h"
#include "solvers/svd/svd_dense.h"
#include "solvers/svd/svd_mode_base.h"
#include "solvers/svd/svd_modes.h"
#include "solvers/tuning/tuning.h"

namespace tl {
namespace {

/// A mode's method for the bidiagonal matrix.
struct BidiagonalMethod {
    const char* id;
    int extra_squares;  ///< n x n matrices that it needs besides the vectors
    BidiagonalSvd<float> of_floats;
    BidiagonalSvd<double> of_doubles;
};

class DenseMode final : public SvdMode<DenseMode> {
  public:
    explicit DenseMode(BidiagonalMethod method, SvdDenseConfig config = {})
        : SvdMode(method.id), method_(std::move(method)), config_(config) {
        config_.block = 0;  // open: chosen when a matrix is given
    }

    Settings settings() override {
        static const SettingsOf<SvdDenseConfig> all{
            {"block", &SvdDenseConfig::block, 0, 64, "",
             "columns of a panel of the bidiagonalisation; 0: auto, as tuned, else 16 on a GPU "
             "and 32 "
             "on a CPU"},
            {"qr-ratio", &SvdDenseConfig::qr_ratio, 1.0f, 1e6f, "",
             "a QR factorisation comes first where rows / columns is at least this"},
        };
        return all.of(config_);
    }
    std::uint64_t memory_bytes(int rows, int cols, const SvdRequest& request,
                               std::size_t element_size) const override {
        auto config = config_;
        if (config.block == 0) config.block = kMostBlock;  // whatever was tuned
        return svd_dense_bytes(rows, cols, request, config, method_.extra_squares, element_size);
    }
    template <class T>
    SvdResult<T> solve_as(Stream& stream, MatrixView<const T> a, const SvdRequest& request,
                          SolverRun& run) {
        auto config = config_;
        if (config.block == 0) config.block = block_for<T>(stream.device(), a);
        if constexpr (std::is_same_v<RealOf<T>, double>)
            return svd_dense<T>(stream, a, request, config, method_.of_doubles, run);
        else
            return svd_dense<T>(stream, a, request, config, method_.of_floats, run);
    }

  private:
    static constexpr int kMostBlock = 64;

    /// The width of panels that was measured on the machine with real matrices, or one that is good
    /// on most.
    template <class T>
    [[nodiscard]] static int block_for(const Device& device, MatrixView<const T> a) {
        constexpr int kOfGpu = 16;  // on an H200 4 to 8 % faster than 32 from 1024 to 4096 columns
        auto* tuned = tuning_of_machine().find(device.name(), "svd", sizeof(RealOf<T>),
                                               std::min(a.rows, a.cols));
        if (tuned && tuned->block > 0) return std::min(tuned->block, kMostBlock);
        return device.kind() == DeviceKind::cuda ? kOfGpu : SvdDenseConfig().block;
    }

    BidiagonalMethod method_;
    SvdDenseConfig config_;
};

/// Uses the randomised mode if few triplets of a large matrix are requested.
class AutoMode final : public SvdOfAnyNumbers<AutoMode> {
  public:
    /// `make_dense` creates the mode for all other matrices.
    explicit AutoMode(std::unique_ptr<SvdSolver> (*make_dense)()) : make_dense_(make_dense) {}

    template <class T>
    SvdResult<T> solve_any(Stream& stream, MatrixView<const T> a, const SvdRequest& request,
                           SolverRun& run) {
        return choose(a.rows, a.cols, request)->solve(stream, a, request, run);
    }
    std::uint64_t memory_bytes(int rows, int cols, const SvdRequest& request,
                               std::size_t element_size) const override {
        return choose(rows, cols, request)->memory_bytes(rows, cols, request, element_size);
    }

  private:
    [[nodiscard]] std::unique_ptr<SvdSolver> choose(int rows, int cols,
                                                    const SvdRequest& request) const {
        int least = rows < cols ? rows : cols;
        constexpr int kSmall = 256;  // below this size the full decomposition is as fast
        bool few = request.rank > 0 && request.rank <= least / 16;
        return few && least > kSmall ? make_svd_randomised() : make_dense_();
    }

    std::unique_ptr<SvdSolver> (*make_dense_)();
};

BidiagonalMethod divide_conquer_method() {
    return {"divide-conquer", 2, divide_and_conquer<float>, divide_and_conquer<double>};
}

[[maybe_unused]] std::unique_ptr<SvdSolver> make_svd_divide_conquer_cuda() {
    SvdDenseConfig config;
    // QR on the host takes 32 ms for n = 512 and 23 s for n = 16384 on one core; a GPU is faster.
    config.most_values_by_qr = 256;
    return std::make_unique<DenseMode>(divide_conquer_method(), config);
}
std::unique_ptr<SvdSolver> make_svd_golub_reinsch() {
    return std::make_unique<DenseMode>(BidiagonalMethod{
        "golub-reinsch", 1, bidiagonal_by_sweeps<float>, bidiagonal_by_sweeps<double>});
}
std::unique_ptr<SvdSolver> make_svd_auto() {
    return std::make_unique<AutoMode>(make_svd_divide_conquer);
}
[[maybe_unused]] std::unique_ptr<SvdSolver> make_svd_auto_cuda() {
    return std::make_unique<AutoMode>(make_svd_divide_conquer_cuda);
}

}  // namespace

std::unique_ptr<SvdSolver> make_svd_divide_conquer() {
    return std::make_unique<DenseMode>(divide_conquer_method());
}

const std::vector<SvdRow>& svd_solvers() {
    static const std::vector<SvdRow> table{
        {"auto", "Chosen by size and rank",
         "randomised where few triplets of a large matrix are asked for, else divide-conquer",
         false, &make_svd_auto, TL_CUDA_ONLY(&make_svd_auto_cuda)},
        {"divide-conquer", "Divide and conquer",
         "Householder bidiagonalisation, then divide and conquer (Gu & Eisenstat 1995)", false,
         &make_svd_divide_conquer, TL_CUDA_ONLY(&make_svd_divide_conquer_cuda)},
        {"golub-reinsch", "Golub-Reinsch",
         "Householder bidiagonalisation, then implicit QR sweeps (Lahabar 2010)", false,
         &make_svd_golub_reinsch, TL_CUDA_ONLY(&make_svd_golub_reinsch)},
        {"randomised", "Randomised",
         "The largest triplets from a random sample of the range (Halko et al. 2011); needs a rank",
         false, &make_svd_randomised, TL_CUDA_ONLY(&make_svd_randomised)},
        {"lapack-gesdd", "LAPACK gesdd", "OpenBLAS's divide and conquer", true, &make_lapack_gesdd,
         nullptr},
        {"lapack-gesvd", "LAPACK gesvd", "OpenBLAS's QR iteration", true, &make_lapack_gesvd,
         nullptr},
        {"cusolver-gesvd", "cuSOLVER gesvd", "NVIDIA's QR iteration", true, nullptr,
         TL_CUDA_ONLY(&make_cusolver_gesvd)},
        {"cusolver-gesvdj", "cuSOLVER gesvdj", "NVIDIA's Jacobi method", true, nullptr,
         TL_CUDA_ONLY(&make_cusolver_gesvdj)},
        {"cusolver-gesvdp", "cuSOLVER gesvdp",
         "NVIDIA's polar decomposition, imprecise where the condition number is high", true,
         nullptr, TL_CUDA_ONLY(&make_cusolver_gesvdp)},
    };
    return table;
}

std::unique_ptr<SvdSolver> make_svd_solver(const std::string& id, const Device& device) {
    return make_from_row(svd_solvers(), id, device, "svd mode");
}

}  // namespace tl

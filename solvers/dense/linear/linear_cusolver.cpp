// cuSOLVER's systems behind the LinearSolver interface: getrf with getrs, and factors in TF32 with
// refinement (IRS; Haidar et al. 2020).
#include "solvers/dense/cusolver_handle.h"
#include "solvers/dense/linear/linear_mode.h"
#include "solvers/dense/linear/linear_modes.h"

namespace tl {
namespace {

void check_info(Stream& stream, const DeviceArray<int>& info, const char* id) {
    int code = info.download(stream)[0];
    if (code > 0) throw singular_matrix(code - 1);
    if (code < 0) throw UserError(std::string(id) + " failed with info " + std::to_string(code));
}

class CusolverGetrs final : public LinearMode<CusolverGetrs> {
  public:
    CusolverGetrs() : LinearMode("cusolver-getrs") {}

    template <class T>
    void run(Stream& stream, MatrixView<const T> a, LinearSolution<T>& solution, StageTimer&,
             SolverRun&) {
        PooledHandle<CusolverHandle> borrowed(stream, CusolverHandle::make);
        auto& handle = borrowed.get();
        handle.use(stream);
        Matrix<T> factors(stream, a.rows, a.cols);
        auto lu = factors.view(), x = solution.x.view();
        cuda::copy_matrix<T>(stream, a, lu);
        DeviceArray<std::int64_t> pivots(stream, static_cast<std::size_t>(a.rows));
        DeviceArray<int> info(stream, 1);
        std::size_t device_bytes = 0, host_bytes = 0;
        check_cusolver(late::cusolverDnXgetrf_bufferSize(handle.dense, handle.params, lu.rows,
                                                         lu.cols, kCudaType<T>, lu.data, lu.stride,
                                                         kCudaType<T>, &device_bytes, &host_bytes),
                       "cusolverDnXgetrf_bufferSize");
        DeviceArray<std::byte> device_work(stream, device_bytes);
        std::vector<std::byte> host_work(host_bytes);
        check_cusolver(late::cusolverDnXgetrf(handle.dense, handle.params, lu.rows, lu.cols,
                                              kCudaType<T>, lu.data, lu.stride, pivots.data(),
                                              kCudaType<T>, device_work.data(), device_bytes,
                                              host_work.data(), host_bytes, info.data()),
                       "cusolverDnXgetrf");
        check_info(stream, info, id());
        check_cusolver(
            late::cusolverDnXgetrs(handle.dense, handle.params, CUBLAS_OP_N, lu.rows, x.cols,
                                   kCudaType<T>, lu.data, lu.stride, pivots.data(), kCudaType<T>,
                                   x.data, x.stride, info.data()),
            "cusolverDnXgetrs");
        check_info(stream, info, id());
    }
};

class CusolverIrs final : public LinearMode<CusolverIrs> {
  public:
    CusolverIrs() : LinearMode("cusolver-irs") {}

    template <class T>
    void run(Stream& stream, MatrixView<const T> a, LinearSolution<T>& solution, StageTimer&,
             SolverRun&) {
        if constexpr (sizeof(T) == 4) {
            throw UsageError("solve: mode cusolver-irs refines doubles");
        } else {
            PooledHandle<CusolverHandle> borrowed(stream, CusolverHandle::make);
            auto& handle = borrowed.get();
            handle.use(stream);
            Matrix<double> factors(stream, a.rows, a.cols), b(stream, a.rows, solution.x.cols());
            auto lu = factors.view(), right = b.view(), x = solution.x.view();
            cuda::copy_matrix<double>(stream, a, lu);
            cuda::copy_matrix<double>(stream, x, right);
            DeviceArray<int> pivots(stream, static_cast<std::size_t>(a.rows)), info(stream, 1);
            std::size_t bytes = 0;
            check_cusolver(late::cusolverDnDXgesv_bufferSize(
                               handle.dense, lu.rows, x.cols, lu.data, lu.stride, pivots.data(),
                               right.data, right.stride, x.data, x.stride, nullptr, &bytes),
                           "cusolverDnDXgesv_bufferSize");
            DeviceArray<std::byte> work(stream, bytes);
            check_cusolver(
                late::cusolverDnDXgesv(handle.dense, lu.rows, x.cols, lu.data, lu.stride,
                                       pivots.data(), right.data, right.stride, x.data, x.stride,
                                       work.data(), bytes, &solution.steps, info.data()),
                "cusolverDnDXgesv");
            check_info(stream, info, id());
            if (solution.steps < 0) solution.note = "cuSOLVER solved in double";
        }
    }
};

}  // namespace

std::unique_ptr<LinearSolver> make_cusolver_getrs() {
    return std::make_unique<CusolverGetrs>();
}
std::unique_ptr<LinearSolver> make_cusolver_irs() {
    return std::make_unique<CusolverIrs>();
}

}  // namespace tl

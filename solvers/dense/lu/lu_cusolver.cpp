// cuSOLVER's getrf behind the LuSolver interface.
#include "solvers/dense/cusolver_handle.h"
#include "solvers/dense/lu/lu_mode.h"
#include "solvers/dense/lu/lu_modes.h"

namespace tl {
namespace {

class CusolverLu final : public LuMode<CusolverLu> {
  public:
    CusolverLu() : LuMode("cusolver-getrf") {}

    template <class T>
    void run(Stream& stream, LuFactors<T>& factors, SolverRun&) {
        auto a = factors.lu.view();
        auto& swaps = factors.swaps;
        PooledHandle<CusolverHandle> borrowed(stream, CusolverHandle::make);
        auto& handle = borrowed.get();
        handle.use(stream);
        DeviceArray<std::int64_t> pivots(stream, swaps.size());
        DeviceArray<int> info(stream, 1);
        std::size_t device_bytes = 0, host_bytes = 0;
        check_cusolver(late::cusolverDnXgetrf_bufferSize(handle.dense, handle.params, a.rows,
                                                         a.cols, kCudaType<T>, a.data, a.stride,
                                                         kCudaType<T>, &device_bytes, &host_bytes),
                       "cusolverDnXgetrf_bufferSize");
        DeviceArray<std::byte> device_work(stream, device_bytes);
        std::vector<std::byte> host_work(host_bytes);
        check_cusolver(late::cusolverDnXgetrf(handle.dense, handle.params, a.rows, a.cols,
                                              kCudaType<T>, a.data, a.stride, pivots.data(),
                                              kCudaType<T>, device_work.data(), device_bytes,
                                              host_work.data(), host_bytes, info.data()),
                       "cusolverDnXgetrf");
        if (int code = info.download(stream)[0]; code < 0)
            throw UserError(std::string(id()) + " failed with info " + std::to_string(code));
        auto host = pivots.download(stream);
        for (std::size_t k = 0; k < swaps.size(); ++k) swaps[k] = static_cast<int>(host[k]) - 1;
    }
};

}  // namespace

std::unique_ptr<LuSolver> make_cusolver_getrf() {
    return std::make_unique<CusolverLu>();
}

}  // namespace tl

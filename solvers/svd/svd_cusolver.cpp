// cuSOLVER's decompositions behind the SvdSolver interface: QR iteration (gesvd), Jacobi (gesvdj)
// and polar decomposition (gesvdp).
#include <algorithm>
#include <string>

#include "core/device/cuda_check.h"
#include "solvers/dense/blas_of.h"
#include "solvers/dense/cuda_numbers.h"
#include "solvers/dense/cusolver_handle.h"
#include "solvers/dense/handle_pool.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/svd/svd_mode_base.h"
#include "solvers/svd/svd_modes.h"

namespace tl {
namespace {

enum class Method { gesvd, gesvdj, gesvdp };

/// A cuSOLVER handle with the parameters of its routines.
struct Handle : CusolverHandle {
    gesvdjInfo_t jacobi = nullptr;

    static Handle make() {
        Handle handle{CusolverHandle::make()};
        check_cusolver(late::cusolverDnCreateGesvdjInfo(&handle.jacobi),
                       "cusolverDnCreateGesvdjInfo");
        return handle;
    }
};

/// Outputs of a routine. A has rows >= columns and is overwritten; gesvd gives V^H, the others V.
template <class T>
struct Outputs {
    MatrixView<T> a, u, v;
    RealOf<T>* s;
    int* info;
    bool vectors, full;
};

template <class T>
void call_gesvd(Handle& handle, Stream& stream, const Outputs<T>& o) {
    auto job = static_cast<signed char>(!o.vectors ? 'N' : o.full ? 'A' : 'S');
    std::size_t device_bytes = 0, host_bytes = 0;
    check_cusolver(
        late::cusolverDnXgesvd_bufferSize(
            handle.dense, handle.params, job, job, o.a.rows, o.a.cols, kCudaType<T>, o.a.data,
            o.a.stride, kCudaType<RealOf<T>>, o.s, kCudaType<T>, o.u.data, o.u.stride, kCudaType<T>,
            o.v.data, o.v.stride, kCudaType<T>, &device_bytes, &host_bytes),
        "cusolverDnXgesvd_bufferSize");
    DeviceArray<std::byte> device_work(stream, device_bytes);
    std::vector<std::byte> host_work(host_bytes);
    check_cusolver(late::cusolverDnXgesvd(handle.dense, handle.params, job, job, o.a.rows, o.a.cols,
                                          kCudaType<T>, o.a.data, o.a.stride, kCudaType<RealOf<T>>,
                                          o.s, kCudaType<T>, o.u.data, o.u.stride, kCudaType<T>,
                                          o.v.data, o.v.stride, kCudaType<T>, device_work.data(),
                                          device_bytes, host_work.data(), host_bytes, o.info),
                   "cusolverDnXgesvd");
    stream.synchronize();
}

template <class T>
void call_gesvdp(Handle& handle, Stream& stream, const Outputs<T>& o) {
    auto job = o.vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    int economy = o.full ? 0 : 1;
    double error = 0;
    std::size_t device_bytes = 0, host_bytes = 0;
    check_cusolver(
        late::cusolverDnXgesvdp_bufferSize(
            handle.dense, handle.params, job, economy, o.a.rows, o.a.cols, kCudaType<T>, o.a.data,
            o.a.stride, kCudaType<RealOf<T>>, o.s, kCudaType<T>, o.u.data, o.u.stride, kCudaType<T>,
            o.v.data, o.v.stride, kCudaType<T>, &device_bytes, &host_bytes),
        "cusolverDnXgesvdp_bufferSize");
    DeviceArray<std::byte> device_work(stream, device_bytes);
    std::vector<std::byte> host_work(host_bytes);
    check_cusolver(
        late::cusolverDnXgesvdp(handle.dense, handle.params, job, economy, o.a.rows, o.a.cols,
                                kCudaType<T>, o.a.data, o.a.stride, kCudaType<RealOf<T>>, o.s,
                                kCudaType<T>, o.u.data, o.u.stride, kCudaType<T>, o.v.data,
                                o.v.stride, kCudaType<T>, device_work.data(), device_bytes,
                                host_work.data(), host_bytes, o.info, &error),
        "cusolverDnXgesvdp");
    stream.synchronize();
}

/// The one of four routines that takes the numbers.
template <class T, class S, class D, class C, class Z>
constexpr const auto& routine_for(const S& s, const D& d, const C& c, const Z& z) {
    if constexpr (kIsComplex<T>)
        return routine_of<T>(c, z);
    else
        return routine_of<T>(s, d);
}

template <class T>
void call_gesvdj(Handle& handle, Stream& stream, const Outputs<T>& o) {
    auto job = o.vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    int economy = o.full ? 0 : 1, size = 0;
    const auto& size_of =
        routine_for<T>(late::cusolverDnSgesvdj_bufferSize, late::cusolverDnDgesvdj_bufferSize,
                       late::cusolverDnCgesvdj_bufferSize, late::cusolverDnZgesvdj_bufferSize);
    check_cusolver(
        size_of(handle.dense, job, economy, o.a.rows, o.a.cols, native(o.a.data), o.a.stride, o.s,
                native(o.u.data), o.u.stride, native(o.v.data), o.v.stride, &size, handle.jacobi),
        "gesvdj_bufferSize");
    DeviceArray<T> work(stream, static_cast<std::size_t>(size));
    const auto& gesvdj = routine_for<T>(late::cusolverDnSgesvdj, late::cusolverDnDgesvdj,
                                        late::cusolverDnCgesvdj, late::cusolverDnZgesvdj);
    check_cusolver(gesvdj(handle.dense, job, economy, o.a.rows, o.a.cols, native(o.a.data),
                          o.a.stride, o.s, native(o.u.data), o.u.stride, native(o.v.data),
                          o.v.stride, native(work.data()), size, o.info, handle.jacobi),
                   "gesvdj");
    stream.synchronize();
}

class CusolverSvd final : public SvdMode<CusolverSvd> {
  public:
    CusolverSvd(const char* id, Method method) : SvdMode(id), method_(method) {}

    /// gesvdp's workspace is about five matrices, by measurement.
    std::uint64_t memory_bytes(int rows, int cols, const SvdRequest& request,
                               std::size_t element_size) const override {
        auto m = static_cast<std::uint64_t>(std::max(rows, cols));
        auto n = static_cast<std::uint64_t>(std::min(rows, cols));
        std::uint64_t u = m * (request.vectors == SvdVectors::full ? m : n);
        return (2 * m * n + u + 2 * n * n + (method_ == Method::gesvdp ? 5 : 3) * m * n) *
               element_size;
    }

    template <class T>
    SvdResult<T> solve_as(Stream& stream, MatrixView<const T> a, const SvdRequest& request,
                          SolverRun&) {
        return run_library(stream, a, [&] { return call<T>(stream, a, request); });
    }

  private:
    template <class T>
    SvdResult<T> call(Stream& stream, MatrixView<const T> a, const SvdRequest& request) {
        bool wide = a.cols > a.rows;
        int m = std::max(a.rows, a.cols), n = std::min(a.rows, a.cols);
        bool none = request.vectors == SvdVectors::none;
        bool full = request.vectors == SvdVectors::full;
        Matrix<T> work(stream, m, n), u(stream, m, full ? m : n), v(stream, n, n);
        if (wide)
            cuda::transpose_matrix<T>(stream, a, work.view());
        else
            cuda::copy_matrix<T>(stream, a, work.view());
        DeviceArray<RealOf<T>> s(stream, static_cast<std::size_t>(n));
        DeviceArray<int> info(stream, 1);
        PooledHandle<Handle> borrowed(stream, Handle::make);
        Handle& handle = borrowed.get();
        handle.use(stream);
        Outputs<T> outputs{work.view(), u.view(), v.view(), s.data(), info.data(), !none, full};
        if (method_ == Method::gesvd)
            call_gesvd(handle, stream, outputs);
        else if (method_ == Method::gesvdj)
            call_gesvdj(handle, stream, outputs);
        else
            call_gesvdp(handle, stream, outputs);
        if (int code = info.download(stream)[0]; code != 0)
            throw UserError(std::string(id()) + " failed with info " + std::to_string(code));
        SvdResult<T> result;
        auto values = s.download(stream);
        int count = request.rank > 0 ? request.rank : n;
        result.values.assign(values.begin(), values.begin() + count);
        if (none) return result;
        if (method_ == Method::gesvd) {
            Matrix<T> turned(stream, n, n);
            cuda::transpose_matrix<T>(stream, v.view(), turned.view());
            v = std::move(turned);
        }
        if (request.rank > 0) {
            u = first_columns(stream, u, count);
            v = first_columns(stream, v, count);
        }
        result.u = wide ? std::move(v) : std::move(u);
        result.v = wide ? std::move(u) : std::move(v);
        return result;
    }

    Method method_;
};

}  // namespace

std::unique_ptr<SvdSolver> make_cusolver_gesvd() {
    return std::make_unique<CusolverSvd>("cusolver-gesvd", Method::gesvd);
}
std::unique_ptr<SvdSolver> make_cusolver_gesvdj() {
    return std::make_unique<CusolverSvd>("cusolver-gesvdj", Method::gesvdj);
}
std::unique_ptr<SvdSolver> make_cusolver_gesvdp() {
    return std::make_unique<CusolverSvd>("cusolver-gesvdp", Method::gesvdp);
}

}  // namespace tl

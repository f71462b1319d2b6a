// cuSOLVER's geev behind the EigenSolver interface: it has no batches, so that matrices go one
// after the other.
#include "core/device/cuda_check.h"
#include "solvers/dense/cusolver_check.h"
#include "solvers/dense/handle_pool.h"
#include "solvers/eigen/eigen_peers.h"
#include "solvers/eigen/one_by_one.h"

namespace tl {
namespace {

struct GeevHandle {
    cusolverDnHandle_t dense = nullptr;
    cusolverDnParams_t params = nullptr;

    static GeevHandle make() {
        GeevHandle handle;
        check_cusolver(late::cusolverDnCreate(&handle.dense), "cusolverDnCreate");
        check_cusolver(late::cusolverDnCreateParams(&handle.params), "cusolverDnCreateParams");
        return handle;
    }
};

template <class T>
class CusolverGeev {
  public:
    CusolverGeev(Stream& stream, int n, EigenPairs pairs)
        : stream_(stream),
          handle_(stream, &GeevHandle::make),
          n_(n),
          job_(pairs == EigenPairs::values ? CUSOLVER_EIG_MODE_NOVECTOR : CUSOLVER_EIG_MODE_VECTOR),
          a_(stream, size()),
          w_(stream, 2 * rows()),
          right_(stream, size()),
          info_(stream, 1),
          columns_(size()),
          packed_(n, pairs) {
        auto& own = handle_.get();
        check_cusolver(
            late::cusolverDnSetStream(own.dense, static_cast<cudaStream_t>(stream.native())),
            "cusolverDnSetStream");
        std::size_t device_bytes = 0, host_bytes = 0;
        check_cusolver(late::cusolverDnXgeev_bufferSize(
                           own.dense, own.params, CUSOLVER_EIG_MODE_NOVECTOR, job_, n_, kType,
                           a_.data(), n_, kType, w_.data(), kType, nullptr, n_, kType,
                           right_.data(), n_, kType, &device_bytes, &host_bytes),
                       "cusolverDnXgeev_bufferSize");
        device_work_ = DeviceArray<std::byte>(stream, device_bytes);
        host_work_.resize(host_bytes);
    }

    EigenStatus solve(const T* a, T* values, T* vectors) {
        bool finite = all_finite(a, size());
        bool solved = finite && call(a);
        packed_.write(solved, values, vectors);
        return status_of(solved, finite);
    }

  private:
    static constexpr cudaDataType kType = sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F;

    [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(n_); }
    [[nodiscard]] std::size_t size() const { return rows() * rows(); }

    bool call(const T* a) {
        for (std::size_t i = 0; i < rows(); ++i)
            for (std::size_t j = 0; j < rows(); ++j) columns_[i + j * rows()] = a[i * rows() + j];
        a_.assign(stream_, columns_);
        auto& own = handle_.get();
        check_cusolver(late::cusolverDnXgeev(own.dense, own.params, CUSOLVER_EIG_MODE_NOVECTOR,
                                             job_, n_, kType, a_.data(), n_, kType, w_.data(),
                                             kType, nullptr, n_, kType, right_.data(), n_, kType,
                                             device_work_.data(), device_work_.size(),
                                             host_work_.data(), host_work_.size(), info_.data()),
                       "cusolverDnXgeev");
        if (info_.download(stream_).front() != 0) return false;
        auto both = w_.download(stream_);
        auto middle = both.begin() + static_cast<std::ptrdiff_t>(rows());
        packed_.re.assign(both.begin(), middle);
        packed_.im.assign(middle, both.end());
        if (job_ == CUSOLVER_EIG_MODE_VECTOR) packed_.vectors = right_.download(stream_);
        return true;
    }

    Stream& stream_;
    PooledHandle<GeevHandle> handle_;
    std::int64_t n_;
    cusolverEigMode_t job_;
    DeviceArray<T> a_, w_, right_;
    DeviceArray<int> info_;
    DeviceArray<std::byte> device_work_;
    std::vector<std::byte> host_work_;
    std::vector<T> columns_;
    PackedPairs<T> packed_;
};

}  // namespace

std::unique_ptr<EigenSolver> make_cusolver_geev() {
    return std::make_unique<OneByOne<CusolverGeev>>("cusolver");
}

}  // namespace tl

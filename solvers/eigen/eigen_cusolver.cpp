// cuSOLVER's geev behind the EigenSolver interface: it has no batches, so that matrices go one
// after the other.
#include "accel/parallel/cuda_check.h"
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

class CusolverGeev final : public EigenSolver {
  public:
    EigenResult<float> solve(Stream& stream, EigenBatch<float> batch, const EigenRequest& request,
                             SolverRun& run) override {
        return solve_as(stream, batch, request, run);
    }
    EigenResult<double> solve(Stream& stream, EigenBatch<double> batch, const EigenRequest& request,
                              SolverRun& run) override {
        return solve_as(stream, batch, request, run);
    }

  private:
    template <class T>
    EigenResult<T> solve_as(Stream& stream, const EigenBatch<T>& batch, const EigenRequest& request,
                            SolverRun& run) {
        constexpr cudaDataType kType = sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F;
        auto result = make_eigen_result(stream, batch, request, "cusolver", kMostRows);
        PooledHandle<GeevHandle> handle(stream, &GeevHandle::make);
        auto& own = handle.get();
        check_cusolver(
            late::cusolverDnSetStream(own.dense, static_cast<cudaStream_t>(stream.native())),
            "cusolverDnSetStream");
        const std::int64_t n = batch.n;
        const auto size = static_cast<std::size_t>(n * n), rows = static_cast<std::size_t>(n);
        const bool wants_vectors = request.pairs != EigenPairs::values;
        auto job = wants_vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
        DeviceArray<T> a(stream, size), w(stream, 2 * rows), right(stream, size);
        DeviceArray<int> info(stream, 1);
        std::size_t device_bytes = 0, host_bytes = 0;
        check_cusolver(late::cusolverDnXgeev_bufferSize(
                           own.dense, own.params, CUSOLVER_EIG_MODE_NOVECTOR, job, n, kType,
                           a.data(), n, kType, w.data(), kType, nullptr, n, kType, right.data(), n,
                           kType, &device_bytes, &host_bytes),
                       "cusolverDnXgeev_bufferSize");
        DeviceArray<std::byte> device_work(stream, device_bytes);
        std::vector<std::byte> host_work(host_bytes);
        PackedPairs<T> packed(batch.n, request.pairs);
        std::size_t per_matrix = !wants_vectors                     ? 0
                                 : request.pairs == EigenPairs::all ? 2 * size
                                                                    : size;
        std::vector<T> values(batch.count * 2 * rows), vectors(batch.count * per_matrix);
        std::vector<int> status(batch.count), sweeps(batch.count);  // no sweeps are told
        auto start = std::chrono::steady_clock::now();
        for (std::size_t m = 0; m < batch.count; ++m) {
            if (m % 16 == 0) run.report(static_cast<double>(m) / static_cast<double>(batch.count));
            std::vector<T> rows_of(size), columns(size);
            stream.device().download(stream, rows_of.data(), batch.a.data + m * size,
                                     size * sizeof(T));
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t j = 0; j < rows; ++j)
                    columns[i + j * rows] = rows_of[i * rows + j];
            bool finite = all_finite(rows_of.data(), size), solved = false;
            if (finite) {
                stream.device().upload(stream, a.data(), columns.data(), size * sizeof(T));
                check_cusolver(
                    late::cusolverDnXgeev(own.dense, own.params, CUSOLVER_EIG_MODE_NOVECTOR, job, n,
                                          kType, a.data(), n, kType, w.data(), kType, nullptr, n,
                                          kType, right.data(), n, kType, device_work.data(),
                                          device_bytes, host_work.data(), host_bytes, info.data()),
                    "cusolverDnXgeev");
                solved = info.download(stream).front() == 0;
                auto both = w.download(stream);
                std::copy_n(both.begin(), rows, packed.re.begin());
                std::copy_n(both.begin() + static_cast<std::ptrdiff_t>(rows), rows,
                            packed.im.begin());
                if (wants_vectors) packed.vectors = right.download(stream);
            }
            packed.write(solved, values.data() + m * 2 * rows, vectors.data() + m * per_matrix);
            status[m] = static_cast<int>(status_of(solved, finite));
        }
        result.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        result.values.assign(stream, values);
        if (wants_vectors) result.vectors.assign(stream, vectors);
        result.status.assign(stream, status);
        result.sweeps.assign(stream, sweeps);
        stream.synchronize();
        run.report(1);
        return result;
    }
};

}  // namespace

std::unique_ptr<EigenSolver> make_cusolver_geev() {
    return std::make_unique<CusolverGeev>();
}

}  // namespace tl

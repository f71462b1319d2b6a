#include "app/solve/dense/dense_out_of_core.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "app/solve/dense/dense_runs.h"
#include "core/base/files.h"
#include "core/base/paths.h"
#include "core/device/registry.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/dense/lu/lu_out_of_core.h"
#include "solvers/dense/matrix_files.h"
#include "solvers/dense/matrix_norms.h"
#include "solvers/dense/npy_file.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kChunk = std::size_t{1} << 26;  // bytes of a matrix that are handled at once
constexpr int kProjections = 16;

/// Calls use(first, n) for runs of `count` columns, or rows, of `length` elements.
template <class T, class Use>
void for_each_chunk(int count, int length, Use&& use) {
    auto line = sizeof(T) * static_cast<std::size_t>(std::max(length, 1));
    int most = static_cast<int>(std::max<std::size_t>(kChunk / line, 1));
    for (int first = 0; first < count; first += most) use(first, std::min(most, count - first));
}

/// A .npy file whose shape is that of a matrix.
class MatrixFile {
  public:
    explicit MatrixFile(const std::string& path) : file_(path) {
        auto& shape = file_.shape();
        constexpr std::int64_t kMost = std::numeric_limits<int>::max();
        if (shape.size() != 2 || std::ranges::max(shape) > kMost)
            file_.fail("the array is no matrix of two dimensions");
        rows_ = static_cast<int>(shape[0]);
        cols_ = static_cast<int>(shape[1]);
        file_.require_elements(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(cols_),
                               "elements of the matrix");
    }
    [[nodiscard]] int rows() const { return rows_; }
    [[nodiscard]] int cols() const { return cols_; }

    template <class T>
    void read(MatrixView<T> to) {
        bool by_columns = file_.column_major();
        int count = by_columns ? cols_ : rows_, length = by_columns ? rows_ : cols_;
        std::vector<double> chunk;
        for_each_chunk<double>(count, length, [&](int first, int n) {
            chunk.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(length));
            file_.read(chunk);
            const double* from = chunk.data();
            for (int k = first; k < first + n; ++k)
                for (int i = 0; i < length; ++i)
                    (by_columns ? to(i, k) : to(k, i)) = static_cast<T>(*from++);
        });
    }

  private:
    NpyFile file_;
    int rows_ = 0, cols_ = 0;
};

/// Sets the matrix to elements that a kind defines one by one.
template <class T>
void generate(Stream& stream, const MatrixSpec& spec, MatrixView<T> to) {
    check_matrix(spec);
    auto& kind = find_row(matrix_kinds(), spec.kind, "matrix kind");
    if (kind.value)
        throw UserError("--out-of-core: a matrix of kind " + spec.kind +
                        " is a product of matrices, which are not made in host memory; take a kind "
                        "with elements of its own, such as uniform, or a file");
    for_each_chunk<T>(to.cols, to.rows, [&](int first, int n) {
        Matrix<T> columns(stream, to.rows, n);
        TL_DISPATCH(stream.device(), fill_elements<T>(stream, kind.element, spec.condition,
                                                      spec.seed, columns.view(), first));
        stream.device().download(
            stream, to.col(first), columns.view().data,
            sizeof(T) * static_cast<std::size_t>(to.rows) * static_cast<std::size_t>(n));
    });
}

/// Figures of a matrix that remain when its factors overwrite it: its norm, the right side whose
/// solution is 1, and products with random rows w, by which residuals are estimated (Freivalds
/// 1979): the square of w r has the mean |r|^2 / 3 for elements of w uniform in [-1, 1).
template <class T>
class MatrixCheck {
  public:
    MatrixCheck(Blas& blas, MatrixView<const T> host) {
        auto& stream = blas.stream();
        Matrix<T> w(stream, kProjections, host.rows), one(stream, host.cols, 1),
            b(stream, host.rows, 1);
        TL_DISPATCH(stream.device(),
                    fill_elements<T>(stream, ElementKind::uniform, 1, kSeed, w.view()));
        one.upload(stream, std::vector<T>(static_cast<std::size_t>(host.cols), T(1)));
        b.fill_zero(stream);
        double squares = 0;
        for_each_chunk<T>(host.cols, host.rows, [&](int first, int n) {
            Matrix<T> columns(stream, host.rows, n), product(stream, kProjections, n);
            auto count = static_cast<std::size_t>(host.rows) * static_cast<std::size_t>(n);
            columns.upload(stream, std::span<const T>(host.col(first), count));
            blas.gemm(Transpose::no, Transpose::no, T(1), w.view(), columns.view(), T(0),
                      product.view());
            blas.gemm(Transpose::no, Transpose::no, T(1), columns.view(),
                      one.view().block(0, 0, n, 1), T(1), b.view());
            auto part = product.download(stream);
            w_a_.insert(w_a_.end(), part.begin(), part.end());
            double norm = frobenius_norm<T>(stream, columns.view());
            squares += norm * norm;
        });
        norm_ = std::sqrt(squares);
        b_ = b.download(stream);
        w_ = w.download(stream);
    }
    [[nodiscard]] const std::vector<T>& right_side() const { return b_; }
    /// |b - A x| / (|A| |x| + |b|), estimated.
    [[nodiscard]] double backward_error(const std::vector<T>& x) const {
        double squares = 0;
        for (int k = 0; k < kProjections; ++k) {
            double residual = dot(w_, b_, k) - dot(w_a_, x, k);
            squares += 3 * residual * residual / kProjections;
        }
        return std::sqrt(squares) / (norm_ * length(x) + length(b_));
    }

  private:
    static constexpr std::uint64_t kSeed = 0x4672656976616c64;

    [[nodiscard]] static double length(const std::vector<T>& x) {
        double sum = 0;
        for (T value : x) sum += double(value) * double(value);
        return std::sqrt(sum);
    }
    /// Row k of a matrix of kProjections rows times a vector.
    [[nodiscard]] static double dot(const std::vector<T>& rows, const std::vector<T>& x, int k) {
        double sum = 0;
        for (std::size_t j = 0; j < x.size(); ++j)
            sum += double(rows[j * kProjections + static_cast<std::size_t>(k)]) * double(x[j]);
        return sum;
    }

    double norm_ = 0;
    std::vector<T> b_, w_, w_a_;
};

/// Solves on the CPU, which reads the factors where they are.
template <class T>
std::vector<T> solve_in_host(MatrixView<const T> lu, const std::vector<int>& p, std::vector<T> b) {
    auto stream = find_device("cpu").create_stream();
    auto blas = make_blas(*stream);
    Matrix<T> x(*stream, lu.rows, 1);
    x.upload(*stream, b);
    substitute<T>(*blas, lu, p, {}, Transpose::no, x.view());
    return x.download(*stream);
}

template <class T>
void report_solution(const MatrixCheck<T>& check, MatrixView<const T> lu, const std::vector<int>& p,
                     Json& report) {
    int zero_pivot = -1;
    for (int k = 0; k < lu.rows && zero_pivot < 0; ++k)
        if (lu(k, k) == T(0)) zero_pivot = k;
    report["results"]["zero_pivot"] = zero_pivot;
    if (zero_pivot >= 0) return;
    auto x = solve_in_host<T>(lu, p, check.right_side());
    report_solution_errors(x, report);
    report["accuracy"]["residual"] =
        check.backward_error(x) / (lu.rows * double(std::numeric_limits<T>::epsilon()));
}

template <class T>
void write_factors(const std::string& out, MatrixView<const T> lu, const std::vector<int>& p) {
    FileWriter factors(out + "_LU.npy"), order(out + "_p.npy");
    const std::size_t shape[] = {static_cast<std::size_t>(lu.rows),
                                 static_cast<std::size_t>(lu.cols)};
    write_npy_header(factors, sizeof(T) == 8 ? "<f8" : "<f4", shape, true);
    for_each_chunk<T>(lu.cols, lu.rows, [&](int first, int n) {
        factors.write({reinterpret_cast<const char*>(lu.col(first)),
                       sizeof(T) * shape[0] * static_cast<std::size_t>(n)});
    });
    const std::size_t n_rows[] = {p.size()};
    write_npy_header(order, "<i4", n_rows);
    auto bytes = std::as_bytes(std::span(p));
    order.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    FileWriter* both[] = {&factors, &order};
    finish_together(both);
}

template <class T>
Json run_as(Stream& stream, const DenseTask& task, std::uint64_t device_memory, SolverRun& run,
            const std::string& out) {
    auto& spec = task.input.spec;
    std::unique_ptr<MatrixFile> file;
    if (!task.input.file.empty()) file = std::make_unique<MatrixFile>(with_home(task.input.file));
    int rows = file ? file->rows() : spec.rows, cols = file ? file->cols() : spec.cols;
    constexpr double kMostOfFree = 0.9;
    if (device_memory == 0)
        device_memory = static_cast<std::uint64_t>(
            kMostOfFree * static_cast<double>(stream.device().memory_stats().bytes_free));
    auto widths = out_of_core_widths(rows, cols, sizeof(T), device_memory);
    PinnedMatrix<T> matrix(stream.device(), rows, cols);
    if (file)
        file->read(matrix.view());
    else
        generate(stream, spec, matrix.view());
    auto blas = make_blas(stream);
    MatrixCheck<T> check(*blas, matrix.view());
    stream.device().trim();

    Json report{{"rows", rows}, {"cols", cols}, {"mode", "out-of-core"}, {"seconds", 0.0}};
    OutOfCoreResult result;
    double seconds = dense_seconds(
        stream, [&] { result = factorise_out_of_core<T>(stream, matrix.view(), widths, run); });
    report["seconds"] = seconds;
    report["results"] = {{"panels", result.n_panels},
                         {"columns_of_panel", widths.panel},
                         {"gflops", lu_operations(rows, cols) / seconds * 1e-9}};
    auto p = order_of(result.swaps, rows);
    report["accuracy"] = Json::object();
    if (rows == cols) report_solution<T>(check, matrix.view(), p, report);
    report["stages"] = Json::array();
    if (!out.empty()) write_factors<T>(out, matrix.view(), p);
    return report;
}

}  // namespace

template <>
Json run_out_of_core<float>(Stream& stream, const DenseTask& task, std::uint64_t device_memory,
                            SolverRun& run, const std::string& out) {
    return run_as<float>(stream, task, device_memory, run, out);
}
template <>
Json run_out_of_core<double>(Stream& stream, const DenseTask& task, std::uint64_t device_memory,
                             SolverRun& run, const std::string& out) {
    return run_as<double>(stream, task, device_memory, run, out);
}

}  // namespace tl

#include "solvers/svd/vector_errors.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/device/registry.h"
#include "solvers/dense/largest_error.h"
#include "solvers/svd/svd.h"

namespace tl {
namespace {

std::span<const double> column(const HostMatrix<double>& matrix, std::size_t j) {
    auto rows = static_cast<std::size_t>(matrix.rows);
    return {matrix.data.data() + j * rows, rows};
}

HostMatrix<double> downloaded(Stream& stream, const Matrix<double>& matrix) {
    HostMatrix<double> host;
    host.rows = matrix.rows();
    host.cols = matrix.cols();
    host.data = matrix.download(stream);
    return host;
}

double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

ErrorRange range_of(std::span<const double> found, std::span<const double> reference, double sign) {
    ErrorRange range;
    for (std::size_t i = 0; i < found.size(); ++i) {
        double error = std::abs(sign * found[i] - reference[i]);
        range.mean += error / static_cast<double>(found.size());
        keep_larger(range.most, error);
    }
    return range;
}

/// Whether each value is farther from its neighbours and from 0 than `tolerance`.
std::vector<bool> distinct(const std::vector<double>& values, double tolerance) {
    std::vector<bool> result;
    for (std::size_t i = 0; i < values.size(); ++i) {
        double above = i > 0 ? values[i - 1] - values[i] : HUGE_VAL;
        double below = values[i] - (i + 1 < values.size() ? values[i + 1] : 0);
        result.push_back(std::min(above, below) > tolerance);
    }
    return result;
}

}  // namespace

VectorReference::VectorReference(const HostMatrix<double>& a, double epsilon, SolverRun& run)
    : stream_(find_device("cpu").create_stream()), blas_(make_blas(*stream_)), a_(a) {
    auto& device = stream_->device();
    auto solver = make_svd_solver(kMode, device);
    const SvdRequest thin{SvdVectors::thin, 0, 0};
    require_memory(
        device,
        solver->memory_bytes(a.rows, a.cols, thin, sizeof(double)) + sizeof(double) * a.data.size(),
        "LAPACK's decomposition, the reference of the vectors",
        "ask for a smaller matrix, or for no vectors");
    Matrix<double> matrix(*stream_, a.rows, a.cols);
    matrix.upload(*stream_, a.data);
    auto result = solver->solve(*stream_, MatrixView<const double>(matrix.view()), thin, run);
    triplets_ = {downloaded(*stream_, result.u), downloaded(*stream_, result.v), result.values};
    double largest = result.values.empty() ? 0 : result.values.front();
    double extent = std::max(a.rows, a.cols);
    compared_ = distinct(result.values, epsilon * std::sqrt(extent) * largest);
}

VectorReference::~VectorReference() = default;

TripletErrors VectorReference::errors_of(const HostTriplets& found) const {
    TripletErrors errors;
    for (std::size_t i = 0; i < found.values.size(); ++i) {
        auto u = column(found.u, i), v = column(found.v, i);
        auto reference_u = column(triplets_.u, i), reference_v = column(triplets_.v, i);
        double sign = dot(u, reference_u) + dot(v, reference_v) < 0 ? -1 : 1;
        constexpr ErrorRange kNone{-1, -1};
        errors.u.push_back(compared_[i] ? range_of(u, reference_u, sign) : kNone);
        errors.v.push_back(compared_[i] ? range_of(v, reference_v, sign) : kNone);
    }
    add_product_errors(found, errors);
    return errors;
}

void VectorReference::add_product_errors(const HostTriplets& found, TripletErrors& errors) const {
    Stream& stream = *stream_;
    auto k = static_cast<int>(found.values.size());
    std::vector<double> scaled;
    for (std::size_t i = 0; i < found.values.size(); ++i)
        for (double entry : column(found.u, i)) scaled.push_back(entry * found.values[i]);
    Matrix<double> u(stream, a_.rows, k), v(stream, found.v.rows, found.v.cols),
        difference(stream, a_.rows, a_.cols);
    u.upload(stream, scaled);
    v.upload(stream, found.v.data);
    difference.upload(stream, a_.data);
    blas_->gemm(Transpose::no, Transpose::yes, -1.0, u.view(), v.view().columns(0, k), 1.0,
                difference.view());
    auto entries = difference.download(stream);
    double squares = 0, size = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        errors.product.mean += std::abs(entries[i]) / static_cast<double>(entries.size());
        keep_larger(errors.product.most, std::abs(entries[i]));
        squares += entries[i] * entries[i];
        size += a_.data[i] * a_.data[i];
    }
    errors.residual = std::sqrt(squares / (size > 0 ? size : 1));
}

}  // namespace tl

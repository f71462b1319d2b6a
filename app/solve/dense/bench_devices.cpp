#include "app/solve/dense/bench_devices.h"

#include <algorithm>
#include <limits>

#include "app/solve/dense/dense_devices.h"
#include "solvers/dense/devices/spread_files.h"
#include "solvers/dense/devices/spread_lu.h"
#include "solvers/dense/devices/spread_solve.h"
#include "solvers/dense/linear/linear.h"
#include "solvers/dense/lu/lu_factors.h"

#if defined(TL_HAS_CUDA)
#include "solvers/dense/devices/cusolver_mg.h"
#endif

namespace tl {
namespace {

constexpr const char* kCusolverMg = "cusolver-mg";
constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

/// "blocked x2": a mode and a number of devices.
std::string row_name(const std::string& mode, int n_devices) {
    return mode + " x" + std::to_string(n_devices);
}
std::string mode_of_row(const std::string& row) {
    return row.substr(0, row.find(' '));
}

/// Right sides of the solution 1.
template <class T>
HostMatrix<T> ones(int rows) {
    HostMatrix<T> x(rows, 1);
    std::ranges::fill(x.data, T(1));
    return x;
}

template <class T>
DeviceBenchRun run_over_all(const std::string& devices, const DenseTask& task,
                            const std::string& mode) {
    DeviceGroup group(find_devices(devices));
    auto& spec = task.input.spec;
    auto widths = widths_over_devices(task, spec.rows, spec.cols, sizeof(T));
    auto factorise = [&](SpreadMatrix<T>& a) {
#if defined(TL_HAS_CUDA)
        if (mode == kCusolverMg) return factorise_by_cusolver_mg(group, a);
#endif
        SolverRun run;
        return factorise_over_devices(group, a, widths, run);
    };
#if defined(TL_HAS_CUDA)
    if (mode == kCusolverMg) widths.block = kCusolverMgBlock;
#endif
    SpreadMatrix<T> a(group, spec.rows, spec.cols, widths.block);
    generate_spread(group, spec, a);
    bool is_square = spec.rows == spec.cols;
    HostMatrix<T> b;
    if (is_square) b = product_over_devices(group, a, ones<T>(spec.cols));
    auto factors = factorise(a);
    DeviceBenchRun result{factors.seconds, kNotMeasured,
                          mode + ", blocks of " + std::to_string(widths.block) + ", on " +
                              ids_of(find_devices(devices))};
    if (!is_square || first_zero(pivots_over_devices(group, a)) >= 0) return result;
    auto x = solve_over_devices(group, a, factors.swaps, b);
    generate_spread(group, spec, a);
    result.backward_error = backward_error_over_devices(group, a, x, b);
    return result;
}

template <class T>
DeviceBenchRun run_on_first(const std::string& devices, const DenseTask& task,
                            const std::string& mode) {
    Device& device = *find_devices(devices).front();
    auto stream = device.create_stream();
    auto blas = make_blas(*stream);
    auto a = make_matrix<T>(*blas, task.input.spec);
    auto solver = make_lu_solver(mode, device);
    SolverRun run;
    auto factors = solver->factorise(*stream, a.view(), run);
    // The total leaves out the copy of the matrix and the check of its elements.
    constexpr double kSeconds = 1e-3;
    DeviceBenchRun result{factors.stages.back().milliseconds * kSeconds, kNotMeasured,
                          mode + " on " + device.id()};
    if (a.rows() != a.cols() || first_zero_pivot(*stream, factors) >= 0) return result;
    Matrix<T> b(*stream, a.rows(), 1), x(*stream, a.rows(), 1);
    x.upload(*stream, ones<T>(a.cols()).data);
    blas->gemm(Transpose::no, Transpose::no, T(1), a.view(), x.view(), T(0), b.view());
    x.upload(*stream, b.download(*stream));
    solve_with(*blas, factors, Transpose::no, x.view());
    result.backward_error = backward_error<T>(*blas, a.view(), x.view(), b.view());
    return result;
}

template <class T>
DeviceBenchRun run_as(const std::string& devices, const DenseTask& task, const std::string& row) {
    auto mode = mode_of_row(row);
    bool is_over_all = mode == kCusolverMg ||
                       row == row_name("blocked", static_cast<int>(find_devices(devices).size()));
    return is_over_all ? run_over_all<T>(devices, task, mode)
                       : run_on_first<T>(devices, task, mode);
}

}  // namespace

std::vector<std::string> device_bench_rows(const std::string& devices, bool peers) {
    auto list = find_devices(devices);
    auto n = static_cast<int>(list.size());
    std::vector<std::string> rows{row_name("blocked", n)};
    if (n > 1) rows.push_back(row_name("blocked", 1));
    if (!peers) return rows;
    for (auto& row : lu_solvers())
        if (row.peer && (list[0]->kind() == DeviceKind::cuda ? row.make_cuda : row.make_cpu))
            rows.push_back(row_name(row.id, 1));
#if defined(TL_HAS_CUDA)
    if (list[0]->kind() == DeviceKind::cuda && has_cusolver_mg())
        rows.push_back(row_name(kCusolverMg, n));
#endif
    return rows;
}

template <>
DeviceBenchRun run_device_bench<float>(const std::string& devices, const DenseTask& task,
                                       const std::string& row) {
    return run_as<float>(devices, task, row);
}
template <>
DeviceBenchRun run_device_bench<double>(const std::string& devices, const DenseTask& task,
                                        const std::string& row) {
    return run_as<double>(devices, task, row);
}

}  // namespace tl

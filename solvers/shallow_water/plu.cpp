#include "solvers/shallow_water/plu.h"

#include <vector>

#include "solvers/dense/lu/lu_factors.h"
#include "solvers/shallow_water/adi.h"

namespace tl {
namespace {

/// The systems of all lines on the host: elements of faces, and right sides, which become levels.
struct HostSystems {
    int n = 0, m = 0;
    bool ring = false;  ///< the last cell is beside the first
    std::vector<double> faces, right;
};

template <class T>
void solve_densely(Stream& stream, HostSystems& systems) {
    auto solver = make_lu_solver("blocked", stream.device());
    auto blas = make_blas(stream);
    auto n = static_cast<std::size_t>(systems.n);
    Matrix<T> matrix(stream, systems.n, systems.n), column(stream, systems.n, 1);
    std::vector<T> dense(n * n), side(n);
    for (int t = 0; t < systems.m; ++t) {
        const double* a = systems.faces.data() + static_cast<std::size_t>(t) * (n + 1);
        double* x = systems.right.data() + static_cast<std::size_t>(t) * n;
        for (std::size_t i = 0; i < n; ++i) {
            dense[i * n + i] = static_cast<T>(1 + a[i] + a[i + 1]);
            if (i + 1 < n)
                dense[i * n + i + 1] = dense[(i + 1) * n + i] = static_cast<T>(-a[i + 1]);
            side[i] = static_cast<T>(x[i]);
        }
        if (systems.ring) dense[n - 1] = dense[(n - 1) * n] = static_cast<T>(-a[0]);
        matrix.upload(stream, dense);
        column.upload(stream, side);
        SolverRun run;
        auto factors = solver->factorise(stream, MatrixView<const T>(matrix.view()), run);
        solve_with<T>(*blas, factors, Transpose::no, column.view());
        auto solution = column.download(stream);
        std::copy(solution.begin(), solution.end(), x);
    }
}

}  // namespace

void plu_half_step(Stream& stream, const WaterLines& lines, double* z_new, double* w_new,
                   bool single) {
    auto cells = static_cast<std::size_t>(lines.n) * static_cast<std::size_t>(lines.m);
    DeviceArray<double> faces(stream, cells + static_cast<std::size_t>(lines.m));
    DeviceArray<double> right(stream, cells);
    TL_DISPATCH(stream.device(), adi_systems(stream, lines, faces.data(), right.data()));
    HostSystems systems{lines.n, lines.m, lines.border == WaterBorder::periodic,
                        faces.download(stream), right.download(stream)};
    if (single)
        solve_densely<float>(stream, systems);
    else
        solve_densely<double>(stream, systems);
    right.assign(stream, systems.right);
    TL_DISPATCH(stream.device(), adi_from_solution(stream, lines, right.data(), z_new, w_new));
}

}  // namespace tl

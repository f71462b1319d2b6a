#include "solvers/dense/lu/lu_complete.h"

#include <algorithm>
#include <numeric>

namespace tl {

template <class T>
Exchanges eliminate_completely(Stream& stream, MatrixView<T> a, int searched, double tolerance,
                               SolverRun& run) {
    Exchanges made;
    auto steps = static_cast<std::size_t>(std::min(a.rows, searched));
    DeviceArray<int> rows(stream, steps), columns(stream, steps);
    auto limit = static_cast<T>(tolerance);
    made.rank = TL_DISPATCH(stream.device(), complete_steps<T>(stream, a, searched, limit,
                                                               rows.view(), columns.view(), run));
    auto rank = static_cast<std::size_t>(made.rank);
    made.rows = rows.download(stream);
    made.columns = columns.download(stream);
    for (auto* swaps : {&made.rows, &made.columns})
        std::iota(swaps->begin() + static_cast<std::ptrdiff_t>(rank), swaps->end(), made.rank);
    return made;
}

template Exchanges eliminate_completely(Stream&, MatrixView<float>, int, double, SolverRun&);
template Exchanges eliminate_completely(Stream&, MatrixView<double>, int, double, SolverRun&);

}  // namespace tl

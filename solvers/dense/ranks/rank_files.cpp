#include "solvers/dense/ranks/rank_files.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "core/device/registry.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/ranks/rank_kernels.h"

namespace tl {
namespace {

constexpr int kBlockColumnTag = 2;

template <class T>
T narrowed(const NpyFile& file, const std::string& path, double value, std::size_t index) {
    auto result = static_cast<T>(value);
    if (std::isfinite(value) && !std::isfinite(result))
        throw UserError(path + ": " + file.place_of(index) +
                        " is beyond the range of float: take --precision double");
    return result;
}

}  // namespace

template <class T>
void generate_part(Stream& stream, const MatrixSpec& spec, CyclicMatrix<T>& a) {
    check_matrix(spec);
    auto& kind = find_row(matrix_kinds(), spec.kind, "matrix kind");
    if (kind.value)
        throw UserError("a matrix of kind " + spec.kind +
                        " is a product of matrices, which are not spread over ranks; take a kind "
                        "with elements of its own, such as uniform, or a file");
    std::vector<int> rows(static_cast<std::size_t>(a.rows.count())), places(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = a.rows.global(static_cast<int>(i));
    std::iota(places.begin(), places.end(), 0);
    DeviceArray<int> from(stream, rows), to(stream, places);
    for (int first = 0; first < a.cols.count(); first += a.cols.block) {
        int count = std::min(a.cols.block, a.cols.count() - first);
        Matrix<T> columns(stream, spec.rows, count);
        TL_DISPATCH(stream.device(),
                    fill_elements<T>(stream, kind.element, spec.condition, spec.seed,
                                     columns.view(), a.cols.global(first)));
        TL_DISPATCH(stream.device(), copy_rows<T>(stream, columns.view(), from.view(),
                                                  a.local.view().columns(first, count), to.view()));
    }
}

NpyExtents npy_extents(const NpyFile& file) {
    auto& shape = file.shape();
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    if (shape.size() != 2 || std::ranges::max(shape) > kMost)
        file.fail("the array is no matrix of two dimensions");
    file.require_real();
    file.require_elements(static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[1]),
                          "elements of the matrix");
    return {static_cast<int>(shape[0]), static_cast<int>(shape[1])};
}

template <class T>
void read_part(Stream& stream, const std::string& path, CyclicMatrix<T>& a) {
    NpyFile file(path);
    (void)npy_extents(file);
    bool by_columns = file.column_major();
    auto &lines = by_columns ? a.cols : a.rows, &along = by_columns ? a.rows : a.cols;
    HostMatrix<T> own(a.rows.count(), a.cols.count());
    std::vector<double> line(static_cast<std::size_t>(along.extent));
    int next = 0;  // the line that the file is at
    for (int l = 0; l < lines.count(); ++l) {
        int global = lines.global(l);
        file.skip(static_cast<std::size_t>(global - next) * line.size());
        file.read(line);
        next = global + 1;
        for (int i = 0; i < along.count(); ++i) {
            auto k = static_cast<std::size_t>(along.global(i));
            auto index = static_cast<std::size_t>(global) * line.size() + k;
            (by_columns ? own(i, l) : own(l, i)) = narrowed<T>(file, path, line[k], index);
        }
    }
    a.local.upload(stream, own.data);
}

template <class T>
void for_each_block_column(Stream& stream, RankGrid& grid, CyclicMatrix<T>& a,
                           const std::function<void(std::span<const T>)>& write) {
    int block = a.cols.block;
    auto send_part = [&](int first, int count) {
        Matrix<T> part(stream, a.rows.count(), count);
        MatrixView<const T> columns = a.columns(first, first + count);
        TL_DISPATCH(stream.device(), copy_matrix<T>(stream, columns, part.view()));
        return part.download(stream);
    };
    for (int first = 0; first < a.cols.extent; first += block) {
        int count = std::min(block, a.cols.extent - first), col = a.cols.owner(first);
        std::vector<T> own;
        if (a.cols.owns(first)) own = send_part(first, count);
        if (!grid.all.is_root()) {
            if (!own.empty()) grid.all.send(own.data(), own.size() * sizeof(T), 0, kBlockColumnTag);
            continue;
        }
        HostMatrix<T> whole(a.rows.extent, count);
        for (int row = 0; row < grid.rows(); ++row) {
            CyclicAxis axis{a.rows.extent, a.rows.block, grid.rows(), row};
            HostMatrix<T> part(axis.count(), count);
            int from = row * grid.cols() + col;
            if (from == 0)
                part.data = std::move(own);
            else if (!part.data.empty())
                grid.all.receive(part.data.data(), part.data.size() * sizeof(T), from,
                                 kBlockColumnTag);
            for (int j = 0; j < count; ++j)
                for (int i = 0; i < part.rows; ++i) whole(axis.global(i), j) = part(i, j);
        }
        write(whole.data);
    }
}

#define TL_INSTANTIATE(T)                                                      \
    template void generate_part(Stream&, const MatrixSpec&, CyclicMatrix<T>&); \
    template void read_part(Stream&, const std::string&, CyclicMatrix<T>&);    \
    template void for_each_block_column(Stream&, RankGrid&, CyclicMatrix<T>&,  \
                                        const std::function<void(std::span<const T>)>&);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

}  // namespace tl

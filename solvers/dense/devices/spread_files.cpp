#include "solvers/dense/devices/spread_files.h"

#include <filesystem>

#include "core/device/registry.h"
#include "solvers/dense/matrix_files.h"
#include "solvers/dense/ranks/rank_files.h"

namespace tl {
namespace {

bool is_npy(const std::string& path) {
    auto ending = std::filesystem::path(path).extension().string();
    return ending == ".npy" || ending == ".NPY";
}

}  // namespace

template <class T>
void generate_spread(DeviceGroup& group, const MatrixSpec& spec, SpreadMatrix<T>& a) {
    check_matrix(spec);
    if (find_row(matrix_kinds(), spec.kind, "matrix kind").value) {
        auto whole = make_matrix<T>(group.blas(0), spec);
        spread<T>(group, whole.view(), a);
        // The copies read memory that ends with this function.
        return group.synchronize();
    }
    for (int d = 0; d < group.size(); ++d) generate_part(group.stream(d), spec, a.part(d));
}

FileExtents extents_of_file(const std::string& path) {
    if (is_npy(path)) {
        auto extents = npy_extents(NpyFile(path));
        return {extents.rows, extents.cols};
    }
    auto whole = read_matrix(path);
    return {whole.rows, whole.cols};
}

template <class T>
void read_spread(DeviceGroup& group, const std::string& path, SpreadMatrix<T>& a) {
    if (is_npy(path)) {
        for (int d = 0; d < group.size(); ++d) read_part(group.stream(d), path, a.part(d));
        return;
    }
    auto whole = read_matrix(path);
    if constexpr (sizeof(T) == sizeof(float)) require_floats(path, whole);
    for (auto& block : a.blocks()) {
        auto rows = static_cast<std::size_t>(whole.rows);
        auto begin = whole.data.begin() + static_cast<std::ptrdiff_t>(rows) * block.first;
        std::vector<T> columns(begin, begin + static_cast<std::ptrdiff_t>(rows) * block.width);
        auto& stream = group.stream(block.owner);
        stream.device().upload(stream, a.columns(block).data, columns.data(),
                               sizeof(T) * columns.size());
    }
}

#define TL_INSTANTIATE(T)                                                             \
    template void generate_spread(DeviceGroup&, const MatrixSpec&, SpreadMatrix<T>&); \
    template void read_spread(DeviceGroup&, const std::string&, SpreadMatrix<T>&);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

}  // namespace tl

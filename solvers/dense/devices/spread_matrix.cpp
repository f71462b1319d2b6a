#include "solvers/dense/devices/spread_matrix.h"

#include <algorithm>
#include <map>

#include "core/device/copy_across.h"
#include "solvers/dense/lu/lu.h"
#include "solvers/dense/matrix_norms.h"

namespace tl {
namespace {

/// Refuses parts that the devices do not hold, before any is allocated.
void require_parts(DeviceGroup& group, const std::vector<CyclicAxis>& axes, std::size_t column) {
    std::map<const Device*, std::uint64_t> bytes;
    for (int d = 0; d < group.size(); ++d)
        bytes[&group.device(d)] +=
            column * static_cast<std::uint64_t>(axes[static_cast<std::size_t>(d)].count());
    for (auto [device, wanted] : bytes)
        require_memory(*device, wanted, device->id() + "'s part of the matrix",
                       kDenseMemoryAdvice + std::string(", or list more devices"));
}

/// The number of elements of a matrix with these numbers of rows and columns.
std::size_t count_of(int rows, int cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
}

}  // namespace

template <class T>
SpreadMatrix<T>::SpreadMatrix(DeviceGroup& group, int rows, int cols, int block)
    : rows_(rows), cols_(cols), block_(block) {
    std::vector<CyclicAxis> axes;
    for (int d = 0; d < group.size(); ++d) axes.push_back({cols, block, group.size(), d});
    require_parts(group, axes, sizeof(T) * static_cast<std::size_t>(rows));
    for (int d = 0; d < group.size(); ++d) {
        auto& axis = axes[static_cast<std::size_t>(d)];
        auto& part = parts_.emplace_back();
        part.rows = {rows, rows, 1, 0};
        part.cols = axis;
        part.local = Matrix<T>(group.stream(d), rows, axis.count());
    }
}

template <class T>
std::vector<ColumnBlock> SpreadMatrix<T>::blocks() const {
    std::vector<ColumnBlock> all;
    for (int first = 0; first < cols_; first += block_) {
        auto& axis = parts_.front().cols;
        int owner = axis.owner(first);
        all.push_back({first, std::min(block_, cols_ - first), owner,
                       parts_[static_cast<std::size_t>(owner)].cols.count_before(first)});
    }
    return all;
}

template <class T>
void require_finite(DeviceGroup& group, SpreadMatrix<T>& a, const std::string& who,
                    const std::string& why) {
    for (int d = 0; d < group.size(); ++d) {
        auto& stream = group.stream(d);
        MatrixView<const T> part = a.view(d);
        if (part.empty()) continue;
        auto n = static_cast<std::size_t>(part.cols);
        DeviceArray<T> largest(stream, n);
        DeviceArray<int> bad_row(stream, n);
        TL_DISPATCH(stream.device(),
                    column_maxima<T>(stream, part, largest.view(), bad_row.view()));
        auto bad = bad_row.download(stream);
        auto first = std::ranges::find_if(bad, [](int row) { return row >= 0; });
        if (first == bad.end()) continue;
        int col = a.part(d).cols.global(static_cast<int>(first - bad.begin()));
        throw UserError(who + ": element (" + std::to_string(*first) + ", " + std::to_string(col) +
                        "), counted from 0, is not finite: " + why);
    }
}

template <class T>
void spread(DeviceGroup& group, MatrixView<const T> whole, SpreadMatrix<T>& to) {
    for (auto& block : to.blocks())
        copy_across(group.stream(0), whole.col(block.first), group.stream(block.owner),
                    to.columns(block).data, sizeof(T) * count_of(whole.rows, block.width));
}

template <class T>
HostMatrix<T> download_block(DeviceGroup& group, SpreadMatrix<T>& a, const ColumnBlock& block) {
    HostMatrix<T> host(a.rows(), block.width);
    auto& stream = group.stream(block.owner);
    stream.device().download(stream, host.data.data(), a.columns(block).data,
                             sizeof(T) * host.data.size());
    return host;
}

template <class T>
HostMatrix<T> download_all(DeviceGroup& group, SpreadMatrix<T>& a) {
    HostMatrix<T> host(a.rows(), a.cols());
    for (auto& block : a.blocks())
        std::ranges::copy(
            download_block(group, a, block).data,
            host.data.begin() + static_cast<std::ptrdiff_t>(count_of(a.rows(), block.first)));
    return host;
}

#define TL_INSTANTIATE(T)                                                                      \
    template class SpreadMatrix<T>;                                                            \
    template void require_finite(DeviceGroup&, SpreadMatrix<T>&, const std::string&,           \
                                 const std::string&);                                          \
    template void spread(DeviceGroup&, MatrixView<const T>, SpreadMatrix<T>&);                 \
    template HostMatrix<T> download_block(DeviceGroup&, SpreadMatrix<T>&, const ColumnBlock&); \
    template HostMatrix<T> download_all(DeviceGroup&, SpreadMatrix<T>&);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

}  // namespace tl

#include "solvers/sparse/csr_file.h"

#include <cmath>
#include <filesystem>
#include <limits>

#include "core/base/files.h"
#include "core/base/host_memory.h"
#include "core/base/text.h"
#include "solvers/dense/file_faults.h"
#include "solvers/dense/mtx_reader.h"

namespace tl {
namespace {

SparseExtents extents_of(const MtxHeader& header) {
    return {header.rows, header.cols, header.entries * (header.symmetry != 0 ? 2 : 1)};
}

/// Throws "PATH: element (I, J), counted from 0, is VALUE" for the first element that `fits`
/// rejects.
template <class Fits>
void require_elements(const std::string& path, const HostCsr& a, Fits fits,
                      const std::string& advice) {
    for (int i = 0; i < a.rows; ++i)
        for (int k = a.starts[i]; k < a.starts[i + 1]; ++k)
            if (!fits(a.values[k]))
                throw UserError(path + ": element (" + std::to_string(i) + ", " +
                                std::to_string(a.columns[k]) + "), counted from 0, is " +
                                number_text(a.values[k]) + advice);
}

}  // namespace

SparseExtents sparse_extents(const std::string& path) {
    if (lower_case(std::filesystem::path(path).extension().string()) != ".mtx") return {};
    MtxReader reader(path);
    auto& header = reader.header();
    return header.coordinate && !header.complex ? extents_of(header) : SparseExtents{};
}

HostCsr read_csr(const std::string& path) {
    MtxReader reader(path);
    auto& header = reader.header();
    if (header.complex)
        reader.fail_banner("the numbers are complex: sparse solvers take real numbers");
    auto extents = extents_of(header);
    // A file of a few bytes must not request much memory.
    constexpr int kAlwaysTaken = 1 << 16;
    if (header.rows > kAlwaysTaken && static_cast<std::size_t>(header.rows) > reader.file_size())
        reader.fail(std::to_string(header.rows) +
                    " rows are more than the file has bytes: most "
                    "of them are empty; leave them out");
    // The entries as read and by rows, and the starts of rows twice.
    constexpr std::uint64_t kBytes = sizeof(SparseEntry) + sizeof(int) + sizeof(double);
    require_host_memory(static_cast<std::uint64_t>(extents.entries) * kBytes +
                            static_cast<std::uint64_t>(header.rows) * 2 * sizeof(int),
                        path + ": " + matrix_of(header.rows, header.cols) + " with " +
                            std::to_string(extents.entries) + " entries",
                        "take a smaller matrix, or close other programs");
    std::vector<SparseEntry> entries;
    entries.reserve(static_cast<std::size_t>(extents.entries));
    reader.read([&](int i, int j, Complex<double> value) {
        if (header.coordinate || value.re != 0) entries.push_back({i, j, value.re});
    });
    auto a = csr_of(header.rows, header.cols, std::move(entries));
    require_elements(
        path, a, [](double value) { return std::isfinite(value); },
        ", a sum of entries that no double holds");
    return a;
}

void require_floats(const std::string& path, const HostCsr& matrix) {
    constexpr auto kMost = static_cast<double>(std::numeric_limits<float>::max());
    require_elements(
        path, matrix, [](double value) { return std::abs(value) <= kMost; },
        ", beyond the range of float: solve with --precision double");
}

}  // namespace tl

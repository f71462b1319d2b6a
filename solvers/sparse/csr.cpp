#include "solvers/sparse/csr.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>

#include "core/base/host_memory.h"

namespace tl {
namespace {

void check_count(std::int64_t entries) {
    if (entries > kMostEntries)
        throw UserError("a sparse matrix of " + std::to_string(entries) +
                        " entries is too large: at most " + std::to_string(kMostEntries) +
                        " are possible; take a smaller matrix");
}

/// Turns counts[i + 1] of row i into starts.
void sum_up(std::vector<int>& counts) {
    for (std::size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
}

/// Sorts the entries of each row by column, and adds those of one column.
void order_rows(HostCsr& a) {
    std::vector<std::pair<int, double>> row;
    int kept = 0, first = 0;
    for (int i = 0; i < a.rows; ++i) {
        row.clear();
        int end = a.starts[i + 1];
        for (int k = first; k < end; ++k) row.emplace_back(a.columns[k], a.values[k]);
        first = end;
        // Stable, so that entries of one element are added in their order.
        std::ranges::stable_sort(row, {}, &std::pair<int, double>::first);
        for (auto [column, value] : row) {
            if (kept > a.starts[i] && a.columns[kept - 1] == column) {
                a.values[kept - 1] += value;
            } else {
                a.columns[kept] = column;
                a.values[kept++] = value;
            }
        }
        a.starts[i + 1] = kept;
    }
    a.columns.resize(static_cast<std::size_t>(kept));
    a.values.resize(static_cast<std::size_t>(kept));
}

/// Rows of a product, one after the other.
struct ProductRows {
    std::vector<int> sizes, columns;
    std::vector<double> values;
};

/// Row sums of one thread: a value for each column of the product, and the row that set it last.
struct RowSums {
    std::vector<double> values;
    std::vector<int> last_row, columns;
};

void add_product_row(const HostCsr& a, const HostCsr& b, int i, RowSums& sums, ProductRows& rows) {
    if (sums.values.empty()) {
        sums.values.resize(static_cast<std::size_t>(b.cols));
        sums.last_row.assign(static_cast<std::size_t>(b.cols), -1);
    }
    sums.columns.clear();
    for (int k = a.starts[i]; k < a.starts[i + 1]; ++k) {
        int middle = a.columns[k];
        for (int l = b.starts[middle]; l < b.starts[middle + 1]; ++l) {
            int j = b.columns[l];
            double term = a.values[k] * b.values[l];
            if (std::exchange(sums.last_row[j], i) == i) {
                sums.values[j] += term;
            } else {
                sums.values[j] = term;
                sums.columns.push_back(j);
            }
        }
    }
    std::ranges::sort(sums.columns);
    rows.sizes.push_back(static_cast<int>(sums.columns.size()));
    for (int j : sums.columns) {
        rows.columns.push_back(j);
        rows.values.push_back(sums.values[j]);
    }
}

}  // namespace

HostCsr csr_of(int rows, int cols, std::vector<SparseEntry>&& entries) {
    auto given = std::move(entries);
    check_count(static_cast<std::int64_t>(given.size()));
    HostCsr a;
    a.rows = rows;
    a.cols = cols;
    a.starts.assign(static_cast<std::size_t>(rows) + 1, 0);
    for (auto& entry : given) ++a.starts[entry.row + 1];
    sum_up(a.starts);
    a.columns.resize(given.size());
    a.values.resize(given.size());
    auto next = a.starts;
    for (auto& entry : given) {
        int at = next[entry.row]++;
        a.columns[at] = entry.col;
        a.values[at] = entry.value;
    }
    std::vector<SparseEntry>().swap(given);
    order_rows(a);
    return a;
}

HostCsr transposed(const HostCsr& a) {
    HostCsr t;
    t.rows = a.cols;
    t.cols = a.rows;
    t.starts.assign(static_cast<std::size_t>(a.cols) + 1, 0);
    for (int j : a.columns) ++t.starts[j + 1];
    sum_up(t.starts);
    t.columns.resize(a.columns.size());
    t.values.resize(a.values.size());
    auto next = t.starts;
    for (int i = 0; i < a.rows; ++i)
        for (int k = a.starts[i]; k < a.starts[i + 1]; ++k) {
            int at = next[a.columns[k]]++;
            t.columns[at] = i;
            t.values[at] = a.values[k];
        }
    return t;
}

HostCsr product_of(const HostCsr& a, const HostCsr& b) {
    constexpr int kRows = 1024;
    int n_parts = (a.rows + kRows - 1) / kRows;
    std::vector<ProductRows> parts(static_cast<std::size_t>(n_parts));
    tbb::enumerable_thread_specific<RowSums> sums;
    tbb::parallel_for(0, n_parts, [&](int part) {
        auto& mine = sums.local();
        int end = std::min(a.rows, (part + 1) * kRows);
        for (int i = part * kRows; i < end; ++i) add_product_row(a, b, i, mine, parts[part]);
    });
    std::int64_t count = 0;
    for (auto& part : parts) count += static_cast<std::int64_t>(part.columns.size());
    check_count(count);
    require_host_memory(static_cast<std::uint64_t>(count) * (sizeof(int) + sizeof(double)),
                        "a product of sparse matrices", "take a smaller matrix");
    HostCsr c;
    c.rows = a.rows;
    c.cols = b.cols;
    c.starts.reserve(static_cast<std::size_t>(a.rows) + 1);
    c.columns.reserve(static_cast<std::size_t>(count));
    c.values.reserve(static_cast<std::size_t>(count));
    for (auto& part : parts) {
        for (int size : part.sizes) c.starts.push_back(c.starts.back() + size);
        c.columns.insert(c.columns.end(), part.columns.begin(), part.columns.end());
        c.values.insert(c.values.end(), part.values.begin(), part.values.end());
        part = {};
    }
    return c;
}

bool is_symmetric(const HostCsr& a) {
    if (a.rows != a.cols) return false;
    // The next unread entry of each row: those of column i come in the order of rows.
    std::vector<int> next(a.starts.begin(), a.starts.end() - 1);
    for (int i = 0; i < a.rows; ++i)
        for (int k = a.starts[i]; k < a.starts[i + 1]; ++k) {
            int j = a.columns[k], at = next[j]++;
            if (at >= a.starts[j + 1] || a.columns[at] != i || a.values[at] != a.values[k])
                return false;
        }
    return true;
}

std::vector<double> diagonal_of(const HostCsr& a) {
    std::vector<double> diagonal(static_cast<std::size_t>(a.rows));
    for (int i = 0; i < a.rows; ++i)
        for (int k = a.starts[i]; k < a.starts[i + 1]; ++k)
            if (a.columns[k] == i) diagonal[i] = a.values[k];
    return diagonal;
}

int longest_row(const HostCsr& a) {
    int longest = 0;
    for (int i = 0; i < a.rows; ++i) longest = std::max(longest, a.row_size(i));
    return longest;
}

template <class T>
double relative_residual(const HostCsr& a, std::span<const T> x, std::span<const T> b) {
    struct Squares {
        double r = 0, b = 0, ax = 0;
    };
    auto sum_rows = [&](const tbb::blocked_range<int>& range, Squares squares) {
        for (int i = range.begin(); i < range.end(); ++i) {
            double sum = 0, right = static_cast<double>(b[i]);
            for (int k = a.starts[i]; k < a.starts[i + 1]; ++k)
                sum += static_cast<double>(static_cast<T>(a.values[k])) *
                       static_cast<double>(x[a.columns[k]]);
            squares.r += (right - sum) * (right - sum);
            squares.b += right * right;
            squares.ax += sum * sum;
        }
        return squares;
    };
    auto add = [](Squares p, const Squares& q) {
        return Squares{p.r + q.r, p.b + q.b, p.ax + q.ax};
    };
    // A fixed division of rows gives the same bits in every run.
    auto squares = tbb::parallel_deterministic_reduce(tbb::blocked_range<int>(0, a.rows, 4096),
                                                      Squares{}, sum_rows, add);
    return squares.b > 0 ? std::sqrt(squares.r / squares.b) : std::sqrt(squares.ax);
}

template <class T>
Csr<T>::Csr(Stream& stream, const HostCsr& host)
    : rows_(host.rows),
      cols_(host.cols),
      starts_(stream, host.starts),
      columns_(stream, host.columns) {
    if constexpr (std::is_same_v<T, double>) {
        values_.assign(stream, host.values);
    } else {
        std::vector<T> rounded(host.values.begin(), host.values.end());
        values_.assign(stream, rounded);
    }
}

template double relative_residual(const HostCsr&, std::span<const float>, std::span<const float>);
template double relative_residual(const HostCsr&, std::span<const double>, std::span<const double>);
template class Csr<float>;
template class Csr<double>;

}  // namespace tl

#include "app/solve/dense/stored_factors.h"

#include <filesystem>

#include "app/solve/matrix_input.h"
#include "core/base/error.h"
#include "core/base/paths.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/dense/matrix_files.h"

namespace tl {
namespace {

std::string extents_of(const HostMatrix<double>& matrix) {
    return std::to_string(matrix.rows) + "x" + std::to_string(matrix.cols);
}

/// Both factors in one matrix. Throws unless they are square, and triangles.
HostMatrix<double> packed_factors(const std::string& prefix) {
    if (std::filesystem::exists(prefix + "_LU.npy")) {
        auto both = read_matrix(prefix + "_LU.npy");
        if (both.rows != both.cols)
            throw UserError(prefix + "_LU.npy: the factors are " + extents_of(both) +
                            ", but only those of a square matrix solve systems");
        return both;
    }
    if (!std::filesystem::exists(prefix + "_L.npy"))
        throw UserError("no factors: neither " + prefix + "_LU.npy nor " + prefix +
                        "_L.npy exists; write them by treelight solve lu --out " + prefix);
    auto l = read_matrix(prefix + "_L.npy"), u = read_matrix(prefix + "_U.npy");
    if (l.rows != l.cols || u.rows != u.cols || l.rows != u.rows)
        throw UserError(prefix + ": L is " + extents_of(l) + " and U is " + extents_of(u) +
                        ", but only those of a square matrix solve systems");
    for (int j = 0; j < l.cols; ++j)
        for (int i = 0; i < l.rows; ++i) {
            double zero = i > j ? u(i, j) : i < j ? l(i, j) : l(i, i) - 1;
            if (zero != 0)
                throw UserError(
                    prefix + (i > j ? "_U" : "_L") + ".npy: element (" + std::to_string(i) + ", " +
                    std::to_string(j) + "), counted from 0, is not that of a triangle with " +
                    (i > j ? "zeros below its diagonal" : "ones on its diagonal and zeros above"));
            if (i > j) u(i, j) = l(i, j);
        }
    return u;
}

std::vector<int> read_order(const std::string& path, int count) {
    auto numbers = read_matrix(path);
    if (numbers.cols != 1 || numbers.rows != count)
        throw UserError(path + ": is " + extents_of(numbers) + ", but has to be a vector of " +
                        std::to_string(count));
    std::vector<int> order;
    // Numbers that are no index become -1, which is refused.
    for (double number : numbers.data)
        order.push_back(number >= 0 && number < count && number == std::floor(number)
                            ? static_cast<int>(number)
                            : -1);
    require_order(order, path);
    return order;
}

}  // namespace

const std::vector<std::string>& factor_endings() {
    static const std::vector<std::string> all{"_LU.npy", "_L.npy", "_U.npy", "_p.npy", "_q.npy"};
    return all;
}

template <class T>
static StoredFactors<T> factors_from(Stream& stream, const std::string& given) {
    auto prefix = with_home(given);
    auto lu = packed_factors(prefix);
    if constexpr (sizeof(T) == sizeof(float)) require_floats(prefix, lu);
    StoredFactors<T> factors;
    factors.p = read_order(prefix + "_p.npy", lu.rows);
    if (auto path = prefix + "_q.npy"; std::filesystem::exists(path))
        factors.q = read_order(path, lu.rows);
    factors.lu = uploaded<T>(stream, lu.rows, lu.cols, lu.data);
    return factors;
}

template <>
StoredFactors<float> read_factors(Stream& stream, const std::string& prefix) {
    return factors_from<float>(stream, prefix);
}
template <>
StoredFactors<double> read_factors(Stream& stream, const std::string& prefix) {
    return factors_from<double>(stream, prefix);
}

}  // namespace tl

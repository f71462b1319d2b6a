#include "solvers/sparse/ilu0.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "solvers/sparse/triangular_solve.h"

namespace tl {
namespace {

/// Positions of diagonal entries. Throws UserError naming a row that has none, or whose element is
/// not positive where it has to be.
std::vector<int> diagonal_positions(const HostCsr& a, bool definite) {
    std::vector<int> positions(static_cast<std::size_t>(a.rows));
    for (int i = 0; i < a.rows; ++i) {
        auto begin = a.columns.begin() + a.starts[i], end = a.columns.begin() + a.starts[i + 1];
        auto at = std::lower_bound(begin, end, i);
        bool found = at != end && *at == i;
        positions[i] = static_cast<int>(at - a.columns.begin());
        if (!found || a.values[positions[i]] == 0 || (definite && a.values[positions[i]] < 0))
            throw UserError("the diagonal element of row " + std::to_string(i) +
                            ", counted from 0, is " +
                            (found ? number_text(a.values[positions[i]]) : "zero") +
                            ": ilu0 needs " + (definite ? "a positive one" : "one") +
                            "; use another preconditioner, such as none");
    }
    return positions;
}

/// Eliminates row after row within the pattern. Returns the first row whose pivot is not positive,
/// with `definite`, or is zero or no number; -1 for none.
int eliminate(HostCsr& lu, const std::vector<int>& diagonal, bool definite) {
    std::vector<int> position(static_cast<std::size_t>(lu.rows), -1);
    for (int i = 0; i < lu.rows; ++i) {
        int first = lu.starts[i], end = lu.starts[i + 1];
        for (int k = first; k < end; ++k) position[lu.columns[k]] = k;
        for (int k = first; k < diagonal[i]; ++k) {
            int row = lu.columns[k];
            double factor = lu.values[k] /= lu.values[diagonal[row]];
            for (int l = diagonal[row] + 1; l < lu.starts[row + 1]; ++l)
                if (int at = position[lu.columns[l]]; at >= 0)
                    lu.values[at] -= factor * lu.values[l];
        }
        for (int k = first; k < end; ++k) position[lu.columns[k]] = -1;
        double pivot = lu.values[diagonal[i]];
        bool good = definite ? pivot > 0 : pivot != 0;
        if (!good || !std::isfinite(1 / pivot)) return i;
    }
    return -1;
}

template <class T>
class Ilu0 final : public Preconditioner<T> {
  public:
    Ilu0(Stream& stream, const Ilu0Factors& factors)
        : lower_(stream, factors.lu, TriangleKind::unit_lower),
          upper_(stream, factors.lu, TriangleKind::upper),
          shift_(factors.shift) {}
    void apply(Stream& stream, View<const T> r, View<T> z) override {
        stream.device().copy(stream, z.data, r.data, r.size * sizeof(T));
        lower_.solve(stream, z);
        upper_.solve(stream, z);
    }
    [[nodiscard]] std::size_t bytes() const override { return lower_.bytes() + upper_.bytes(); }
    [[nodiscard]] std::string summary() const override {
        auto text = std::to_string(lower_.levels()) + " levels of rows";
        if (shift_ > 0) text += ", diagonal enlarged by " + number_text(100 * shift_) + " %";
        return text;
    }

  private:
    SparseTriangle<T> lower_, upper_;
    double shift_;
};

}  // namespace

Ilu0Factors factorise_ilu0(const HostCsr& a, bool definite) {
    auto diagonal = diagonal_positions(a, definite);
    Ilu0Factors factors{a, 0};
    int bad = eliminate(factors.lu, diagonal, definite);
    constexpr double kFirstShift = 1e-3, kMostShift = 2;
    while (definite && bad >= 0 && factors.shift < kMostShift) {
        factors.shift = std::max(kFirstShift, 2 * factors.shift);
        factors.lu.values = a.values;
        for (int at : diagonal) factors.lu.values[at] *= 1 + factors.shift;
        bad = eliminate(factors.lu, diagonal, definite);
    }
    if (bad >= 0)
        throw UserError("the pivot of row " + std::to_string(bad) +
                        ", counted from 0, of the incomplete factors is zero or not finite; use "
                        "another preconditioner, such as jacobi");
    return factors;
}

template <class T>
std::unique_ptr<Preconditioner<T>> make_ilu0(Stream& stream, const HostCsr& a, bool definite) {
    return std::make_unique<Ilu0<T>>(stream, factorise_ilu0(a, definite));
}

template std::unique_ptr<Preconditioner<float>> make_ilu0(Stream&, const HostCsr&, bool);
template std::unique_ptr<Preconditioner<double>> make_ilu0(Stream&, const HostCsr&, bool);

}  // namespace tl

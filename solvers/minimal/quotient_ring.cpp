#include "solvers/minimal/quotient_ring.h"

#include <algorithm>
#include <optional>

#include "core/base/error.h"

namespace tl::minimal {
namespace {

constexpr std::size_t kMostSolutions = 100;
constexpr std::size_t kMostCounted = 300;  // above this, the number is not proven

/// The monomials that none of `leading` divides; none if there are infinitely many up to `degree`.
std::optional<std::vector<Monomial>> standard_monomials(const std::vector<Monomial>& leading,
                                                        int degree, int n_unknowns) {
    for (int i = 0; i < n_unknowns; ++i)
        if (std::ranges::none_of(leading, [&](const Monomial& m) {
                return m.degree() == 0 || m.power(i) == m.degree();
            }))
            return std::nullopt;
    std::vector<Monomial> standard;
    for (auto& monomial : monomials_up_to(degree, n_unknowns))
        if (std::ranges::none_of(leading, [&](auto& m) { return m.divides(monomial); }))
            standard.push_back(monomial);
    return standard;
}

/// The row vector `v` times the matrix.
FieldRow times(const FieldRow& v, const FieldMatrix& m) {
    FieldRow product(m.n);
    for (std::size_t j = 0; j < m.n; ++j) {
        if (v[j].is_zero()) continue;
        for (std::size_t k = 0; k < m.n; ++k) product[k] = product[k] + v[j] * m.at(j, k);
    }
    return product;
}

/// Multiples of an instance's equations up to a degree, in echelon form.
class Multiples {
  public:
    Multiples(const FieldEquations& equations, int degree, int n_unknowns, Effort& effort)
        : columns_(monomials_up_to(degree, n_unknowns)), effort_(effort) {
        rows_ = matrix_of(equations, multiples(equations, degree, n_unknowns), columns_, effort);
        auto pivots = eliminate(rows_, columns_.size(), effort);
        for (std::size_t i = 0; i < pivots.size(); ++i) row_of_[pivots[i]] = i;
        for (std::size_t j = 0; j < columns_.size(); ++j) place_[columns_[j]] = j;
    }

    [[nodiscard]] std::vector<Monomial> leading() const {
        std::vector<Monomial> result;
        for (auto& [column, row] : row_of_) result.push_back(columns_[column]);
        return result;
    }
    [[nodiscard]] std::size_t n_columns() const { return columns_.size(); }

    /// The monomial as a combination of the basis; none where these multiples do not show it.
    std::optional<FieldRow> reduced(const Monomial& monomial, const std::vector<Monomial>& basis) {
        FieldRow result(basis.size());
        if (auto at = std::ranges::find(basis, monomial); at != basis.end()) {
            result[static_cast<std::size_t>(at - basis.begin())] = Residue(1);
            return result;
        }
        auto place = place_.find(monomial);
        if (place == place_.end()) return std::nullopt;
        FieldRow rest(columns_.size());
        rest[place->second] = Residue(1);
        for (std::size_t j = place->second; j < rest.size(); ++j) {
            if (rest[j].is_zero()) continue;
            auto at = std::ranges::find(basis, columns_[j]);
            if (at != basis.end()) {
                result[static_cast<std::size_t>(at - basis.begin())] = rest[j];
                continue;
            }
            auto row = row_of_.find(j);
            if (row == row_of_.end()) return std::nullopt;
            effort_.spend(rest.size() - j);
            Residue factor = rest[j];
            for (std::size_t k = j; k < rest.size(); ++k)
                rest[k] = rest[k] - factor * rows_[row->second][k];
        }
        return result;
    }

  private:
    std::vector<Monomial> columns_;
    Effort& effort_;
    std::vector<FieldRow> rows_;
    std::map<std::size_t, std::size_t> row_of_;  ///< by the column of its pivot
    std::map<Monomial, std::size_t> place_;
};

/// The ring with that basis, as the multiples show it; none where they do not show it all.
std::optional<QuotientRing> ring_of(Multiples& shown, const std::vector<Monomial>& basis,
                                    int n_unknowns) {
    QuotientRing ring{basis, {}};
    for (int i = 0; i < n_unknowns; ++i) {
        auto& matrix = ring.by_unknown.emplace_back(basis.size());
        for (std::size_t j = 0; j < basis.size(); ++j) {
            auto row = shown.reduced(basis[j] * Monomial::unknown(i), basis);
            if (!row) return std::nullopt;
            std::ranges::copy(
                *row, matrix.elements.begin() + static_cast<std::ptrdiff_t>(j * basis.size()));
        }
    }
    return ring;
}

/// Whether matrices of unknowns commute, and the equations vanish for them.
bool is_proven(const QuotientRing& ring, const FieldEquations& equations, Effort& effort) {
    std::size_t n = ring.basis.size(), n_unknowns = ring.by_unknown.size();
    effort.spend(n_unknowns * n_unknowns * n * n * n);
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t a = 0; a < n_unknowns; ++a)
            for (std::size_t b = 0; b < a; ++b) {
                auto row = [&](std::size_t of) {
                    auto begin =
                        ring.by_unknown[of].elements.begin() + static_cast<std::ptrdiff_t>(j * n);
                    return FieldRow(begin, begin + static_cast<std::ptrdiff_t>(n));
                };
                if (times(row(a), ring.by_unknown[b]) != times(row(b), ring.by_unknown[a]))
                    return false;
            }
    std::map<Monomial, FieldRow> known;
    known[Monomial()] = FieldRow(n);
    known[Monomial()].back() = Residue(1);
    auto vector_of = [&](auto& self, const Monomial& monomial) -> const FieldRow& {
        auto at = known.find(monomial);
        if (at != known.end()) return at->second;
        int unknown = 0;
        while (monomial.power(unknown) == 0) ++unknown;
        effort.spend(n * n);
        auto row = times(self(self, monomial.without(unknown)),
                         ring.by_unknown[static_cast<std::size_t>(unknown)]);
        return known[monomial] = std::move(row);
    };
    for (auto& equation : equations) {
        FieldRow sum(n);
        for (auto& [monomial, value] : equation) {
            auto& vector = vector_of(vector_of, monomial);
            for (std::size_t k = 0; k < n; ++k) sum[k] = sum[k] + value * vector[k];
        }
        if (std::ranges::any_of(sum, [](Residue r) { return !r.is_zero(); })) return false;
    }
    return true;
}

}  // namespace

FieldMatrix QuotientRing::by(const std::vector<Residue>& scales) const {
    FieldMatrix sum(basis.size());
    for (std::size_t i = 0; i < by_unknown.size(); ++i)
        for (std::size_t k = 0; k < sum.elements.size(); ++k)
            sum.elements[k] = sum.elements[k] + scales[i] * by_unknown[i].elements[k];
    return sum;
}

QuotientRing find_quotient_ring(const FieldEquations& equations, int n_unknowns, Effort& effort) {
    int first = degree_of(equations);
    for (int degree = first; degree <= first + kMostDegreesMore; ++degree) {
        Multiples shown(equations, degree, n_unknowns, effort);
        auto leading = shown.leading();
        effort.spend(leading.size() * shown.n_columns());
        auto standard = standard_monomials(leading, degree, n_unknowns);
        if (!standard) continue;
        if (standard->empty())
            throw UserError("the system has no solutions for parameters in general");
        if (standard->size() > kMostCounted) continue;
        auto ring = ring_of(shown, *standard, n_unknowns);
        if (!ring || !is_proven(*ring, equations, effort)) continue;
        if (standard->size() > kMostSolutions)
            throw UserError("the system has " + std::to_string(standard->size()) +
                            " solutions; at most " + std::to_string(kMostSolutions) +
                            " can be found by a template");
        return *ring;
    }
    throw UserError(
        "the system has infinitely many solutions, or equations of multiples up to degree " +
        std::to_string(first + kMostDegreesMore) + " do not show their number");
}

}  // namespace tl::minimal

#include "solvers/minimal/elimination_template.h"

#include <algorithm>
#include <optional>
#include <random>
#include <set>

#include "core/base/error.h"

namespace tl::minimal {
namespace {

constexpr int kMostDegreesMore = 8;               // degrees above that of the equations
constexpr std::size_t kMostElements = 2'000'000;  // elements of a matrix
constexpr std::size_t kMostSolutions = 100;
// Limit of multiplications and lookups, of which there are 2e8 to 4e8 in a second.
constexpr std::uint64_t kMostSteps = 2'000'000'000;
constexpr std::uint64_t kLookUp = 20;  // cost of a monomial's lookup, in steps
constexpr std::uint64_t kMostStepsToShrink = 1'000'000'000;  // after which a template stays large

using Equations = std::vector<std::map<Monomial, Residue, std::greater<>>>;
using Row = std::vector<Residue>;

/// Counts the steps spent on a system, and throws when they exceed the limit.
class Effort {
  public:
    void spend(std::uint64_t n_steps) {
        n_steps_ += n_steps;
        if (n_steps_ > kMostSteps)
            throw UserError(
                "its template takes too long to find; state it with fewer unknowns or equations of "
                "lower degree");
    }
    [[nodiscard]] bool allows_shrinking() const { return n_steps_ < kMostStepsToShrink; }

  private:
    std::uint64_t n_steps_ = 0;
};

[[noreturn]] void fail_size(std::size_t n_rows) {
    throw UserError("its template would have more than " + std::to_string(n_rows) +
                    " rows; state it with fewer unknowns or equations of lower degree");
}

Equations random_instance(const PolynomialSystem& system, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Residue> parameters;
    for (int i = 0; i < system.n_parameters; ++i)
        parameters.emplace_back(static_cast<std::int64_t>(random() % Residue::kPrime));
    return system.with(parameters);
}

int degree_of(const Equations& equations) {
    int degree = 0;
    for (auto& equation : equations)
        if (!equation.empty()) degree = std::max(degree, equation.begin()->first.degree());
    return degree;
}

/// All multiples of the equations up to a degree, those of low degree first.
std::vector<TemplateRow> multiples(const Equations& equations, int degree, int n_unknowns) {
    std::vector<TemplateRow> rows;
    auto factors = monomials_up_to(degree, n_unknowns);
    auto degree_of_factor = [](const Monomial& factor) { return -factor.degree(); };
    for (int d = 0; d <= degree; ++d)
        for (std::size_t e = 0; e < equations.size(); ++e) {
            if (equations[e].empty()) continue;
            int own = equations[e].begin()->first.degree();
            for (auto& factor : std::ranges::equal_range(factors, own - d, {}, degree_of_factor))
                rows.push_back({static_cast<int>(e), factor});
            if (rows.size() * factors.size() > kMostElements) fail_size(rows.size());
        }
    return rows;
}

/// Multiples of equations as rows over the given columns.
std::vector<Row> matrix_of(const Equations& equations, const std::vector<TemplateRow>& rows,
                           const std::vector<Monomial>& columns, Effort& effort) {
    if (rows.size() * columns.size() > kMostElements) fail_size(rows.size());
    effort.spend(rows.size() * columns.size());
    std::map<Monomial, std::size_t> place;
    for (std::size_t j = 0; j < columns.size(); ++j) place[columns[j]] = j;
    std::vector<Row> matrix;
    for (auto& row : rows) {
        auto& into = matrix.emplace_back(columns.size());
        auto& equation = equations[static_cast<std::size_t>(row.equation)];
        effort.spend(kLookUp * equation.size());
        for (auto& [monomial, value] : equation) into[place.at(monomial * row.factor)] = value;
    }
    return matrix;
}

/// Brings rows to echelon form, from the first to the last column. Returns each row's pivot column,
/// in rising order; rows of zeros are removed.
std::vector<std::size_t> eliminate(std::vector<Row>& rows, std::size_t n_columns, Effort& effort) {
    std::vector<std::size_t> pivots;
    std::size_t done = 0;
    for (std::size_t j = 0; j < n_columns && done < rows.size(); ++j) {
        std::size_t pivot = done;
        while (pivot < rows.size() && rows[pivot][j].is_zero()) ++pivot;
        if (pivot == rows.size()) continue;
        std::swap(rows[done], rows[pivot]);
        Residue inverse = rows[done][j].inverse();
        for (std::size_t k = j; k < rows[done].size(); ++k) rows[done][k] = rows[done][k] * inverse;
        for (std::size_t i = done + 1; i < rows.size(); ++i) {
            Residue factor = rows[i][j];
            if (factor.is_zero()) continue;
            effort.spend(rows[i].size() - j);
            for (std::size_t k = j; k < rows[i].size(); ++k)
                if (!rows[done][k].is_zero()) rows[i][k] = rows[i][k] - factor * rows[done][k];
        }
        pivots.push_back(j);
        ++done;
    }
    rows.resize(done);
    return pivots;
}

/// The monomials that none of `leading` divides; none if there are infinitely many up to `degree`.
std::optional<std::vector<Monomial>> standard_monomials(const std::vector<Monomial>& leading,
                                                        int degree, int n_unknowns) {
    for (int i = 0; i < n_unknowns; ++i)
        if (std::ranges::none_of(leading, [&](const Monomial& m) {
                return m.degree() > 0 && m.power(i) == m.degree();
            }))
            return std::nullopt;
    std::vector<Monomial> standard;
    for (auto& monomial : monomials_up_to(degree, n_unknowns))
        if (std::ranges::none_of(leading, [&](auto& m) { return m.divides(monomial); }))
            standard.push_back(monomial);
    return standard;
}

/// A basis of the polynomials modulo the equations: the one that is the same for two degrees in a
/// row.
std::vector<Monomial> find_basis(const Equations& equations, int n_unknowns, Effort& effort) {
    int first = degree_of(equations);
    std::optional<std::vector<Monomial>> before;
    int n_same = 0;
    for (int degree = first; degree <= first + kMostDegreesMore; ++degree) {
        auto columns = monomials_up_to(degree, n_unknowns);
        auto rows = matrix_of(equations, multiples(equations, degree, n_unknowns), columns, effort);
        std::vector<Monomial> leading;
        for (auto pivot : eliminate(rows, columns.size(), effort))
            leading.push_back(columns[pivot]);
        effort.spend(leading.size() * columns.size());
        auto standard = standard_monomials(leading, degree, n_unknowns);
        n_same = standard && standard == before ? n_same + 1 : 0;
        before = standard;
        if (n_same < 2 && !(standard && standard->empty())) continue;
        if (standard->empty())
            throw UserError("the system has no solutions for parameters in general");
        if (standard->size() > kMostSolutions)
            throw UserError("the system has " + std::to_string(standard->size()) +
                            " solutions; at most " + std::to_string(kMostSolutions) +
                            " can be found by a template");
        return *standard;
    }
    throw UserError(
        "the system has infinitely many solutions, or equations of multiples up to degree " +
        std::to_string(first + kMostDegreesMore) + " do not show their number");
}

/// Search for a template, for one instance of the system.
class TemplateSearch {
  public:
    TemplateSearch(const Equations& equations, int n_unknowns, std::vector<Monomial> basis,
                   int action, Effort& effort)
        : equations_(equations), n_unknowns_(n_unknowns), effort_(effort) {
        found_.action = action;
        found_.basis = std::move(basis);
        std::set<Monomial, std::greater<>> in_basis(found_.basis.begin(), found_.basis.end());
        std::set<Monomial, std::greater<>> wanted;
        for (auto& monomial : found_.basis) wanted.insert(monomial * Monomial::unknown(action));
        for (int i = 0; i < n_unknowns; ++i) wanted.insert(Monomial::unknown(i));
        for (auto& monomial : wanted)
            if (!in_basis.contains(monomial)) found_.reducible.push_back(monomial);
    }

    std::optional<EliminationTemplate> find() {
        int first = degree_of(equations_);
        for (int degree = first; degree <= first + kMostDegreesMore; ++degree) {
            auto rows = multiples(equations_, degree, n_unknowns_);
            if (!suffices(rows)) continue;
            rows = needed(rows);
            found_.degree = degree;
            found_.rows = smallest(rows);
            take_pivots();
            return found_;
        }
        return std::nullopt;
    }

    /// Whether the template works for another instance.
    [[nodiscard]] static bool holds(const EliminationTemplate& found, const Equations& equations,
                                    int n_unknowns, Effort& effort) {
        TemplateSearch other(equations, n_unknowns, found.basis, found.action, effort);
        return other.suffices(found.rows);
    }

  private:
    /// Columns in the order of elimination; n_first_ is set to the number of those before the
    /// reducible ones.
    std::vector<Monomial> columns_of(const std::vector<TemplateRow>& rows) {
        std::set<Monomial, std::greater<>> present;
        for (auto& row : rows) {
            auto& equation = equations_[static_cast<std::size_t>(row.equation)];
            effort_.spend(kLookUp * equation.size());
            for (auto& term : equation) present.insert(term.first * row.factor);
        }
        for (auto* list : {&found_.reducible, &found_.basis})
            for (auto& monomial : *list) present.erase(monomial);
        std::vector<Monomial> columns(present.begin(), present.end());
        n_first_ = columns.size();
        columns.insert(columns.end(), found_.reducible.begin(), found_.reducible.end());
        columns.insert(columns.end(), found_.basis.begin(), found_.basis.end());
        return columns;
    }

    /// Whether the rows give every reducible monomial.
    bool suffices(const std::vector<TemplateRow>& rows) {
        auto columns = columns_of(rows);
        auto matrix = matrix_of(equations_, rows, columns, effort_);
        auto pivots = eliminate(matrix, n_first_ + found_.reducible.size(), effort_);
        auto from = std::ranges::lower_bound(pivots, n_first_);
        return static_cast<std::size_t>(pivots.end() - from) == found_.reducible.size();
    }

    /// The rows from which the reducible monomials are combined.
    std::vector<TemplateRow> needed(const std::vector<TemplateRow>& rows) {
        auto columns = columns_of(rows);
        auto matrix = matrix_of(equations_, rows, columns, effort_);
        // An identity matrix at the right records the row operations.
        if (rows.size() * rows.size() > kMostElements) fail_size(rows.size());
        for (std::size_t i = 0; i < matrix.size(); ++i) {
            matrix[i].resize(columns.size() + rows.size());
            matrix[i][columns.size() + i] = Residue(1);
        }
        std::size_t end = n_first_ + found_.reducible.size();
        auto pivots = eliminate(matrix, end, effort_);
        std::vector<bool> used(rows.size(), false);
        for (std::size_t k = 0; k < pivots.size(); ++k) {
            if (pivots[k] < n_first_) continue;
            for (std::size_t i = 0; i < rows.size(); ++i)
                if (!matrix[k][columns.size() + i].is_zero()) used[i] = true;
        }
        std::vector<TemplateRow> kept;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (used[i]) kept.push_back(rows[i]);
        return kept;
    }

    /// Removes dispensable rows, in several orders, and returns the smallest result.
    std::vector<TemplateRow> smallest(const std::vector<TemplateRow>& rows) {
        // Large templates take long to try.
        std::size_t work = rows.size() * rows.size() * columns_of(rows).size();
        const int n_orders = work > 10'000'000 ? 1 : 6;
        std::vector<TemplateRow> best = rows;
        std::mt19937_64 random(1);
        for (int order = 0; order < n_orders && effort_.allows_shrinking(); ++order) {
            auto kept = rows;
            // The first order drops rows of high degree, which stand at the end.
            if (order > 0)
                for (std::size_t i = kept.size(); i > 1; --i)
                    std::swap(kept[i - 1], kept[random() % i]);
            for (std::size_t length = std::max<std::size_t>(1, kept.size() / 4); length > 0;
                 length /= 2)
                drop(kept, length);
            if (kept.size() < best.size() || order == 0) best = kept;
        }
        std::ranges::stable_sort(best, [&](const TemplateRow& a, const TemplateRow& b) {
            return a.equation != b.equation ? a.equation < b.equation : a.factor < b.factor;
        });
        return best;
    }

    /// Removes runs of `length` rows, from the end, where the remaining rows suffice.
    void drop(std::vector<TemplateRow>& rows, std::size_t length) {
        for (std::size_t end = rows.size(); end >= length && effort_.allows_shrinking();) {
            std::vector<TemplateRow> rest(rows.begin(),
                                          rows.begin() + static_cast<std::ptrdiff_t>(end - length));
            rest.insert(rest.end(), rows.begin() + static_cast<std::ptrdiff_t>(end), rows.end());
            if (suffices(rest)) rows = std::move(rest);
            if (end < 2 * length) break;
            end -= length;
        }
    }

    /// Keeps the columns that become pivots; the others vanish from the needed rows.
    void take_pivots() {
        auto columns = columns_of(found_.rows);
        auto matrix = matrix_of(equations_, found_.rows, columns, effort_);
        for (auto pivot : eliminate(matrix, n_first_, effort_))
            found_.eliminated.push_back(columns[pivot]);
    }

    const Equations& equations_;
    int n_unknowns_;
    Effort& effort_;
    EliminationTemplate found_;
    std::size_t n_first_ = 0;
};

}  // namespace

EliminationTemplate find_template(const PolynomialSystem& system) {
    auto instance = random_instance(system, 1), other = random_instance(system, 2);
    int n_unknowns = static_cast<int>(system.unknowns.size());
    Effort effort;
    auto basis = find_basis(instance, n_unknowns, effort);
    std::optional<EliminationTemplate> best;
    for (int action = 0; action < n_unknowns; ++action) {
        if (system.action >= 0 && action != system.action) continue;
        auto found = TemplateSearch(instance, n_unknowns, basis, action, effort).find();
        if (!found || !TemplateSearch::holds(*found, other, n_unknowns, effort)) continue;
        if (!best || found->rows.size() < best->rows.size()) best = found;
    }
    if (!best) throw UserError("no elimination template was found for its multiplication matrix");
    if (best->rows.size() != best->eliminated.size() + best->reducible.size())
        throw UserError("its elimination template is singular");
    return *best;
}

}  // namespace tl::minimal

#include "solvers/minimal/elimination_template.h"

#include <algorithm>
#include <optional>
#include <random>
#include <set>

#include "core/base/error.h"
#include "solvers/minimal/action_choice.h"

namespace tl::minimal {
namespace {

/// Search for a template, for one instance of the system.
class TemplateSearch {
  public:
    TemplateSearch(const FieldEquations& equations, std::vector<Monomial> basis, LinearForm action,
                   Effort& effort)
        : equations_(equations), n_unknowns_(static_cast<int>(action.size())), effort_(effort) {
        found_.action = std::move(action);
        found_.basis = std::move(basis);
        std::set<Monomial, std::greater<>> in_basis(found_.basis.begin(), found_.basis.end());
        std::set<Monomial, std::greater<>> wanted;
        for (int i = 0; i < n_unknowns_; ++i) {
            wanted.insert(Monomial::unknown(i));
            if (found_.action[static_cast<std::size_t>(i)] == 0) continue;
            for (auto& monomial : found_.basis) wanted.insert(monomial * Monomial::unknown(i));
        }
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
    [[nodiscard]] static bool holds(const EliminationTemplate& found,
                                    const FieldEquations& equations, Effort& effort) {
        TemplateSearch other(equations, found.basis, found.action, effort);
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

    const FieldEquations& equations_;
    int n_unknowns_;
    Effort& effort_;
    EliminationTemplate found_;
    std::size_t n_first_ = 0;
};

/// Throws UserError if the system's own action would lose solutions.
void require_separation(const PolynomialSystem& system, const ActionChoice& choice) {
    if (choice.separates(system.action)) return;
    std::size_t n_values = choice.n_values(system.action);
    std::string better;
    for (int n_parts = 1; n_parts <= static_cast<int>(system.unknowns.size()); ++n_parts)
        if (auto forms = choice.of(n_parts); better.empty() && !forms.empty())
            better = form_text(forms[0], system.unknowns);
    throw UserError("the action " + form_text(system.action, system.unknowns) + " has " +
                    std::to_string(n_values) +
                    (n_values == 1 ? " different value at " : " different values at ") +
                    std::to_string(choice.n_distinct()) +
                    " solutions, so that some would be lost; name another, such as 'action " +
                    better + "', or none");
}

}  // namespace

EliminationTemplate find_template(const PolynomialSystem& system, const ProgressPoll& poll) {
    auto instance = random_instance(system, 1), other = random_instance(system, 2);
    Effort effort(poll);
    ActionChoice choice(system, effort);
    int n_unknowns = static_cast<int>(system.unknowns.size());
    std::vector<LinearForm> actions;
    if (!system.action.empty()) {
        require_separation(system, choice);
        actions = {system.action};
    }
    for (int n_parts = 1; n_parts <= n_unknowns && actions.empty(); ++n_parts)
        actions = choice.of(n_parts);
    std::optional<EliminationTemplate> best;
    for (auto& action : actions) {
        auto found = TemplateSearch(instance, choice.basis(), action, effort).find();
        if (!found || !TemplateSearch::holds(*found, other, effort)) continue;
        if (!best || found->rows.size() < best->rows.size()) best = found;
    }
    if (!best) throw UserError("no elimination template was found for its multiplication matrix");
    if (best->rows.size() != best->eliminated.size() + best->reducible.size())
        throw UserError("its elimination template is singular");
    best->n_distinct = choice.n_distinct();
    return *best;
}

}  // namespace tl::minimal

#include "solvers/minimal/field_instance.h"

#include <algorithm>
#include <random>

#include "core/base/error.h"

namespace tl::minimal {
namespace {

// Limit of multiplications and lookups, of which there are 4e8 to 1e9 in a second.
constexpr std::uint64_t kMostSteps = 2'000'000'000;
constexpr std::uint64_t kMostStepsToShrink = 1'000'000'000;  // after which a template stays large
constexpr std::uint64_t kStepsOfPoll = 10'000'000;

}  // namespace

void Effort::spend(std::uint64_t n_steps) {
    n_steps_ += n_steps;
    if (n_steps_ > kMostSteps)
        throw UserError(
            "its template takes too long to find; state it with fewer unknowns or equations of "
            "lower degree");
    if (!poll_ || n_steps_ < next_poll_) return;
    next_poll_ = n_steps_ + kStepsOfPoll;
    poll_(0);
}

bool Effort::allows_shrinking() const {
    return n_steps_ < kMostStepsToShrink;
}

void fail_size(std::size_t n_rows) {
    throw UserError("its template would have more than " + std::to_string(n_rows) +
                    " rows; state it with fewer unknowns or equations of lower degree");
}

FieldEquations random_instance(const PolynomialSystem& system, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Residue> parameters;
    for (int i = 0; i < system.n_parameters; ++i)
        parameters.emplace_back(static_cast<std::int64_t>(random() % Residue::kPrime));
    return system.with(parameters);
}

int degree_of(const FieldEquations& equations) {
    int degree = 0;
    for (auto& equation : equations)
        if (!equation.empty()) degree = std::max(degree, equation.begin()->first.degree());
    return degree;
}

std::vector<TemplateRow> multiples(const FieldEquations& equations, int degree, int n_unknowns) {
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

std::vector<FieldRow> matrix_of(const FieldEquations& equations,
                                const std::vector<TemplateRow>& rows,
                                const std::vector<Monomial>& columns, Effort& effort) {
    if (rows.size() * columns.size() > kMostElements) fail_size(rows.size());
    effort.spend(rows.size() * columns.size());
    std::map<Monomial, std::size_t> place;
    for (std::size_t j = 0; j < columns.size(); ++j) place[columns[j]] = j;
    std::vector<FieldRow> matrix;
    for (auto& row : rows) {
        auto& into = matrix.emplace_back(columns.size());
        auto& equation = equations[static_cast<std::size_t>(row.equation)];
        effort.spend(kLookUp * equation.size());
        for (auto& [monomial, value] : equation) into[place.at(monomial * row.factor)] = value;
    }
    return matrix;
}

std::vector<std::size_t> eliminate(std::vector<FieldRow>& rows, std::size_t n_columns,
                                   Effort& effort) {
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
            const Residue* pivot_row = rows[done].data();
            Residue* row = rows[i].data();
            for (std::size_t k = j, n = rows[i].size(); k < n; ++k)
                row[k] = row[k].without(factor, pivot_row[k]);
        }
        pivots.push_back(j);
        ++done;
    }
    rows.resize(done);
    return pivots;
}

}  // namespace tl::minimal

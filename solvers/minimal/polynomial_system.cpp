#include "solvers/minimal/polynomial_system.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "core/base/error.h"

namespace tl::minimal {

std::vector<Monomial> monomials_up_to(int degree, int n_unknowns) {
    double count = 1;  // the binomial coefficient of degree + unknowns over unknowns
    for (int i = 1; i <= n_unknowns; ++i) count *= static_cast<double>(degree + i) / i;
    if (count > 20'000)
        throw UserError("there are too many monomials of " + std::to_string(n_unknowns) +
                        " unknowns up to degree " + std::to_string(degree) +
                        "; state the system with fewer unknowns or equations of lower degree");
    std::set<Monomial, std::greater<>> all = {Monomial()};
    for (int d = 0; d < degree; ++d) {
        auto before = all;
        for (auto& monomial : before)
            for (int i = 0; i < n_unknowns; ++i) all.insert(monomial * Monomial::unknown(i));
    }
    return {all.begin(), all.end()};
}

std::vector<std::map<Monomial, Residue, std::greater<>>> PolynomialSystem::with(
    const std::vector<Residue>& parameter_values) const {
    // The equations use no columns of measurements.
    auto factors = parameter_values;
    factors.resize(parameter_values.size() + measured.columns.size());
    auto sums = pool.values(factors);
    std::vector<std::map<Monomial, Residue, std::greater<>>> result;
    for (auto& equation : equations) {
        auto& into = result.emplace_back();
        for (auto& [monomial, coefficient] : equation) {
            auto value = CoefficientPool::value(coefficient, factors, sums);
            if (!value.is_zero()) into[monomial] = value;
        }
    }
    return result;
}

std::string PolynomialSystem::used_name(const Polynomial& polynomial, Factor first,
                                        Factor end) const {
    Factor used = end;
    std::vector<bool> seen(pool.size());
    std::vector<const Sum*> left;  // no recursion: sums may be of a hundred thousand others
    for (auto& [monomial, sum] : polynomial) left.push_back(&sum);
    while (!left.empty()) {
        auto& sum = *left.back();
        left.pop_back();
        for (auto& term : sum)
            for (Factor factor : {term.a, term.b}) {
                if (!CoefficientPool::is_sum(factor)) {
                    if (factor >= first) used = std::min(used, factor);
                } else if (auto i = static_cast<std::size_t>(factor - kFirstSum); !seen[i]) {
                    seen[i] = true;
                    left.push_back(&pool.sum(factor));
                }
            }
    }
    if (used == end) return "";
    if (used >= n_parameters)
        return measured.columns[static_cast<std::size_t>(used - n_parameters)];
    auto after = std::ranges::find_if(parameters, [&](auto& p) { return p.first > used; });
    return std::prev(after)->name;
}

std::string form_text(const LinearForm& form, const std::vector<std::string>& unknowns) {
    std::string text;
    for (std::size_t i = 0; i < form.size(); ++i) {
        if (form[i] == 0) continue;
        if (!text.empty())
            text += form[i] < 0 ? " - " : " + ";
        else if (form[i] < 0)
            text += '-';
        if (int size = std::abs(form[i]); size > 1) text += std::to_string(size) + "*";
        text += unknowns[i];
    }
    return text;
}

}  // namespace tl::minimal

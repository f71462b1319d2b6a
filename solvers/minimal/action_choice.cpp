#include "solvers/minimal/action_choice.h"

#include <bit>
#include <random>

#include "core/base/error.h"

namespace tl::minimal {

ActionChoice::ActionChoice(const PolynomialSystem& system, Effort& effort)
    : n_unknowns_(system.unknowns.size()), effort_(effort) {
    std::mt19937_64 random(5);
    std::vector<Residue> scales;
    for (std::size_t i = 0; i < n_unknowns_; ++i)
        scales.emplace_back(static_cast<std::int64_t>(random() % Residue::kPrime));
    for (std::uint64_t seed : {1, 2}) {
        rings_.push_back(find_quotient_ring(random_instance(system, seed),
                                            static_cast<int>(n_unknowns_), effort));
        generic_.push_back(spectrum_of(rings_.back().by(scales), effort));
    }
    if (rings_[0].basis != rings_[1].basis || generic_[0] != generic_[1])
        throw UserError("two random instances differ in the number of their solutions");
}

Spectrum ActionChoice::spectrum(const QuotientRing& ring, const LinearForm& form) const {
    return spectrum_of(ring.by({form.begin(), form.end()}), effort_);
}

std::size_t ActionChoice::n_values(const LinearForm& form) const {
    return spectrum(rings_[0], form).n_values;
}

bool ActionChoice::separates(const LinearForm& form) const {
    for (std::size_t k = 0; k < rings_.size(); ++k)
        if (spectrum(rings_[k], form) != generic_[k]) return false;
    return true;
}

std::vector<LinearForm> ActionChoice::of(int n_parts) const {
    constexpr int kTries = 3;
    std::mt19937_64 random(7);
    std::vector<LinearForm> result;
    for (unsigned subset = 1; subset < 1u << n_unknowns_; ++subset) {
        if (std::popcount(subset) != n_parts) continue;
        for (int attempt = 0; attempt < (n_parts == 1 ? 1 : kTries); ++attempt) {
            LinearForm form(n_unknowns_);
            for (std::size_t i = 0; i < n_unknowns_; ++i)
                if ((subset >> i & 1) != 0)
                    form[i] = n_parts == 1 ? 1 : 10 + static_cast<int>(random() % 90);
            if (!separates(form)) continue;
            result.push_back(form);
            break;
        }
    }
    return result;
}

}  // namespace tl::minimal

#include "solvers/queue/cost_model.h"

#include <algorithm>
#include <cmath>

namespace tl {
namespace {

/// Factor by which the weight of a measurement decays with each further one.
constexpr double kMemory = 0.5;

}  // namespace

void CostModel::Fit::add(double work, double seconds) {
    for (double* sum : {&ones, &mixed, &works, &of_ones, &of_works}) *sum *= kMemory;
    double one = 1 / seconds, unit = work / seconds;
    ones += one * one;
    mixed += one * unit;
    works += unit * unit;
    of_ones += one;
    of_works += unit;
    ++n;
}

/// Least squares of fixed * one + per_unit * unit = 1, neither below 0.
void CostModel::Fit::solve() {
    double determinant = ones * works - mixed * mixed;
    // Measurements of a single size of work do not separate the two.
    bool is_clear = determinant > 1e-6 * ones * works;
    if (is_clear) {
        fixed = (of_ones * works - of_works * mixed) / determinant;
        per_unit = (of_works * ones - of_ones * mixed) / determinant;
    }
    if (!is_clear || fixed < 0) {
        fixed = 0;
        per_unit = works > 0 ? of_works / works : 0;
    }
    if (per_unit < 0 || works == 0) {
        per_unit = 0;
        fixed = of_ones / ones;
    }
}

void CostModel::observe(const std::string& kind, double work, double seconds) {
    auto& fit = fits_[kind];
    seconds = std::max(seconds, 1e-9);
    if (fit.n > 0) {
        double now = std::abs(fit.fixed + fit.per_unit * work - seconds) / seconds;
        fit.error = fit.n == 1 ? now : kMemory * fit.error + (1 - kMemory) * now;
    }
    fit.add(work, seconds);
    fit.solve();
}

double CostModel::seconds(const std::string& kind, double work) const {
    auto found = fits_.find(kind);
    return found == fits_.end() ? -1 : found->second.fixed + found->second.per_unit * work;
}

double CostModel::error(const std::string& kind) const {
    auto found = fits_.find(kind);
    return found == fits_.end() ? 0 : found->second.error;
}

}  // namespace tl

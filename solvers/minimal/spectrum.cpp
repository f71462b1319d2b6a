#include <random>
#include <utility>

#include "solvers/minimal/quotient_ring.h"

namespace tl::minimal {
namespace {

/// A polynomial of one variable: coefficients, the constant first, the last one not zero.
using Univariate = std::vector<Residue>;

void trim(Univariate& p) {
    while (!p.empty() && p.back().is_zero()) p.pop_back();
}

Univariate remainder(Univariate a, const Univariate& b) {
    Residue inverse = b.back().inverse();
    while (a.size() >= b.size()) {
        Residue factor = a.back() * inverse;
        for (std::size_t i = 0; i < b.size(); ++i) {
            auto& element = a[a.size() - b.size() + i];
            element = element - factor * b[i];
        }
        trim(a);
    }
    return a;
}

/// Degree of the greatest common divisor.
std::size_t common_degree(Univariate a, Univariate b) {
    while (!b.empty()) a = std::exchange(b, remainder(a, b));
    return a.size() - 1;
}

/// The shortest recurrence of a sequence, as the polynomial whose multiples vanish for it.
Univariate shortest_recurrence(const std::vector<Residue>& sequence) {
    Univariate current = {Residue(1)}, before = {Residue(1)};
    std::size_t length = 0, gap = 1;
    Residue last(1);
    for (std::size_t k = 0; k < sequence.size(); ++k) {
        Residue error = sequence[k];
        for (std::size_t i = 1; i < current.size() && i <= k; ++i)
            error = error + current[i] * sequence[k - i];
        if (error.is_zero()) {
            ++gap;
            continue;
        }
        auto previous = current;
        Residue factor = error * last.inverse();
        if (current.size() < before.size() + gap) current.resize(before.size() + gap);
        for (std::size_t i = 0; i < before.size(); ++i)
            current[i + gap] = current[i + gap] - factor * before[i];
        if (2 * length > k) {
            ++gap;
            continue;
        }
        length = k + 1 - length;
        before = std::move(previous);
        last = error;
        gap = 1;
    }
    // The recurrence counts backwards from the newest element.
    current.resize(length + 1);
    return {current.rbegin(), current.rend()};
}

}  // namespace

Spectrum spectrum_of(const FieldMatrix& matrix, Effort& effort) {
    std::size_t n = matrix.n;
    effort.spend(2 * n * n * n);
    std::mt19937_64 random(3);
    auto random_vector = [&] {
        std::vector<Residue> v(n);
        for (auto& element : v) element = Residue(static_cast<std::int64_t>(random() >> 33));
        return v;
    };
    auto left = random_vector(), right = random_vector();
    std::vector<Residue> sequence;
    for (std::size_t k = 0; k < 2 * n; ++k) {
        Residue sum;
        for (std::size_t i = 0; i < n; ++i) sum = sum + left[i] * right[i];
        sequence.push_back(sum);
        std::vector<Residue> next(n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) next[i] = next[i] + matrix.at(i, j) * right[j];
        right = std::move(next);
    }
    auto minimal = shortest_recurrence(sequence);
    Univariate derivative;
    for (std::size_t i = 1; i < minimal.size(); ++i)
        derivative.push_back(Residue(static_cast<std::int64_t>(i)) * minimal[i]);
    trim(derivative);
    std::size_t degree = minimal.size() - 1;
    return {degree - common_degree(minimal, derivative), degree};
}

}  // namespace tl::minimal

#include "solvers/ransac/constraint_surface.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tl::minimal {
namespace {

constexpr int kMostSweeps = 30, kMostProjections = 10;
/// Smallest ratio of squared singular values of the Jacobian that counts as its rank.
constexpr double kSquaredRank = 1e-10;

double dot(const double* a, const double* b, std::size_t n) {
    return std::inner_product(a, a + n, b, 0.0);
}

/// Rotates rows p and q of the eigenvectors, and rows and columns p and q of the matrix, so that
/// the element (p, q) becomes 0.
void rotate(std::size_t n, std::size_t p, std::size_t q, std::vector<double>& a,
            std::vector<double>& vectors) {
    if (a[p * n + q] == 0) return;
    double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
    double t = std::copysign(1 / (std::abs(theta) + std::hypot(theta, 1.0)), theta);
    double c = 1 / std::hypot(t, 1.0), s = t * c;
    auto turn = [&](double& x, double& y) {
        double before = x;
        x = c * before - s * y;
        y = s * before + c * y;
    };
    for (std::size_t k = 0; k < n; ++k) turn(a[k * n + p], a[k * n + q]);
    for (std::size_t k = 0; k < n; ++k) turn(a[p * n + k], a[q * n + k]);
    for (std::size_t k = 0; k < n; ++k) turn(vectors[p * n + k], vectors[q * n + k]);
}

}  // namespace

void symmetric_eigen(std::size_t n, std::vector<double> matrix, std::vector<double>& values,
                     std::vector<double>& vectors) {
    std::vector<double> rows(n * n);
    for (std::size_t i = 0; i < n; ++i) rows[i * n + i] = 1;
    auto off_diagonal = [&] {
        double sum = 0;
        for (std::size_t i = 0; i < n * n; ++i) sum += i % (n + 1) ? matrix[i] * matrix[i] : 0;
        return sum;
    };
    double size = dot(matrix.data(), matrix.data(), n * n);
    for (int sweep = 0; sweep < kMostSweeps && off_diagonal() > 1e-34 * size; ++sweep)
        for (std::size_t p = 0; p < n; ++p)
            for (std::size_t q = p + 1; q < n; ++q) rotate(n, p, q, matrix, rows);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, std::greater<>(), [&](auto i) { return matrix[i * n + i]; });
    values.clear();
    vectors.clear();
    for (auto i : order) {
        auto row = rows.begin() + static_cast<std::ptrdiff_t>(i * n);
        values.push_back(matrix[i * n + i]);
        vectors.insert(vectors.end(), row, row + static_cast<std::ptrdiff_t>(n));
    }
}

ConstraintSurface::ConstraintSurface(const ModelTest& test, const double* model) : test_(test) {
    auto values = at(model).eigenvalues;
    while (rank_ < values.size() && values[rank_] > kSquaredRank * values[0]) ++rank_;
}

ConstraintSurface::Linearised ConstraintSurface::at(const double* model) const {
    std::size_t n = test_.n_unknowns;
    Linearised result;
    for (auto& constraint : test_.constraints) {
        result.values.push_back(constraint.value(model));
        for (std::size_t i = 0; i < n; ++i)
            result.jacobian.push_back(constraint.derivative(model, static_cast<int>(i)));
    }
    std::vector<double> squared(n * n);
    for (std::size_t e = 0; e < result.values.size(); ++e)
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                squared[i * n + j] += result.jacobian[e * n + i] * result.jacobian[e * n + j];
    symmetric_eigen(n, std::move(squared), result.eigenvalues, result.eigenvectors);
    return result;
}

std::vector<double> ConstraintSurface::tangents(const double* model) const {
    auto vectors = at(model).eigenvectors;
    auto normals = static_cast<std::ptrdiff_t>(rank_ * test_.n_unknowns);
    return {vectors.begin() + normals, vectors.end()};
}

bool ConstraintSurface::project(std::span<double> model) const {
    std::size_t n = model.size();
    for (int step = 0; step < kMostProjections; ++step) {
        auto linearised = at(model.data());
        std::vector<double> right(n), change(n);
        for (std::size_t e = 0; e < linearised.values.size(); ++e)
            for (std::size_t i = 0; i < n; ++i)
                right[i] += linearised.jacobian[e * n + i] * linearised.values[e];
        for (std::size_t k = 0; k < rank_; ++k) {
            const double* vector = &linearised.eigenvectors[k * n];
            double factor = dot(vector, right.data(), n) / linearised.eigenvalues[k];
            for (std::size_t i = 0; i < n; ++i) change[i] += factor * vector[i];
        }
        for (std::size_t i = 0; i < n; ++i) model[i] -= change[i];
        // Convergence is quadratic: if ten digits stay, all do.
        double size = 1 + dot(model.data(), model.data(), n);
        if (dot(change.data(), change.data(), n) <= 1e-20 * size) return true;
    }
    return false;
}

}  // namespace tl::minimal

#include "solvers/minimal/polynomial_matrix.h"

#include "core/base/error.h"

namespace tl::minimal {
namespace {

using Matrix = PolynomialMatrix;

/// Coefficient of a number without unknowns; null if it is something else, or zero.
const Sum* constant_of(const Matrix& value) {
    if (!value.is_number() || value.elements[0].size() != 1) return nullptr;
    auto& [monomial, coefficient] = *value.elements[0].begin();
    return monomial.degree() == 0 && coefficient.size() == 1 ? &coefficient : nullptr;
}

void want_square(const Matrix& a, const char* function) {
    if (a.rows != a.columns) throw UserError(std::string(function) + " takes one square matrix");
}

}  // namespace

void PolynomialAlgebra::count(std::size_t n_steps) {
    n_steps_ += n_steps;
    if (n_steps_ > kMostSteps)
        throw UserError("the expressions up to here have more than " + std::to_string(kMostSteps) +
                        " terms; state the system by fewer or smaller ones");
}

void PolynomialAlgebra::count(const Polynomial& polynomial) {
    std::size_t n_terms = 1;
    for (auto& [monomial, sum] : polynomial) n_terms += sum.size();
    count(n_terms);
}

void PolynomialAlgebra::count(const Matrix& matrix) {
    for (auto& element : matrix.elements) count(element);
}

Matrix PolynomialAlgebra::identity(int n) {
    Matrix value(n, n);
    for (int i = 0; i < n; ++i) value.at(i, i)[Monomial()] = CoefficientPool::constant(Rational(1));
    count(value);
    return value;
}

Matrix PolynomialAlgebra::transposed(const Matrix& a) {
    count(a);
    Matrix value(a.columns, a.rows);
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < a.columns; ++j) value.at(j, i) = a.at(i, j);
    return value;
}

Matrix PolynomialAlgebra::added(const Matrix& a, const Matrix& b, const Rational& scale) {
    if (a.rows != b.rows || a.columns != b.columns)
        throw UserError("a matrix of " + a.shape() + " and one of " + b.shape() +
                        " cannot be added");
    Matrix value = a;
    for (std::size_t i = 0; i < a.elements.size(); ++i)
        value.elements[i] = added(a.elements[i], b.elements[i], scale);
    return value;
}

Polynomial PolynomialAlgebra::added(Polynomial a, const Polynomial& b, const Rational& scale) {
    count(a);
    for (auto& [monomial, coefficient] : b) {
        auto& mine = a[monomial];
        count(mine.size() + coefficient.size());
        mine = CoefficientPool::add(mine, coefficient, scale);
        if (mine.empty()) a.erase(monomial);
    }
    return a;
}

Matrix PolynomialAlgebra::multiplied(const Matrix& a, const Matrix& b) {
    if (a.is_number() || b.is_number()) {
        Matrix value = a.is_number() ? b : a;
        const Polynomial& by = (a.is_number() ? a : b).elements[0];
        for (auto& element : value.elements) element = multiplied(element, by);
        return value;
    }
    if (a.columns != b.rows)
        throw UserError("a matrix of " + a.shape() + " and one of " + b.shape() +
                        " cannot be multiplied");
    Matrix value(a.rows, b.columns);
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < b.columns; ++j)
            for (int k = 0; k < a.columns; ++k)
                value.at(i, j) =
                    added(value.at(i, j), multiplied(a.at(i, k), b.at(k, j)), Rational(1));
    return value;
}

Polynomial PolynomialAlgebra::multiplied(const Polynomial& a, const Polynomial& b) {
    count(1);
    if (a.empty() || b.empty()) return {};
    if (a.begin()->first.degree() + b.begin()->first.degree() > kMostDegree)
        throw UserError("a polynomial of a degree above " + std::to_string(kMostDegree));
    Polynomial result;
    for (auto& [left, x] : a)
        for (auto& [right, y] : b) {
            auto& sum = result[left * right];
            count(sum.size() + x.size() + y.size());
            sum = CoefficientPool::add(sum, pool_.multiply(x, y), Rational(1));
        }
    std::erase_if(result, [](auto& term) { return term.second.empty(); });
    return result;
}

Matrix PolynomialAlgebra::scaled(Matrix a, const Rational& by) {
    count(a);
    for (auto& element : a.elements)
        for (auto& [monomial, coefficient] : element)
            coefficient = pool_.multiply(coefficient, CoefficientPool::constant(by));
    return a;
}

Matrix PolynomialAlgebra::power(const Matrix& base, int exponent) {
    Matrix value = base;
    for (int i = 1; i < exponent; ++i) value = multiplied(value, base);
    return value;
}

Matrix PolynomialAlgebra::divided(const Matrix& a, const Matrix& by) {
    const Sum* number = constant_of(by);
    if (!number || number->front().b != kNone) throw UserError("only numbers can be divided by");
    auto& scale = number->front().scale;
    return scaled(a, {scale.bottom(), scale.top()});
}

Matrix PolynomialAlgebra::determinant(const Matrix& a) {
    want_square(a, "det");
    if (a.rows > 5) throw UserError("det takes matrices up to 5 x 5");
    Matrix value;
    value.elements[0] = minor_expansion(a);
    return value;
}

/// The determinant, along the first row.
Polynomial PolynomialAlgebra::minor_expansion(const Matrix& a) {
    count(a);
    if (a.rows == 1) return a.elements[0];
    Polynomial result;
    for (int k = 0; k < a.columns; ++k) {
        Matrix minor(a.rows - 1, a.columns - 1);
        for (int i = 1; i < a.rows; ++i)
            for (int j = 0, to = 0; j < a.columns; ++j)
                if (j != k) minor.at(i - 1, to++) = a.at(i, j);
        result = added(result, multiplied(a.at(0, k), minor_expansion(minor)),
                       Rational(k % 2 == 0 ? 1 : -1));
    }
    return result;
}

Matrix PolynomialAlgebra::trace(const Matrix& a) {
    want_square(a, "trace");
    Matrix value;
    for (int i = 0; i < a.rows; ++i)
        value.elements[0] = added(value.elements[0], a.at(i, i), Rational(1));
    return value;
}

Matrix PolynomialAlgebra::diagonal(const std::vector<Matrix>& numbers) {
    int n = static_cast<int>(numbers.size());
    Matrix value(n, n);
    for (int i = 0; i < n; ++i) {
        auto& number = numbers[static_cast<std::size_t>(i)];
        if (!number.is_number()) throw UserError("diag takes numbers");
        value.at(i, i) = number.elements[0];
    }
    count(value);
    return value;
}

Matrix PolynomialAlgebra::cross(const std::vector<Matrix>& vectors) {
    if (vectors.size() != 2 || vectors[0].elements.size() != 3 || vectors[1].elements.size() != 3)
        throw UserError("cross takes two vectors of 3 elements");
    auto &a = vectors[0].elements, &b = vectors[1].elements;
    Matrix value(3, 1);
    for (std::size_t i = 0; i < 3; ++i) {
        std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
        value.elements[i] = added(multiplied(a[j], b[k]), multiplied(a[k], b[j]), Rational(-1));
    }
    return value;
}

}  // namespace tl::minimal

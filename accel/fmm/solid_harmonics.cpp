// Coefficients of the addition theorem, by the inner product of polynomials under which all terms
// are orthogonal: <f, g> applies f, with derivatives as variables, to g, so that
//   <B_k B_n, B_q> = S(q, k, n) <B_k, B_k> <B_n, B_n>.
#include "accel/fmm/solid_harmonics.h"

#include <cmath>
#include <cstdlib>

namespace tl {
namespace {

/// A homogeneous polynomial: x^(n-b-c) y^b z^c has the factor at[(b + c) (b + c + 1) / 2 + c].
struct Polynomial {
    int degree = 0;
    std::vector<double> at;

    explicit Polynomial(int n) : degree(n), at(std::size_t((n + 1) * (n + 2) / 2)) {}
    static std::size_t place(int b, int c) { return std::size_t((b + c) * (b + c + 1) / 2 + c); }

    /// Calls use(b, c) for every power.
    template <class Use>
    void for_powers(const Use& use) const {
        for (int c = 0; c <= degree; ++c)
            for (int b = 0; b + c <= degree; ++b) use(b, c);
    }
};

Polynomial operator*(const Polynomial& f, const Polynomial& g) {
    Polynomial product(f.degree + g.degree);
    f.for_powers([&](int b, int c) {
        double factor = f.at[Polynomial::place(b, c)];
        if (factor == 0) return;
        g.for_powers([&](int e, int h) {
            product.at[Polynomial::place(b + e, c + h)] += factor * g.at[Polynomial::place(e, h)];
        });
    });
    return product;
}

/// f + factor g.
Polynomial sum(Polynomial f, double factor, const Polynomial& g) {
    for (std::size_t i = 0; i < f.at.size(); ++i) f.at[i] += factor * g.at[i];
    return f;
}

double factorial(int n) {
    return std::tgamma(n + 1.0);
}

/// <f, g>, of the same degree.
double inner(const Polynomial& f, const Polynomial& g) {
    double all = 0;
    f.for_powers([&](int b, int c) {
        std::size_t i = Polynomial::place(b, c);
        all += f.at[i] * g.at[i] * factorial(f.degree - b - c) * factorial(b) * factorial(c);
    });
    return all;
}

struct Term {
    Polynomial value;
    int j, l, m;
};

/// All terms in the order of SolidHarmonics, by the same recurrences.
std::vector<Term> terms_below(int order, int s) {
    Polynomial x(1), y(1), z(1), square(2), one(0);
    x.at[Polynomial::place(0, 0)] = y.at[Polynomial::place(1, 0)] = z.at[Polynomial::place(0, 1)] =
        one.at[0] = 1;
    square = sum(sum(x * x, 1, y * y), 1, z * z);
    std::vector<Term> terms{{one, 0, 0, 0}};
    std::vector<std::size_t> first{0, 1};
    for (int n = 1; n < order; ++n) {
        auto before = [&](int i) { return terms[first[std::size_t(n - 1)] + std::size_t(i)]; };
        auto two_before = [&](int i) { return terms[first[std::size_t(n - 2)] + std::size_t(i)]; };
        for (int i = 0; i < 2 * n - 1; ++i) {
            int l = n - 1, m = (i + 1) / 2;
            Polynomial value = z * before(i).value;
            if (i < 2 * n - 3)
                value = sum(value, -double(l * l - m * m) / double(4 * l * l - 1),
                            square * two_before(i).value);
            terms.push_back({value, 0, n, m});
        }
        Polynomial real = before(n > 1 ? 2 * n - 3 : 0).value;
        Polynomial imaginary = n > 1 ? before(2 * n - 2).value : Polynomial(0);
        terms.push_back({sum(x * real, -1, y * imaginary), 0, n, n});
        terms.push_back({sum(x * imaginary, 1, y * real), 0, n, n});
        if (s != 1 && n > 1)
            for (std::size_t i = first[std::size_t(n - 2)]; i < first[std::size_t(n - 1)]; ++i)
                terms.push_back({square * terms[i].value, terms[i].j + 1, terms[i].l, terms[i].m});
        first.push_back(terms.size());
    }
    return terms;
}

/// c_q.
double in_series(const Term& term, int s) {
    auto rising = [](double a, int n) { return std::tgamma(a + n) / std::tgamma(a); };
    int j = term.j, l = term.l, m = term.m, n = l + 2 * j;
    double power = 0.5 * s;
    // Coefficient of the Legendre polynomial of degree l in Gegenbauer's of degree n.
    double legendre = (2 * l + 1) * rising(power, n - j) / (rising(1.5, n - j) * factorial(j));
    for (int i = 0; i < j; ++i) legendre *= power - 0.5 + i;
    // Coefficient of the product of two harmonics in the Legendre polynomial, from the factors of
    // the highest powers of z.
    double leading = factorial(2 * l) / (std::pow(2.0, l) * factorial(l) * factorial(l - m));
    double both = (m == 0 ? 1 : 2) * factorial(l - m) / factorial(l + m) * leading * leading;
    return legendre * both;
}

}  // namespace

SolidTable make_solid_table(int order, int s) {
    auto terms = terms_below(order, s);
    std::vector<double> squares;
    squares.reserve(terms.size());
    for (auto& term : terms) squares.push_back(inner(term.value, term.value));
    SolidTable table;
    for (std::size_t k = 0; k < terms.size(); ++k) {
        const Polynomial& of_k = terms[k].value;
        table.rows.push_back({static_cast<float>(in_series(terms[k], s)),
                              static_cast<std::uint32_t>(table.products.size()),
                              static_cast<std::uint32_t>(of_k.degree)});
        for (std::size_t n = 0; n < terms.size(); ++n) {
            Polynomial product = of_k * terms[n].value;
            if (product.degree >= order) break;
            for (std::size_t q = 0; q < terms.size(); ++q) {
                if (terms[q].value.degree != product.degree) continue;
                double factor = inner(product, terms[q].value) / (squares[k] * squares[n]);
                if (std::abs(factor) > 1e-9)  // else rounding
                    table.products.push_back(
                        {static_cast<float>(factor), static_cast<std::uint32_t>(q)});
            }
            table.products.back().q |= SolidProduct::kLast;
        }
    }
    return table;
}

}  // namespace tl

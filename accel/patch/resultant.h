// Ray-patch intersection by elimination (Kajiya 1982, "Ray tracing parametric patches"; Lahabar
// 2010, chapter 4). A ray is two planes, whose distances from the patch are two bicubic functions
// of (u, v). As cubics in u these have a common root where their Bezout determinant vanishes, a
// polynomial of degree 18 in v. In double precision, since single precision loses half of the
// roots. The null vector of the Bezout matrix gives the common root, the greatest common divisor,
// without Euclid's divisions; if the matrix has rank 1 the divisor is quadratic.
#pragma once

#include "accel/patch/patch_ray.h"

/// Unrolls loops over coefficients, so that their arrays stay in registers.
#if defined(__CUDACC__)
#define TL_UNROLL _Pragma("unroll")
#else
#define TL_UNROLL _Pragma("GCC unroll 20")
#endif

TL_DEVICE_BEGIN

/// Two planes through `origin`, given by their normals, which need not have unit length.
struct PlanePair {
    double a[3], b[3];
    double origin[3];
};

/// The planes of a ray along `direction` (of any length): each contains the direction and one of
/// the two axes along which it is not largest.
TL_HD inline PlanePair planes_of_ray(vec3 origin, vec3 direction) {
    RayPlanes<double> shears(origin, direction);
    PlanePair p;
    for (int axis = 0; axis < 3; ++axis) {
        p.origin[axis] = double(origin[axis]);
        p.a[axis] = axis == shears.axis_a() ? 1 : axis == shears.axis ? -shears.slope_a : 0;
        p.b[axis] = axis == shears.axis_b() ? 1 : axis == shears.axis ? -shears.slope_b : 0;
    }
    return p;
}

/// The basis of a cubic, highest power first: powers of v, or of v / (1 - v) with (1 - v)^3
/// factored out. The latter maps [0, 1] to all non-negative numbers and products of Bernstein
/// polynomials to products of polynomials.
enum class PolynomialBasis { power, bernstein };

/// A bicubic function; coefficient [i][j] belongs to u^(3 - i) v^(3 - j) of the basis.
struct Bicubic {
    double at[4][4];
};

template <PolynomialBasis kBasis>
TL_HD inline void change_basis(double& p0, double& p1, double& p2, double& p3) {
    double b0 = p0, b1 = p1, b2 = p2, b3 = p3;
    if (kBasis == PolynomialBasis::power) {
        p0 = (b3 - b0) + 3 * (b1 - b2);
        p1 = 3 * (b0 - 2 * b1 + b2);
        p2 = 3 * (b1 - b0);
        p3 = b0;
    } else {
        p0 = b3;
        p1 = 3 * b2;
        p2 = 3 * b1;
        p3 = b0;
    }
}

/// Distance of a patch from the plane with this normal; times the weight for rational patches.
template <PolynomialBasis kBasis>
TL_HD inline Bicubic distance_polynomial(const PatchPoints& points, const PatchWeights* weights,
                                         const double (&normal)[3], const double (&origin)[3]) {
    Bicubic p;
    TL_UNROLL for (int k = 0; k < PatchPoints::kCount; ++k) {
        double w = weights ? double(weights->at[k]) : 1;
        double distance = 0;
        TL_UNROLL for (int axis = 0; axis < 3; ++axis) distance +=
            normal[axis] * (double(points.of_axis[axis][k]) - w * origin[axis]);
        p.at[k / 4][k % 4] = distance;
    }
    TL_UNROLL for (int i = 0; i < 4; ++i)
        change_basis<kBasis>(p.at[i][0], p.at[i][1], p.at[i][2], p.at[i][3]);
    TL_UNROLL for (int j = 0; j < 4; ++j)
        change_basis<kBasis>(p.at[0][j], p.at[1][j], p.at[2][j], p.at[3][j]);
    return p;
}

/// A polynomial, highest power first.
template <int kDegree>
struct Polynomial {
    double at[kDegree + 1];
};

template <int kA, int kB>
TL_HD inline void add_product(const double (&a)[kA], const double (&b)[kB],
                              double (&sum)[kA + kB - 1]) {
    TL_UNROLL for (int i = 0; i < kA; ++i) TL_UNROLL for (int j = 0; j < kB; ++j) sum[i + j] +=
        a[i] * b[j];
}
template <int kA, int kB>
TL_HD inline void subtract_product(const double (&a)[kA], const double (&b)[kB],
                                   double (&sum)[kA + kB - 1]) {
    TL_UNROLL for (int i = 0; i < kA; ++i) TL_UNROLL for (int j = 0; j < kB; ++j) sum[i + j] -=
        a[i] * b[j];
}

inline constexpr int kResultantDegree = 18;
using Resultant = Polynomial<kResultantDegree>;

/// Lahabar's equation 4.6: the determinant of (a b c; b c+d e; c e f), each of degree 6.
TL_HD inline Resultant bezout_resultant(const Bicubic& p, const Bicubic& q) {
    Polynomial<6> a{}, b{}, c{}, e{}, f{}, middle{};
    auto minor = [&](int i, int j, Polynomial<6>& sum) {
        add_product(q.at[i], p.at[j], sum.at);
        subtract_product(q.at[j], p.at[i], sum.at);
    };
    minor(0, 1, a);
    minor(0, 2, b);
    minor(0, 3, c);
    middle = c;
    minor(1, 2, middle);
    minor(1, 3, e);
    minor(2, 3, f);
    Resultant r{};
    Polynomial<12> t{};
    add_product(middle.at, f.at, t.at);
    subtract_product(e.at, e.at, t.at);
    add_product(a.at, t.at, r.at);
    t = {};
    add_product(c.at, e.at, t.at);
    subtract_product(b.at, f.at, t.at);
    add_product(b.at, t.at, r.at);
    t = {};
    add_product(b.at, e.at, t.at);
    subtract_product(c.at, middle.at, t.at);
    add_product(c.at, t.at, r.at);
    return r;
}

/// Values of u at which both functions vanish, for a root v of the resultant.
struct CommonRoots {
    double u[2];
    int count = 0;
};

/// The two functions as cubics in u for a given v, in the power basis.
struct CubicsAt {
    double a[4], b[4];

    TL_HD CubicsAt(const Bicubic& p, const Bicubic& q, double v) {
        TL_UNROLL for (int i = 0; i < 4; ++i) {
            a[i] = ((p.at[i][0] * v + p.at[i][1]) * v + p.at[i][2]) * v + p.at[i][3];
            b[i] = ((q.at[i][0] * v + q.at[i][1]) * v + q.at[i][2]) * v + q.at[i][3];
        }
    }
};

struct Row3 {
    double x, y, z;
};
TL_HD inline Row3 cross_rows(const Row3& a, const Row3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
TL_HD inline double square_of(const Row3& a) {
    return a.x * a.x + a.y * a.y + a.z * a.z;
}

/// The real roots u of row . (u^2, u, 1) = 0.
TL_HD inline CommonRoots roots_of_row(const Row3& row) {
    CommonRoots roots;
    double discriminant = row.y * row.y - 4 * row.x * row.z;
    // A double root that rounding has separated counts as one root.
    if (discriminant < 0 && discriminant > -1e-12 * square_of(row)) discriminant = 0;
    if (discriminant < 0) return roots;
    double q = -(row.y + copysign(sqrt(discriminant), row.y)) / 2;
    if (row.x != 0) roots.u[roots.count++] = q / row.x;
    if (q != 0) roots.u[roots.count++] = row.z / q;
    return roots;
}

/// Common roots, from the rows of the Bezout matrix: each row . (u^2, u, 1) = 0 at such a u.
TL_HD inline CommonRoots common_roots(const CubicsAt& c) {
    constexpr double kDependent = 1e-18;  // squared; rows are dependent below it, up to rounding
    auto minor = [&](int i, int j) { return c.b[i] * c.a[j] - c.b[j] * c.a[i]; };
    double corner = minor(0, 3), side = minor(0, 2), other = minor(1, 3);
    Row3 rows[3] = {{minor(0, 1), side, corner},
                    {side, corner + minor(1, 2), other},
                    {corner, other, minor(2, 3)}};
    Row3 longest = rows[0];
    if (square_of(rows[1]) > square_of(longest)) longest = rows[1];
    if (square_of(rows[2]) > square_of(longest)) longest = rows[2];
    Row3 best = cross_rows(rows[0], rows[1]);
    Row3 second = cross_rows(rows[0], rows[2]), third = cross_rows(rows[1], rows[2]);
    if (square_of(second) > square_of(best)) best = second;
    if (square_of(third) > square_of(best)) best = third;
    double size = square_of(longest);
    if (!(square_of(best) > kDependent * size * size)) return roots_of_row(longest);
    CommonRoots roots;
    // The vector is (u^2, u, 1) up to scale: uses the quotient with the larger divisor.
    double u = magnitude(best.z) >= magnitude(best.x) ? best.y / best.z : best.x / best.y;
    if (u - u == 0) roots.u[roots.count++] = u;
    return roots;
}

TL_DEVICE_END

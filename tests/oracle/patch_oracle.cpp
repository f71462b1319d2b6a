#include "tests/oracle/patch_oracle.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tl::test {
namespace {

using Real = long double;
using Coefficients = std::array<Real, 16>;

/// The two plane functions that vanish on the ray, restricted to a cell.
struct Part {
    Coefficients a, b;
    Real u, v, size_u, size_v;
};

Coefficients half_of(const Coefficients& c, bool across_u, bool upper) {
    Coefficients r;
    for (std::size_t k = 0; k < 4; ++k) {
        std::array<Real, 4> p, q;
        for (std::size_t m = 0; m < 4; ++m) p[m] = c[across_u ? 4 * m + k : 4 * k + m];
        Real p01 = (p[0] + p[1]) / 2, p12 = (p[1] + p[2]) / 2, p23 = (p[2] + p[3]) / 2;
        Real p012 = (p01 + p12) / 2, p123 = (p12 + p23) / 2, mid = (p012 + p123) / 2;
        q = upper ? std::array<Real, 4>{mid, p123, p23, p[3]}
                  : std::array<Real, 4>{p[0], p01, p012, mid};
        for (std::size_t m = 0; m < 4; ++m) r[across_u ? 4 * m + k : 4 * k + m] = q[m];
    }
    return r;
}

bool one_sided(const Coefficients& c) {
    auto [lo, hi] = std::ranges::minmax(c);
    return lo > 0 || hi < 0;
}

/// Whether a line through the origin has the whole cell on one side: tests lines along the axes and
/// along the cell's sides.
bool is_empty(const Part& part) {
    const auto &a = part.a, &b = part.b;
    if (one_sided(a) || one_sided(b)) return true;
    for (auto [from, to] :
         {std::pair<std::size_t, std::size_t>{0, 12}, {3, 15}, {0, 3}, {12, 15}}) {
        Real nx = b[to] - b[from], ny = a[from] - a[to];
        Coefficients side;
        for (std::size_t k = 0; k < 16; ++k) side[k] = nx * a[k] + ny * b[k];
        if (one_sided(side)) return true;
    }
    return false;
}

Real length_across(const Part& part, bool across_u) {
    Real longest = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        std::size_t from = across_u ? k : 4 * k, to = across_u ? 12 + k : 4 * k + 3;
        longest =
            std::max(longest, std::hypot(part.a[to] - part.a[from], part.b[to] - part.b[from]));
    }
    return longest;
}

Real bernstein(std::size_t k, Real t) {
    Real s = 1 - t;
    return k == 0 ? s * s * s : k == 1 ? 3 * s * s * t : k == 2 ? 3 * s * t * t : t * t * t;
}

}  // namespace

PatchOracle::PatchOracle(const PatchPoints& points, const PatchWeights* weights) : points_(points) {
    for (auto& w : weights_.at) w = 1;
    if (weights) weights_ = *weights;
    double squared = 0;
    for (auto& axis : points_.of_axis) {
        double lo = 1e300, hi = -1e300;
        for (int k = 0; k < 16; ++k) {
            double x = double(axis[k]) / double(weights_.at[k]);
            lo = std::min(lo, x), hi = std::max(hi, x);
        }
        squared += (hi - lo) * (hi - lo);
    }
    size_ = std::sqrt(squared);
}

double PatchOracle::residual(const Ray& ray, double u, double v) const {
    Real p[3] = {}, w = 0;
    for (std::size_t k = 0; k < 16; ++k) {
        Real basis = bernstein(k / 4, Real(u)) * bernstein(k % 4, Real(v));
        for (std::size_t axis = 0; axis < 3; ++axis)
            p[axis] += basis * Real(points_.of_axis[axis][k]);
        w += basis * Real(weights_.at[k]);
    }
    Real along = 0, squared = 0, of_direction = 0;
    for (int axis = 0; axis < 3; ++axis) {
        p[axis] = p[axis] / w - Real(ray.origin[axis]);
        along += p[axis] * Real(ray.direction[axis]);
        of_direction += Real(ray.direction[axis]) * Real(ray.direction[axis]);
    }
    for (int axis = 0; axis < 3; ++axis) {
        Real off = p[axis] - along / of_direction * Real(ray.direction[axis]);
        squared += off * off;
    }
    return double(std::sqrt(squared));
}

std::vector<OracleRoot> PatchOracle::roots(const Ray& ray) const {
    // Two perpendicular planes through the ray.
    glm::dvec3 d = glm::normalize(glm::dvec3(ray.direction));
    glm::dvec3 other = std::abs(d.x) < 0.6 ? glm::dvec3(1, 0, 0) : glm::dvec3(0, 1, 0);
    Real dir[3], n1[3], n2[3];
    for (int k = 0; k < 3; ++k) dir[k] = Real(ray.direction[k]);
    auto cross = [](const Real* x, const Real* y, Real* out) {
        for (int k = 0; k < 3; ++k)
            out[k] = x[(k + 1) % 3] * y[(k + 2) % 3] - x[(k + 2) % 3] * y[(k + 1) % 3];
    };
    Real start[3] = {Real(other.x), Real(other.y), Real(other.z)};
    cross(dir, start, n1);
    cross(dir, n1, n2);
    Part whole{{}, {}, 0, 0, 1, 1};
    for (std::size_t k = 0; k < 16; ++k)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            Real x =
                Real(points_.of_axis[axis][k]) - Real(ray.origin[int(axis)]) * Real(weights_.at[k]);
            whole.a[k] += n1[axis] * x;
            whole.b[k] += n2[axis] * x;
        }
    constexpr Real kSmallest = 1e-12L;
    std::vector<Part> stack{whole}, found;
    while (!stack.empty() && found.size() < 4096) {
        Part part = stack.back();
        stack.pop_back();
        if (is_empty(part)) continue;
        if (part.size_u <= kSmallest && part.size_v <= kSmallest) {
            found.push_back(part);
            continue;
        }
        bool across_u =
            part.size_v <= kSmallest ||
            (part.size_u > kSmallest && length_across(part, true) >= length_across(part, false));
        for (bool upper : {true, false}) {
            Part half = part;
            half.a = half_of(part.a, across_u, upper);
            half.b = half_of(part.b, across_u, upper);
            (across_u ? half.size_u : half.size_v) /= 2;
            if (upper) (across_u ? half.u : half.v) += across_u ? half.size_u : half.size_v;
            stack.push_back(half);
        }
    }
    // Adjacent cells are one root.
    constexpr double kTogether = 1e-7;
    std::vector<OracleRoot> roots;
    std::vector<int> n_cells;
    for (auto& part : found) {
        auto u = double(part.u + part.size_u / 2), v = double(part.v + part.size_v / 2);
        auto near = std::ranges::find_if(roots, [&](auto& r) {
            return std::abs(r.u - u) <= kTogether + r.spread &&
                   std::abs(r.v - v) <= kTogether + r.spread;
        });
        if (near == roots.end()) {
            roots.push_back({0, u, v, 0});
            continue;
        }
        near->spread = std::max({near->spread, std::abs(near->u - u), std::abs(near->v - v)});
    }
    for (auto& root : roots) {
        Real way = 0, w = 0, squared = 0;
        for (std::size_t k = 0; k < 16; ++k) {
            Real basis = bernstein(k / 4, Real(root.u)) * bernstein(k % 4, Real(root.v));
            for (std::size_t axis = 0; axis < 3; ++axis)
                way += basis * dir[axis] * Real(points_.of_axis[axis][k]);
            w += basis * Real(weights_.at[k]);
        }
        for (int axis = 0; axis < 3; ++axis) {
            way -= w * dir[axis] * Real(ray.origin[axis]);
            squared += dir[axis] * dir[axis];
        }
        root.t = double(way / (w * squared));
    }
    std::erase_if(roots, [](auto& r) { return !(r.t > 0); });
    std::ranges::sort(roots, {}, &OracleRoot::t);
    return roots;
}

}  // namespace tl::test

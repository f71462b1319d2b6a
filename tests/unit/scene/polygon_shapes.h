// Polygons for tests: concave ones, polygons with slits, and random ones without
// self-intersections.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/common.hpp>
#include <glm/vec2.hpp>
#include <random>
#include <set>
#include <vector>

namespace tl::test {

using glm::dvec2;
using Flat = std::vector<dvec2>;  ///< corners, counterclockwise

class Random {
  public:
    explicit Random(std::uint32_t seed) : generator_(seed) {}
    double real(double low, double high) {
        return low + (high - low) * double(generator_()) / 4294967296.0;
    }
    int integer(int low, int high) {  // both included
        return low + static_cast<int>(generator_() % static_cast<std::uint32_t>(high - low + 1));
    }

  private:
    std::mt19937 generator_;
};

inline const Flat kL{{2, 1}, {1, 1}, {1, 2}, {0, 2}, {0, 0}, {2, 0}};
inline const Flat kU{{0, 0}, {3, 0}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};
/// A square with a hole that a slit joins to its rim: two corners occur twice.
inline const Flat kHole{{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0},
                        {1, 1}, {1, 3}, {3, 3}, {3, 1}, {1, 1}};

inline Flat comb(int n_teeth) {
    Flat flat{{double(2 * n_teeth), -1}};
    for (int i = n_teeth; i-- > 0;) {
        flat.insert(flat.end(), {{2.0 * i + 2, 0}, {2.0 * i + 1.5, 8}, {2.0 * i + 1, 8}});
        flat.insert(flat.end(), {{2.0 * i + 0.5, 0}});
    }
    flat.emplace_back(0, -1);
    return flat;
}

/// A band that winds inwards, of `n` corners on either side.
inline Flat spiral(int n, double turns) {
    Flat flat;
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < n; ++k) {
            int i = side == 0 ? k : n - 1 - k;
            double angle = 2 * M_PI * turns * i / n;
            double radius = 10 * (turns + 1 - turns * i / n) - 4 * side;
            flat.push_back(radius * dvec2(std::cos(angle), std::sin(angle)));
        }
    return flat;
}

inline Flat star(Random& random, int n) {
    Flat flat;
    for (int i = 0; i < n; ++i) {
        double angle = 2 * M_PI * (i + random.real(0, 0.9)) / n;
        flat.push_back(random.real(0.05, 1) * dvec2(std::cos(angle), std::sin(angle)));
    }
    return flat;
}

inline bool edges_cross(dvec2 a, dvec2 b, dvec2 c, dvec2 d) {
    auto side = [](dvec2 p, dvec2 q, dvec2 r) {
        return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x) > 0;
    };
    return side(a, b, c) != side(a, b, d) && side(c, d, a) != side(c, d, b);
}

/// Points in random order, until no two edges cross: each exchange shortens the boundary.
inline Flat untangled(Random& random, int n) {
    Flat flat;
    for (int i = 0; i < n; ++i) flat.emplace_back(random.real(0, 1), random.real(0, 1));
    for (bool is_tangled = true; is_tangled;) {
        is_tangled = false;
        for (int i = 0; i + 2 < n; ++i)
            for (int j = i + 2; j < n; ++j) {
                if (i == 0 && j == n - 1) continue;
                if (!edges_cross(flat[i], flat[i + 1], flat[j], flat[(j + 1) % n])) continue;
                std::reverse(flat.begin() + i + 1, flat.begin() + j + 1);
                is_tangled = true;
            }
    }
    return flat;
}

/// Boundary of a maze: goes around the cells of a grid along their walls. Cells that a random tree
/// joins have no wall between them; all other walls are slits without width. Up to four of its
/// corners coincide.
inline Flat maze(Random& random, int width, int height) {
    constexpr int kStep[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};  // step across each side
    std::vector<std::array<bool, 4>> open(std::size_t(width * height),
                                          {false, false, false, false});
    std::vector<int> stack{0};
    std::set<int> reached{0};
    while (!stack.empty()) {
        int cell = stack.back(), first = random.integer(0, 3), found = -1;
        for (int k = 0; k < 4 && found < 0; ++k) {
            int side = (first + k) % 4;
            int x = cell % width + kStep[side][0], y = cell / width + kStep[side][1];
            if (x < 0 || y < 0 || x >= width || y >= height) continue;
            int other = y * width + x;
            if (!reached.insert(other).second) continue;
            open[std::size_t(cell)][std::size_t(side)] = true;
            open[std::size_t(other)][std::size_t(side + 2) % 4] = true;
            found = other;
        }
        if (found < 0)
            stack.pop_back();
        else
            stack.push_back(found);
    }
    Flat flat;
    int cell = 0, side = 0;
    do {
        // Corner at which each side starts.
        constexpr int kCorner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
        flat.emplace_back(cell % width + kCorner[side][0], cell / width + kCorner[side][1]);
        side = (side + 1) % 4;
        while (open[std::size_t(cell)][std::size_t(side)]) {
            cell += kStep[side][1] * width + kStep[side][0];
            side = (side + 3) % 4;
        }
    } while (cell != 0 || side != 0);
    return flat;
}

/// Columns of cells around a common row, with a corner at every point of the grid on the rim.
inline Flat skyline(Random& random, int n_columns) {
    std::vector<int> above, below;
    for (int i = 0; i < n_columns; ++i) {
        above.push_back(random.integer(1, 6));
        below.push_back(-random.integer(0, 5));
    }
    Flat flat;
    auto go_to = [&](double x, double y) {
        dvec2 step = flat.empty() ? dvec2(0) : glm::sign(dvec2(x, y) - flat.back());
        while (!flat.empty() && flat.back() != dvec2(x, y)) flat.push_back(flat.back() + step);
        if (flat.empty()) flat.emplace_back(x, y);
    };
    for (int i = 0; i < n_columns; ++i) {
        go_to(i, below[std::size_t(i)]);
        go_to(i + 1, below[std::size_t(i)]);
    }
    for (int i = n_columns; i-- > 0;) {
        go_to(i + 1, above[std::size_t(i)]);
        go_to(i, above[std::size_t(i)]);
    }
    go_to(0, below[0]);
    flat.pop_back();
    return flat;
}

}  // namespace tl::test

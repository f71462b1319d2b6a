// Compares samples of directions with their stated density (Pearson's chi-squared test). Cells
// adapt to the samples, however narrow a lobe is: their edges are quantiles of a first part of the
// samples, which the test itself does not use. Lobes should lie towards -x, opposite to the
// direction where the angle around z jumps.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "core/base/math.h"

namespace tl::test {

/// Result of a test.
struct ChiSquare {
    double statistic = 0;
    int n_cells = 0;  ///< cells that expect at least five samples; all others count as one more
    /// Excess of the statistic in standard deviations (Wilson & Hilferty 1931).
    [[nodiscard]] double sigmas() const {
        double k = n_cells - 1, spread = 2 / (9 * k);
        return (std::cbrt(statistic / k) - (1 - spread)) / std::sqrt(spread);
    }
};

/// Cells over z and the angle around it, in which directions are counted.
class DirectionCells {
  public:
    /// Makes cells from pilot samples; z is the third component of a direction. `jump`: z at which
    /// their density jumps.
    DirectionCells(std::span<const vec3> pilot, double jump) {
        for (int side = 0; side < 2; ++side) {
            std::vector<vec3> found;
            for (vec3 d : pilot)
                if (d != vec3(0) && (d.z > 0) == (side == 0)) found.push_back(d);
            if (found.size() < 1000) {
                rings_.push_back({side == 0 ? 0.0 : -1.0, {-kHalfTurn, kHalfTurn}, false, false});
                continue;
            }
            std::ranges::sort(found, {}, &vec3::z);
            std::vector<double> z;
            for (vec3 d : found) z.push_back(double(d.z));
            double low = side == 0 ? 0.0 : -1.0;
            auto edges = quantiles(z, low, low + 1);
            if (jump > low && jump < low + 1)
                edges.insert(std::ranges::upper_bound(edges, jump), jump);
            for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
                std::vector<double> angles;
                for (vec3 d : found)
                    if (double(d.z) >= edges[i] && double(d.z) <= edges[i + 1])
                        angles.push_back(angle_of(d));
                std::ranges::sort(angles);
                rings_.push_back({edges[i], quantiles(angles, -kHalfTurn, kHalfTurn), i < kTail,
                                  i + 1 + kTail >= edges.size()});
            }
        }
        std::ranges::sort(rings_, {}, &Ring::low);
        for (auto& ring : rings_) {
            ring.first = n_cells_;
            n_cells_ += ring.angles.size() - 1;
        }
    }

    [[nodiscard]] std::size_t size() const { return n_cells_; }
    [[nodiscard]] std::size_t cell_of(vec3 d) const {
        auto ring = std::ranges::upper_bound(rings_, double(d.z), {}, &Ring::low) - 1;
        auto angle = std::ranges::upper_bound(ring->angles, angle_of(d)) - ring->angles.begin();
        auto last = static_cast<std::ptrdiff_t>(ring->angles.size()) - 2;
        return ring->first +
               static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(angle - 1, 0, last));
    }
    /// Quadrature points in every cell, each with the cell's number and a part of the cell's solid
    /// angle.
    struct Node {
        vec3 direction;
        std::size_t cell;
        double weight;
    };
    [[nodiscard]] std::vector<Node> nodes() const {
        std::vector<Node> all;
        std::vector<double> lows;
        for (auto& ring : rings_) lows.push_back(ring.low);
        lows.push_back(1);
        for (std::size_t i = 0; i < rings_.size(); ++i) {
            auto& angles = rings_[i].angles;
            auto heights =
                points_between(lows[i], lows[i + 1], rings_[i].ends_low, rings_[i].ends_high);
            for (std::size_t j = 0; j + 1 < angles.size(); ++j)
                for (auto [angle, wide] : points_between(angles[j], angles[j + 1], j < kTail,
                                                         j + 1 + kTail >= angles.size()))
                    for (auto [z, high] : heights) {
                        double ring = std::sqrt(std::max(0.0, 1 - z * z));
                        all.push_back({vec3(-ring * std::cos(angle), -ring * std::sin(angle), z),
                                       rings_[i].first + j, high * wide});
                    }
        }
        return all;
    }

  private:
    static constexpr double kHalfTurn = 3.14159265358979323846;
    static constexpr std::size_t kTail = 8;  ///< intervals of each tail
    /// A point of an interval and its weight in an integral.
    struct Point {
        double place, weight;
    };
    /// Points for integrals from `low` to `high`: five-point Gauss-Legendre quadrature, or five
    /// points in each of parts that grow from the inner end of a tail.
    static std::vector<Point> points_between(double low, double high, bool ends_low,
                                             bool ends_high) {
        constexpr double kPlaces[] = {0.046910077030668, 0.230765344947158, 0.5, 0.769234655052842,
                                      0.953089922969332};
        constexpr double kWeights[] = {0.118463442528095, 0.239314335249683, 0.284444444444444,
                                       0.239314335249683, 0.118463442528095};
        constexpr double kGrowth = 2;
        constexpr int kParts = 12;
        std::vector<double> edges{0};
        bool is_tail = ends_low != ends_high;
        if (is_tail)
            for (int k = 1; k < kParts; ++k) edges.push_back(std::pow(kGrowth, k - kParts));
        edges.push_back(1);
        std::vector<Point> points;
        for (std::size_t i = 0; i + 1 < edges.size(); ++i)
            for (int k = 0; k < 5; ++k) {
                double part = edges[i + 1] - edges[i];
                double at = edges[i] + part * kPlaces[k];
                points.push_back(
                    {is_tail && ends_low ? high + (low - high) * at : low + (high - low) * at,
                     part * kWeights[k] * (high - low)});
            }
        return points;
    }

    /// A range of z, from `low` to the next ring's, with the edges of its cells.
    struct Ring {
        double low;
        std::vector<double> angles;
        bool ends_low, ends_high;  ///< whether it is in the tail of the samples at that end
        std::size_t first = 0;
    };

    /// Angle around z, from -x.
    static double angle_of(vec3 d) { return std::atan2(-double(d.y), -double(d.x)); }
    /// Edges from `low` to `high` at even quantiles of sorted values, finer in the tails.
    static std::vector<double> quantiles(const std::vector<double>& sorted, double low,
                                         double high) {
        std::vector<double> shares{0.0003, 0.003};
        for (int k = 1; k < 64; ++k) shares.push_back(k / 64.0);
        shares.insert(shares.end(), {0.997, 0.9997});
        std::vector<double> edges{low};
        for (double share : shares) {
            if (sorted.empty()) break;
            double edge = sorted[static_cast<std::size_t>(share * double(sorted.size()))];
            if (edge > edges.back() + 1e-6 && edge < high - 1e-6) edges.push_back(edge);
        }
        edges.push_back(high);
        return edges;
    }

    std::vector<Ring> rings_;
    std::size_t n_cells_ = 0;
};

/// Tests directions against their density, which `densities` evaluates, 1/sr; (0, 0, 0) represents
/// no direction. `jump`: as for DirectionCells.
inline ChiSquare chi_square(
    std::span<const vec3> pilot, std::span<const vec3> samples, double jump,
    const std::function<std::vector<float>(const std::vector<vec3>&)>& densities) {
    constexpr double kFewest = 5;
    DirectionCells cells(pilot, jump);
    auto nodes = cells.nodes();
    std::vector<vec3> places;
    for (auto& node : nodes) places.push_back(node.direction);
    auto density = densities(places);
    std::vector<double> expected(cells.size() + 1), found(cells.size() + 1);
    double total = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        double part = nodes[i].weight * double(density[i]);
        expected[nodes[i].cell] += part * double(samples.size());
        total += part;
    }
    expected.back() = std::max(0.0, 1 - total) * double(samples.size());
    for (vec3 d : samples) ++found[d == vec3(0) ? cells.size() : cells.cell_of(d)];

    ChiSquare result;
    double rest_expected = 0, rest_found = 0;
    auto count = [&](double e, double f) {
        result.statistic += (f - e) * (f - e) / e;
        ++result.n_cells;
    };
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (expected[i] >= kFewest) {
            count(expected[i], found[i]);
        } else {
            rest_expected += expected[i];
            rest_found += found[i];
        }
    if (rest_expected >= kFewest || rest_found >= kFewest)
        count(std::max(rest_expected, 1.0), rest_found);
    return result;
}

}  // namespace tl::test

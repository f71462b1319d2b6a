#include "renderer/scene/splats/emissive_cells.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <tuple>

namespace tl {
namespace {

/// Least cosine between the normals of splats of one surface, as for blending.
constexpr float kSameSideCosine = 0.5f;

/// Finds the splats that overlap one, of any radius: a grid for each power of two of the radii.
class OverlapSearch {
  public:
    explicit OverlapSearch(std::span<const Splat> splats) : splats_(splats) {
        for (std::uint32_t i = 0; i < splats.size(); ++i) {
            int exponent = 0;
            if (!(splats[i].radius > 0) || !std::isfinite(splats[i].radius)) continue;
            std::frexp(splats[i].radius, &exponent);
            Grid& grid = grids_[exponent];
            grid.size = std::ldexp(1.0, exponent);
            grid.entries.push_back({{}, i});
        }
        for (auto& [exponent, grid] : grids_) {
            for (auto& entry : grid.entries)
                entry.cell = grid.cell_of(glm::dvec3(splats[entry.splat].center));
            tbb::parallel_sort(grid.entries.begin(), grid.entries.end());
        }
    }
    /// Calls found(k) for all splats that overlap splat `i` and face the same side.
    template <class Found>
    void for_each(std::uint32_t i, Found&& found) const {
        const Splat& s = splats_[i];
        auto test = [&](std::uint32_t k) {
            const Splat& other = splats_[k];
            vec3 way = other.center - s.center;
            float reach = s.radius + other.radius;
            if (k != i && glm::dot(way, way) < reach * reach &&
                glm::dot(s.normal, other.normal) > kSameSideCosine)
                found(k);
        };
        for (auto& [exponent, grid] : grids_) {
            double reach = double{s.radius} + grid.size;
            glm::dvec3 center(s.center);
            Cell lo = grid.cell_of(center - reach), hi = grid.cell_of(center + reach);
            double n_rows = (double(hi.x - lo.x) + 1) * (double(hi.y - lo.y) + 1);
            if (n_rows > static_cast<double>(grid.entries.size())) {
                for (auto& entry : grid.entries) test(entry.splat);
                continue;
            }
            for (std::int64_t x = lo.x; x <= hi.x; ++x)
                for (std::int64_t y = lo.y; y <= hi.y; ++y) {
                    auto at = std::ranges::lower_bound(grid.entries, Entry{{x, y, lo.z}, 0});
                    for (; at != grid.entries.end() && !(Cell{x, y, hi.z} < at->cell); ++at)
                        test(at->splat);
                }
        }
    }

  private:
    struct Cell {
        std::int64_t x, y, z;
        auto operator<=>(const Cell&) const = default;
    };
    struct Entry {
        Cell cell;
        std::uint32_t splat;
        auto operator<=>(const Entry&) const = default;
    };
    /// Splats with radii from size / 2 up to `size`, in cells of that size.
    struct Grid {
        double size = 1;
        std::vector<Entry> entries;

        [[nodiscard]] Cell cell_of(glm::dvec3 place) const {
            auto at = [&](double value) {
                return static_cast<std::int64_t>(std::floor(std::clamp(value / size, -4e18, 4e18)));
            };
            return {at(place.x), at(place.y), at(place.z)};
        }
    };

    std::span<const Splat> splats_;
    std::map<int, Grid> grids_;
};

/// A line in the plane of a disc: the border of the cell of splat `other`, which owns what lies
/// where the product with `way` is above `limit`.
struct Border {
    vec2 way;
    float limit;
    std::uint32_t other;
};

/// The convex polygon that is left of a disc.
class CellPolygon {
  public:
    explicit CellPolygon(float radius) : radius_(radius) {
        constexpr int kSides = 32;
        constexpr float kStep = 2 * std::numbers::pi_v<float> / kSides;
        for (int i = 0; i < kSides; ++i) {
            float angle = static_cast<float>(i) * kStep;
            corners_.push_back(radius / std::cos(kStep / 2) *
                               vec2(std::cos(angle), std::sin(angle)));
        }
    }
    void cut(const Border& border) {
        kept_.clear();
        for (std::size_t i = 0; i < corners_.size(); ++i) {
            vec2 here = corners_[i], next = corners_[(i + 1) % corners_.size()];
            float at_here = beyond(border, here), at_next = beyond(border, next);
            if (at_here <= 0) kept_.push_back(here);
            if ((at_here <= 0) != (at_next <= 0))
                kept_.push_back(glm::mix(here, next, at_here / (at_here - at_next)));
        }
        std::swap(corners_, kept_);
        if (corners_.size() < 3) corners_.clear();
    }
    [[nodiscard]] bool empty() const { return corners_.empty(); }
    /// Length of the side that lies on the border; 0 if there is none.
    [[nodiscard]] float side_on(const Border& border) const {
        float length = glm::length(border.way), rounding = 1e-4f * radius_ * length;
        float first = kInfinity, last = -kInfinity;
        for (vec2 p : corners_) {
            if (!(beyond(border, p) > -rounding)) continue;
            float along = (border.way.x * p.y - border.way.y * p.x) / length;
            first = std::min(first, along);
            last = std::max(last, along);
        }
        return std::max(last - first, 0.0f);
    }
    [[nodiscard]] float area() const {
        double sum = 0;
        for (std::size_t i = 0; i < corners_.size(); ++i) {
            glm::dvec2 a(corners_[i]), b(corners_[(i + 1) % corners_.size()]);
            sum += a.x * b.y - a.y * b.x;
        }
        return std::min(static_cast<float>(sum / 2), kPi * radius_ * radius_);
    }
    /// The smallest rectangle around the polygon: one side lies along one of its sides (Freeman &
    /// Shapira 1975, "Determining the minimum-area encasing rectangle for an arbitrary closed
    /// curve"). A corner and two edges, counterclockwise.
    void enclose(vec2& corner, vec2& edge_u, vec2& edge_v) const {
        float least = kInfinity;
        for (std::size_t i = 0; i < corners_.size(); ++i) {
            vec2 side = corners_[(i + 1) % corners_.size()] - corners_[i];
            float length = glm::length(side);
            if (!(length > 1e-6f * radius_)) continue;
            vec2 u = side / length, v(-u.y, u.x);
            vec2 lo(kInfinity), hi(-kInfinity);
            for (vec2 p : corners_) {
                vec2 at(glm::dot(p, u), glm::dot(p, v));
                lo = glm::min(lo, at);
                hi = glm::max(hi, at);
            }
            // A little wider, so that rounding leaves nothing out.
            vec2 margin = 1e-4f * (hi - lo), size = hi - lo + 2.0f * margin;
            lo -= margin;
            if (!(size.x * size.y < least)) continue;
            least = size.x * size.y;
            corner = lo.x * u + lo.y * v;
            edge_u = size.x * u;
            edge_v = size.y * v;
        }
    }

  private:
    static float beyond(const Border& border, vec2 p) {
        return glm::dot(p, border.way) - border.limit;
    }
    float radius_;
    std::vector<vec2> corners_, kept_;
};

EmissiveCell cell_of(std::span<const Splat> splats, const OverlapSearch& search, std::uint32_t i) {
    const Splat& s = splats[i];
    vec3 size = glm::abs(s.normal);
    vec3 x = size.x < 0.6f ? vec3(1, 0, 0) : vec3(0, 1, 0);
    x = glm::normalize(x - glm::dot(x, s.normal) * s.normal);
    vec3 y = glm::cross(s.normal, x);
    std::vector<std::pair<Border, float>> borders;
    bool is_covered = false;
    search.for_each(i, [&](std::uint32_t k) {
        vec3 way = splats[k].center - s.center;
        float square = glm::dot(way, way);
        float limit = (square + (s.radius - splats[k].radius) * (s.radius + splats[k].radius)) / 2;
        borders.push_back({{{glm::dot(way, x), glm::dot(way, y)}, limit, k}, square});
        // Of splats with the same place and radius, the first owns all.
        if (way == vec3(0) && (limit < 0 || (limit == 0 && k < i))) is_covered = true;
    });
    std::ranges::sort(borders, {}, [](auto& b) { return std::pair(b.second, b.first.other); });
    CellPolygon polygon(s.radius);
    EmissiveCell cell{.splat = i};
    auto add = [&](std::uint32_t k) { cell.neighbours[cell.n_bordering++] = k; };
    for (auto& [border, square] : borders) {
        if (is_covered || polygon.empty()) break;
        polygon.cut(border);
        if (polygon.empty()) add(border.other);
    }
    bool is_empty = is_covered || polygon.empty();
    if (!is_empty) {
        std::erase_if(borders, [&](auto& b) { return !(polygon.side_on(b.first) > 0); });
        std::ranges::stable_sort(borders, std::greater(),
                                 [&](auto& b) { return polygon.side_on(b.first); });
    }
    for (std::size_t n = 0; n < borders.size(); ++n) {
        if (cell.n_bordering == EmissiveCell::kMostBordering) break;
        // Splats of the same place and radius have the same border.
        auto is_same = [&](auto& b) {
            return b.first.way == borders[n].first.way && b.first.limit == borders[n].first.limit;
        };
        auto first = std::ranges::find_if(borders, is_same);
        bool is_known = std::ranges::count(cell.bordering(), borders[n].first.other) > 0;
        if (static_cast<std::size_t>(first - borders.begin()) == n && !is_known)
            add(borders[n].first.other);
    }
    if (is_empty) return cell;
    vec2 corner(0), edge_u(0), edge_v(0);
    polygon.enclose(corner, edge_u, edge_v);
    auto in_space = [&](vec2 p) { return p.x * x + p.y * y; };
    cell.area = polygon.area();
    cell.corner = s.center + in_space(corner);
    cell.edge_u = in_space(edge_u);
    cell.edge_v = in_space(edge_v);
    return cell;
}

}  // namespace

std::vector<EmissiveCell> emissive_cells(std::span<const Splat> splats,
                                         const std::vector<bool>& emits) {
    std::vector<std::uint32_t> emitting;
    for (std::uint32_t i = 0; i < splats.size(); ++i)
        if (emits[i]) emitting.push_back(i);
    if (emitting.empty()) return {};
    OverlapSearch search(splats);
    std::vector<std::vector<std::uint32_t>> overlapping(emitting.size());
    tbb::parallel_for(std::size_t{0}, emitting.size(), [&](std::size_t e) {
        search.for_each(emitting[e], [&](std::uint32_t k) {
            if (!emits[k]) overlapping[e].push_back(k);
        });
    });
    std::vector<bool> has_cell = emits;
    for (auto& list : overlapping)
        for (std::uint32_t k : list) has_cell[k] = true;
    std::vector<EmissiveCell> cells;
    for (std::uint32_t i = 0; i < splats.size(); ++i)
        if (has_cell[i]) cells.push_back({.splat = i});
    tbb::parallel_for(std::size_t{0}, cells.size(),
                      [&](std::size_t c) { cells[c] = cell_of(splats, search, cells[c].splat); });
    return cells;
}

}  // namespace tl

#include "renderer/scene/loaders/polygon.h"

#include <algorithm>
#include <cmath>
#include <utility>

// Rounding decides which diagonal is the shorter one, so this file is compiled without fused
// multiply-adds other than those it asks for, to give the same triangles on every machine.
namespace tl {
namespace {

using glm::dvec2;
using glm::dvec3;

constexpr std::uint32_t kNoCorner = UINT32_MAX;
constexpr int kGridBits = 51;          // of a flat coordinate: differences are exact
constexpr double kRounding = 0x1p-22;  // of a float, sheared: two units in the last digit

/// The sign of the area of a triangle: 1 if it is counterclockwise. Exact for whole numbers of
/// kGridBits bits: where two products are equal when rounded, what was rounded off decides.
int turn(dvec2 a, dvec2 b, dvec2 c) {
    dvec2 u = b - a, v = c - a;
    double left = u.x * v.y, right = u.y * v.x;
    if (left == right) {
        left = std::fma(u.x, v.y, -left);
        right = std::fma(u.y, v.x, -right);
    }
    return (left > right) - (left < right);
}

double doubled_area(dvec2 a, dvec2 b, dvec2 c) {
    dvec2 u = b - a, v = c - a;
    return u.x * v.y - u.y * v.x;
}

}  // namespace

std::span<const glm::uvec3> PolygonCutter::cut(std::span<const vec3> corners) {
    triangles_.clear();
    most_comparisons_ += kMorePerCorner * corners.size();
    if (corners.size() == 4)
        cut_quad(corners);
    else if (corners.size() > 4 && flatten(corners) && !is_fan()) {
        if (corners.size() > kMostCorners) return {};
        cut_ears();
        if (n_comparisons_ > most_comparisons_) return {};
    }
    if (triangles_.empty()) add_fan(corners.size());
    return triangles_;
}

std::string PolygonCutter::refusal(std::size_t n_corners) const {
    if (n_comparisons_ > most_comparisons_)
        return "concave faces of so many corners take too long to cut: triangulate them";
    return "a concave face has " + std::to_string(n_corners) + " corners; at most " +
           std::to_string(kMostCorners) + " are cut: triangulate it";
}

/// Cuts along the other diagonal where only that one lies inside.
void PolygonCutter::cut_quad(std::span<const vec3> corners) {
    vec3 across_02 = corners[2] - corners[0], across_13 = corners[3] - corners[1];
    bool takes_02 = quads_ == QuadCut::from_first ||
                    glm::dot(across_02, across_02) < glm::dot(across_13, across_13);
    auto edge = [&](int from, int to) { return dvec3(corners[to]) - dvec3(corners[from]); };
    dvec3 normal = glm::cross(edge(0, 2), edge(1, 3));
    auto is_positive = [&](int a, int b, int c) {
        return glm::dot(glm::cross(edge(a, b), edge(a, c)), normal) > 0;
    };
    bool is_inside_02 = is_positive(0, 1, 2) && is_positive(0, 2, 3);
    bool is_inside_13 = is_positive(0, 1, 3) && is_positive(1, 2, 3);
    if (is_inside_02 != is_inside_13) takes_02 = is_inside_02;
    triangles_.emplace_back(0, 1, takes_02 ? 2 : 3);
    triangles_.emplace_back(takes_02 ? 0 : 1, 2, 3);
}

/// Projects the corners along Newell's normal onto the plane of its two lesser axes, where the
/// polygon is counterclockwise. Returns false if there is no normal.
bool PolygonCutter::flatten(std::span<const vec3> corners) {
    dvec3 origin = corners[0], normal(0), previous(0);
    double largest = 0;
    for (auto& corner : corners) {
        dvec3 here = dvec3(corner) - origin;
        normal += glm::cross(previous, here);
        previous = here;
        for (int k = 0; k < 3; ++k) largest = std::max(largest, double(std::abs(corner[k])));
    }
    dvec3 sizes = glm::abs(normal);
    int up = sizes.x > sizes.y ? (sizes.x > sizes.z ? 0 : 2) : (sizes.y > sizes.z ? 1 : 2);
    if (!(sizes[up] > 0)) return false;
    int right = (up + 1) % 3, ahead = (up + 2) % 3;
    if (normal[up] < 0) std::swap(right, ahead);
    dvec2 slope = dvec2(normal[right], normal[ahead]) / normal[up];
    flat_.clear();
    double extent = 0;
    for (auto& corner : corners) {
        dvec3 here = dvec3(corner) - origin;
        dvec2 flat = dvec2(here[right], here[ahead]) - here[up] * slope;
        extent = std::max({extent, std::abs(flat.x), std::abs(flat.y)});
        flat_.push_back(flat);
    }
    int exponent = 0;
    std::frexp(extent, &exponent);
    double scale = std::ldexp(1.0, kGridBits - exponent);
    for (auto& flat : flat_) flat = dvec2(std::rint(flat.x * scale), std::rint(flat.y * scale));
    rounding_ = largest * kRounding * scale;
    return true;
}

bool PolygonCutter::is_fan() const {
    for (std::size_t i = 2; i < flat_.size(); ++i)
        if (turn(flat_[0], flat_[i - 1], flat_[i]) <= 0) return false;
    return true;
}

void PolygonCutter::add_fan(std::size_t n_corners) {
    for (std::uint32_t i = 2; i < n_corners; ++i) triangles_.emplace_back(0, i - 1, i);
}

/// Clips ears along the ring. After each ear it steps back by one corner: of a polygon that does
/// not touch itself, only the corners beside an ear can become ears. One round suffices then;
/// otherwise there are more. A round without an ear is repeated with a test that tolerates the
/// rounding of coordinates. If that finds none either, the least corner is clipped, whatever it
/// covers.
void PolygonCutter::cut_ears() {
    link();
    // Keeps time quadratic where the polygon intersects itself.
    std::size_t n_tests = 0, most_tests = 16 * flat_.size();
    std::uint32_t at = 1, n_failed = 0;
    Test test = Test::strict;
    while (n_left_ > 2 && n_comparisons_ <= most_comparisons_) {
        std::uint32_t cut = kNoCorner;
        if (is_spike(at)) {
            cut = at;
        } else if (n_tests < most_tests && (++n_tests, is_ear(at, test))) {
            cut = at;
            test = Test::strict;
            triangles_.emplace_back(previous_[at], at, next_[at]);
        } else if (++n_failed < n_left_ && n_tests < most_tests) {
            at = next_[at];
            continue;
        } else if (test == Test::strict && n_tests < most_tests) {
            test = Test::lenient;
        } else {
            test = Test::strict;
            cut = least_corner(at);
            n_comparisons_ += n_left_;
            if (cut == kNoCorner) break;  // the rest is a straight line
            triangles_.emplace_back(previous_[cut], cut, next_[cut]);
        }
        n_failed = 0;
        if (cut == kNoCorner) continue;
        at = previous_[cut];
        remove(cut);
    }
}

void PolygonCutter::link() {
    n_left_ = static_cast<std::uint32_t>(flat_.size());
    previous_.resize(n_left_);
    next_.resize(n_left_);
    for (std::uint32_t i = 0; i < n_left_; ++i) {
        previous_[i] = (i == 0 ? n_left_ : i) - 1;
        next_[i] = i + 1 == n_left_ ? 0 : i + 1;
    }
    obstacles_.clear();
    is_obstacle_.assign(n_left_, 0);
    for (std::uint32_t i = 0; i < n_left_; ++i) {
        if (turn_at(i) > 0) continue;
        obstacles_.push_back(i);
        is_obstacle_[i] = 1;
    }
    std::ranges::sort(obstacles_, {}, [&](auto corner) { return flat_[corner].x; });
    n_outdated_ = 0;
}

void PolygonCutter::remove(std::uint32_t corner) {
    auto before = previous_[corner], after = next_[corner];
    next_[before] = after;
    previous_[after] = before;
    --n_left_;
    set_obstacle(corner, false);
    // Beside a spike, two convex corners at the same position become one that need not be convex.
    for (auto side : {before, after}) set_obstacle(side, turn_at(side) <= 0);
}

void PolygonCutter::set_obstacle(std::uint32_t corner, bool is_obstacle) {
    if (bool(is_obstacle_[corner]) == is_obstacle) return;
    is_obstacle_[corner] = is_obstacle;
    if (is_obstacle) {
        auto x_of = [&](auto other) { return flat_[other].x; };
        obstacles_.insert(std::ranges::lower_bound(obstacles_, x_of(corner), {}, x_of), corner);
    } else if (2 * ++n_outdated_ > obstacles_.size()) {
        std::erase_if(obstacles_, [&](auto other) { return !is_obstacle_[other]; });
        n_outdated_ = 0;
    }
}

int PolygonCutter::turn_at(std::uint32_t corner) const {
    return turn(flat_[previous_[corner]], flat_[corner], flat_[next_[corner]]);
}

double PolygonCutter::area_at(std::uint32_t corner) const {
    return doubled_area(flat_[previous_[corner]], flat_[corner], flat_[next_[corner]]);
}

/// Whether the boundary turns back at a corner, or repeats it, so that the corner has no area.
bool PolygonCutter::is_spike(std::uint32_t corner) const {
    dvec2 here = flat_[corner];
    return turn_at(corner) == 0 &&
           glm::dot(here - flat_[previous_[corner]], flat_[next_[corner]] - here) <= 0;
}

/// Whether a corner is an ear: convex, with none of the boundary inside its triangle, which the
/// boundary may touch.
bool PolygonCutter::is_ear(std::uint32_t corner, Test test) {
    if (turn_at(corner) <= 0) return false;
    auto before = previous_[corner], after = next_[corner];
    const dvec2 ear[3] = {flat_[before], flat_[corner], flat_[after]};
    dvec2 low = glm::min(glm::min(ear[0], ear[1]), ear[2]);
    dvec2 high = glm::max(glm::max(ear[0], ear[1]), ear[2]);
    auto x_of = [&](auto other) { return flat_[other].x; };
    for (auto at = std::ranges::lower_bound(obstacles_, low.x, {}, x_of);
         at != obstacles_.end() && x_of(*at) <= high.x; ++at) {
        ++n_comparisons_;
        double y = flat_[*at].y;
        if (y < low.y || y > high.y || !is_obstacle_[*at]) continue;
        if (*at != before && *at != after && obstructs(*at, ear, test)) return false;
    }
    return true;
}

/// Whether the boundary at a corner keeps a triangle from being an ear.
bool PolygonCutter::obstructs(std::uint32_t corner, const dvec2 (&ear)[3], Test test) const {
    dvec2 p = flat_[corner];
    if (test == Test::lenient) {
        for (int k = 0; k < 3; ++k) {
            dvec2 from = ear[k], to = ear[(k + 1) % 3];
            if (doubled_area(from, to, p) <= rounding_ * glm::length(to - from)) return false;
        }
        return true;
    }
    int sides[3];
    for (int k = 0; k < 3; ++k)
        if ((sides[k] = turn(ear[k], ear[(k + 1) % 3], p)) < 0) return false;
    // On the new edge, between its ends: the corner would no longer be one of this side's.
    if (sides[0] > 0 && sides[1] > 0) return true;
    // On the rim: only a boundary that continues into the triangle obstructs it.
    auto enters = [&](dvec2 neighbour) {
        for (int k = 0; k < 3; ++k)
            if (sides[k] == 0 && turn(ear[k], ear[(k + 1) % 3], neighbour) <= 0) return false;
        return true;
    };
    return enters(flat_[previous_[corner]]) || enters(flat_[next_[corner]]);
}

/// The corner of the smallest area above 0; if there is none, of the one that is closest to 0.
/// kNoCorner if all are 0. `any` is a corner of the ring.
std::uint32_t PolygonCutter::least_corner(std::uint32_t any) const {
    std::uint32_t best = kNoCorner, at = any;
    std::pair<bool, double> least;  // whether it is below 0, and its size
    for (std::uint32_t i = 0; i < n_left_; ++i, at = next_[at]) {
        int sign = turn_at(at);
        std::pair area{sign < 0, std::abs(area_at(at))};
        if (sign == 0 || (best != kNoCorner && area >= least)) continue;
        best = at;
        least = area;
    }
    return best;
}

}  // namespace tl

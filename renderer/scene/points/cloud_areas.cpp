#include "renderer/scene/points/cloud_areas.h"

#include <algorithm>
#include <cmath>

#include "renderer/scene/points/in_chunks.h"

namespace tl {
namespace {

/// A convex polygon around the origin, clipped by half-planes.
class Cell {
  public:
    /// Starts as a square that extends `size` to each side.
    explicit Cell(float size) : n_(4) {
        corners_[0] = {size, size};
        corners_[1] = {-size, size};
        corners_[2] = {-size, -size};
        corners_[3] = {size, -size};
        std::fill_n(is_frame_, 4, true);
    }
    /// Clips to the half-plane that is nearer to the origin than to `other`.
    void cut(vec2 other) {
        float limit = glm::dot(other, other) / 2;
        float beyond[kMost];
        bool is_cut = false;
        for (int i = 0; i < n_; ++i) {
            beyond[i] = glm::dot(corners_[i], other) - limit;
            is_cut = is_cut || beyond[i] > 0;
        }
        if (!is_cut || n_ + 2 > kMost) return;
        vec2 kept[kMost];
        bool frame[kMost];
        int n = 0;
        for (int i = 0; i < n_; ++i) {
            int next = i + 1 < n_ ? i + 1 : 0;
            if (beyond[i] <= 0) {
                kept[n] = corners_[i];
                frame[n++] = is_frame_[i];
            }
            if ((beyond[i] <= 0) == (beyond[next] <= 0)) continue;
            float share = beyond[i] / (beyond[i] - beyond[next]);
            kept[n] = corners_[i] + share * (corners_[next] - corners_[i]);
            frame[n++] = beyond[i] > 0 && is_frame_[i];  // else the new edge starts here
        }
        n_ = n;
        std::copy_n(kept, n, corners_);
        std::copy_n(frame, n, is_frame_);
    }
    /// Squared distance of the farthest corner.
    [[nodiscard]] float reach() const {
        float farthest = 0;
        for (int i = 0; i < n_; ++i)
            farthest = std::max(farthest, glm::dot(corners_[i], corners_[i]));
        return farthest;
    }
    /// Whether some edge is still one of the square's.
    [[nodiscard]] bool is_open() const {
        return std::any_of(is_frame_, is_frame_ + n_, std::identity{});
    }
    [[nodiscard]] float area() const {
        float sum = 0;
        for (int i = 0; i < n_; ++i) {
            vec2 a = corners_[i], b = corners_[i + 1 < n_ ? i + 1 : 0];
            sum += a.x * b.y - a.y * b.x;
        }
        return sum / 2;
    }

  private:
    static constexpr int kMost = 2 * CloudNeighbours::kNearest + 8;
    vec2 corners_[kMost];
    bool is_frame_[kMost];  ///< the edge from each corner to the next is the square's
    int n_;
};

/// Offset to a neighbour in the tangent plane of a point with `normal`. It is projected along the
/// normal, or, where the neighbour's plane differs, unfolded about the line in which the two planes
/// intersect. Noise, which moves points along normals, thus adds nothing.
vec3 laid_flat(vec3 offset, vec3 normal, vec3 other) {
    constexpr float kFold = 0.85f;  // cosine below which there is an edge between them
    float height = glm::dot(offset, normal), cosine = glm::dot(normal, other);
    vec3 seen = offset - height * normal;
    if (cosine > kFold) return seen;
    vec3 line = glm::cross(normal, other);
    float sine = glm::length(line);
    if (!(sine > 0.1f)) return seen;
    line /= sine;
    vec3 across = glm::cross(normal, line);
    float to_line = std::abs(glm::dot(offset, other)) / sine, from_line = std::abs(height) / sine;
    float sign = glm::dot(offset, across) < 0 ? -1.0f : 1.0f;
    return glm::dot(offset, line) * line + sign * (to_line + from_line) * across;
}

/// The neighbours of a point in its tangent plane, the nearest first.
struct FlatNeighbours {
    struct One {
        float square;
        vec2 offset;
    };
    One all[CloudNeighbours::kNearest];
    int n = 0;
    int n_same = 0;  ///< other points at the same position

    FlatNeighbours(const CloudNeighbours& cloud, std::span<const vec3> normals, std::size_t point) {
        constexpr float kFacesAway = -0.3f;  // beyond what an edge of 100 degrees does
        vec3 normal = normals[point];
        vec3 u = std::abs(normal.x) < 0.5f ? vec3(1, 0, 0) : vec3(0, 1, 0);
        u = glm::normalize(u - glm::dot(u, normal) * normal);
        vec3 v = glm::cross(normal, u);
        cloud.for_each_near(point, [&](std::uint32_t other, vec3 offset, float square) {
            if (square == 0) {
                ++n_same;
                return;
            }
            if (glm::dot(normals[other], normal) < kFacesAway) return;
            vec3 laid = laid_flat(offset, normal, normals[other]);
            vec2 flat(glm::dot(laid, u), glm::dot(laid, v));
            float flat_square = glm::dot(flat, flat);
            if (flat_square > 0) all[n++] = {flat_square, flat};
        });
        std::sort(all, all + n, [](const One& a, const One& b) {
            return std::pair(a.square, a.offset.x) < std::pair(b.square, b.offset.x);
        });
    }
};

/// Widest angular gap between the directions of the neighbours, by its start and its size.
struct Gap {
    float start = 0, size = 0;

    explicit Gap(const FlatNeighbours& flat) {
        float angles[CloudNeighbours::kNearest];
        for (int i = 0; i < flat.n; ++i)
            angles[i] = std::atan2(flat.all[i].offset.y, flat.all[i].offset.x);
        std::sort(angles, angles + flat.n);
        for (int i = 0; i < flat.n; ++i) {
            float next = i + 1 < flat.n ? angles[i + 1] : angles[0] + 2 * kPi;
            if (next - angles[i] > size) *this = {angles[i], next - angles[i]};
        }
    }
    Gap(float start, float size) : start(start), size(size) {}
    [[nodiscard]] bool has(vec2 direction) const {
        constexpr float kMargin = 0.15f;  // of the gap at each end
        float after = std::atan2(direction.y, direction.x) - start;
        while (after < 0) after += 2 * kPi;
        return after > kMargin * size && after < (1 - kMargin) * size;
    }
};

float area_of(const FlatNeighbours& flat) {
    if (flat.n == 0) return 0;
    // Found by trial: sums of points at random, in grids and evenly spread are right with them.
    constexpr float kWideGap = 150 * kPi / 180, kInwards = 0.9f;
    constexpr float kFrameOfRim = 0.6f;
    float farthest = std::sqrt(flat.all[flat.n - 1].square);
    Cell cell(farthest);
    auto cut_all = [&](float sign, auto&& is_wanted) {
        for (int i = 0; i < flat.n; ++i) {
            if (flat.all[i].square > 4 * cell.reach()) return;
            if (is_wanted(flat.all[i].offset)) cell.cut(sign * flat.all[i].offset);
        }
    };
    auto all = [](vec2) { return true; };
    cut_all(1, all);
    if (cell.is_open()) {
        Gap gap(flat);
        if (gap.size > kWideGap) {
            cell = Cell(kFrameOfRim * farthest);
            cut_all(1, all);
            cut_all(-kInwards, [&](vec2 offset) { return gap.has(-offset); });
        }
    }
    return cell.area() / static_cast<float>(1 + flat.n_same);
}

}  // namespace

std::vector<float> estimate_areas(const CloudNeighbours& cloud, std::span<const vec3> normals) {
    std::vector<float> areas(cloud.size());
    for_each_point(cloud.size(),
                   [&](std::size_t i) { areas[i] = area_of(FlatNeighbours(cloud, normals, i)); });
    return areas;
}

}  // namespace tl

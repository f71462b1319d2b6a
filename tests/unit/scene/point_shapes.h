// Random points on shapes whose normals and areas are known.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/base/math.h"

namespace tl::test {

struct PointShape {
    std::vector<vec3> points, normals;  ///< normals point outwards
    double area = 0;

    void add(vec3 point, vec3 normal) {
        points.push_back(point);
        normals.push_back(normal);
    }
    void add(const PointShape& other, vec3 offset) {
        for (std::size_t i = 0; i < other.points.size(); ++i)
            add(other.points[i] + offset, other.normals[i]);
        area += other.area;
    }
    /// Distance of points in a square grid of the same density.
    [[nodiscard]] double spacing() const {
        return std::sqrt(area / static_cast<double>(points.size()));
    }
    /// Moves points along their normals at random; `spacings`: standard deviation in units of
    /// spacing().
    PointShape& make_noisy(double spacings, std::uint32_t seed = 7) {
        std::mt19937 random(seed);
        std::normal_distribution<float> noise(0, static_cast<float>(spacings * spacing()));
        for (std::size_t i = 0; i < points.size(); ++i) points[i] += noise(random) * normals[i];
        return *this;
    }
};

inline PointShape sphere_points(std::size_t n, std::uint32_t seed = 1) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    PointShape shape;
    for (std::size_t i = 0; i < n; ++i) {
        vec3 p = glm::normalize(vec3(normal(random), normal(random), normal(random)));
        shape.add(p, p);
    }
    shape.area = 4 * double{kPi};
    return shape;
}

/// A torus about the z axis, of radius 1 around its middle and `radius` within.
inline PointShape torus_points(std::size_t n, float radius, std::uint32_t seed = 2) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> part;
    PointShape shape;
    while (shape.points.size() < n) {
        float a = 2 * kPi * part(random), b = 2 * kPi * part(random);
        if (part(random) * (1 + radius) > 1 + radius * std::cos(b)) continue;
        vec3 normal(std::cos(b) * std::cos(a), std::cos(b) * std::sin(a), std::sin(b));
        shape.add(vec3(std::cos(a), std::sin(a), 0) + radius * normal, normal);
    }
    shape.area = 4 * double{kPi} * double{kPi} * static_cast<double>(radius);
    return shape;
}

/// Some faces of the box from the origin to `size`, evenly: bit 2 k is the lower one of axis k, bit
/// 2 k + 1 the upper one.
inline PointShape box_points(std::size_t n, vec3 size, int faces, std::uint32_t seed = 3) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> part;
    float areas[6], total = 0;
    for (int face = 0; face < 6; ++face) {
        int axis = face / 2;
        areas[face] = faces >> face & 1 ? size[(axis + 1) % 3] * size[(axis + 2) % 3] : 0;
        total += areas[face];
    }
    PointShape shape;
    for (std::size_t i = 0; i < n; ++i) {
        float chosen = part(random) * total;
        int face = 0;
        while (face < 5 && chosen >= areas[face]) chosen -= areas[face++];
        int axis = face / 2;
        vec3 point(0), normal(0);
        point[axis] = face & 1 ? size[axis] : 0;
        point[(axis + 1) % 3] = part(random) * size[(axis + 1) % 3];
        point[(axis + 2) % 3] = part(random) * size[(axis + 2) % 3];
        normal[axis] = face & 1 ? 1.0f : -1.0f;
        shape.add(point, normal);
    }
    shape.area = static_cast<double>(total);
    return shape;
}

}  // namespace tl::test

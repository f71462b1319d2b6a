// Surface points whose light transport has closed-form solutions.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "accel/octree/octree.h"

namespace tl::test {

using Surfels = std::vector<Surfel>;

/// Adds the centres of n x m cells of a parallelogram from `corner`; `normal` selects its side.
inline void add_plate(Surfels& points, vec3 corner, vec3 u, vec3 v, int n, int m, vec3 normal) {
    float area = glm::length(glm::cross(u, v)) / static_cast<float>(n * m);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j)
            points.push_back({corner + (static_cast<float>(i) + 0.5f) / static_cast<float>(n) * u +
                                  (static_cast<float>(j) + 0.5f) / static_cast<float>(m) * v,
                              area, normal});
}

/// Points of the inside of a sphere about the origin: a spiral of `n` points of the same area.
inline Surfels inside_of_sphere(int n, float radius) {
    Surfels points;
    for (int i = 0; i < n; ++i) {
        float z = 1 - (2 * static_cast<float>(i) + 1) / static_cast<float>(n);
        float around = 2.39996323f * static_cast<float>(i), r = std::sqrt(1 - z * z);
        vec3 out(r * std::cos(around), r * std::sin(around), z);
        points.push_back({radius * out, 4 * kPi * radius * radius / static_cast<float>(n), -out});
    }
    return points;
}

/// A disc of `n` points of the same area, in a spiral about `center` in the plane of x and z.
inline void add_disc(Surfels& points, vec3 center, float radius, int n, vec3 normal) {
    for (int i = 0; i < n; ++i) {
        float r = radius * std::sqrt((static_cast<float>(i) + 0.5f) / static_cast<float>(n));
        float around = 2.39996323f * static_cast<float>(i);
        points.push_back({center + r * vec3(std::cos(around), 0, std::sin(around)),
                          kPi * radius * radius / static_cast<float>(n), normal});
    }
}

/// The six inner sides of the unit cube, n x n points each.
inline Surfels inside_of_cube(int n) {
    Surfels points;
    for (int axis = 0; axis < 3; ++axis)
        for (float at : {0.0f, 1.0f}) {
            vec3 corner(0), u(0), v(0), normal(0);
            corner[axis] = at;
            u[(axis + 1) % 3] = v[(axis + 2) % 3] = 1;
            normal[axis] = at > 0 ? -1.0f : 1.0f;
            add_plate(points, corner, u, v, n, n, normal);
        }
    return points;
}

}  // namespace tl::test

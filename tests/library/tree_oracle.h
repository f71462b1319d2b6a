// Queries of trees by brute force in double precision.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace tl::test {

using Point = std::array<double, 3>;

inline Point minus(const Point& a, const Point& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Point along(const Point& a, double t, const Point& d) {
    return {a[0] + t * d[0], a[1] + t * d[1], a[2] + t * d[2]};
}
inline double dot(const Point& a, const Point& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Point cross(const Point& a, const Point& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Point& a) {
    return std::sqrt(dot(a, a));
}

struct Corners {
    Point a, b, c;
};

/// A mesh as the library takes it.
struct TestMesh {
    std::vector<float> vertices;
    std::vector<std::uint32_t> faces;

    [[nodiscard]] std::size_t n_faces() const { return faces.size() / 3; }
    [[nodiscard]] std::size_t n_vertices() const { return vertices.size() / 3; }
    [[nodiscard]] Point vertex(std::size_t i) const {
        return {vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]};
    }
    [[nodiscard]] Corners corners(std::size_t f) const {
        return {vertex(faces[3 * f]), vertex(faces[3 * f + 1]), vertex(faces[3 * f + 2])};
    }
    /// Whether all coordinates of a face are finite.
    [[nodiscard]] bool is_finite(std::size_t f) const {
        for (int k = 0; k < 3; ++k)
            for (double x : vertex(faces[3 * f + static_cast<std::size_t>(k)]))
                if (!std::isfinite(x)) return false;
        return true;
    }
    void add_vertex(double x, double y, double z) {
        for (double v : {x, y, z}) vertices.push_back(static_cast<float>(v));
    }
    void add_face(std::size_t a, std::size_t b, std::size_t c) {
        for (std::size_t v : {a, b, c}) faces.push_back(static_cast<std::uint32_t>(v));
    }
};

/// Random triangles of about the size `extent` / 5 about `middle`; some without an area, some with
/// a NaN or an infinite vertex.
inline TestMesh random_soup(std::size_t n, double middle, double extent, unsigned seed) {
    TestMesh mesh;
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(-1, 1);
    auto coordinate = [&] { return middle + extent * unit(random); };
    for (std::size_t i = 0; i < n; ++i) {
        Point a{coordinate(), coordinate(), coordinate()};
        auto near = [&](double x) { return x + 0.2 * extent * unit(random); };
        Point b{near(a[0]), near(a[1]), near(a[2])}, c{near(a[0]), near(a[1]), near(a[2])};
        if (i % 50 == 7) c = b;
        if (i % 50 == 8) b = c = a;
        if (i % 50 == 9) c = along(a, 0.5, minus(b, a));
        if (i % 50 == 10) c[1] = std::numeric_limits<double>::quiet_NaN();
        if (i % 50 == 11) b[2] = std::numeric_limits<double>::infinity();
        for (const Point& p : {a, b, c}) mesh.add_vertex(p[0], p[1], p[2]);
        mesh.add_face(3 * i, 3 * i + 1, 3 * i + 2);
    }
    return mesh;
}

/// A closed sphere about `middle`, faces outwards.
inline TestMesh sphere_mesh(int n, double middle, double radius) {
    TestMesh mesh;
    constexpr double kPi = 3.14159265358979323846;
    auto at = [&](int ring, int k) {
        if (ring == 0) return std::size_t{0};
        if (ring == n) return std::size_t{1};
        return static_cast<std::size_t>(2 + (ring - 1) * 2 * n + k % (2 * n));
    };
    mesh.add_vertex(middle, middle, middle + radius);
    mesh.add_vertex(middle, middle, middle - radius);
    for (int ring = 1; ring < n; ++ring)
        for (int k = 0; k < 2 * n; ++k) {
            double theta = kPi * ring / n, phi = kPi * k / n;
            mesh.add_vertex(middle + radius * std::sin(theta) * std::cos(phi),
                            middle + radius * std::sin(theta) * std::sin(phi),
                            middle + radius * std::cos(theta));
        }
    for (int ring = 0; ring < n; ++ring)
        for (int k = 0; k < 2 * n; ++k) {
            if (ring > 0) mesh.add_face(at(ring, k), at(ring + 1, k), at(ring, k + 1));
            if (ring < n - 1) mesh.add_face(at(ring, k + 1), at(ring + 1, k), at(ring + 1, k + 1));
        }
    return mesh;
}

inline double distance_to_segment(const Point& p, const Point& a, const Point& b) {
    Point d = minus(b, a);
    double square = dot(d, d), t = square > 0 ? dot(minus(p, a), d) / square : 0;
    return length(minus(p, along(a, std::clamp(t, 0.0, 1.0), d)));
}

/// The distance of a point from a triangle, by its edges and its plane.
inline double distance_to(const Point& p, const Corners& t) {
    double least = std::min({distance_to_segment(p, t.a, t.b), distance_to_segment(p, t.b, t.c),
                             distance_to_segment(p, t.c, t.a)});
    Point n = cross(minus(t.b, t.a), minus(t.c, t.a));
    double area = length(n);
    double size = length(minus(t.b, t.a)) * length(minus(t.c, t.a));
    if (!(area > 1e-12 * size)) return least;
    auto is_left = [&](const Point& a, const Point& b) {
        return dot(cross(minus(b, a), minus(p, a)), n) >= 0;
    };
    if (is_left(t.a, t.b) && is_left(t.b, t.c) && is_left(t.c, t.a))
        least = std::min(least, std::abs(dot(minus(p, t.a), n)) / area);
    return least;
}

/// The solid angle of a triangle about a point, over 4 pi.
inline double winding_of(const Point& p, const Corners& t) {
    Point a = minus(t.a, p), b = minus(t.b, p), c = minus(t.c, p);
    double la = length(a), lb = length(b), lc = length(c);
    double determinant = dot(a, cross(b, c));
    double divisor = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    return determinant == 0 ? 0 : std::atan2(determinant, divisor) / (2 * 3.14159265358979323846);
}

/// A ray's hit of a triangle's plane, with its least barycentric coordinate. NaN where the ray is
/// parallel to it.
struct PlaneHit {
    double t, inside;
};
inline PlaneHit plane_hit(const Point& origin, const Point& direction, const Corners& triangle) {
    Point e1 = minus(triangle.b, triangle.a), e2 = minus(triangle.c, triangle.a);
    Point q = cross(direction, e2);
    double determinant = dot(e1, q);
    Point from = minus(origin, triangle.a), r = cross(from, e1);
    double u = dot(from, q) / determinant, v = dot(direction, r) / determinant;
    return {dot(e2, r) / determinant, std::min({u, v, 1 - u - v})};
}

}  // namespace tl::test

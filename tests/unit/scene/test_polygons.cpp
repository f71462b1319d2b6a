// Polygons are cut into triangles that fill them: all have the polygon's orientation, and their
// areas add up to its area. The sum of signed areas is that of the polygon for any ring of clipped
// corners. Triangles that are all positive therefore neither overlap nor leave the polygon.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/quaternion.hpp>
#include <random>

#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/loaders/polygon.h"
#include "tests/long_test.h"
#include "tests/unit/scene/polygon_shapes.h"
#include "tests/unit/temp_folder.h"

namespace tl::polygons_tests {
namespace {

using namespace test;  // shapes of polygon_shapes.h
using glm::dvec3;
using Corners = std::vector<vec3>;

double area_of(const Flat& polygon) {
    double doubled = 0;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        dvec2 a = polygon[i], b = polygon[(i + 1) % polygon.size()];
        doubled += a.x * b.y - a.y * b.x;
    }
    return doubled / 2;
}

dvec3 doubled_area(const Corners& corners, const glm::uvec3& triangle) {
    dvec3 a = corners[triangle.x], b = corners[triangle.y], c = corners[triangle.z];
    return glm::cross(b - a, c - a);
}

/// Transform of a test's polygon: scaled, rotated, then translated.
struct Place {
    double scale = 1;
    glm::dquat turn{1, 0, 0, 0};
    dvec3 offset{0};

    [[nodiscard]] Corners corners(const Flat& flat) const {
        Corners placed;
        for (auto& p : flat) placed.emplace_back(turn * dvec3(p * scale, 0) + offset);
        return placed;
    }
    [[nodiscard]] dvec3 normal() const { return turn * dvec3(0, 0, 1); }
};

/// Expects triangles of the polygon's orientation and area; returns their number. Coordinates that
/// are floats as they are, in the plane z = 0, leave nothing to rounding.
std::size_t expect_filled(const Flat& flat, const Place& place = {}) {
    Corners corners = place.corners(flat);
    static PolygonCutter cutter(QuadCut::shorter);
    auto triangles = cutter.cut(corners);
    double area = area_of(flat) * place.scale * place.scale, sum = 0, rim = 0, largest = 0;
    for (std::size_t i = 0; i < flat.size(); ++i) {
        rim += glm::distance(flat[i], flat[(i + 1) % flat.size()]) * place.scale;
        largest = std::max(largest, double(glm::length(corners[i])));
    }
    // Rounding moves a corner by less than an ulp of the largest coordinate, and with it two edges.
    bool is_exact = place.normal() == dvec3(0, 0, 1) && place.offset == dvec3(0);
    double tolerance = is_exact ? 0 : rim * largest * 0x1p-22;
    dvec3 outwards = place.normal() * (area < 0 ? -1.0 : 1.0);
    double smallest = 0;
    for (auto& triangle : triangles) {
        double part = glm::dot(doubled_area(corners, triangle), outwards) / 2;
        sum += std::abs(part);
        smallest = std::min(smallest, part);
        EXPECT_TRUE(!is_exact || part > 0) << "a triangle of the area " << part;
    }
    EXPECT_LE(std::abs(sum - std::abs(area)), tolerance);
    EXPECT_GE(smallest, -tolerance);
    return triangles.size();
}

/// Expects the polygon to be filled from every first corner on, in both windings.
void expect_filled_however_written(Flat flat, const Place& place = {}) {
    for (int winding = 0; winding < 2; ++winding) {
        for (std::size_t first = 0; first < flat.size(); ++first) {
            SCOPED_TRACE("first corner " + std::to_string(first) + ", winding " +
                         std::to_string(winding));
            EXPECT_EQ(expect_filled(flat, place), flat.size() - 2);
            std::rotate(flat.begin(), flat.begin() + 1, flat.end());
        }
        std::reverse(flat.begin(), flat.end());
    }
}

/// Random rotation. With `far`, the offset is as large as coordinates of maps, where floats are
/// half a metre apart.
Place place_by(Random& random, bool far) {
    glm::dquat turn(random.real(-1, 1), random.real(-1, 1), random.real(-1, 1), random.real(-1, 1));
    if (!far) return {1, glm::normalize(turn), dvec3(0)};
    return {64,
            glm::normalize(turn),
            {random.real(1e5, 9e5), random.real(1e6, 6e6), random.real(0, 1e3)}};
}

class Polygons : public testing::Test {
  protected:
    std::uint32_t seed = std::random_device{}();
    testing::ScopedTrace trace{__FILE__, __LINE__, "seed " + std::to_string(seed)};
    Random random{seed};
};

TEST_F(Polygons, ConcaveOnesAreFilledFromEveryCornerOn) {
    for (auto& flat : {kL, kU, comb(5), Flat{{0, 0}, {4, 1}, {0, 2}, {1, 1}}}) {
        SCOPED_TRACE(std::to_string(flat.size()) + " corners");
        expect_filled_however_written(flat);
        expect_filled_however_written(flat, place_by(random, false));
        expect_filled_however_written(flat, place_by(random, true));
    }
    // These coordinates are no floats.
    expect_filled_however_written(spiral(40, 3), place_by(random, false));
    expect_filled_however_written(star(random, 30), place_by(random, false));
}

TEST_F(Polygons, RandomOnesAreFilled) {
    for (int i = 0; i < 60; ++i) {
        int n = i < 40 ? random.integer(3, 40) : random.integer(40, 500);
        SCOPED_TRACE(std::to_string(i) + ": " + std::to_string(n) + " corners");
        Flat flat = star(random, n);
        if (i % 2 == 0) std::reverse(flat.begin(), flat.end());
        EXPECT_EQ(expect_filled(flat, place_by(random, false)), flat.size() - 2);
        flat = untangled(random, std::min(n, 120));
        EXPECT_EQ(expect_filled(flat, place_by(random, false)), flat.size() - 2);
        EXPECT_EQ(expect_filled(spiral(n / 2 + 2, 1 + n / 60), place_by(random, i % 2 == 0)),
                  std::size_t(n / 2 + 2) * 2 - 2);
    }
}

TEST_F(Polygons, CornersOnStraightLinesBelongToTriangles) {
    // So that a neighbour with the same corner leaves no gap.
    expect_filled_however_written({{0, 0}, {1, 0}, {2, 0}, {1, 1}, {0, 2}, {0, 1}});
    expect_filled_however_written({{0, 0}, {1, 0}, {2, 0}, {0, 2}});
    for (int i = 0; i < 60; ++i) {
        SCOPED_TRACE(i);
        Flat flat = skyline(random, random.integer(2, 30));
        std::rotate(flat.begin(), flat.begin() + random.integer(0, int(flat.size()) - 1),
                    flat.end());
        EXPECT_EQ(expect_filled(flat), flat.size() - 2);
        expect_filled(flat, place_by(random, i % 2 == 0));
    }
}

TEST_F(Polygons, SlitsAndRepeatedCornersAreFilled) {
    expect_filled_however_written(kHole);
    for (int i = 0; i < 60; ++i) {
        SCOPED_TRACE(i);
        Flat flat = maze(random, random.integer(1, 15), random.integer(1, 15));
        std::rotate(flat.begin(), flat.begin() + random.integer(0, int(flat.size()) - 1),
                    flat.end());
        expect_filled(flat);
        expect_filled(flat, place_by(random, i % 2 == 0));
        Flat repeated;
        for (auto& corner : flat)
            repeated.insert(repeated.end(), std::size_t(random.integer(1, 3)), corner);
        expect_filled(repeated);
    }
}

/// Slits from corners inwards: of a reflex corner, both sides may be convex.
TEST_F(Polygons, SlitsOfOneEndAreFilled) {
    for (int i = 0; i < 60; ++i) {
        SCOPED_TRACE(i);
        Flat flat = skyline(random, random.integer(2, 30)), slit;
        for (std::size_t k = 0; k < flat.size(); ++k) {
            dvec2 here = flat[k], into = here - flat[(k + flat.size() - 1) % flat.size()];
            dvec2 onwards = flat[(k + 1) % flat.size()] - here;
            slit.push_back(here);
            bool is_reflex = into.x * onwards.y - into.y * onwards.x < 0;
            if (!is_reflex || random.integer(0, 4) == 0) continue;
            slit.push_back(here + (into - onwards) * 0.25);
            slit.push_back(here);
        }
        std::rotate(slit.begin(), slit.begin() + random.integer(0, int(slit.size()) - 1),
                    slit.end());
        expect_filled(slit);
        expect_filled(slit, place_by(random, i % 2 == 0));
    }
}

/// A square of many holes, each joined to the left of the rim or to the hole before.
TEST_F(Polygons, HolesOnSlitsAreFilled) {
    for (int i = 0; i < 40; ++i) {
        SCOPED_TRACE(i);
        Flat flat{{0, 0}};
        int n_holes = random.integer(1, 8);
        std::vector<Flat> holes;
        for (int k = 0; k < n_holes; ++k) {
            // Whole numbers of 1/65536, clockwise around the middle.
            Flat hole;
            dvec2 middle(k + 1, random.integer(1, 3));
            for (auto& p : star(random, random.integer(4, 20)))
                hole.push_back(glm::round(p * 25600.0) / 65536.0 + middle);
            std::reverse(hole.begin(), hole.end());
            // Start at the leftmost corner, which the hole before sees over its own rightmost one.
            std::rotate(hole.begin(),
                        std::ranges::min_element(hole, {}, [](auto& p) { return p.x; }),
                        hole.end());
            holes.push_back(hole);
        }
        std::vector<Flat> ways_back;
        for (auto& hole : holes) {
            auto right = std::ranges::max_element(hole, {}, [](auto& p) { return p.x; });
            flat.insert(flat.end(), hole.begin(), right + 1);
            ways_back.emplace_back(right, hole.end());
            ways_back.back().push_back(hole.front());
        }
        for (auto back = ways_back.rbegin(); back != ways_back.rend(); ++back)
            flat.insert(flat.end(), back->begin(), back->end());
        double right = n_holes + 1;
        flat.insert(flat.end(), {{0, 0}, {right, 0}, {right, 4}, {0, 4}});
        // The rightmost corner of the last hole is there twice, one right after the other.
        EXPECT_EQ(expect_filled(flat), flat.size() - 3);
        expect_filled(flat, place_by(random, i % 2 == 0));
    }
}

/// Non-planar corners: seen along Newell's normal, whose length is twice the polygon's area, the
/// triangles fill the enclosed area.
TEST_F(Polygons, BentOnesAreFilledAsSeenAlongTheirNormal) {
    PolygonCutter cutter(QuadCut::shorter);
    for (auto flat : {kL, kU, kHole, comb(20), spiral(100, 4)}) {
        SCOPED_TRACE(std::to_string(flat.size()) + " corners");
        for (std::size_t first = 0; first < flat.size(); ++first) {
            double extent = 0;
            for (auto& p : flat) extent = std::max({extent, std::abs(p.x), std::abs(p.y)});
            Corners corners;
            dvec3 normal(0);
            for (auto& p : flat) corners.emplace_back(p, 0.2 * p.x * p.y / extent);
            for (std::size_t i = 0; i < flat.size(); ++i)
                normal += glm::cross(dvec3(corners[i]), dvec3(corners[(i + 1) % flat.size()]));
            double length = glm::length(normal), sum = 0;
            for (auto& triangle : cutter.cut(corners)) {
                double part = glm::dot(doubled_area(corners, triangle), normal) / length;
                EXPECT_GT(part, 0);
                sum += part;
            }
            EXPECT_LT(std::abs(sum - length), 1e-12 * length);  // of sums of doubles
            std::rotate(flat.begin(), flat.begin() + 1, flat.end());
        }
    }
}

/// Polygons of random corners take the most comparisons.
TEST_F(Polygons, ManyThatTakeTooLongAreRefused) {
    TL_LONG_TEST();
    PolygonCutter cutter(QuadCut::shorter);
    Corners corners(2000);
    bool is_refused = false;
    for (int i = 0; i < 10'000 && !is_refused; ++i) {
        for (auto& corner : corners) corner = vec3(random.real(-1, 1), random.real(-1, 1), 0);
        is_refused = cutter.cut(corners).empty();
    }
    ASSERT_TRUE(is_refused);
    EXPECT_NE(cutter.refusal(corners.size()).find("take too long to cut"), std::string::npos);
    // Polygons that need no comparisons are still cut.
    EXPECT_EQ(cutter.cut(Corners{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}).size(), 2u);
    TempFolder folder;
    std::string text, ply = "ply\nformat ascii 1.0\nelement vertex 2000\n";
    for (auto* name : {"x", "y", "z"}) ply += std::string("property float ") + name + "\n";
    constexpr int kFaces = 200;
    ply += "element face " + std::to_string(kFaces) +
           "\nproperty list int int vertex_indices\nend_header\n";
    std::string face = "f", row = "2000";
    for (std::size_t i = 0; i < corners.size(); ++i) {
        std::string position;
        for (int k = 0; k < 3; ++k) position += " " + std::to_string(corners[i][k]);
        text += "v" + position + "\n";
        ply += position + "\n";
        face += " " + std::to_string(i + 1);
        row += " " + std::to_string(i);
    }
    for (int i = 0; i < kFaces; ++i) text += face + "\n", ply += row + "\n";
    TL_EXPECT_CONTAINS(refusal([&] { (void)load_scene(folder.write("a.obj", text)); }),
                       "a.obj: concave faces of so many corners take too long to cut");
    TL_EXPECT_CONTAINS(refusal([&] { (void)load_scene(folder.write("a.ply", ply)); }),
                       ": concave faces of so many corners take too long to cut");
}

TEST_F(Polygons, ConvexOnesAreFansAndQuadsKeepTheirDiagonal) {
    PolygonCutter from_first(QuadCut::from_first), shorter(QuadCut::shorter);
    auto cut = [](PolygonCutter& cutter, const Corners& corners) {
        auto triangles = cutter.cut(corners);
        return std::vector(triangles.begin(), triangles.end());
    };
    using Triangles = std::vector<glm::uvec3>;
    Corners pentagon{{0, 0, 0}, {2, 0, 0}, {3, 1, 0}, {1, 2, 0}, {0, 1, 0}};
    EXPECT_EQ(cut(shorter, pentagon), (Triangles{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}));
    Corners wide{{0, 0, 0}, {2, 1, 0}, {0, 2, 0}, {-2, 1, 0}};
    EXPECT_EQ(cut(shorter, wide), (Triangles{{0, 1, 2}, {0, 2, 3}}));
    std::rotate(wide.begin(), wide.begin() + 1, wide.end());
    EXPECT_EQ(cut(shorter, wide), (Triangles{{0, 1, 3}, {1, 2, 3}}));
    EXPECT_EQ(cut(from_first, wide), (Triangles{{0, 1, 2}, {0, 2, 3}}));
    // In an arrowhead, only one diagonal lies inside, although it is the longer one.
    Corners arrow{{0, 0, 0}, {1, 4, 0}, {0, 1, 0}, {-1, 4, 0}};
    EXPECT_EQ(cut(from_first, arrow), (Triangles{{0, 1, 2}, {0, 2, 3}}));
    std::rotate(arrow.begin(), arrow.begin() + 1, arrow.end());
    EXPECT_EQ(cut(from_first, arrow), (Triangles{{0, 1, 3}, {1, 2, 3}}));
    Corners blunt{{0, 0, 0}, {8, 1, 0}, {0, 2, 0}, {7, 1, 0}};
    EXPECT_EQ(cut(shorter, blunt), (Triangles{{0, 1, 3}, {1, 2, 3}}));
}

TEST_F(Polygons, WhatHasNoInsideIsCutSomehow) {
    PolygonCutter cutter(QuadCut::shorter);
    EXPECT_EQ(cutter.cut(Corners(5, vec3(1, 2, 3))).size(), 3u);
    EXPECT_EQ(cutter.cut(Corners{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {5, 5, 5}}).size(),
              3u);
    EXPECT_EQ(cutter.cut(Corners(4, vec3(1, 2, 3))).size(), 2u);
    // Boundaries at random intersect themselves.
    for (int n : {5, 6, 7, 20, 300}) {
        Corners tangle;
        for (int i = 0; i < n; ++i) {
            vec3 corner(random.integer(0, 9), random.integer(0, 9), random.integer(0, 1));
            tangle.push_back(corner * (n == 20 ? 1e14f : 1e-38f));
        }
        auto triangles = cutter.cut(tangle);
        EXPECT_LE(triangles.size(), tangle.size() - 2);
        for (auto& triangle : triangles)
            for (int k = 0; k < 3; ++k) EXPECT_LT(triangle[k], tangle.size());
    }
    // A pentagram: its triangles cover all of it.
    Corners pentagram;
    for (int i = 0; i < 5; ++i)
        pentagram.emplace_back(std::cos(4 * kPi * float(i) / 5), std::sin(4 * kPi * float(i) / 5),
                               0);
    EXPECT_EQ(cutter.cut(pentagram).size(), 3u);
}

TEST_F(Polygons, ThousandsOfCornersAreFilled) {
    EXPECT_EQ(expect_filled(comb(1000)), 4000u);
    EXPECT_EQ(expect_filled(spiral(2000, 20), place_by(random, false)), 3998u);
    expect_filled(maze(random, 40, 40));
}

}  // namespace
}  // namespace tl::polygons_tests

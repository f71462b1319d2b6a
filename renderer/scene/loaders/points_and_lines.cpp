#include "renderer/scene/loaders/points_and_lines.h"

#include <algorithm>
#include <cmath>

#include "accel/points/find_nearest.h"
#include "core/base/text.h"

namespace tl {
namespace {

constexpr std::uint32_t kSides = 5;  // sides of a tube
constexpr std::size_t kTubeVertices = 2 * kSides, kTubeTriangles = 2 * kSides + 2 * (kSides - 2);
constexpr std::size_t kTubeBytes =
    kTubeVertices * 2 * sizeof(vec3) + kTubeTriangles * (sizeof(glm::uvec3) + sizeof(std::int32_t));

/// Squared distances from each point to its `k` nearest points, itself included.
std::vector<float> nearest_squares(const std::vector<vec3>& points, int k) {
    auto stream = devices()[0]->create_stream();  // the CPU's
    Scratch scratch(*stream);
    DeviceArray<vec3> places(*stream, std::span<const vec3>(points));
    auto n = static_cast<std::uint32_t>(points.size());
    DeviceArray<std::uint32_t> count(*stream, std::span<const std::uint32_t>(&n, 1));
    cpu::PointTree tree;
    tree.build(scratch, places.view(), count.data());
    DeviceArray<float> squares(*stream, points.size() * static_cast<std::size_t>(k));
    cpu::find_nearest(*stream, tree.view(), places.view(), k, kInfinity, {{}, squares.view(), {}});
    return squares.download(*stream);
}

float length_of_diagonal(const Box& box) {
    return static_cast<float>(glm::length(glm::dvec3(box.hi) - glm::dvec3(box.lo)));
}

/// "3 points are shown as spheres of radius 0.5; 7 more are left out ..." for `n` of `n_all`.
std::string shown_as(std::size_t n, std::size_t n_all, const std::string& what,
                     const std::string& shape, float radius) {
    std::string words = std::to_string(n) + " " + what +
                        (n == 1 ? " is shown as a " + shape : "s are shown as " + shape + "s") +
                        " of radius " + number_text(radius);
    if (n < n_all)
        words += "; " + std::to_string(n_all - n) +
                 " more are left out, since they would take too much memory for a file of this "
                 "size";
    return words;
}

}  // namespace

float radius_of_points(std::span<const Sphere> points) {
    constexpr std::size_t kMost = std::size_t{1} << 18;
    constexpr int kNeighbours = 8;  // the nearest ones may coincide with the point
    constexpr float kLeast = 1e-5f, kGreatest = 1.0f / 20;
    Box box;
    for (auto& point : points) box.extend(point.center);
    float diagonal = length_of_diagonal(box);
    if (!(diagonal > 0)) return std::max(0.001f * glm::length(points[0].center), 0.001f);
    std::size_t n = std::min(points.size(), kMost);
    std::vector<vec3> chosen(n);
    for (std::size_t i = 0; i < n; ++i) chosen[i] = points[i * points.size() / n].center;
    std::vector<float> squares = nearest_squares(chosen, kNeighbours), nearest;
    for (std::size_t i = 0; i < n; ++i) {
        float least = kInfinity;
        for (std::size_t k = i * kNeighbours; k < (i + 1) * kNeighbours; ++k)
            if (squares[k] > 0) least = std::min(least, squares[k]);
        if (std::isfinite(least)) nearest.push_back(least);
    }
    // If all neighbours found coincide, the points count as spread over a square.
    if (nearest.empty()) nearest.push_back(diagonal * diagonal / static_cast<float>(n));
    auto middle = nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() / 2);
    std::ranges::nth_element(nearest, middle);
    // Points mostly lie on surfaces, where fewer of them are farther apart by the square root.
    float thinning = std::sqrt(static_cast<float>(n) / static_cast<float>(points.size()));
    return std::clamp(std::sqrt(*middle) / 2 * thinning, kLeast * diagonal, kGreatest * diagonal);
}

PointsAndLines::PointsAndLines(const Scene& scene, std::size_t n_bytes) : mark_(scene) {
    std::size_t most_bytes = (std::size_t{1} << 20) + 24 * n_bytes;
    most_points_ = most_bytes / sizeof(Sphere);
    most_lines_ = most_bytes / (sizeof(Line) + kTubeBytes);
}

void PointsAndLines::add_line(vec3 from, vec3 to, std::int32_t material, vec3 from_color,
                              vec3 to_color) {
    if (from == to) return;
    if (n_lines_++ >= most_lines_) return;
    are_colored_ = are_colored_ || from_color != vec3(1) || to_color != vec3(1);
    lines_.push_back({{from, to}, {from_color, to_color}, material});
}

/// Adds two rings, the triangles between them, and those that close the ends.
void PointsAndLines::add_tube(Mesh& mesh, const Line& line, float radius) const {
    using glm::dvec3;
    dvec3 axis = glm::normalize(dvec3(line.ends[1]) - dvec3(line.ends[0]));
    dvec3 size = glm::abs(axis), other(0);
    other[size.x <= size.y && size.x <= size.z ? 0 : size.y <= size.z ? 1 : 2] = 1;
    dvec3 u = glm::normalize(glm::cross(axis, other)), v = glm::cross(axis, u);
    auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (int end = 0; end < 2; ++end)
        for (std::uint32_t k = 0; k < kSides; ++k) {
            double angle = 2 * double{kPi} * k / kSides;
            dvec3 away = std::cos(angle) * u + std::sin(angle) * v;
            mesh.positions.emplace_back(dvec3(line.ends[end]) + double{radius} * away);
            if (are_colored_) mesh.colors.push_back(line.colors[end]);
        }
    auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        mesh.triangles.push_back(first + glm::uvec3(a, b, c));
        mesh.material_of_triangle.push_back(line.material);
    };
    for (std::uint32_t k = 0; k < kSides; ++k) {
        std::uint32_t next = (k + 1) % kSides;
        add(k, next, kSides + next);
        add(k, kSides + next, kSides + k);
    }
    for (std::uint32_t k = 1; k + 1 < kSides; ++k) {
        add(0, k + 1, k);
        add(kSides, kSides + k, kSides + k + 1);
    }
}

void PointsAndLines::add_to(Scene& scene, const std::string& file) {
    if (!points_.empty()) {
        float radius = radius_of_points(points_);
        for (auto& point : points_) point.radius = radius;
        scene.warnings.push_back(file + ": " +
                                 shown_as(points_.size(), n_points_, "point", "sphere", radius));
        if (scene.spheres.empty())
            scene.spheres = std::move(points_);
        else
            scene.spheres.insert(scene.spheres.end(), points_.begin(), points_.end());
    }
    if (lines_.empty()) return;
    Box bounds = bounds_of(scene, mark_);
    for (auto& line : lines_)
        for (vec3 end : line.ends) bounds.extend(end);
    float radius = length_of_diagonal(bounds) / 800;
    Mesh tubes;
    tubes.name = "lines";
    tubes.positions.reserve(kTubeVertices * lines_.size());
    if (are_colored_) tubes.colors.reserve(kTubeVertices * lines_.size());
    tubes.triangles.reserve(kTubeTriangles * lines_.size());
    tubes.material_of_triangle.reserve(kTubeTriangles * lines_.size());
    for (auto& line : lines_) add_tube(tubes, line, radius);
    scene.warnings.push_back(file + ": " +
                             shown_as(lines_.size(), n_lines_, "line", "tube", radius));
    scene.meshes.push_back(std::move(tubes));
}

}  // namespace tl

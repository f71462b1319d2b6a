// Points and lines of model files, which have no width: shown as small spheres and thin tubes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// Display radius of points: half of the median distance from a point to the nearest one at another
/// position. It is estimated from up to 2^18 of the points, and clamped to between a
/// hundred-thousandth and a twentieth of their bounds' diagonal. If all points coincide, it is a
/// thousandth of their distance from the origin, but at least 0.001.
[[nodiscard]] float radius_of_points(std::span<const Sphere> points);

/// Collects the points and lines of a file.
class PointsAndLines {
  public:
    /// Must be constructed before the file adds anything to `scene`. `n_bytes` is the file's size,
    /// which limits the numbers of points and lines that are shown.
    PointsAndLines(const Scene& scene, std::size_t n_bytes);

    /// Adds a point. Colours are linear, materials those of the scene; emission is Sphere's.
    void add_point(vec3 position, std::int32_t material, vec3 color = vec3(1),
                   vec3 emission = vec3(0)) {
        if (n_points_++ >= most_points_) return;
        points_.push_back(
            {.center = position, .material = material, .color = color, .emission = emission});
    }
    /// Adds a line. One that starts and ends at the same position is left out.
    void add_line(vec3 from, vec3 to, std::int32_t material, vec3 from_color = vec3(1),
                  vec3 to_color = vec3(1));
    void reserve_points(std::size_t n) { points_.reserve(points_.size() + n); }

    [[nodiscard]] bool empty() const { return n_points_ == 0 && n_lines_ == 0; }
    /// Appends spheres to the scene, and a mesh of closed tubes. Their radius is an 800th of the
    /// diagonal of all that the file has added. Adds a warning for each kind. `file` is its name in
    /// messages.
    void add_to(Scene& scene, const std::string& file);

  private:
    struct Line {
        vec3 ends[2], colors[2];
        std::int32_t material;
    };
    void add_tube(Mesh& mesh, const Line& line, float radius) const;

    SceneMark mark_;
    std::vector<Sphere> points_;
    std::vector<Line> lines_;
    std::size_t n_points_ = 0, n_lines_ = 0, most_points_, most_lines_;
    bool are_colored_ = false;  ///< whether some lines have colours
};

}  // namespace tl

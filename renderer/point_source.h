// Points that a renderer stores in the scene, such as photons, for display.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "accel/parallel/array.h"
#include "accel/parallel/math.h"

namespace tl {

struct TreeView;

struct ScenePoint {
    vec3 position;
    float value;           ///< what PointList::value_name says
    std::uint32_t group;   ///< index in PointList::groups
    std::uint32_t hidden;  ///< 1 if something lies between the point and the eye, else 0
};
static_assert(sizeof(ScenePoint) == 24);

struct PointList {
    std::vector<ScenePoint> points;
    std::uint64_t n_total = 0;        ///< points that there are, not all of which are listed
    std::vector<std::string> groups;  ///< names: "2 surfaces"
    std::string value_name;           ///< with its unit: "flux, W"
};

class PointSource {
  public:
    virtual ~PointSource() = default;
    /// Changes whenever the points do.
    [[nodiscard]] virtual std::uint64_t points_version() const = 0;
    /// The points of the newest frame, at most `most` of them: a random choice that depends on the
    /// points alone, each with the same probability. `tree`: the scene's; `eye`: from where points
    /// are seen or hidden. Waits for the stream.
    [[nodiscard]] virtual PointList collect_points(Scratch& scratch, const TreeView& tree, vec3 eye,
                                                   std::uint32_t most) = 0;
};

}  // namespace tl

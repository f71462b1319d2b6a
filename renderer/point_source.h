// Points that a renderer stores in the scene, such as photons, for display.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/math.h"
#include "core/device/array.h"

namespace tl {

struct TreeView;

struct ScenePoint {
    vec3 position;
    float value;           ///< value in the unit of PointList::value_name
    std::uint32_t group;   ///< index in PointList::groups
    std::uint32_t hidden;  ///< 1 if an occluder lies between the point and the eye, else 0
};
static_assert(sizeof(ScenePoint) == 24);

struct PointList {
    std::vector<ScenePoint> points;
    std::uint64_t n_total = 0;        ///< number of stored points, not all of which are listed
    std::vector<std::string> groups;  ///< names: "2 surfaces"
    std::string value_name;           ///< name of the value with its unit: "flux, W"
};

class PointSource {
  public:
    virtual ~PointSource() = default;
    /// Changes whenever the points change.
    [[nodiscard]] virtual std::uint64_t points_version() const = 0;
    /// A random subset of the newest frame's points, at most `most`. The choice depends on the
    /// points alone, and each has the same probability. `tree` is the scene's tree, `eye` the
    /// viewpoint of ScenePoint::hidden. Waits for the stream.
    [[nodiscard]] virtual PointList collect_points(Scratch& scratch, const TreeView& tree, vec3 eye,
                                                   std::uint32_t most) = 0;
};

}  // namespace tl

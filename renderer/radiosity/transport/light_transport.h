// Interface of the radiosity transport operator: irradiance at all points from the radiosity of all
// others. One implementation serves the mode `direct`, and another one, by links of octree nodes,
// the modes `hierarchical` and `fmm`. To add one: derive a class, add a value to RadiosityMode and
// a case to make_transport().
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "renderer/radiosity/points/diffuse_points.h"
#include "renderer/radiosity/points/scene_parts.h"
#include "renderer/radiosity/radiosity_config.h"
#include "renderer/renderer.h"
#include "renderer/transport_source.h"

namespace tl {

/// Cost of the transport between all points.
struct TransportWork {
    std::uint64_t rays = 0;   ///< visibility rays of the newest link()
    std::uint64_t terms = 0;  ///< terms that one gather() sums, over all points
};

/// Whether dielectrics between two points attenuate the light that passes through them.
enum class LightThroughGlass : std::uint8_t {
    attenuated,  ///< by absorption and tint
    unchanged,   ///< all light passes
};

}  // namespace tl

TL_DEVICE_BEGIN

/// Transport of diffuse light between points. Keeps visibility and links on the device.
class LightTransport {
  public:
    virtual ~LightTransport() = default;

    /// Computes visibility and links between the points. Other functions need an earlier link()
    /// with the same points. `header`: of points.tree. `parts` of the scene, if not empty, show
    /// where something moved since the previous link(). Visibility elsewhere may then be reused.
    /// Throws UserError if memory is short. May wait.
    virtual void link(Scratch& scratch, StageTimer& timer, const DiffusePointsView& points,
                      const OctreeHeader& header, const SceneView& scene,
                      std::span<const ScenePart> parts, const RadiosityConfig& config) = 0;
    /// Sets irradiance[i] to the light that point i receives from the radiosity of all others. Both
    /// are in W/m^2, in the order of the tree. Never waits.
    virtual void gather(Scratch& scratch, StageTimer& timer, const DiffusePointsView& points,
                        View<const vec3> radiosity, View<vec3> irradiance,
                        LightThroughGlass glass) = 0;
    /// Sets weights[n t + j] to the visibility by which point targets[t] receives light from point
    /// j, for n points. It is 0 to 1, and 0 for pairs between which no light is sent. Never waits.
    virtual void find_visibilities(Stream& stream, const DiffusePointsView& points,
                                   View<const std::uint32_t> targets, View<float> weights) = 0;
    /// Statistics of the newest link(), for display.
    [[nodiscard]] virtual std::vector<FrameCount> counts() = 0;
    /// Cost of the newest link() and of a gather() by it.
    [[nodiscard]] virtual TransportWork work() const = 0;
    /// Links of the newest link() by the levels of receiving nodes; empty in the mode `direct`.
    [[nodiscard]] virtual std::vector<LinkLevel> levels() const = 0;
    /// Returns the links of the node `above` levels above the leaf of `point`, or of the root if
    /// that is nearer. `with_above` adds the links of all its ancestors, as in
    /// TransportSource::links_at(). Null in the mode `direct`, which has no nodes. May wait.
    [[nodiscard]] virtual std::optional<GroupLinks> links_of(Scratch& scratch,
                                                             const DiffusePointsView& points,
                                                             std::uint32_t point, int above,
                                                             bool with_above) = 0;
    /// Memory that is kept on the device, bytes.
    [[nodiscard]] virtual std::size_t bytes() const = 0;
};

/// Makes the transport by all pairs of points.
[[nodiscard]] std::unique_ptr<LightTransport> make_all_pairs_transport();
/// Makes the transport by links of octree nodes. RadiosityConfig::mode, at each link(), chooses
/// hierarchical radiosity or FMM.
[[nodiscard]] std::unique_ptr<LightTransport> make_linked_transport();
/// Makes the transport that serves a mode.
[[nodiscard]] std::unique_ptr<LightTransport> make_transport(RadiosityMode mode);

TL_DEVICE_END

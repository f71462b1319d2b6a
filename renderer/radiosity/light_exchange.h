// A way in which points send light to each other: what modes of the renderer differ in. To add one:
// a class of this kind, a value of RadiosityMode, and a row in make_exchange().
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "renderer/exchange_source.h"
#include "renderer/radiosity/diffuse_points.h"
#include "renderer/radiosity/radiosity_config.h"
#include "renderer/radiosity/scene_parts.h"
#include "renderer/renderer.h"

namespace tl {

/// What an exchange takes.
struct ExchangeWork {
    std::uint64_t rays = 0;   ///< that have told which points see each other
    std::uint64_t terms = 0;  ///< of the sums of one gather()
};

/// The part of the light between points that dielectrics transmit.
enum class DielectricsPass : std::uint8_t {
    transmitted,  ///< by their absorption and tint
    all,          ///< as if they had neither
};

}  // namespace tl

TL_DEVICE_BEGIN

class LightExchange {
  public:
    virtual ~LightExchange() = default;

    /// Finds out which points exchange light, through the scene of the frame; the points must stay
    /// as they are. `parts` of the scene, if there are any: what they and the link() before tell of
    /// pairs between which nothing has moved may be taken from there. Throws UserError where memory
    /// is short. May wait.
    virtual void link(Scratch& scratch, StageTimer& timer, const DiffusePointsView& points,
                      const OctreeHeader& header, const SceneView& scene,
                      std::span<const ScenePart> parts, const RadiosityConfig& config) = 0;
    /// irradiance[i] = what the point receives from all others, W/m^2, by their radiosity, W/m^2;
    /// both in the order of the tree. Never waits.
    virtual void gather(Scratch& scratch, StageTimer& timer, const DiffusePointsView& points,
                        View<const vec3> radiosity, View<vec3> irradiance,
                        DielectricsPass dielectrics) = 0;
    /// weights[n t + j] = by what part point targets[t] sees point j of n as links have it, 0 where
    /// they exchange nothing. Never waits.
    virtual void find_weights(Stream& stream, const DiffusePointsView& points,
                              View<const std::uint32_t> targets, View<float> weights) = 0;
    /// Of the newest link().
    [[nodiscard]] virtual std::vector<FrameCount> counts() = 0;
    [[nodiscard]] virtual ExchangeWork work() const = 0;
    /// As ExchangeSource::links_at() has them, for the leaf of a point.
    [[nodiscard]] virtual std::optional<GroupLinks> links_of(Scratch& scratch,
                                                             const DiffusePointsView& points,
                                                             std::uint32_t point, int above,
                                                             bool with_above) = 0;
    [[nodiscard]] virtual std::size_t bytes() const = 0;
};

[[nodiscard]] std::unique_ptr<LightExchange> make_direct_exchange();
[[nodiscard]] std::unique_ptr<LightExchange> make_linked_exchange();
[[nodiscard]] std::unique_ptr<LightExchange> make_exchange(RadiosityMode mode);

TL_DEVICE_END

// The light that a scene's diffuse surfaces send to each other, at points: direct light of sources,
// then bounce by bounce until no more of it is left to speak of.
#pragma once

#include "renderer/frame_context.h"
#include "renderer/radiosity/irradiance_points.h"
#include "renderer/radiosity/light_exchange.h"

TL_DEVICE_BEGIN

class RadiositySolver {
  public:
    /// Brings points, links and light up to date with the frame's scene, lights and settings; does
    /// nothing where they are. Links are kept as long as points stay where they are. `frame` is
    /// that of the scene's paths. Waits for the stream. Throws UserError where memory is short.
    void update(const FrameContext& context, const PathTracerFrame& frame,
                const RadiosityConfig& config);

    /// The light that has been scattered at least once before it arrives at the points; no points
    /// where there is none.
    [[nodiscard]] IrradiancePointsView irradiance() const {
        return is_lit_ ? light_.view() : IrradiancePointsView{};
    }
    /// The flux of each bounce that arrived at points, as a share of that straight from sources.
    [[nodiscard]] const std::vector<float>& bounces() const { return bounces_; }
    [[nodiscard]] std::vector<FrameCount> counts(Stream& stream);

  private:
    void choose_points(const FrameContext& context, const PathTracerFrame& frame,
                       const RadiosityConfig& config);
    void light_points(const FrameContext& context, const PathTracerFrame& frame,
                      const RadiosityConfig& config);
    void bounce(const FrameContext& context, const RadiosityConfig& config);

    DiffusePoints points_;
    std::unique_ptr<LightExchange> exchange_;
    IrradiancePoints light_;
    DeviceArray<vec3> direct_;  ///< irradiance straight from sources
    std::vector<float> bounces_;
    std::uint64_t sampled_ = 0;  ///< fingerprint of what the samples were taken of
    Versions versions_{};
    RadiosityMode linked_mode_{};
    PointVisibility linked_visibility_{};
    bool is_linked_ = false, is_lit_ = false;
};

TL_DEVICE_END

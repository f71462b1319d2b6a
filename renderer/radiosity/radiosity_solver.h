// The light that a scene's diffuse surfaces send to each other, at points: direct light of sources,
// then bounce by bounce until no more of it is left to speak of.
#pragma once

#include <optional>

#include "renderer/frame_context.h"
#include "renderer/paths/caustic_light.h"
#include "renderer/radiosity/irradiance_points.h"
#include "renderer/radiosity/light_exchange.h"
#include "renderer/radiosity/sampled_sum.h"

TL_DEVICE_BEGIN

class RadiositySolver {
    /// On which links depend, besides points and mode.
    struct LinkSettings {
        PointVisibility visibility{};
        LinkThreads threads{};
        int rays = 0;
        FmmExpansion expansions{};
        float error = 0;
        std::uint64_t glass = 0;  ///< fingerprint_of_glass

        bool operator==(const LinkSettings&) const = default;
    };

  public:
    /// Brings points, links and light up to date with the frame's scene, lights and settings; does
    /// nothing where they are. Links are kept as long as points stay where they are, whatever
    /// becomes of lights and materials. `frame` is
    /// that of the scene's paths. Waits for the stream. Throws UserError where memory is short.
    void update(const FrameContext& context, const PathTracerFrame& frame,
                const RadiosityConfig& config);

    /// The light that has been scattered at least once before it arrives at the points; no points
    /// where there is none.
    [[nodiscard]] IrradiancePointsView irradiance() const {
        return is_lit_ ? light_.view() : IrradiancePointsView{};
    }
    /// Whether mirrors and glass throw light onto surfaces, as far as the photons have found that
    /// points are lit by.
    [[nodiscard]] bool has_caustics() const { return has_caustics_; }
    /// All light of each point by itself: that which leaves it, or that which arrives.
    [[nodiscard]] SeparatePoints separate_points(PointLight light);
    [[nodiscard]] std::vector<FrameCount> counts() const;
    /// The errors of the first bounce and of links, where points are checked.
    [[nodiscard]] std::vector<PictureFigure> figures() const;

    /// Changes with every update() that does something; 0: there has been none.
    [[nodiscard]] std::uint64_t version() const { return version_; }
    [[nodiscard]] ExchangeReport report(const RadiosityConfig& config) const;
    /// Implements ExchangeSource::links_at().
    [[nodiscard]] std::optional<GroupLinks> links_at(Scratch& scratch, vec3 position, vec3 normal,
                                                     int above, bool with_above);

  private:
    void choose_points(const FrameContext& context, const PathTracerFrame& frame,
                       const RadiosityConfig& config);
    void compare_view(const FrameContext& context, const PathTracerFrame& frame);
    void light_points(const FrameContext& context, const PathTracerFrame& frame,
                      const RadiosityConfig& config);
    void add_caustics(const FrameContext& context, const PathTracerFrame& frame,
                      const RadiosityConfig& config);
    void bounce(const FrameContext& context, const RadiosityConfig& config);

    DiffusePoints points_;
    std::unique_ptr<LightExchange> exchange_;
    IrradiancePoints light_;
    DeviceArray<float> scale_;  ///< of the light between points at each; empty: 1
    DeviceArray<vec3> direct_;  ///< irradiance straight from sources, and by caustics
    std::unique_ptr<CausticLight> caustics_ = make_caustic_photons();
    DeviceArray<vec3> all_;              ///< irradiance
    double direct_flux_ = 0;             ///< of direct_, W
    std::vector<double> bounces_;        ///< and in each bounce
    std::optional<SampledCheck> check_;  ///< of the first bounce, where points are checked
    std::uint64_t sampled_ = 0;          ///< fingerprint of what the samples were taken of
    std::uint64_t senders_ = 0;          ///< fingerprint of those that scale_ was found with
    Versions versions_{};
    std::uint64_t version_ = 0;
    RadiosityMode linked_mode_{};
    LinkSettings linked_{};
    std::uint64_t n_links_made_ = 0;  ///< how many times
    bool is_in_tree_ = false;         ///< light_ has a tree over the points
    bool is_linked_ = false, is_lit_ = false, has_caustics_ = false;
};

TL_DEVICE_END

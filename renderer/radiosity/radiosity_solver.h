// Radiosity solver. Computes direct lighting and caustics at points of a scene's surfaces, then the
// light between the points, bounce by bounce (Neumann series) until little is left.
#pragma once

#include <optional>

#include "renderer/frame_context.h"
#include "renderer/path/caustic_light.h"
#include "renderer/radiosity/points/irradiance_points.h"
#include "renderer/radiosity/points/sampled_sum.h"
#include "renderer/radiosity/transport/light_transport.h"
#include "renderer/radiosity/transport/seen_points.h"
#include "renderer/scene/points/illumination_map.h"

TL_DEVICE_BEGIN

/// Bounces end after one that adds at most this fraction of all light so far.
inline constexpr float kLeastBounceLight = 1e-4f;

class RadiositySolver {
    /// Settings that links depend on, besides points and mode.
    struct LinkSettings {
        PointVisibility visibility{};
        LinkSearch search{};
        LinkThreads threads{};
        int rays = 0;
        FmmBasis expansions{};
        float error = 0;
        std::uint64_t glass = 0;  ///< fingerprint_of_glass

        bool operator==(const LinkSettings&) const = default;
    };

  public:
    explicit RadiositySolver(CausticFactory make_caustics) : caustics_(make_caustics()) {}

    /// Updates points, links and light to the frame's scene, lights and settings. Does nothing if
    /// they are current. Links are kept while the points stay in position, whatever changes in
    /// lights and materials other than glass. `frame` is that of the scene's paths. Waits for the
    /// stream. Throws UserError where memory is short.
    void update(const FrameContext& context, const PathTracerFrame& frame,
                const RadiosityConfig& config);

    /// Indirect irradiance at the points, caustics excluded. Has no points where there is none.
    [[nodiscard]] IrradiancePointsView irradiance() const {
        return is_lit_ ? light_.view() : IrradiancePointsView{};
    }
    /// Whether the photons that light the points have found any caustics.
    [[nodiscard]] bool has_caustics() const { return has_caustics_; }
    /// All points with what is shown of them, for display without interpolation.
    [[nodiscard]] SeparatePoints separate_points(PointLight light);
    /// All points with their light, in the order of the tree. Positions are those at which rays of
    /// the points start, about a thousandth of the points' spacing in front of the surface, so that
    /// the points of both its sides differ. Waits for the stream.
    [[nodiscard]] IlluminationMap illumination(Stream& stream);
    [[nodiscard]] std::vector<FrameCount> counts() const;
    /// Errors of the first bounce and of links; empty unless points are checked.
    [[nodiscard]] std::vector<PictureFigure> figures() const;

    /// Number of updates that changed anything; 0 before the first one.
    [[nodiscard]] std::uint64_t version() const {
        return version_ == 0 ? 0 : version_ + n_seen_updates_;
    }
    [[nodiscard]] TransportReport report(const RadiosityConfig& config) const;
    /// Implements TransportSource::links_at().
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
    /// Updates seen_ to the chosen point, unless light is shown.
    void update_seen(const FrameContext& context, const RadiosityConfig& config);

    /// The choice of point and options for which seen_ was computed.
    struct SeenFrom {
        std::uint64_t version = 0;  ///< version_ of the points and links; 0: nothing
        PointLight kind{};
        vec3 position{0};
        std::uint32_t point = 0;  ///< index of the chosen point
        SeenCounts counts{};
    };

    DiffusePoints points_;
    std::unique_ptr<LightTransport> transport_;
    IrradiancePoints light_;
    DeviceArray<float> scale_;  ///< correction factor of indirect irradiance; empty: 1
    DeviceArray<vec3> direct_;  ///< irradiance by direct lighting and caustics
    std::unique_ptr<CausticLight> caustics_;
    DeviceArray<vec3> all_;              ///< total irradiance
    double direct_flux_ = 0;             ///< flux of direct_, W
    std::vector<double> bounces_;        ///< flux of each bounce, W
    std::optional<SampledCheck> check_;  ///< errors of the first bounce, where points are checked
    std::uint64_t sampled_ = 0;          ///< fingerprint of the sampled surfaces
    std::uint64_t senders_ = 0;          ///< fingerprint_of_senders for which scale_ is valid
    Versions versions_{};
    std::uint64_t version_ = 0;
    RadiosityMode linked_mode_{};
    LinkSettings linked_{};
    std::uint64_t n_links_made_ = 0;  ///< number of times that links were made
    double link_ms_ = 0;              ///< time of the newest links, ms
    RadiosityConfig lit_by_{};        ///< of_light() of the newest update
    DeviceArray<float> seen_;         ///< visibility of all points from the chosen one
    SeenFrom seen_from_{};
    std::uint64_t n_seen_updates_ = 0;
    bool is_in_tree_ = false;  ///< light_ has a tree over the points
    bool is_linked_ = false, is_lit_ = false, has_caustics_ = false;
};

TL_DEVICE_END

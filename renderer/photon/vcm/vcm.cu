// Vertex connection and merging (Georgiev, Krivanek, Davidovic & Slusallek 2012, "Light transport
// simulation with vertex connection and merging"). Sub-paths from the emitters and from the camera
// are joined by all techniques, weighted by MIS. Path tracing, bidirectional path tracing and
// progressive photon mapping are special cases, and can be selected alone.
//
// Departures: emitters are chosen by a light tree for next-event estimation and by power for light
// sub-paths, and the MIS weights know both. Each pixel's path is connected to the vertices of one
// light sub-path: the pixel's index modulo their number. Light straight from an emitter is not
// merged. Normals are not shifted at shadow terminators, since paths from both ends must hit the
// same surface.
#include <bit>
#include <string>

#include "core/device/fitting_array.h"
#include "core/device/stage_timer.h"
#include "renderer/photon/gather/photon_radius.h"
#include "renderer/photon/photon_grid.h"
#include "renderer/photon/photon_maps.h"
#include "renderer/photon/photon_technique.h"
#include "renderer/photon/trace/photon_capacity.h"
#include "renderer/photon/vcm/camera_paths.h"
#include "renderer/photon/vcm/light_paths.h"
#include "renderer/scene/live/live_scene.h"
#include "renderer/shading/enclosing_media.h"

TL_DEVICE_BEGIN

namespace {

class VertexConnectionAndMerging final : public PhotonTechnique {
  public:
    void render(const FrameContext& context, const PhotonConfig& config,
                const PathJob& job) override {
        auto& stream = context.stream();
        Scratch::Scope scope(context.scratch);
        // Merging matters most for caustics, which connections sample badly. So all merges use the
        // caustics' radius.
        float radius = config.caustic_share() *
                       radius_of_pass(config, context.scene.bounds_at_rest(), context.frame.sample);
        VcmPass pass = pass_of(config, job, radius);
        counts_.resize_discard(stream, 2);
        bounds_.resize_discard(stream, 1);
        pass.around = bounds_.data();
        find_scene_bounds(stream, context.scene.tree(), bounds_.view());
        LightVertices list;
        Splats splats;
        if (pass.n_light_paths > 0) {
            list = room_for(context.scratch, pass);
            if (pass.balance.n_splats > 0) {
                resize_fitting(splats_, stream, 3 * job.film.extent.pixels());
                splats_.fill_zero(stream);
                splats.sums = splats_.view();
            }
            StageTimer::Scope stage(context.timer, "trace light paths", StageKind::trace);
            find_media_of_sources(context.scratch, pass.frame.scene);
            trace_light_paths(context.scratch, pass, job.film.extent, list, splats);
        }
        if (context.cancelled()) return;
        if (pass.balance.merges > 0) {
            StageTimer::Scope stage(context.timer, "photon grid", StageKind::trace);
            auto capacity = static_cast<std::uint32_t>(list.photons.photons.size);
            std::uint32_t n_most = std::min(
                capacity, estimate_.next(stream, list.photons.count, context.versions.settings));
            grid_.build(
                context.scratch, list.photons,
                {n_most, pass.n_light_paths * PathLimits::kMaxDepth, 2 * pass.n_light_paths},
                radius);
        }
        if (context.cancelled()) return;
        StageTimer::Scope stage(context.timer, "trace and join", StageKind::trace);
        trace_camera_paths(context.scratch, pass, job, list,
                           pass.balance.merges > 0 ? grid_.view() : PhotonGridView{}, splats);
    }

    bool shows(PhotonShow show) const override {
        return show == PhotonShow::picture || show == PhotonShow::error;
    }

    std::vector<FrameCount> counts(Stream& stream, const PhotonConfig& config) override {
        if (techniques_of(config) == VcmTechniques::paths || counts_.empty()) return {};
        auto n_paths = static_cast<std::uint64_t>(config.photons);
        auto stored = counts_.download(stream);
        return {{"light paths", n_paths, 0},
                {"vertices to connect", stored[0], n_paths},
                {"vertices to merge", stored[1], n_paths}};
    }

  private:
    /// Technique in use. Without a bounce there is no surface at which light sub-paths could be
    /// joined.
    [[nodiscard]] static VcmTechniques techniques_of(const PhotonConfig& config) {
        return config.max_depth == 0 ? VcmTechniques::paths : config.vcm_techniques;
    }
    [[nodiscard]] static VcmPass pass_of(const PhotonConfig& config, const PathJob& job,
                                         float radius) {
        VcmTechniques use = techniques_of(config);
        bool all = use == VcmTechniques::all;
        bool connects = all || use == VcmTechniques::connect;
        auto n = static_cast<float>(config.photons);
        VcmBalance balance;
        if (connects || use == VcmTechniques::light_tracing) balance.n_splats = n;
        if (connects) balance.connections = 1;
        if (all || use == VcmTechniques::merge) balance.merges = kPi * radius * radius * n;
        VcmPass pass{job.frame, CameraPlane(job.camera), balance, radius, 0, nullptr};
        if (use != VcmTechniques::paths)
            pass.n_light_paths = static_cast<std::uint32_t>(config.photons);
        return pass;
    }
    /// Capacity for a vertex at each surface that a light sub-path may hit. Throws UserError if
    /// that does not fit and exceeds all passes before.
    [[nodiscard]] LightVertices room_for(Scratch& scratch, const VcmPass& pass) {
        std::size_t n = pass.n_light_paths;
        std::size_t capacity = n * static_cast<std::size_t>(pass.frame.limits.max_depth);
        capacity = std::min(capacity, std::size_t(1) << 31);
        constexpr std::size_t kBytes = sizeof(PathVertex) + 2 * sizeof(Photon) + 40;
        if (capacity > most_so_far_)
            require_memory(scratch.stream().device(), capacity * kBytes + n * kLightPathBytes,
                           std::to_string(n) + " light paths",
                           "ask for fewer (--photon-photons) or fewer bounces "
                           "(--photon-max-depth)");
        most_so_far_ = std::max(capacity, most_so_far_);
        LightVertices list;
        list.n_vertices = counts_.data();
        list.photons.count = counts_.data() + 1;
        if (pass.balance.n_splats > 0) {
            list.vertices = scratch.take<PathVertex>(capacity);
            list.newest = scratch.take<std::uint32_t>(n);
        }
        if (pass.balance.merges > 0) {
            list.photons.photons = scratch.take<Photon>(capacity);
            list.photons.ids = scratch.take<std::uint32_t>(capacity);
            list.sums = scratch.take<SubPathSums>(capacity);
        }
        return list;
    }
    PhotonGrid grid_;
    DeviceArray<std::uint32_t> counts_;  ///< number of vertices to connect, and to merge
    DeviceArray<Box> bounds_;            ///< one entry
    DeviceArray<std::uint64_t> splats_;  ///< Splats::sums
    std::size_t most_so_far_ = 0;        ///< largest vertex capacity so far
    CapacityEstimate estimate_;          ///< number of vertices to merge
};

}  // namespace

std::unique_ptr<PhotonTechnique> make_vcm() {
    return std::make_unique<VertexConnectionAndMerging>();
}

TL_DEVICE_END

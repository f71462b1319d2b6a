// The photon mapper: light that has been scattered before it reaches a surface is estimated from
// the photons of a pass that lie near; each sample of the picture has a pass of its own, within a
// smaller radius, so that their mean tends to the truth (Knaus & Zwicker 2011, "Progressive photon
// mapping: a probabilistic approach"). Direct light, mirrors, glass and narrow highlights are
// followed from the camera as by the path tracer.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "accel/parallel/parallel_for.h"
#include "accel/parallel/readback.h"
#include "accel/parallel/stage_timer.h"
#include "renderer/film/film.h"
#include "renderer/photon/gather_photons.h"
#include "renderer/photon/photon_config.h"
#include "renderer/photon/trace_photons.h"
#include "renderer/renderer.h"
#include "renderer/scene/live/live_scene.h"

TL_DEVICE_BEGIN

namespace {

/// A box around the tree's boxes, with some air; a point where there are none.
void find_bounds(Stream& stream, const Tree& tree, View<Box> bounds) {
    View<const BvhNode> nodes = tree.nodes().view();
    View<const TreeHeader> header = tree.header();
    parallel_for(
        stream, "scene bounds", 1, TL_LAMBDA(std::uint32_t) {
            Box box;
            if (header[0].n_nodes > 0) {
                const BvhNode& root = nodes[header[0].root];
                for (int side = 0; side < 2; ++side)
                    if (!root.child(side).is_missing()) box.extend(root.box(side));
            }
            if (!box.is_valid()) box.lo = box.hi = vec3(0);
            constexpr float kAir = 1e-3f;
            vec3 size = box.hi - box.lo, far = glm::max(glm::abs(box.lo), glm::abs(box.hi));
            float air = kAir * largest(size) + 1e-4f * kAir * largest(far);
            bounds[0].lo = box.lo - air;
            bounds[0].hi = box.hi + air;
        });
}

/// What a pass of photons depends on. Those of a still scene serve all views.
struct PassKey {
    std::uint32_t scene = 0, lights = 0, settings = 0, pass = 0;
    std::uint64_t seed = 0;
    float radius = 0;

    bool operator==(const PassKey&) const = default;
};

class PhotonMapper final : public Renderer {
  public:
    void render(const FrameContext& context) override {
        PathJob job = job_of(context);
        update_photons(context, job.frame.scene);
        if (context.cancelled()) return;
        StageTimer::Scope stage(context.timer, "trace and gather", StageKind::trace);
        const PhotonGather gather(job.frame.scene,
                                  {grid_.view(), config_.caustic_radius * key_.radius,
                                   static_cast<std::uint32_t>(config_.max_depth)});
        trace_paths_in_waves(context.scratch, job, &gather);
    }

    Settings settings() override { return config_.settings(); }

    std::vector<FrameCount> counts(Stream& stream) override {
        std::uint64_t n_emitted = static_cast<std::uint64_t>(config_.photons), n_stored = 0;
        if (!count_.empty()) n_stored = count_.download(stream)[0];
        return {{"photons emitted", n_emitted, 0}, {"photons stored", n_stored, n_emitted}};
    }

  private:
    [[nodiscard]] PathJob job_of(const FrameContext& context) const {
        const Frame& frame = context.frame;
        SceneView scene = context.scene.view();
        scene.glass_passes_light = false;
        scene.texture_filter = config_.texture_filter;
        FilmView film = context.film.view();
        CameraRays camera(frame.camera, film.extent, frame.sampling);
        RayCone cone = pixel_cone(glm::length(camera.step_y), frame.sample);
        PathLimits limits;
        limits.max_depth = config_.max_depth;
        limits.smooth_terminator = config_.smooth_terminator;
        return {{{scene, frame.sampling.pattern, frame.seed, frame.sample, PackedCone::of(cone)},
                 limits},
                camera,
                film};
    }
    /// The radius of the first pass: given, or as wide as to hold about as many photons if each lay
    /// once on the faces of the scene's bounds.
    [[nodiscard]] double first_radius(const Box& bounds) const {
        constexpr double kExpected = 30;
        if (config_.radius > 0) return double(config_.radius);
        double area = 2 * double(bounds.half_area());
        if (!(area > 0)) return 1;
        return std::sqrt(kExpected * area / (double(kPi) * config_.photons));
    }
    /// The radius of a pass: r_i^2 = r_1^2 (1 + alpha) ... (i - 1 + alpha) / i!, equation 20 of
    /// Knaus and Zwicker.
    [[nodiscard]] float radius_of(const Box& bounds, std::uint32_t pass) const {
        double i = pass + 1.0, alpha = double(config_.alpha);
        double log_square = std::lgamma(i + alpha) - std::lgamma(1 + alpha) - std::lgamma(i + 1);
        return static_cast<float>(first_radius(bounds) * std::exp(log_square / 2));
    }

    /// Traces the frame's photons and sorts them, unless those that are there are the same.
    void update_photons(const FrameContext& context, const SceneView& scene) {
        const Frame& frame = context.frame;
        float radius = radius_of(context.scene.bounds_at_rest(), frame.sample);
        const Versions& now = context.versions;
        PassKey key{now.scene, now.lights, now.settings, frame.sample, frame.seed, radius};
        if (key == key_) return;
        if (now.settings != settings_) n_known_.reset();
        settings_ = now.settings;
        key_ = {};
        auto& stream = context.stream();
        Scratch::Scope scope(context.scratch);
        count_.resize_discard(stream, 1);
        bounds_.resize_discard(stream, 1);
        std::uint32_t room = most_stored(stream.device());
        const PhotonList list{context.scratch.take<Photon>(room),
                              context.scratch.take<std::uint32_t>(room), count_.data()};
        const PhotonPass pass{scene,
                              frame.sampling.pattern,
                              frame.seed ^ kOwnNumbers,
                              frame.sample,
                              static_cast<std::uint32_t>(config_.photons),
                              static_cast<std::uint32_t>(config_.max_depth),
                              config_.guide,
                              bounds_.data()};
        {
            StageTimer::Scope stage(context.timer, "trace photons", StageKind::trace);
            find_bounds(stream, context.scene.tree(), bounds_.view());
            trace_photons(context.scratch, pass, list);
        }
        if (context.cancelled()) return;
        StageTimer::Scope stage(context.timer, "photon grid", StageKind::trace);
        grid_.build(context.scratch, list, std::min(room, about_stored(stream)), pass.n_ids(),
                    radius);
        key_ = key;
    }
    /// How many photons a pass can store: each at all surfaces that it meets but the first. Throws
    /// UserError where more than in any pass before do not fit.
    [[nodiscard]] std::uint32_t most_stored(const Device& device) {
        constexpr std::size_t kBytes = 2 * sizeof(Photon) + 28;  // in the list, sorted, keys
        auto n = static_cast<std::size_t>(config_.photons);
        auto most = n * static_cast<std::size_t>(std::max(config_.max_depth - 1, 1));
        most = std::min(most, std::size_t(1) << 31);
        if (most > most_so_far_)
            require_memory(
                device, most * kBytes + n * kTracedPhotonBytes, std::to_string(n) + " photons",
                "ask for fewer (--photon-photons) or fewer bounces (--photon-max-depth)");
        most_so_far_ = std::max(most, most_so_far_);
        return static_cast<std::uint32_t>(most);
    }
    /// An upper bound of how many photons the pass has stored: on the CPU their number, on a GPU,
    /// without waiting, twice that of some passes before.
    [[nodiscard]] std::uint32_t about_stored(Stream& stream) {
        if (stream.device().kind() == DeviceKind::cpu) return count_.download(stream)[0];
        if (!readback_) readback_.emplace(stream.device());
        if (auto taken = readback_->take(); taken && taken->tag == settings_)
            n_known_ = taken->value;
        readback_->request(stream, count_.data(), settings_);
        return n_known_ ? 2 * *n_known_ + 4096 : ~0u;
    }

    static constexpr std::uint64_t kOwnNumbers = 0x70686f746f6e73;

    PhotonConfig config_;
    PhotonGrid grid_;
    DeviceArray<std::uint32_t> count_;      ///< one: photons stored
    DeviceArray<Box> bounds_;               ///< one
    PassKey key_;                           ///< of the photons in the grid
    std::size_t most_so_far_ = 0;           ///< photons that there was room for
    std::uint32_t settings_ = 0;            ///< version for which photons were traced last
    std::optional<std::uint32_t> n_known_;  ///< stored with these settings some passes ago
    std::optional<Readback<std::uint32_t>> readback_;
};

}  // namespace

std::unique_ptr<Renderer> make_photon_renderer() {
    return std::make_unique<PhotonMapper>();
}

TL_DEVICE_END

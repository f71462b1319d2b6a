// The Bezier backend: camera rays, shadow rays and reflections in turn, each kind in stages that
// are timed by themselves.
#include "renderer/bezier/bezier.h"

#include <algorithm>

#include "accel/bvh/atomics.h"
#include "accel/parallel/parallel_for.h"
#include "renderer/bezier/bezier_config.h"
#include "renderer/bezier/bezier_shading.h"
#include "renderer/bezier/bezier_trace.h"
#include "renderer/bezier/kajiya_stages.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kRayKinds = 3;

/// Rays, one a pixel, that are alive at a time: on the CPU what its caches hold, on a GPU any usual
/// picture.
constexpr std::uint32_t kMostRaysCpu = 1u << 14, kMostRaysCuda = 1u << 22;

/// Of one frame, by kind of rays.
struct FrameCounts {
    KajiyaCounts of_kind[kRayKinds];
    std::uint32_t n_compared = 0;  ///< camera rays that the certified method has hit something with
    std::uint32_t n_missed = 0;    ///< of these, where the mode hit nothing, or something behind
    std::uint32_t n_false = 0;     ///< where the mode hit what the certified method has not
    std::uint32_t unused = 0;
};

/// The camera as one sample of all pixels has it: a place on the lens, which moves the eye, so that
/// rays of a column lie in a plane, and so do those of a row.
CameraRays camera_of_frame(const Frame& frame, Extent extent, vec2& offset) {
    CameraRays camera(frame.camera, extent, frame.sampling);
    Sampler sampler(camera.pattern, frame.seed, 0, frame.sample);
    vec2 place = sampler.next();
    offset = vec2(0.5f + camera.filter_radius * sample_filter(camera.filter, place.x),
                  0.5f + camera.filter_radius * sample_filter(camera.filter, place.y));
    if (!camera.has_lens()) return camera;
    vec2 r = sampler.next();
    vec2 disk = concentric_disk(r.x, r.y);
    vec3 from_center = disk.x * camera.lens_x + disk.y * camera.lens_y;
    camera.origin += from_center;
    camera.corner = camera.focus_distance * camera.corner - from_center;
    camera.step_x *= camera.focus_distance;
    camera.step_y *= camera.focus_distance;
    return camera;
}

bool sends_rays_on(const Scene& scene) {
    return std::ranges::any_of(scene.materials, [](const Material& m) {
        return m.kind == MaterialKind::mirror || m.kind == MaterialKind::dielectric;
    });
}

bool holds_others(const SceneView& scene) {
    return scene.n_triangles + scene.n_spheres > 0 || scene.tree.instances;
}

/// Counts where hits differ from the certified ones.
void compare_hits(Stream& stream, View<const Hit> hits, View<const Hit> certified,
                  View<FrameCounts> counts) {
    constexpr float kSame = 1e-4f;  // of the distance
    auto n = static_cast<std::uint32_t>(hits.size);
    // Few counters are written to, and by few threads: each takes many rays.
    constexpr std::uint32_t kRaysOfThread = 256;
    parallel_for(
        stream, "compare hits", (n + kRaysOfThread - 1) / kRaysOfThread,
        TL_LAMBDA(std::uint32_t thread) {
            std::uint32_t n_compared = 0, n_missed = 0, n_false = 0;
            std::uint32_t n_threads = (n + kRaysOfThread - 1) / kRaysOfThread;
            for (std::uint32_t i = thread; i < n; i += n_threads) {
                Hit hit = hits[i], truth = certified[i];
                if (truth.found()) ++n_compared;
                if (truth.found() && !(hit.found() && hit.t <= truth.t * (1 + kSame))) ++n_missed;
                if (hit.found() && !(truth.found() && hit.t >= truth.t * (1 - kSame))) ++n_false;
            }
            if (n_compared) atomic_add(&counts[0].n_compared, n_compared);
            if (n_missed) atomic_add(&counts[0].n_missed, n_missed);
            if (n_false) atomic_add(&counts[0].n_false, n_false);
        });
}

class BezierRenderer final : public Renderer {
  public:
    void prepare(LiveScene&) override { patch_builder_ = nullptr; }

    void render(const Frame& frame, LiveScene& live, Film& film, Scratch& scratch,
                StageTimer& timer) override {
        StageTimer::Scope whole(timer, "trace and shade");
        Scratch::Scope scope(scratch);
        auto& stream = scratch.stream();
        SceneView scene = live.view();
        scene.glass_passes_light = scene.has_cutouts = false;
        FilmView out = film.view();
        counts_.resize_discard(stream, 1);
        counts_.fill_zero(stream);
        by_elimination_ = config_.eliminates() && live.description().patch_count() > 0;
        compared_ = config_.compare && config_.mode != static_cast<int>(BezierMode::certified);
        if (by_elimination_) build_patch_tree(live, scratch, timer);

        vec2 offset;
        CameraRays camera = camera_of_frame(frame, out.extent, offset);
        WhittedConfig shading;
        shading.max_depth = sends_rays_on(live.description()) ? config_.max_depth : 0;
        shading.ambient = config_.ambient;
        shading.shadows = config_.shadows;
        WhittedFrame whitted{scene,
                             shading,
                             static_cast<SamplePattern>(frame.sampling.pattern),
                             frame.seed,
                             frame.sample,
                             PackedCone::of(pixel_cone(glm::length(camera.step_y), frame.sample))};
        PixelOrder order(out.extent);
        std::uint32_t most =
            stream.device().kind() == DeviceKind::cuda ? kMostRaysCuda : kMostRaysCpu;
        for (std::uint32_t first = 0; first < order.n_items; first += most) {
            Scratch::Scope part_scope(scratch);
            Pass pass{scratch, timer, scene, {order, first, std::min(most, order.n_items - first)},
                      {},      {}};
            take_rays(pass);
            {
                StageTimer::Scope stage(timer, "planes and rays");
                make_bezier_camera_rays(stream, whitted, camera, offset, pass.part, out, pass.rays);
                if (by_elimination_) make_planes(pass, camera, offset, out.extent);
            }
            follow(pass, whitted);
            StageTimer::Scope stage(timer, "shade");
            write_bezier_film(stream, frame.sample, out, pass.part, pass.rays);
        }
    }

    Settings settings() override { return config_.settings(); }

    std::vector<FrameCount> counts(Stream& stream) override {
        constexpr const char* kKinds[] = {"primary", "shadow", "reflection"};
        if (counts_.empty() || !(by_elimination_ || compared_)) return {};
        FrameCounts all = counts_.download(stream)[0];
        std::vector<FrameCount> rows;
        if (compared_) {
            rows.push_back({"primary hits", all.n_compared});
            rows.push_back({"primary misses", all.n_missed});
            rows.push_back({"primary false hits", all.n_false});
        }
        for (int kind = 0; kind < kRayKinds; ++kind) {
            const KajiyaCounts& c = all.of_kind[kind];
            if (c.n_pairs == 0) continue;
            std::string name = kKinds[kind];
            rows.push_back({name + " pairs", c.n_pairs});
            rows.push_back({name + " roots", c.n_roots});
            rows.push_back({name + " iterations", c.n_iterations});
        }
        return rows;
    }

  private:
    struct Pass {
        Scratch& scratch;
        StageTimer& timer;
        SceneView scene;
        PicturePart part;
        BezierRays rays;
        PicturePlanes planes;
    };

    /// The camera's rays, and what they lead to.
    void follow(const Pass& pass, const WhittedFrame& frame) {
        for (int depth = 0;; ++depth) {
            find_hits(pass, depth == 0 ? RayKind::primary : RayKind::reflection);
            if (depth == 0 && compared_) compare(pass);
            light(pass, frame);
            if (depth == frame.config.max_depth) return;
            StageTimer::Scope stage(pass.timer, "shade");
            reflect_bezier_rays(pass.scratch.stream(), frame, pass.rays);
        }
    }

    static void take_rays(Pass& pass) {
        std::size_t n = pass.part.size;
        auto& scratch = pass.scratch;
        pass.rays = {scratch.take<WhittedRay>(n), scratch.take<Ray>(n),
                     scratch.take<Hit>(n),        scratch.take<Ray>(n),
                     scratch.take<Hit>(n),        scratch.take<vec3>(n),
                     scratch.take<vec3>(n),       scratch.take<std::uint32_t>(n)};
    }

    static void make_planes(Pass& pass, const CameraRays& camera, vec2 offset, Extent extent) {
        pass.planes.columns = pass.scratch.take<glm::dvec3>(static_cast<std::size_t>(extent.width));
        pass.planes.rows = pass.scratch.take<glm::dvec3>(static_cast<std::size_t>(extent.height));
        pass.planes.origin = camera.origin;
        pass.planes.part = pass.part;
        find_picture_planes(pass.scratch.stream(), camera, offset, pass.planes);
    }

    /// The tree over whole patches, by the builder of the scene's tree, whenever that is updated.
    void build_patch_tree(LiveScene& live, Scratch& scratch, StageTimer& timer) {
        bool moved = live.update_kind() != UpdateKind::none;
        if (patch_builder_ == &live.builder() && !moved) return;
        StageTimer::Scope stage(timer, "build patch tree");
        patch_builder_ = &live.builder();
        patch_boxes_.resize_discard(scratch.stream(), live.description().patch_count());
        find_patch_boxes(scratch.stream(), live.view().tree.patches, patch_boxes_.view());
        patch_tree_.config.layout = static_cast<int>(TreeLayout::bvh2);
        patch_tree_.config.max_leaf_size = 1;
        BuildInput input;
        input.boxes = patch_boxes_.view();
        input.leaf_limit = 1;
        patch_tree_.build(scratch, live.builder(), input);
    }

    /// hits of rays: closest, or of shadow rays any.
    void find_hits(const Pass& pass, RayKind kind) {
        bool any = kind == RayKind::shadow;
        View<const Ray> rays = any ? pass.rays.shadow_rays : pass.rays.rays;
        View<Hit> hits = any ? pass.rays.shadow_hits : pass.rays.hits;
        auto& scratch = pass.scratch;
        if (!by_elimination_) {
            constexpr const char* kNames[] = {"primary intersect", "shadow intersect",
                                              "reflection intersect"};
            StageTimer::Scope stage(pass.timer, kNames[static_cast<int>(kind)]);
            auto mode = static_cast<BezierMode>(config_.mode);
            if (mode == BezierMode::newton || mode == BezierMode::clipping)
                trace_by_method(
                    scratch, pass.scene.tree,
                    mode == BezierMode::newton ? PieceMethod::newton : PieceMethod::clipping, rays,
                    hits, any);
            else
                trace_certified(scratch, pass.scene.tree, rays, hits, any);
            return;
        }
        if (holds_others(pass.scene)) {
            StageTimer::Scope stage(pass.timer, "other primitives");
            trace_by_method(scratch, pass.scene.tree, PieceMethod::none, rays, hits, any);
        } else {
            clear_hits(scratch.stream(), hits);
        }
        PatchTree tree{patch_tree_.view(nullptr).bvh2, patch_tree_.order(),
                       pass.scene.tree.patches};
        KajiyaRays job{rays, hits, kind == RayKind::primary ? &pass.planes : nullptr, kind};
        KajiyaCounts* counts = counts_.data()->of_kind + static_cast<int>(kind);
        intersect_by_kajiya(scratch, pass.timer, tree, job,
                            config_.mode == static_cast<int>(BezierMode::kajiya_real),
                            static_cast<std::size_t>(config_.pair_memory) << 20, {counts, 1});
    }

    /// The hits of the camera's rays beside those of the certified method.
    void compare(const Pass& pass) {
        StageTimer::Scope stage(pass.timer, "compare");
        Scratch::Scope scope(pass.scratch);
        auto certified = pass.scratch.take<Hit>(pass.rays.rays.size);
        trace_certified(pass.scratch, pass.scene.tree, pass.rays.rays, certified, false);
        compare_hits(pass.scratch.stream(), pass.rays.hits, certified, counts_.view());
    }

    /// Light that the hits send back.
    void light(const Pass& pass, const WhittedFrame& frame) {
        auto& stream = pass.scratch.stream();
        for (std::uint32_t k = 0; k < std::max(frame.scene.n_lights, 1u); ++k) {
            {
                StageTimer::Scope stage(pass.timer, "shade");
                start_bezier_light(stream, frame, k, pass.rays);
            }
            if (frame.config.shadows) find_hits(pass, RayKind::shadow);
            StageTimer::Scope stage(pass.timer, "shade");
            add_bezier_light(stream, pass.rays);
        }
    }

    BezierConfig config_;
    bool by_elimination_ = false;  ///< in the newest frame
    bool compared_ = false;        ///< likewise
    const TreeBuilder* patch_builder_ = nullptr;
    DeviceArray<Box> patch_boxes_;
    Tree patch_tree_;
    DeviceArray<FrameCounts> counts_;
};

}  // namespace

std::unique_ptr<Renderer> make_bezier_renderer() {
    return std::make_unique<BezierRenderer>();
}

TL_DEVICE_END

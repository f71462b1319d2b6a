// Ray tracing of Bezier patches by one of several intersection methods, to show what each costs and
// misses. Camera rays, shadow rays and reflections are processed one kind after the other, in
// stages that are timed separately. Lights, mirrors and gloss are as in the Whitted tracer; but a
// hit spawns one ray at most, alpha cutouts are ignored, and glass casts full shadows.
#include <algorithm>

#include "core/device/parallel_for.h"
#include "core/device/stage_timer.h"
#include "renderer/bezier/bezier_config.h"
#include "renderer/bezier/bezier_counts.h"
#include "renderer/bezier/bezier_shading.h"
#include "renderer/bezier/bezier_trace.h"
#include "renderer/bezier/kajiya_stages.h"
#include "renderer/bezier/uv_lines.h"
#include "renderer/false_color/heat_scale.h"
#include "renderer/film/film.h"
#include "renderer/renderer.h"
#include "renderer/scene/live/live_scene.h"

TL_DEVICE_BEGIN

namespace {

constexpr int kRayKinds = 3;

/// Batch sizes: paths, one per pixel, and shadow rays. On the CPU, as many as fit its caches. On a
/// GPU, paths of any usual picture, and as many shadow rays as fit in memory, since each launch
/// lasts as long as its slowest ray.
struct RayLimits {
    std::uint32_t paths, shadow_rays;
};
constexpr RayLimits kOnCuda{1u << 22, 1u << 23}, kOnCpu{1u << 14, 1u << 14};

/// Counters of one frame, by kind of rays.
struct FrameCounts {
    KajiyaCounts of_kind[kRayKinds];
    BezierCounts of_camera;
};

/// The camera for one sample of all pixels. All pixels share a point on the lens, which replaces
/// the eye, so that the rays of each column and of each row lie in a plane.
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

class BezierRenderer final : public Renderer, public FalseColor {
  public:
    void render(const FrameContext& context) override {
        const Frame& frame = context.frame;
        LiveScene& live = context.scene;
        Scratch& scratch = context.scratch;
        StageTimer& timer = context.timer;
        by_elimination_ = config_.eliminates() && live.description().patch_count() > 0;
        if (by_elimination_) build_patch_tree(context);
        StageTimer::Scope whole(timer, "trace and shade", StageKind::trace);
        Scratch::Scope scope(scratch);
        auto& stream = scratch.stream();
        SceneView scene = live.view();
        scene.glass_passes_light = scene.has_cutouts = false;
        FilmView out = context.film.view();
        counts_.resize_discard(stream, 1);
        counts_.fill_zero(stream);
        show_ = config_.show;
        compared_ = config_.compare || show_ == BezierShow::misses;
        if (show_ != BezierShow::picture) out.done = nullptr;  // only for pictures
        pixels_ = {};
        if (show_ != BezierShow::picture) pixels_ = scale_.sums(stream, out.extent, frame.sample);

        vec2 offset;
        CameraRays camera = camera_of_frame(frame, out.extent, offset);
        Gloss gloss = gloss_in(live.description(), {config_.gloss, config_.phong_gloss});
        BezierFrame shading{
            {scene, frame.sampling.pattern, frame.seed, frame.sample,
             PackedCone::of(pixel_cone(glm::length(camera.step_y), frame.sample))},
            gloss.any() || sends_rays_on(live.description()) ? config_.max_depth : 0,
            config_.ambient,
            config_.shadows,
            gloss};
        PicturePlanes planes;
        if (by_elimination_ && config_.planes == BezierPlanes::picture)
            planes = make_planes(context, camera, offset, out.extent);
        PixelOrder order = show_ == BezierShow::picture
                               ? PixelOrder(out.extent, out.tiles, out.n_tiles)
                               : PixelOrder(out.extent);
        RayLimits most = stream.device().kind() == DeviceKind::cuda ? kOnCuda : kOnCpu;
        for (std::uint32_t first = 0; first < order.n_items; first += most.paths) {
            Scratch::Scope part_scope(scratch);
            Pass pass{.scratch = scratch,
                      .timer = timer,
                      .scene = scene,
                      .part = {order, first, std::min(most.paths, order.n_items - first)},
                      .planes = planes};
            pass.planes.part = pass.part;
            take_rays(pass, gloss.any());
            {
                StageTimer::Scope stage(timer, "camera rays");
                make_bezier_camera_rays(stream, shading, camera, offset, pass.part, out, pass.rays);
            }
            find_hits(pass, RayKind::primary);
            if (counts_work()) count(pass, frame, out);
            if (show_ != BezierShow::picture) continue;
            if (config_.uv_lines > 0)
                darken_uv_lines(stream, scene, camera, offset, config_.uv_lines, pass.part,
                                pass.rays.hits, pass.rays.paths);
            take_shadow_rays(pass, shading, most.shadow_rays);
            follow(pass, shading);
            StageTimer::Scope stage(timer, "shade");
            write_bezier_film(stream, frame.sample, out, pass.part, pass.rays);
        }
        if (show_ == BezierShow::picture) return;
        StageTimer::Scope stage(timer, "false colors");
        if (show_ == BezierShow::misses)
            write_verdicts(stream, pixels_, out);
        else
            scale_.show(scratch, config_.scale, leader_ ? &leader_->scale_ : nullptr, out);
    }

    Settings settings() override { return config_.settings(); }

    FalseColor* false_color() override {
        return config_.show == BezierShow::picture ? nullptr : this;
    }

    FalseColorScale scale(Stream& stream) override {
        if (shows_verdicts())
            return {.title = "camera rays beside the certified method's",
                    .colors = {{color_of(RayVerdict::missed), "missed"},
                               {color_of(RayVerdict::false_hit), "false hit"},
                               {color_of(RayVerdict::same_hit), "same hit"},
                               {color_of(RayVerdict::background), "background"}}};
        bool tests = config_.show == BezierShow::tests;
        const char* with = config_.eliminates() ? "patches" : "pieces of patches";
        return scale_.read(stream, tests ? std::string("pairs of a camera ray with ") + with
                                         : "steps of the root finder, a camera ray");
    }

    float value(Stream& stream, int x, int y) override {
        return shows_verdicts() ? 0 : scale_.value(stream, x, y);
    }

    std::string text(Stream& stream, int x, int y) override {
        constexpr const char* kVerdicts[] = {"background", "same hit", "false hit", "missed"};
        if (!shows_verdicts()) return "";
        return kVerdicts[scale_.sum(stream, x, y) % std::size(kVerdicts)];
    }

    void share_scale(const FalseColor* other) override {
        leader_ = dynamic_cast<const BezierRenderer*>(other);
    }

    std::vector<FrameCount> counts(Stream& stream) override {
        constexpr const char* kKinds[] = {"primary", "shadow", "reflection"};
        if (counts_.empty() || !(by_elimination_ || counts_work())) return {};
        FrameCounts all = counts_.download(stream)[0];
        std::vector<FrameCount> rows;
        const BezierCounts& c = all.of_camera;
        if (counts_work()) {
            rows.push_back({"primary tests", c.n_tests, c.n_rays});
            rows.push_back({"primary steps", c.n_steps, c.n_rays});
        }
        if (compared_) {
            rows.push_back({"certified tests", c.certified_tests, c.n_rays});
            rows.push_back({"certified steps", c.certified_steps, c.n_rays});
            rows.push_back({"primary hits", c.n_hits});
            rows.push_back({"primary misses", c.n_missed});
            rows.push_back({"primary false hits", c.n_false});
        }
        for (int kind = 0; kind < kRayKinds; ++kind) {
            const KajiyaCounts& k = all.of_kind[kind];
            if (k.n_pairs == 0) continue;
            std::string name = kKinds[kind];
            rows.push_back({name + " pairs", k.n_pairs, k.n_rays});
            rows.push_back({name + " roots", k.n_roots});
            rows.push_back({name + " iterations", k.n_iterations});
            for (int root = 0; root < kResultantDegree && k.n_searched[root] > 0; ++root)
                rows.push_back({.name = name + " real root " + std::to_string(root + 1),
                                .value = k.n_real[root],
                                .n_all = k.n_searched[root]});
        }
        return rows;
    }

  private:
    struct Pass {
        Scratch& scratch;
        StageTimer& timer;
        SceneView scene;
        PicturePart part;
        BezierRays rays{};
        ShadowRays shadows{};           ///< capacity: whole sets
        std::size_t n_shadow_sets = 0;  ///< sets not yet traced
        PicturePlanes planes{};
        View<SearchCounts> work{};  ///< work of the camera rays, as counted by Kajiya's method

        [[nodiscard]] ShadowRays waiting_shadows() const {
            return shadows.sets(part.size, 0, n_shadow_sets);
        }
    };

    [[nodiscard]] bool shows_verdicts() const { return config_.show == BezierShow::misses; }
    /// Whether the newest frame counts the rays' work.
    [[nodiscard]] bool counts_work() const { return compared_ || show_ != BezierShow::picture; }

    /// Shades the hits of the camera rays, and traces reflections.
    void follow(Pass& pass, const BezierFrame& frame) {
        for (int depth = 0;; ++depth) {
            if (depth > 0) find_hits(pass, RayKind::reflection);
            light(pass, frame);
            if (depth == frame.max_depth) break;
            StageTimer::Scope stage(pass.timer, "shade");
            reflect_bezier_rays(pass.scratch.stream(), frame, pass.rays);
        }
        finish_light(pass, frame);
    }

    void take_rays(Pass& pass, bool has_gloss) const {
        std::size_t n = pass.part.size;
        auto& scratch = pass.scratch;
        pass.rays = {scratch.take<PathRay>(n),       scratch.take<Ray>(n),
                     scratch.take<Hit>(n),           scratch.take<vec3>(n),
                     scratch.take<std::uint32_t>(n), scratch.take<float>(has_gloss ? n : 0)};
        if (!counts_work() || !by_elimination_) return;
        auto& stream = scratch.stream();
        pass.work = scratch.take<SearchCounts>(n);
        stream.device().fill_zero(stream, pass.work.data, n * sizeof(SearchCounts));
    }

    static void take_shadow_rays(Pass& pass, const BezierFrame& frame, std::size_t most) {
        std::size_t per_path =
            sets_of_depth(frame) * (static_cast<std::size_t>(frame.max_depth) + 1);
        std::size_t n_sets = std::clamp<std::size_t>(most / pass.part.size, 1, per_path);
        std::size_t n = n_sets * pass.part.size;
        auto& scratch = pass.scratch;
        pass.shadows = {scratch.take<Ray>(n), scratch.take<Hit>(n), scratch.take<vec3>(n)};
    }
    /// Sets of shadow rays per depth; one even without lights, for emission and background.
    static std::uint32_t sets_of_depth(const BezierFrame& frame) {
        return std::max(frame.scene.n_lights, 1u);
    }

    static PicturePlanes make_planes(const FrameContext& context, const CameraRays& camera,
                                     vec2 offset, Extent extent) {
        StageTimer::Scope stage(context.timer, "planes");
        Scratch& scratch = context.scratch;
        PicturePlanes planes;
        planes.columns = scratch.take<glm::dvec3>(static_cast<std::size_t>(extent.width));
        planes.rows = scratch.take<glm::dvec3>(static_cast<std::size_t>(extent.height));
        planes.origin = camera.origin;
        find_picture_planes(scratch.stream(), camera, offset, planes);
        return planes;
    }

    /// Builds the tree over whole patches, with the scene's builder, whenever the scene's tree is
    /// updated.
    void build_patch_tree(const FrameContext& context) {
        if (patch_tree_version_ == context.versions.tree) return;
        LiveScene& live = context.scene;
        Scratch& scratch = context.scratch;
        StageTimer::Scope stage(context.timer, "build patch tree", StageKind::scene);
        patch_boxes_.resize_discard(scratch.stream(), live.description().patch_count());
        find_patch_boxes(scratch.stream(), live.view().tree.patches, patch_boxes_.view());
        bool skips = live.tree_config().layout == TreeLayout::skip;
        patch_tree_.config.layout = skips ? TreeLayout::skip : TreeLayout::bvh2;
        patch_tree_.config.max_leaf_size = 1;
        BuildInput input;
        input.boxes = patch_boxes_.view();
        input.leaf_limit = 1;
        patch_tree_.build(scratch, live.builder(), input);
        patch_tree_version_ = context.versions.tree;
    }

    /// Traces rays: closest hits, or any hits for shadow rays.
    void find_hits(const Pass& pass, RayKind kind) {
        bool any = kind == RayKind::shadow;
        ShadowRays shadows = pass.waiting_shadows();
        View<const Ray> rays = any ? shadows.rays : pass.rays.rays;
        View<Hit> hits = any ? shadows.hits : pass.rays.hits;
        auto& scratch = pass.scratch;
        if (!by_elimination_) {
            constexpr const char* kNames[] = {"primary intersect", "shadow intersect",
                                              "reflection intersect"};
            StageTimer::Scope stage(pass.timer, kNames[static_cast<int>(kind)]);
            if (auto method = piece_method(); method != PieceMethod::certified)
                trace_by_method(scratch, pass.scene.tree, method, rays, hits, any);
            else
                trace_certified(scratch, pass.scene.tree, rays, hits, any);
            return;
        }
        const SceneView& scene = pass.scene;
        if (scene.n_simple() > 0 || scene.tree.instances) {
            StageTimer::Scope stage(pass.timer, "other primitives");
            trace_by_method(scratch, scene.tree, PieceMethod::none, rays, hits, any);
        } else {
            clear_hits(scratch.stream(), hits);
        }
        TreeView nodes = patch_tree_.view(nullptr);
        PatchTree tree{nodes.bvh2, nodes.skip, patch_tree_.order(), scene.tree.patches};
        bool primary = kind == RayKind::primary;
        KajiyaRays job{rays,
                       hits,
                       primary ? &pass.planes : nullptr,
                       kind,
                       primary ? pass.work : View<SearchCounts>{},
                       counts_work()};
        KajiyaCounts* counts = counts_.data()->of_kind + static_cast<int>(kind);
        intersect_by_kajiya(scratch, pass.timer, tree, job, config_.mode == BezierMode::kajiya_real,
                            static_cast<std::size_t>(config_.pair_memory) << 20, {counts, 1});
    }

    /// The method of modes that intersect pieces.
    [[nodiscard]] PieceMethod piece_method() const {
        return config_.mode == BezierMode::newton     ? PieceMethod::newton
               : config_.mode == BezierMode::clipping ? PieceMethod::clipping
                                                      : PieceMethod::certified;
    }

    /// Counts the camera rays' work, and compares their hits with those of the certified method.
    /// The rays are traced once more for this, so that the times of the mode's stages include no
    /// counting.
    void count(const Pass& pass, const Frame& frame, const FilmView& film) {
        StageTimer::Scope stage(pass.timer, "compare");
        auto& scratch = pass.scratch;
        Scratch::Scope scope(scratch);
        std::size_t n = pass.rays.rays.size;
        CountedRays counted{pass.rays.rays, pass.rays.hits, pass.work, {}, {}};
        auto trace = [&](PieceMethod method, View<const Hit>& hits,
                         View<const SearchCounts>& work) {
            auto found = scratch.take<Hit>(n);
            auto took = scratch.take<SearchCounts>(n);
            trace_counted(scratch, pass.scene.tree, method, pass.rays.rays, found, took);
            hits = found;
            work = took;
        };
        if (compared_)
            trace(PieceMethod::certified, counted.certified_hits, counted.certified_work);
        bool certified = config_.mode == BezierMode::certified;
        View<const Hit> same_hits;
        if (certified && compared_)
            counted.work = counted.certified_work;
        else if (!by_elimination_)
            trace(piece_method(), same_hits, counted.work);
        add_bezier_counts(scratch.stream(), counted, {&counts_.data()->of_camera, 1});
        if (show_ != BezierShow::picture)
            add_to_pixels(scratch.stream(), show_, frame.sample, counted, pass.part, film, pixels_);
    }

    /// Adds the radiance at the hits: direct lighting only once the shadow rays are traced.
    void light(Pass& pass, const BezierFrame& frame) {
        for (std::uint32_t k = 0; k < sets_of_depth(frame); ++k) {
            if (pass.waiting_shadows().rays.size == pass.shadows.rays.size)
                finish_light(pass, frame);
            StageTimer::Scope stage(pass.timer, "shade");
            start_bezier_light(pass.scratch.stream(), frame, k, pass.rays,
                               pass.shadows.sets(pass.part.size, pass.n_shadow_sets++, 1));
        }
    }
    /// Traces the collected shadow rays and adds their direct lighting.
    void finish_light(Pass& pass, const BezierFrame& frame) {
        if (frame.shadows) find_hits(pass, RayKind::shadow);
        StageTimer::Scope stage(pass.timer, "shade");
        add_bezier_light(pass.scratch.stream(), pass.rays, pass.waiting_shadows());
        pass.n_shadow_sets = 0;
    }

    BezierConfig config_;
    bool by_elimination_ = false;            ///< in the newest frame
    bool compared_ = false;                  ///< whether the newest frame was compared
    BezierShow show_ = BezierShow::picture;  ///< quantity shown by the newest frame
    View<std::uint32_t> pixels_;             ///< values behind the newest frame's false colours
    HeatScale scale_;
    const BezierRenderer* leader_ = nullptr;  // renderer whose scale this one shares
    // Version of the scene's tree for which patch_tree_ was built.
    std::uint32_t patch_tree_version_ = 0;
    DeviceArray<Box> patch_boxes_;
    Tree patch_tree_;
    DeviceArray<FrameCounts> counts_;
};

}  // namespace

std::unique_ptr<Renderer> make_bezier_renderer() {
    return std::make_unique<BezierRenderer>();
}

TL_DEVICE_END

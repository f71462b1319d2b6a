#include "renderer/scene/live/live_scene.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "renderer/optics/ggx_tables.h"
#include "renderer/scene/instances.h"
#include "renderer/scene/live/kernels/scene_kernels.h"
#include "renderer/scene/live/lights/emissive_surfaces.h"
#include "renderer/scene/live/shading_data.h"

namespace tl {
namespace {

bool have_colors(const std::vector<Sphere>& spheres) {
    return std::ranges::any_of(spheres, [](const Sphere& s) { return s.color != vec3(1); });
}

/// Colours of spheres, then of spherical lights, which are white; empty where all are white.
std::vector<vec3> colors_of(const std::vector<Sphere>& spheres, std::size_t n_with_lights) {
    std::vector<vec3> colors;
    if (!have_colors(spheres)) return colors;
    colors.reserve(n_with_lights);
    for (auto& sphere : spheres) colors.push_back(sphere.color);
    colors.resize(n_with_lights, vec3(1));
    return colors;
}

/// SceneView::sphere_emission; spherical lights, which follow, have none.
std::vector<vec3> own_emission_of(const Scene& scene, std::size_t n_with_lights) {
    std::vector<vec3> emission;
    if (std::ranges::none_of(scene.spheres, [](auto& s) { return s.emission != vec3(0); }))
        return emission;
    emission.reserve(n_with_lights);
    for (auto& s : scene.spheres) {
        vec3 of_material = scene.materials[static_cast<std::size_t>(s.material)].emission;
        emission.push_back(s.emission == vec3(0) ? vec3(0) : s.emission + of_material);
    }
    emission.resize(n_with_lights, vec3(0));
    return emission;
}

/// Counts of the elements that take memory.
struct SceneCounts {
    std::size_t n_vertices = 0;
    std::size_t n_colors = 0;  ///< colours of vertices and spheres
    std::size_t n_moving = 0;  ///< moving vertices, times their frames in the file
    std::size_t n_triangles = 0, n_pieces = 0, n_primitives = 0;

    SceneCounts(const Scene& scene, DeviceKind kind) {
        auto add_moving = [&](const Animation& animation, std::size_t n, std::size_t n_frames) {
            if (animation.kind != AnimationKind::none)
                n_moving += n * std::max<std::size_t>(1, n_frames);
        };
        for (auto& mesh : scene.meshes) {
            bool explodes = mesh.animation.kind == AnimationKind::explode;
            std::size_t n = explodes ? 3 * mesh.triangles.size() : mesh.positions.size();
            n_vertices += n;
            add_moving(mesh.animation, n, mesh.frames.size());
        }
        for (auto& set : scene.patches)
            add_moving(set.animation, set.points.size(), set.frames.size());
        if (std::ranges::any_of(scene.meshes, [](auto& mesh) { return !mesh.colors.empty(); }))
            n_colors = n_vertices;
        if (have_colors(scene.spheres)) n_colors += scene.spheres.size();
        // A light has at most two triangles.
        n_triangles = scene.triangle_count() + 2 * scene.lights.size();
        n_pieces = LivePatches::count_pieces(scene, kind);
        n_primitives = n_triangles + scene.spheres.size() + scene.splats.size() +
                       scene.instances.size() + n_pieces;
    }
};

void check_counts(const SceneCounts& counts) {
    constexpr std::size_t kMaxVertices = UINT32_MAX / 2;
    if (counts.n_vertices > kMaxVertices)
        throw UserError("the scene has " + std::to_string(counts.n_vertices) +
                        " vertices, of at most " + std::to_string(kMaxVertices));
    if (counts.n_primitives <= kMaxPrimitives) return;
    std::string of_patches;
    if (counts.n_pieces > 0)
        of_patches = ", " + std::to_string(counts.n_pieces) + " of them pieces of its patches";
    throw UserError("the scene has " + std::to_string(counts.n_primitives) + " primitives" +
                    of_patches + "; a tree holds at most " + std::to_string(kMaxPrimitives));
}

/// Throws UserError where the copies do not fit into host memory, in which they are prepared, or
/// into device memory.
void require_both(const Device& device, std::size_t host_bytes, std::size_t device_bytes) {
    bool on_host = device.kind() == DeviceKind::cpu;
    auto require = [](const Device& on, std::size_t bytes) {
        require_memory(on, bytes, "the scene", "open a smaller scene or choose another device");
    };
    require(on_host ? device : *devices()[0], host_bytes + (on_host ? device_bytes : 0));
    if (!on_host) require(device, device_bytes);
}

void check_memory(const Scene& scene, const SceneCounts& counts, const Device& device) {
    std::size_t texture_bytes = LiveTextures::bytes_for(scene);
    std::size_t environment_bytes = LiveEnvironment::bytes_for(scene.environment);
    std::size_t both_bytes =
        counts.n_vertices * 32 + counts.n_colors * sizeof(vec3) + counts.n_moving * 24;
    // Copied through the host: vertices 32, triangles 16, patches 292, pieces 32. On the device,
    // per vertex that moves: its rest state 24; per primitive: triangle 16, box 24, gathered 48,
    // node 64, order 4, sort scratch about 32; per instance 256 more.
    std::size_t host_bytes =
        both_bytes + LiveTextures::host_bytes_for(scene) + counts.n_triangles * 16 +
        scene.patch_count() * 292 + counts.n_pieces * sizeof(PatchPiece) +
        scene.splats.size() * (sizeof(SplatData) + sizeof(vec3)) + 2 * environment_bytes;
    std::size_t device_bytes = both_bytes + texture_bytes + counts.n_primitives * 188 +
                               scene.instances.size() * 256 + environment_bytes +
                               LivePatches::bytes_for(scene, counts.n_pieces) +
                               LiveSplats::bytes_for(scene) + LiveGaussians::bytes_for(scene);
    require_both(device, host_bytes, device_bytes);
}

/// Reports the progress of copying a scene to the device.
class CopyProgress {
  public:
    CopyProgress(const ReadProgress& progress, std::size_t bytes)
        : progress_(progress), bytes_(bytes) {
        progress_.report_work(kWork, 0);
    }
    /// Adds copied bytes.
    void add(std::size_t bytes) {
        done_ = std::min(done_ + bytes, bytes_);
        progress_.report_work(kWork, static_cast<double>(done_) / static_cast<double>(bytes_ + 1));
    }
    void end() { progress_.report_work(kWork, 1); }

  private:
    static constexpr const char* kWork = "copying to the device";
    const ReadProgress& progress_;
    std::size_t bytes_, done_ = 0;
};

/// Estimated seconds to build a tree over all boxes, from a timed build over some of them; 0 for
/// short builds.
double expected_seconds(Scratch& scratch, TreeBuilder& builder, const TreeConfig& config,
                        const BuildInput& input) {
    constexpr std::size_t kPart = 32, kFewest = 1 << 11;
    std::size_t n = input.boxes.size / kPart;
    if (n < kFewest) return 0;
    Tree tree;
    tree.config = config;
    BuildInput some = input;
    some.boxes = {input.boxes.data, n};
    scratch.stream().synchronize();
    auto start = std::chrono::steady_clock::now();
    tree.build(scratch, builder, some);
    scratch.stream().synchronize();
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    // Builders sort: time grows as n log n.
    double levels = std::log2(double(input.boxes.size)) / std::log2(double(n));
    return took.count() * kPart * levels;
}

}  // namespace

/// Vertices, triangles and spheres of a scene and of the surfaces of its lights.
struct LiveScene::HostGeometry {
    SceneGeometry geometry;
    std::vector<SphereData> spheres;
    std::uint32_t n_own = 0;                    ///< triangles that are not of instanced meshes
    std::vector<std::uint32_t> first_triangle;  ///< first triangle of each mesh

    HostGeometry(const Scene& scene, const SceneCounts& counts, CopyProgress* copied = nullptr) {
        geometry.reserve(counts.n_vertices + 4 * scene.lights.size(), counts.n_triangles);
        auto add = [&](const Mesh& mesh) {
            geometry.add(mesh);
            if (copied) copied->add(host_bytes(mesh));
        };
        for (auto& mesh : scene.meshes)
            if (!mesh.instanced) add(mesh);
        for (auto& s : scene.spheres) spheres.push_back({s.center, s.radius, s.material});
        auto material = static_cast<std::int32_t>(scene.materials.size());
        for (auto& light : scene.lights) {
            if (light.kind == LightKind::sphere)
                spheres.push_back({light.position, light.radius, material++});
            else if (has_surface(light.kind))
                geometry.add_rectangle(light, material++);
        }
        n_own = static_cast<std::uint32_t>(geometry.triangles.size());
        for (auto& mesh : scene.meshes) {
            first_triangle.push_back(static_cast<std::uint32_t>(geometry.triangles.size()));
            if (mesh.instanced) add(mesh);
        }
    }
    /// Bytes of a mesh's vertices and triangles.
    static std::size_t host_bytes(const Mesh& mesh) {
        return mesh.positions.size() * 32 + mesh.triangles.size() * 16;
    }
    /// Bytes of all meshes.
    [[nodiscard]] std::size_t bytes() const {
        return geometry.positions.size() * 32 + geometry.triangles.size() * 16;
    }
};

LiveScene::LiveScene(Stream& stream, std::shared_ptr<const Scene> scene,
                     const ReadProgress& progress)
    : scene_(std::move(scene)) {
    check_instances(*scene_);
    SceneCounts counts(*scene_, stream.device().kind());
    check_counts(counts);
    check_memory(*scene_, counts, stream.device());

    std::size_t geometry_bytes = counts.n_vertices * 32 + counts.n_triangles * 16;
    std::size_t texture_bytes = LiveTextures::bytes_for(*scene_);
    std::size_t other_bytes = LiveEnvironment::bytes_for(scene_->environment) +
                              LiveSplats::bytes_for(*scene_) + LiveGaussians::bytes_for(*scene_) +
                              LivePatches::bytes_for(*scene_, counts.n_pieces);
    CopyProgress copied(progress, 2 * geometry_bytes + texture_bytes + other_bytes);
    HostGeometry host(*scene_, counts, &copied);
    EmissiveSurfaces emissive(*scene_, host.geometry, host.first_triangle, host.n_own);
    auto& geometry = host.geometry;
    n_triangles_ = host.n_own;
    trees_.newest().positions.assign(stream, geometry.positions);
    trees_.newest().normals.assign(stream, geometry.normals);
    animator_.set(stream, std::move(geometry.moving), geometry.positions, geometry.normals);
    uvs_.assign(stream, geometry.uvs);
    colors_.assign(stream, geometry.colors);
    sphere_colors_.assign(stream, colors_of(scene_->spheres, host.spheres.size()));
    triangles_.assign(stream, geometry.triangles);
    triangle_materials_.assign(stream, geometry.materials);
    spheres_.assign(stream, host.spheres);
    copied.add(host.bytes());
    environment_ = LiveEnvironment(stream, scene_->environment);
    splats_ = LiveSplats(stream, *scene_);
    auto n_lights = static_cast<std::int32_t>(set_shading(stream, emissive));
    for (auto& light : emissive.of_instance)
        if (light >= 0) light += n_lights;
    instances_ = LiveInstances(stream, *scene_, host.first_triangle, emissive.of_instance);
    textures_ = LiveTextures(stream, *scene_);
    copied.add(texture_bytes);
    patches_ = LivePatches(stream, *scene_);
    gaussians_ = LiveGaussians(stream, *scene_);
    n_primitives_ = static_cast<std::uint32_t>(n_triangles_ + spheres_.size() + splats_.size() +
                                               patches_.size() + instances_.size());
    boxes_.resize_discard(stream, n_primitives_);
    copied.end();
}

std::size_t LiveScene::set_shading(Stream& stream, EmissiveSurfaces& emissive) {
    emissive.splats = splats_.set_emission(stream, *scene_);
    sphere_emission_.assign(stream, own_emission_of(*scene_, spheres_.size()));
    auto [materials, layers, media, lights, material_lights] = shading_data(*scene_);
    if (environment_.shines()) {
        LightData light{};
        light.kind = LightKind::environment;
        light.environment = environment_.data();
        lights.push_back(light);
    }
    media_.assign(stream, media);
    layers_.assign(stream, layers);
    if (std::ranges::any_of(materials,
                            [](const MaterialData& m) { return m.alpha > 0 || m.layers >= 0; }))
        ggx_.assign(stream, std::span(&ggx_tables(), 1));
    else
        ggx_ = {};
    materials_.assign(stream, materials);
    bounds_at_rest_ = bounds_of(*scene_);
    medium_boxes_ = MediumBoxes(*scene_);
    vec3 background = environment_.data() ? vec3(0) : scene_->background;
    glows_ =
        background != vec3(0) || environment_.shines() || splats_.emit() ||
        !sphere_emission_.empty() ||
        std::ranges::any_of(materials, [](const MaterialData& m) { return m.emission != vec3(0); });
    std::size_t n_lights = lights.size();
    lights_ =
        LiveLights(stream, std::move(lights), material_lights, emissive, spheres_.size(),
                   {bounds_at_rest_, environment_.fluence(), background, scene_->default_lights});
    return n_lights;
}

void LiveScene::refresh_shading(Stream& stream, bool environment) {
    bool glows = has_emission(*scene_);
    SceneCounts counts(*scene_, stream.device().kind());
    // Emissive surfaces need the geometry on the host once more.
    std::size_t host_bytes = glows ? counts.n_vertices * 32 + counts.n_triangles * 16 : 0;
    std::size_t map_bytes = environment ? LiveEnvironment::bytes_for(scene_->environment) : 0;
    // The old map is freed first, so that memory holds one of them.
    std::size_t more_bytes = map_bytes - std::min(map_bytes, environment_.bytes());
    require_both(stream.device(), host_bytes + 2 * map_bytes, more_bytes);
    if (environment) {
        environment_ = {};
        environment_ = LiveEnvironment(stream, scene_->environment);
    }
    if (glows) {
        HostGeometry host(*scene_, counts);
        EmissiveSurfaces emissive(*scene_, host.geometry, host.first_triangle, host.n_own);
        (void)set_shading(stream, emissive);
    } else {
        EmissiveSurfaces splats_alone(*scene_, {}, {}, 0);
        (void)set_shading(stream, splats_alone);
    }
    if (lights_.move()) updated_phase_ = -1;  // new lights must be moved to the current time
}

bool LiveScene::can_build_ahead(const Device& device) const {
    bool rebuilds = policy_on(device, config_.update) == UpdatePolicy::rebuild;
    return config_.build_ahead && rebuilds && !tree().header().empty() && instances_.empty() &&
           patches_.empty() && gaussians_.empty() && !lights_.move();
}

void LiveScene::update(Scratch& scratch, StageTimer& timer, float time,
                       const ReadProgress& progress) {
    auto& stream = scratch.stream();
    auto& [positions, normals, primitives, tree] = trees_.newest();
    tree.config = config_;
    double phase = phase_of(time, scene_->duration);
    // The other copy may be at another time than the newest one.
    bool moved = phase != updated_phase_ || trees_.taking_turns();
    gaussians_.update(scratch, *builder_, config_, timer);
    update_kind_ = tree.next_update(stream, *builder_, n_primitives_, moved);
    if (update_kind_ == UpdateKind::none) return;
    updated_phase_ = phase;
    if (!animator_.empty()) {
        StageTimer::Scope stage(timer, "animate", StageKind::scene);
        animator_.run(stream, phase, scene_->duration, positions.view(), normals.view());
    }
    if (!patches_.empty()) {
        StageTimer::Scope stage(timer, "patches", StageKind::scene);
        patches_.update(stream, phase, scene_->duration);
    }
    if (instances_.trees_are_stale(config_)) {
        StageTimer::Scope stage(timer, "build instanced trees", StageKind::scene);
        instances_.build_trees(scratch, *builder_, config_, view(), progress);
    }
    if (!instances_.empty()) {
        StageTimer::Scope stage(timer, "instance boxes", StageKind::scene);
        instances_.update(stream, static_cast<float>(phase),
                          {boxes_.data() + n_own(), instances_.size()});
    }
    if (lights_.move()) {
        StageTimer::Scope stage(timer, "move lights", StageKind::scene);
        lights_.update(stream, view());
    }
    if (update_kind_ == UpdateKind::refit)
        refit_tree(scratch, timer);
    else
        build_tree(scratch, timer, progress);
}

void LiveScene::build_tree(Scratch& scratch, StageTimer& timer, const ReadProgress& progress) {
    auto& now = trees_.newest();
    update_boxes(scratch.stream(), timer);
    {
        StageTimer::Scope stage(timer, "build tree", StageKind::build);
        BuildInput input;
        input.boxes = boxes_.view();
        input.triangles = {now.positions.data(), triangles_.data(), n_triangles_};
        input.has_instances = !instances_.empty();
        // Entering an instance costs several node visits, and a leaf of two enters both.
        if (instances_.size() > n_own()) input.leaf_limit = 1;
        // The intersection test of a patch is costly, too.
        if (2 * patches_.size() > n_own()) input.leaf_limit = 1;
        if (progress.wants_estimates())
            progress.report_estimate("building the tree",
                                     expected_seconds(scratch, *builder_, config_, input));
        now.tree.build(scratch, *builder_, input);
    }
    try {
        gather(scratch.stream(), timer);
    } catch (...) {
        now.tree.invalidate();  // it has no primitives
        throw;
    }
}

void LiveScene::refit_tree(Scratch& scratch, StageTimer& timer) {
    auto& stream = scratch.stream();
    auto& [positions, normals, primitives, tree] = trees_.newest();
    StageTimer::Scope stage(timer, "refit tree", StageKind::refit);
    TL_DISPATCH(stream.device(), refit_and_gather(stream, view(), boxes_.view(), tree.refit_view(),
                                                  tree.order(), primitives.view()));
    tree.finish_refit(scratch);
    tree.take_primitives(primitives.view());
}

void LiveScene::update_boxes(Stream& stream, StageTimer& timer) {
    StageTimer::Scope stage(timer, "boxes", StageKind::scene);
    TL_DISPATCH(stream.device(), primitive_boxes(stream, view(), {boxes_.data(), n_own()}));
}

void LiveScene::gather(Stream& stream, StageTimer& timer) {
    StageTimer::Scope stage(timer, "gather primitives", StageKind::scene);
    auto& [positions, normals, primitives, tree] = trees_.newest();
    primitives.resize_discard(stream, tree.order().size);
    TL_DISPATCH(stream.device(),
                gather_primitives(stream, view(), tree.order(), tree.header(), primitives.view()));
    tree.take_primitives(primitives.view());
}

SceneView LiveScene::view() const {
    SceneView v;
    auto& now = trees_.newest();
    v.tree = now.tree.view(now.primitives.data());
    v.positions = now.positions.data();
    v.normals = now.normals.data();
    v.uvs = uvs_.data();
    v.colors = colors_.data();
    v.triangles = triangles_.data();
    v.triangle_materials = triangle_materials_.data();
    v.n_triangles = n_triangles_;
    v.n_spheres = static_cast<std::uint32_t>(spheres_.size());
    v.spheres = spheres_.data();
    v.sphere_colors = sphere_colors_.data();
    v.sphere_emission = sphere_emission_.data();
    splats_.show(v);
    v.materials = materials_.data();
    v.layers = layers_.data();
    v.media = media_.data();
    v.has_glass = v.glass_passes_light = media_.size() > 1;
    v.media_matter = !medium_boxes_.empty();
    v.camera_media = camera_media_;
    v.ggx = ggx_.data();
    lights_.show(v);
    v.has_visible_light = glows_;
    textures_.show(v);
    v.background = scene_->background;
    v.environment = environment_.data();
    patches_.show(v);
    v.gaussians = gaussians_.view();
    instances_.show(v);
    return v;
}

std::size_t LiveScene::bytes() const {
    return trees_.bytes() + uvs_.bytes() + colors_.bytes() + sphere_colors_.bytes() +
           triangles_.bytes() + triangle_materials_.bytes() + spheres_.bytes() +
           materials_.bytes() + layers_.bytes() + media_.bytes() + ggx_.bytes() + lights_.bytes() +
           textures_.bytes() + boxes_.bytes() + environment_.bytes() + animator_.bytes() +
           instances_.bytes() + splats_.bytes() + patches_.bytes() + gaussians_.bytes() +
           sphere_emission_.bytes();
}

}  // namespace tl

// Splats: hits are those of a test in double precision, in every layout. Overlapping discs form one
// smooth surface, which lets no ray through and casts no shadow on itself.
#include "accel/bvh/traversal/any_tracer.h"
#include "accel/bvh/traversal/trace_rays.h"
#include "core/device/parallel_for.h"
#include "renderer/scene/live/live_scene.h"
#include "renderer/shading/surface.h"
#include "tests/device_test.h"
#include "tests/unit/splats/splat_scenes.h"

namespace tl::TL_DEVICE_NAME {
namespace {

using glm::dvec3;
using test::random_direction;

/// A scene's tree on the device of a test.
struct Ready {
    LiveScene live;

    Ready(Device& device, Stream& stream, Scratch& scratch, Scene scene,
          TreeLayout layout = TreeLayout::automatic, bool robust = false,
          const char* builder = "hploc")
        : live(stream, std::make_shared<Scene>(std::move(scene))) {
        live.tree_config().layout = layout;
        live.tree_config().robust = robust;
        live.set_builder(make_tree_builder(builder, device));
        StageTimer timer(stream);
        live.update(scratch, timer);
    }
};

Scene scene_of(std::vector<Splat> splats) {
    Scene scene;
    scene.materials.emplace_back();
    scene.splats = std::move(splats);
    return scene;
}

/// Rays through the cube of loose splats; every fourth grazes the disc of a splat, at an angle
/// down to a ten-thousandth.
std::vector<Ray> rays_at(const std::vector<Splat>& splats, std::size_t n) {
    std::mt19937 engine(5);
    std::uniform_real_distribution<float> unit(-1, 1);
    std::vector<Ray> rays(n);
    for (std::size_t i = 0; i < n; ++i) {
        Ray& ray = rays[i];
        ray.origin = 3.0f * random_direction(engine);
        float x = unit(engine), y = unit(engine), z = unit(engine);
        ray.direction = vec3(x, y, z) - ray.origin;
        if (i % 4 == 0) {
            auto& s = splats[i % splats.size()];
            vec3 along = glm::normalize(glm::cross(s.normal, random_direction(engine)));
            float angle = std::pow(10.0f, -1 - 3 * std::abs(unit(engine)));
            ray.direction = along + angle * s.normal;
            ray.origin = s.center + 0.7f * s.radius * unit(engine) * along - 2.0f * ray.direction;
        }
        if (i % 7 == 0) ray.direction *= 0.01f;
        if (i % 5 == 0) ray.t_max = 1;
    }
    return rays;
}

/// Closest hit in double precision, and whether rounding decides it: the ray passes near a disc's
/// rim, or one of its ends lies near a disc.
struct TrueHit {
    double t = std::numeric_limits<double>::infinity();
    double slack = 0;  ///< error of t due to rounding of the input
    bool is_doubtful = false;
};

TrueHit true_hit(const std::vector<Splat>& splats, const Ray& ray) {
    constexpr double kRounding = 0x1p-21;  // a few roundings of floats
    TrueHit best;
    dvec3 origin(ray.origin), d(ray.direction);
    for (auto& s : splats) {
        dvec3 f = origin - dvec3(s.center), normal(s.normal);
        double cosine = glm::dot(normal, d);
        if (cosine == 0) continue;
        double t = -glm::dot(normal, f) / cosine;
        double slack = kRounding * (glm::length(f) + 1) / std::abs(cosine);
        double distance = glm::length(f + t * d);
        double moved = slack * glm::length(d) + kRounding;
        if (distance > s.radius + moved || t < ray.t_min - slack || t > ray.t_max + slack) continue;
        bool is_sure =
            distance < s.radius - moved && t > ray.t_min + slack && t < ray.t_max - slack;
        if (!is_sure) {
            best.is_doubtful = best.is_doubtful || t - slack < best.t;
        } else if (t < best.t) {
            best.t = t;
            best.slack = slack;
        }
    }
    return best;
}

void check_hits(Device& device, Stream& stream, Scratch& scratch, TreeLayout layout, bool robust,
                const char* builder) {
    SCOPED_TRACE(::testing::Message()
                 << builder << " layout " << static_cast<int>(layout) << " robust " << robust);
    auto splats = test::loose_splats(700, 0.3f);
    auto rays = rays_at(splats, 3000);
    Ready ready(device, stream, scratch, scene_of(splats), layout, robust, builder);
    DeviceArray<Ray> in(stream, std::span<const Ray>(rays));
    DeviceArray<Hit> out(stream, rays.size());
    DeviceArray<std::uint8_t> any(stream, rays.size());
    TreeView tree = ready.live.view().tree;
    trace_closest(scratch, "closest", tree, in.view(), {out.view(), {}, {}});
    trace_any(scratch, "any", tree, in.view(), {{}, {}, any.view()});
    auto hits = out.download(stream);
    auto found = any.download(stream);
    std::size_t n_hits = 0, n_doubtful = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        TrueHit expected = true_hit(splats, rays[i]);
        EXPECT_EQ(found[i], hits[i].found()) << i;
        n_doubtful += expected.is_doubtful;
        if (expected.is_doubtful) continue;
        ASSERT_EQ(hits[i].found(), std::isfinite(expected.t)) << i;
        if (!hits[i].found()) continue;
        ++n_hits;
        EXPECT_NEAR(hits[i].t, expected.t, 2 * expected.slack) << i;
    }
    EXPECT_GT(n_hits, rays.size() / 4);
    EXPECT_LT(n_doubtful, rays.size() / 50);
}

/// First surface that a ray hits.
struct Seen {
    PrimitiveKind kind;
    vec3 position, normal, color;
    std::uint32_t found;
    /// Whether a shadow ray from there to a distant light along `to_light` is occluded
    std::uint32_t is_shadowed;
};

struct Look {
    Stream& stream;
    SceneView scene;
    View<const Ray> rays;
    vec3 to_light;
    View<Seen> seen;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        SceneView given = scene;
        auto in = rays;
        auto out = seen;
        vec3 light = to_light;
        parallel_for(
            stream, "look", static_cast<std::uint32_t>(rays.size), TL_LAMBDA(std::uint32_t i) {
                SceneView view = seen_by<Tracer>(given);
                Seen s{};
                Ray ray = in[i];
                Hit hit = tracer.closest(ray);
                s.found = hit.found();
                if (hit.found()) {
                    Surface surface = surface_at(view, ray, hit);
                    s.kind = kind_of(view, hit);
                    s.position = surface.position;
                    s.normal = surface.normal;
                    s.color = albedo_of(view, surface, hit, 0);
                    bool inside = fused_dot(surface.geometric_normal, ray.direction) > 0;
                    vec3 side = inside ? -surface.geometric_normal : surface.geometric_normal;
                    Ray shadow;
                    shadow.origin = start_of_rays(surface, surface.position, side);
                    shadow.direction = light;
                    s.is_shadowed = tracer.occluded(shadow);
                }
                out[i] = s;
            });
    }
};

std::vector<Seen> look(Stream& stream, const Ready& ready, const std::vector<Ray>& rays,
                       vec3 to_light) {
    DeviceArray<Ray> in(stream, std::span<const Ray>(rays));
    DeviceArray<Seen> out(stream, rays.size());
    SceneView view = ready.live.view();
    visit_any_tracer(view.tree, Look{stream, view, in.view(), to_light, out.view()});
    return out.download(stream);
}

/// Rays from all around towards points within `radius` of the origin.
std::vector<Ray> rays_from_outside(std::size_t n, float radius) {
    std::mt19937 engine(9);
    std::uniform_real_distribution<float> unit(0, 1);
    std::vector<Ray> rays(n);
    for (auto& ray : rays) {
        ray.origin = 4.0f * random_direction(engine);
        vec3 across = glm::normalize(glm::cross(ray.origin, random_direction(engine)));
        ray.direction = glm::normalize(radius * std::sqrt(unit(engine)) * across - ray.origin);
    }
    return rays;
}

double degrees_between(vec3 a, vec3 b) {
    dvec3 x(a), y(b);
    return glm::degrees(std::atan2(glm::length(glm::cross(x, y)), glm::dot(x, y)));
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Splats, HitsAreTheTrueOnesInEveryLayout) {
    for (auto layout : {TreeLayout::bvh2, TreeLayout::skip, TreeLayout::bvh4, TreeLayout::simd8})
        for (bool robust : {false, true})
            check_hits(device, stream, scratch, layout, robust, "hploc");
}

TL_DEVICE_TEST(Splats, HitsAreTheTrueOnesWithEveryBuilder) {
    for (auto& row : tree_builders())
        if (device.kind() == DeviceKind::cpu ? row.make_cpu : row.make_cuda)
            check_hits(device, stream, scratch, TreeLayout::automatic, false, row.id.c_str());
}

TL_DEVICE_TEST(Splats, ACloudOnASphereIsASmoothSphere) {
    Scene scene = scene_of(test::splat_sphere(20'000, 0));
    float radius = median_radius(scene.splats);
    Ready ready(device, stream, scratch, std::move(scene));
    // Up to 0.995 of the sphere's radius, where normals are 84 degrees off the ray.
    auto rays = rays_from_outside(20'000, 0.995f);
    double worst = 0, sum = 0, off = 0;
    for (auto& s : look(stream, ready, rays, vec3(0, 1, 0))) {
        ASSERT_TRUE(s.found);
        EXPECT_EQ(s.kind, PrimitiveKind::splat);
        double angle = degrees_between(s.normal, s.position);
        worst = std::max(worst, angle);
        sum += angle;
        off = std::max(off, std::abs(double{glm::length(s.position)} - 1));
    }
    std::printf("normals off by %.4f degrees on average, at most %.4f; places by %.2e at most\n",
                sum / double(rays.size()), worst, off);
    EXPECT_LT(worst, 1);
    EXPECT_LT(sum / double(rays.size()), 0.1);
    // A disc's rim lies half its radius squared above the sphere, the largest are twice the median.
    EXPECT_LT(off, 2 * radius * radius);
}

TL_DEVICE_TEST(Splats, NoRayPassesBetweenThem) {
    Ready ready(device, stream, scratch, scene_of(test::splat_sphere(20'000, 0)));
    std::mt19937 engine(3);
    std::vector<Ray> rays(100'000);
    for (auto& ray : rays) {
        ray.origin = 0.7f * random_direction(engine);
        ray.direction = random_direction(engine);
    }
    DeviceArray<Ray> in(stream, std::span<const Ray>(rays));
    DeviceArray<std::uint8_t> any(stream, rays.size());
    trace_any(scratch, "any", ready.live.view().tree, in.view(), {{}, {}, any.view()});
    std::size_t n_leaks = 0;
    for (auto found : any.download(stream)) n_leaks += !found;
    // About 6e-6 of a surface of random points is open (docs/algorithms/splats.md).
    EXPECT_LE(n_leaks, 3u);
}

TL_DEVICE_TEST(Splats, ASurfaceCastsNoShadowOnItself) {
    // Few and thus large discs tilt the most against each other.
    for (std::size_t n : {1'000, 3'000, 20'000}) {
        Ready ready(device, stream, scratch, scene_of(test::splat_sphere(n, 0)));
        vec3 light = glm::normalize(vec3(1, 2, -3));
        auto rays = rays_from_outside(20'000, 0.99f);
        std::size_t n_lit = 0, n_dark = 0, n_blocked = 0;
        for (auto& s : look(stream, ready, rays, light)) {
            float cosine = glm::dot(s.normal, light);
            n_lit += cosine > 0;
            n_dark += cosine > 0 && s.is_shadowed;
            // Rays start above the sphere, at a height relative to its radius that lets them see a
            // little over the horizon.
            if (cosine < -0.5f) {
                EXPECT_TRUE(s.is_shadowed);
                ++n_blocked;
            }
        }
        EXPECT_GT(n_lit, rays.size() / 3);
        EXPECT_GT(n_blocked, rays.size() / 10);
        std::printf("%zu splats: %zu of %zu lit places are dark\n", n, n_dark, n_lit);
        // Dark points lie where a disc is far larger than its neighbours. Its rim is so far off the
        // sphere that it is on none of their lists.
        EXPECT_LE(n_dark, n_lit / (n > 1'000 ? 5'000 : 500)) << n;
    }
}

TL_DEVICE_TEST(Splats, PointsMayScatterAboutTheirSurface) {
    // The standard deviation is a fifteenth of the discs' radius.
    Scene scene = scene_of(test::splat_sphere(20'000, 0));
    float noise = median_radius(scene.splats) / 15;
    std::mt19937 engine(12);
    std::normal_distribution<float> normal;
    for (auto& splat : scene.splats) splat.center *= 1 + noise * normal(engine);
    Ready ready(device, stream, scratch, std::move(scene));
    vec3 light = glm::normalize(vec3(1, 2, -3));
    auto rays = rays_from_outside(20'000, 0.95f);
    std::size_t n_lit = 0, n_dark = 0;
    double off = 0;
    for (auto& s : look(stream, ready, rays, light)) {
        off += std::abs(double{glm::length(s.position)} - 1);
        // At the horizon, bumps do cast shadows.
        if (glm::dot(s.normal, light) < 0.2f) continue;
        ++n_lit;
        n_dark += s.is_shadowed;
    }
    std::printf("%zu of %zu lit places are dark, off by %.2f of the noise on average\n", n_dark,
                n_lit, off / double(rays.size()) / double{noise});
    EXPECT_LE(n_dark, n_lit / 1'000);
    // The mean of several discs is nearer to the surface than one of them, 0.8 standard deviations.
    EXPECT_LT(off / double(rays.size()), 0.7 * double{noise});
}

TL_DEVICE_TEST(Splats, ColorsAreBlended) {
    Scene scene = scene_of(test::splat_sphere(5'000, 0));
    scene.materials[0].diffuse = vec3(1);
    for (auto& splat : scene.splats) splat.color = 0.5f + 0.4f * splat.center;
    float largest = std::ranges::max(scene.splats, {}, &Splat::radius).radius;
    Ready ready(device, stream, scratch, std::move(scene));
    double sum = 0;
    auto seen = look(stream, ready, rays_from_outside(5'000, 0.9f), vec3(0, 1, 0));
    for (auto& s : seen) {
        // A disc's colour is that of its centre, up to a radius away.
        float off = glm::length(s.color - 0.5f - 0.4f * s.position);
        ASSERT_LT(off, 0.4f * largest);
        sum += off;
    }
    // But several are blended, whose centres lie on all sides.
    EXPECT_LT(sum / double(seen.size()), 0.2f * 0.4f * largest);
}

TL_DEVICE_TEST(Splats, TheTwoSidesOfASheetStayApart) {
    // A thin plate, whose upper points are red and whose lower ones are blue.
    Scene scene;
    scene.materials.emplace_back().diffuse = vec3(1);
    std::mt19937 engine(4);
    std::uniform_real_distribution<float> unit(-1, 1);
    for (int i = 0; i < 4'000; ++i) {
        bool up = i % 2;
        float x = unit(engine), z = unit(engine);
        scene.splats.push_back({.center = {x, up ? 0.01f : -0.01f, z},
                                .normal = {0, up ? 1 : -1, 0},
                                .color = up ? vec3(1, 0, 0) : vec3(0, 0, 1)});
    }
    close_surface(scene.splats);
    Ready ready(device, stream, scratch, std::move(scene));
    std::vector<Ray> rays(2'000);
    for (std::size_t i = 0; i < rays.size(); ++i) {
        float x = 0.8f * unit(engine), z = 0.8f * unit(engine);
        rays[i].origin = vec3(x, i % 2 ? 1 : -1, z);
        rays[i].direction = vec3(0, i % 2 ? -1 : 1, 0);
    }
    auto seen = look(stream, ready, rays, vec3(0, 1, 0));
    for (std::size_t i = 0; i < seen.size(); ++i) {
        ASSERT_TRUE(seen[i].found);
        EXPECT_NEAR(seen[i].normal.y, i % 2 ? 1 : -1, 1e-5f);
        EXPECT_NEAR(seen[i].color.r, i % 2 ? 1 : 0, 1e-4f);
        EXPECT_NEAR(seen[i].position.y, i % 2 ? 0.01f : -0.01f, 1e-6f);
        // Upwards nothing is in the way of the upper side, and the plate is in that of the lower.
        EXPECT_EQ(seen[i].is_shadowed, i % 2 ? 0u : 1u);
    }
}

TL_DEVICE_TEST(Splats, AllKindsOfPrimitivesAreKnownBesideThem) {
    // In a row along x: a triangle, an instance, a sphere, a splat and a patch.
    Scene scene;
    for (int i = 0; i < 5; ++i) scene.materials.emplace_back().diffuse = vec3(0.1f * float(i + 1));
    auto triangle = [](float x, std::int32_t material) {
        Mesh mesh;
        mesh.positions = {{x - 1, 0, -1}, {x, 0, 2}, {x + 1, 0, -1}};
        mesh.triangles = {{0, 1, 2}};
        mesh.material_of_triangle = {material};
        return mesh;
    };
    scene.meshes = {triangle(0, 0), triangle(0, 1)};
    scene.meshes[1].instanced = true;
    Instance instance{.mesh = 1};
    instance.transform[3] = vec4(4, 0, 0, 1);
    scene.instances = {instance};
    scene.spheres = {{{8, -1, 0}, 1, 2}};
    scene.splats = {{.center = {12, 0, 0}, .normal = {0, 1, 0}, .material = 3}};
    PatchSet set;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            set.points.emplace_back(15 + float(j) * 2 / 3, 0, -1 + float(i) * 2 / 3);
    set.material_of_patch = {4};
    constexpr PrimitiveKind kKinds[] = {PrimitiveKind::triangle, PrimitiveKind::instance,
                                        PrimitiveKind::sphere, PrimitiveKind::splat,
                                        PrimitiveKind::patch};
    std::vector<Ray> rays(5);
    for (std::size_t i = 0; i < 5; ++i) {
        rays[i].origin = vec3(4 * float(i), 3, 0);
        rays[i].direction = vec3(0, -1, 0);
    }
    for (bool with_patch : {false, true})
        for (bool with_instance : {false, true}) {
            Scene part = scene;
            if (with_patch) part.patches = {set};
            if (!with_instance) part.instances.clear();
            Ready ready(device, stream, scratch, std::move(part));
            auto seen = look(stream, ready, rays, vec3(0, 1, 0));
            for (std::size_t i = 0; i < 5; ++i) {
                bool is_there = (i != 1 || with_instance) && (i != 4 || with_patch);
                ASSERT_EQ(seen[i].found, is_there ? 1u : 0u) << i;
                if (!is_there) continue;
                EXPECT_EQ(seen[i].kind, kKinds[i]) << i;
                EXPECT_FLOAT_EQ(seen[i].color.g, 0.1f * float(i + 1)) << i;
                EXPECT_NEAR(seen[i].position.y, 0, 1e-6f) << i;
            }
        }
}

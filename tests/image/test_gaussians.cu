// Gaussians along rays against sums in double precision over all of them, sorted. Pictures show
// them before and behind surfaces, in mirrors, and as shadows.
#include <algorithm>
#include <glm/gtc/packing.hpp>
#include <map>
#include <random>

#include "renderer/path/gaussians/gaussian_pass.h"
#include "renderer/scene/live/live_gaussians.h"
#include "session/session.h"
#include "tests/device_test.h"
#include "tests/long_test.h"

namespace tl::TL_DEVICE_NAME {
namespace {

/// The coefficient that makes a colour of degree 0, in display sRGB.
std::uint16_t flat(float shown) {
    return glm::packHalf1x16((shown - 0.5f) / 0.28209479f);
}

void add_flat(GaussianSet& set, vec3 center, vec3 deviations, vec4 quaternion, float opacity,
              vec3 shown) {
    set.centers.push_back(center);
    set.covariances.push_back(GaussianCovariance::of(deviations, quaternion));
    set.opacities.push_back(opacity);
    for (int c = 0; c < 3; ++c) set.harmonics.push_back(flat(shown[c]));
}

/// `n` Gaussians in a cube about the origin, of all shapes, each of one colour or of harmonics of
/// degree 3.
GaussianSet random_set(int n, unsigned seed, int degree) {
    GaussianSet set;
    set.degree = degree;
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> place(-1, 1), unit(0, 1);
    std::normal_distribution<float> normal;
    for (int i = 0; i < n; ++i) {
        vec3 deviations;
        for (int k = 0; k < 3; ++k) deviations[k] = 0.2f * std::pow(10.0f, -1.5f * unit(engine));
        vec4 quaternion(normal(engine), normal(engine), normal(engine), normal(engine));
        set.centers.emplace_back(place(engine), place(engine), place(engine));
        set.covariances.push_back(GaussianCovariance::of(deviations, quaternion));
        set.opacities.push_back(0.02f + 0.97f * unit(engine));
        for (int k = 0; k < 3 * (degree + 1) * (degree + 1); ++k)
            set.harmonics.push_back(glm::packHalf1x16(normal(engine) * 0.3f));
    }
    return set;
}

struct Seen {
    glm::dvec3 radiance{0};
    double left = 1;
};

/// The associated Legendre functions' products of the real harmonics, from their definition as
/// polynomials, in double.
double harmonic(int k, glm::dvec3 d) {
    double x = d.x, y = d.y, z = d.z;
    const double pi = M_PI;
    switch (k) {
        case 0:
            return std::sqrt(1 / pi) / 2;
        case 1:
            return -std::sqrt(3 / (4 * pi)) * y;
        case 2:
            return std::sqrt(3 / (4 * pi)) * z;
        case 3:
            return -std::sqrt(3 / (4 * pi)) * x;
        case 4:
            return std::sqrt(15 / pi) / 2 * x * y;
        case 5:
            return -std::sqrt(15 / pi) / 2 * y * z;
        case 6:
            return std::sqrt(5 / pi) / 4 * (3 * z * z - 1);
        case 7:
            return -std::sqrt(15 / pi) / 2 * x * z;
        case 8:
            return std::sqrt(15 / pi) / 4 * (x * x - y * y);
        case 9:
            return -std::sqrt(35 / (2 * pi)) / 4 * y * (3 * x * x - y * y);
        case 10:
            return std::sqrt(105 / pi) / 2 * x * y * z;
        case 11:
            return -std::sqrt(21 / (2 * pi)) / 4 * y * (5 * z * z - 1);
        case 12:
            return std::sqrt(7 / pi) / 4 * z * (5 * z * z - 3);
        case 13:
            return -std::sqrt(21 / (2 * pi)) / 4 * x * (5 * z * z - 1);
        case 14:
            return std::sqrt(105 / pi) / 4 * z * (x * x - y * y);
        default:
            return -std::sqrt(35 / (2 * pi)) / 4 * x * (x * x - 3 * y * y);
    }
}

/// Radiance and transmittance along a ray by compositing all Gaussians in the order of their peaks.
Seen seen_of(const GaussianSet& set, glm::dvec3 origin, glm::dvec3 direction, double t_max) {
    struct Peak {
        double t, opacity;
        std::size_t number;
    };
    std::vector<Peak> peaks;
    for (std::size_t i = 0; i < set.size(); ++i) {
        auto& c = set.covariances[i];
        glm::dmat3 precision =
            glm::inverse(glm::dmat3(c.xx, c.xy, c.xz, c.xy, c.yy, c.yz, c.xz, c.yz, c.zz));
        glm::dvec3 f = origin - glm::dvec3(set.centers[i]);
        double t = -glm::dot(direction, precision * f) / glm::dot(direction, precision * direction);
        glm::dvec3 at = f + t * direction;
        double opacity = double(set.opacities[i]) * std::exp(-0.5 * glm::dot(at, precision * at));
        if (opacity >= double(kFaintest) && t > 0 && t < t_max) peaks.push_back({t, opacity, i});
    }
    std::ranges::sort(peaks, {}, &Peak::t);
    Seen seen;
    int n = (set.degree + 1) * (set.degree + 1);
    for (auto& [t, opacity, number] : peaks) {
        opacity = std::min(opacity, double(kMostOpaque));
        for (int c = 0; c < 3; ++c) {
            double shown = 0.5;
            for (int k = 0; k < n; ++k)
                shown += harmonic(k, glm::normalize(direction)) *
                         double(glm::unpackHalf1x16(
                             set.harmonics[number * 3 * std::size_t(n) + std::size_t(c * n + k)]));
            shown = std::max(shown, 0.0);
            double linear =
                shown <= 0.04045 ? shown / 12.92 : std::pow((shown + 0.055) / 1.055, 2.4);
            seen.radiance[c] += seen.left * opacity * linear;
        }
        seen.left *= 1 - opacity;
    }
    return seen;
}

/// A set on a device, with its tree by some builder.
struct LiveSet {
    Scene scene;
    LiveGaussians live;
    std::unique_ptr<TreeBuilder> builder;

    LiveSet(Stream& stream, Scratch& scratch, GaussianSet set, const std::string& id) {
        scene.gaussians.push_back(std::move(set));
        live = LiveGaussians(stream, scene);
        builder = make_tree_builder(id, stream.device());
        StageTimer timer(stream);
        live.update(scratch, *builder, {}, timer);
    }
};

std::vector<PathRay> random_rays(std::size_t n, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<float> normal;
    std::vector<PathRay> rays(n);
    for (std::size_t i = 0; i < n; ++i) {
        vec3 from = glm::normalize(vec3(normal(engine), normal(engine), normal(engine)));
        vec3 to(0.4f * normal(engine), 0.4f * normal(engine), 0.4f * normal(engine));
        rays[i].origin = 3.0f * from;
        rays[i].direction = glm::normalize(to - rays[i].origin);
        rays[i].throughput = vec3(1);
        rays[i].pixel = static_cast<std::uint32_t>(i);
    }
    return rays;
}

struct Passed {
    std::vector<PathRay> rays;
    std::vector<vec4> sums;
};

Passed pass(Stream& stream, const LiveSet& set, const std::vector<PathRay>& rays, float t_max) {
    Hit end;
    end.t = t_max;
    if (t_max < kInfinity) end.primitive = 0;
    auto n = static_cast<std::uint32_t>(rays.size());
    DeviceArray<PathRay> on_device(stream, std::span<const PathRay>(rays));
    DeviceArray<Hit> hits(stream, std::vector<Hit>(n, end));
    DeviceArray<vec4> sums(stream, std::vector<vec4>(n, vec4(0)));
    DeviceArray<std::uint32_t> count(stream, std::span<const std::uint32_t>(&n, 1));
    add_gaussians(stream, *set.live.view(), on_device.view(), count.data(), hits.view(),
                  sums.view());
    return {on_device.download(stream), sums.download(stream)};
}

/// Half a metre wide and white, before the eye at (0, 0, 4) that looks along -z.
Scene scene_with_wall(float distance) {
    Scene scene;
    scene.materials = {Material{}};
    scene.materials[0].emission = vec3(1);
    scene.materials[0].diffuse = vec3(0);
    Mesh wall;
    float z = 4 - distance;
    wall.positions = {{-9, -9, z}, {9, -9, z}, {9, 9, z}, {-9, 9, z}};
    wall.triangles = {{0, 1, 2}, {0, 2, 3}};
    wall.material_of_triangle = {0, 0};
    scene.meshes = {wall};
    scene.camera = {{0, 0, 4}, {0, 0, 0}, {0, 1, 0}, 10};
    return scene;
}

/// The mean radiance of the middle of a small picture by the path tracer.
vec3 middle_of(Device& device, Scene scene, int spp = 1) {
    Session session(device);
    session.set_renderer("path");
    session.set_scene(std::make_shared<Scene>(std::move(scene)));
    session.resize({9, 9});
    for (int i = 0; i < spp; ++i) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
    }
    return session.film().radiance(session.stream()).rgb[4 * 9 + 4];
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Gaussians, AlongRaysAreThoseOfASumOverAllByEveryBuilder) {
    auto set = random_set(1500, 3, 3);
    auto rays = random_rays(300, 4);
    std::vector<Seen> expected;
    for (auto& ray : rays) expected.push_back(seen_of(set, ray.origin, ray.direction, 1e30));
    int n_hidden = 0, n_many = 0;
    for (auto& row : tree_builders()) {
        if (!(device.kind() == DeviceKind::cuda ? row.make_cuda : row.make_cpu)) continue;
        LiveSet live(stream, scratch, set, row.id);
        auto [after, sums] = pass(stream, live, rays, kInfinity);
        for (std::size_t i = 0; i < rays.size(); ++i) {
            // The search ends where a thousandth is left; float rounding, and the order of peaks
            // that lie within it, are less.
            constexpr double kError = 2e-3;
            EXPECT_NEAR(double(after[i].throughput.x), expected[i].left, kError) << row.id << i;
            for (int c = 0; c < 3; ++c)
                EXPECT_NEAR(double(sums[i][c]), expected[i].radiance[c],
                            kError * (1 + expected[i].radiance[c]))
                    << row.id << i;
            n_hidden += expected[i].left < double(1e-3f);
            n_many += expected[i].left > 0.01 && expected[i].left < 0.5;
        }
    }
    EXPECT_GT(n_hidden, 20);
    EXPECT_GT(n_many, 20);
}

TL_DEVICE_TEST(Gaussians, MoreThanAreCollectedAtATimeFollowInOrder) {
    // A row of a hundred thin faint Gaussians; each ray intersects all of them.
    GaussianSet set;
    for (int i = 0; i < 100; ++i)
        add_flat(set, {0, 0, 0.01f * float(i)}, {1, 1, 0.002f}, {1, 0, 0, 0}, 0.04f,
                 vec3(float(i % 7) / 7, float(i) / 100, 1 - float(i) / 100));
    std::vector<PathRay> rays(1);
    rays[0].origin = {0.1f, 0.2f, 5};
    rays[0].direction = {0, 0, -1};
    rays[0].throughput = vec3(1);
    auto expected = seen_of(set, rays[0].origin, rays[0].direction, 1e30);
    LiveSet live(stream, scratch, set, "lbvh");
    auto [after, sums] = pass(stream, live, rays, kInfinity);
    EXPECT_NEAR(double(after[0].throughput.x), expected.left, 1e-5);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(double(sums[0][c]), expected.radiance[c], 1e-5);
}

TL_DEVICE_TEST(Gaussians, EndAtTheHitAndKeepTheirDigitsFarAway) {
    GaussianSet set;
    // A millimetre wide, a hundred metres away; the ray passes at one deviation.
    add_flat(set, {0.001f, 0, -100}, vec3(0.001f), {1, 0, 0, 0}, 0.8f, vec3(1));
    LiveSet live(stream, scratch, set, "lbvh");
    std::vector<PathRay> rays(1);
    rays[0].direction = {0, 0, -1};
    rays[0].throughput = vec3(1);
    // Floats at 0.001 have seven digits, and so has the distance in deviations.
    EXPECT_NEAR(pass(stream, live, rays, kInfinity).sums[0].x, 0.8f * std::exp(-0.5f), 1e-4f);
    EXPECT_EQ(pass(stream, live, rays, 99.9f).sums[0], vec4(0));
    EXPECT_EQ(pass(stream, live, rays, 99.9f).rays[0].throughput, vec3(1));
}

TL_DEVICE_TEST(Gaussians, TurnWithTheirColoursAsTheSceneDoes) {
    Scene scene;
    scene.gaussians.push_back(random_set(50, 9, 3));
    auto set = scene.gaussians[0];
    Transform transform;
    transform.rotate = {20, 50, -70};
    transform.scale = vec3(2);
    transform.translate = {1, -2, 3};
    apply(transform, scene, {}, false);
    auto rays = random_rays(60, 10), turned = rays;
    glm::mat3 linear(transform.matrix());
    for (auto& ray : turned) {
        ray.origin = vec3(transform.matrix() * vec4(ray.origin, 1));
        ray.direction = glm::normalize(linear * ray.direction);
    }
    LiveSet before(stream, scratch, set, "lbvh");
    LiveSet after(stream, scratch, scene.gaussians[0], "lbvh");
    auto a = pass(stream, before, rays, kInfinity), b = pass(stream, after, turned, kInfinity);
    for (std::size_t i = 0; i < rays.size(); ++i)
        for (int c = 0; c < 4; ++c) EXPECT_NEAR(a.sums[i][c], b.sums[i][c], 1e-3f) << i;
}

TL_DEVICE_TEST(Gaussians, StandBeforeSurfacesAndBehindThem) {
    auto with = [&](float wall, float z) {
        Scene scene = scene_with_wall(wall);
        GaussianSet set;
        // Wider than the middle pixel by far: its opacity there is that at the centre.
        add_flat(set, {0, 0, z}, vec3(20), {1, 0, 0, 0}, 0.5f, {1, 0, 0});
        scene.gaussians.push_back(set);
        return middle_of(device, scene);
    };
    vec3 before = with(8, 0), behind = with(2, 0);
    EXPECT_NEAR(before.x, 1, 1e-3f);
    EXPECT_NEAR(before.y, 0.5f, 1e-3f);
    EXPECT_EQ(behind, vec3(1));
}

TL_DEVICE_TEST(Gaussians, AreAllThereInEveryFrame) {
    TL_LONG_TEST();
    Scene scene = scene_with_wall(8);
    scene.gaussians.push_back(random_set(60000, 13, 0));
    vec3 at_first = middle_of(device, scene), later = middle_of(device, scene, 12);
    // The pixel is narrow compared with the Gaussians, so that its samples differ little. A single
    // frame without them would change the mean by a twelfth of the wall's light.
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(later[c], at_first[c], 0.03f) << c;
}

TL_DEVICE_TEST(Gaussians, AreSeenInMirrors) {
    Scene scene = scene_with_wall(8);
    scene.materials[0] = Material{};
    scene.materials[0].kind = MaterialKind::mirror;
    scene.materials[0].specular = vec3(1);
    GaussianSet set;
    // Behind the eye: seen by the mirror alone.
    add_flat(set, {0, 0, 9}, {50, 50, 0.1f}, {1, 0, 0, 0}, 0.75f, {0, 1, 0});
    scene.gaussians.push_back(set);
    scene.background = vec3(0, 0, 1);
    vec3 seen = middle_of(device, scene);
    EXPECT_NEAR(seen.y, 0.75f, 2e-3f);
    EXPECT_NEAR(seen.z, 0.25f, 2e-3f);
}

TL_DEVICE_TEST(Gaussians, CastShadows) {
    auto lit = [&](bool shaded) {
        Scene scene = scene_with_wall(8);
        scene.materials[0] = Material{};
        Light light;
        light.kind = LightKind::directional;
        light.direction = glm::normalize(vec3(1, 0, -1));
        scene.lights = {light};
        GaussianSet set;
        // Away from the rays of the camera, before those of the light.
        if (shaded) add_flat(set, {-4, 0, 0}, {0.5f, 50, 0.5f}, {1, 0, 0, 0}, 0.6f, vec3(1));
        if (shaded) scene.gaussians.push_back(set);
        return middle_of(device, scene).x;
    };
    float open = lit(false);
    EXPECT_GT(open, 0.1f);
    // The middle pixel is 0.16 m wide there, a third of a deviation.
    EXPECT_NEAR(lit(true) / open, 0.4f, 0.02f);
}

TL_DEVICE_TEST(Gaussians, LieInTheShadowOfSurfaces) {
    auto seen = [&](bool covered, float shadowed) {
        Scene scene = scene_with_wall(8);
        scene.materials[0].emission = vec3(0);
        Mesh lid;
        lid.positions = {{-9, 5, -9}, {9, 5, -9}, {9, 5, 9}, {-9, 5, 9}};
        lid.triangles = {{0, 1, 2}, {0, 2, 3}};
        lid.material_of_triangle = {0, 0};
        if (covered) scene.meshes.push_back(lid);
        Light light;
        light.kind = LightKind::directional;
        light.direction = vec3(0, -1, 0);
        scene.lights = {light};
        GaussianSet set;
        add_flat(set, {0, 0, 0}, vec3(20), {1, 0, 0, 0}, 0.5f, vec3(1));
        set.shadowed = shadowed;
        scene.gaussians.push_back(set);
        return middle_of(device, scene).x;
    };
    EXPECT_NEAR(seen(false, 0.8f), 0.5f, 1e-3f);
    EXPECT_NEAR(seen(true, 0.8f), 0.5f * 0.2f, 1e-3f);
    EXPECT_NEAR(seen(true, 0), 0.5f, 1e-3f);
}

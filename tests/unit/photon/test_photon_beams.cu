// Footprints of photons that mirrors and glass have deflected. A photon's power divided by the area
// between its neighbours is the irradiance there, compared with closed formulas photon by photon.
#include <cmath>
#include <functional>

#include "renderer/photon/trace/trace_photons.h"
#include "renderer/scene/live/live_scene.h"
#include "tests/device_test.h"
#include "tests/image/light_scenes.h"
#include "tests/sanitized.h"

namespace tl::TL_DEVICE_NAME {
namespace {

/// Kernel radius: one distance between neighbours, without bounds in practice.
constexpr BeamKernel kOwnKernel{1, 1e-9f, 1e9f};

struct FootprintPhoton : Photon {
    PhotonShape shape;

    [[nodiscard]] int n_met() const { return static_cast<int>(Photon::n_met(surface)); }
    /// Irradiance, W/m^2: the photon's power over the area between its neighbours, the product of
    /// the kernel's radii.
    [[nodiscard]] double irradiance() const {
        return double(power.x) * double(shape.density) * double(kPi) / 2;
    }
};

/// Photons of a pass that have kernels of their own. A guided pass follows one that trains the
/// guide.
std::vector<FootprintPhoton> footprints_of(Scratch& scratch, Scene scene, bool guided = false,
                                           std::uint32_t n = 10'000) {
    auto& stream = scratch.stream();
    LiveScene live(stream, std::make_shared<Scene>(std::move(scene)));
    live.set_builder(make_tree_builder("hploc", stream.device()));
    StageTimer timer(stream);
    live.update(scratch, timer);
    const Box around{vec3(-5), vec3(5)};
    DeviceArray<Box> box(stream, std::span<const Box>(&around, 1));
    constexpr std::uint32_t kDepth = 6;
    std::uint32_t capacity = n * kDepth;
    DeviceArray<std::uint32_t> count(stream, 1), ids(stream, capacity);
    DeviceArray<Photon> photons(stream, capacity);
    DeviceArray<PhotonShape> shapes(stream, capacity);
    LearnedGuide guide;
    trace_photons(
        scratch,
        {live.view(), SamplePattern::sobol, 7, 0, n, kDepth, box.data(), false, kOwnKernel, true},
        {photons.view(), ids.view(), count.data(), shapes.view()}, guided ? &guide : nullptr);
    auto stored = photons.download(stream);
    auto shaped = shapes.download(stream);
    std::vector<FootprintPhoton> found;
    for (std::uint32_t i = 0; i < count.download(stream)[0]; ++i)
        if (Photon::is_caustic(stored[i].surface) && shaped[i].reach > 0)
            found.push_back({stored[i], shaped[i]});
    return found;
}

Light distant_light(vec3 direction) {
    Light sun;
    sun.kind = LightKind::directional;
    sun.direction = glm::normalize(direction);
    return sun;
}

/// A mirror at y = 0 below a ceiling at y = 2, beside which light passes; all of material 0 but for
/// the mirror.
Scene mirror_below(const Light& light) {
    Scene scene;
    Material mirror;
    mirror.kind = MaterialKind::mirror;
    mirror.specular = vec3(1);
    scene.materials = {test::diffuse(0.5f), mirror};
    scene.meshes.emplace_back();
    test::add_parallelogram(scene.meshes[0], {-0.5f, 0, -0.5f}, {0, 0, 1}, {1, 0, 0}, 1);
    test::add_parallelogram(scene.meshes[0], {0.6f, 2, -3}, {3, 0, 0}, {0, 0, 6}, 0);
    scene.lights = {light};
    return scene;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(PhotonBeams, FromAFlatMirrorBringTheIrradianceOfTheSourcesImage) {
    // A point's image is as far below the mirror as the point is above it.
    const vec3 place(-1, 1, 0.2f), image(-1, -1, 0.2f);
    Light spot = test::point_light(place, 1);
    spot.kind = LightKind::spot;
    spot.direction = glm::normalize(-place);
    spot.inner_angle = spot.outer_angle = 40;
    auto of_point = [&](vec3 p) {
        vec3 way = p - image;
        return double(way.y) / std::pow(double(glm::length(way)), 3);
    };
    const vec3 down = glm::normalize(vec3(1, -1, 0.1f));
    struct Case {
        const char* name;
        Light light;
        std::function<double(vec3)> irradiance;
    };
    for (auto& [name, light, irradiance] :
         {Case{"point", test::point_light(place, 1), of_point}, Case{"spot", spot, of_point},
          Case{"sun", distant_light(down), [&](vec3) { return double(-down.y); }}})
        for (bool guided : {false, true}) {
            auto photons = footprints_of(scratch, mirror_below(light), guided);
            ASSERT_GT(photons.size(), 20u) << name;
            for (const FootprintPhoton& photon : photons) {
                ASSERT_EQ(photon.n_met(), 2);
                // Rounding of floats over a few operations; near a spot's axis the random numbers
                // converge.
                ASSERT_NEAR(photon.irradiance() / irradiance(photon.position), 1, 0.002)
                    << name << (guided ? ", guided, at " : " at ") << photon.position.x << ", "
                    << photon.position.z;
            }
        }
}

TL_DEVICE_TEST(PhotonBeams, OfAPaneShareThePowerThatFresnelGivesEachWay) {
    // At 45 degrees, n = 1.5, a surface reflects 0.09201 of s-polarised light, and the square of
    // that of p-polarised light.
    constexpr double kReflected = (0.09201 + 0.09201 * 0.09201) / 2, kCosine = 0.70710678;
    Scene scene;
    Material glass;
    glass.kind = MaterialKind::dielectric;
    glass.specular = vec3(1);
    scene.materials = {test::diffuse(0.5f), glass};
    scene.meshes.emplace_back();
    add_box(scene.meshes[0], {-1, 0, -1}, {1, 0.2f, 1}, 1);
    test::add_parallelogram(scene.meshes[0], {-3, -0.5f, -3}, {0, 0, 6}, {6, 0, 0}, 0);  // floor
    test::add_parallelogram(scene.meshes[0], {0.6f, 2, -3}, {3, 0, 0}, {0, 0, 6}, 0);
    scene.lights = {distant_light({1, -1, 0})};
    auto photons = footprints_of(scratch, scene, true, 20'000);
    double passed = (1 - kReflected) * (1 - kReflected), power[7] = {};
    const double share[7] = {0,
                             0,
                             kReflected,
                             passed,
                             passed * kReflected,
                             passed * kReflected * kReflected,
                             passed * kReflected * kReflected * kReflected};
    for (const FootprintPhoton& photon : photons) {
        // Photons that a side face of the pane has deflected travel backwards, or have hit more
        // surfaces.
        if (unpack_direction<16>(photon.direction).x < 0) continue;
        int met = photon.n_met();
        ASSERT_NEAR(photon.irradiance() / (kCosine * share[met]), 1, 0.003) << met << " surfaces";
        power[met] += double(photon.power.x);
    }
    // Area of 4 m^2, less the losses at the pane's edges; few photons are reflected.
    for (int met : {2, 3, 4})
        EXPECT_NEAR(power[met] / (4 * kCosine * share[met]), 1, met == 3 ? 0.1 : 0.2)
            << met << " surfaces";
}

namespace tl::TL_DEVICE_NAME {
namespace {

/// Refraction by a glass sphere, n = 1.5, of radius 1 around the origin. The light comes from above
/// and hits the sphere at the distance `h` from the axis.
struct SphereRay {
    double turned;  ///< angle to the axis behind the sphere
    double passed;  ///< transmitted fraction of the light
    double radius;  ///< distance from the axis at y = -kFloor
    static constexpr double kFloor = 1.05;

    explicit SphereRay(double h) {
        double a = std::asin(h), b = std::asin(h / 1.5), exit = 2 * b - a;
        double rs = std::sin(a - b) / std::sin(a + b), rp = std::tan(a - b) / std::tan(a + b);
        turned = 2 * (a - b);
        passed = std::pow(1 - (rs * rs + rp * rp) / 2, 2);
        radius = std::sin(exit) - (kFloor - std::cos(exit)) * std::tan(turned);
    }
    /// Distance `h` of the ray that is deflected by the angle `turned`.
    [[nodiscard]] static double h_of(double turned) {
        double low = 0, high = 1;
        for (int i = 0; i < 50; ++i) {
            double middle = (low + high) / 2;
            (SphereRay(middle).turned < turned ? low : high) = middle;
        }
        return low;
    }
};

/// The unit sphere of 2 x 64 x 128 triangles with smooth normals.
Mesh smooth_sphere(int material) {
    constexpr int kRows = 64, kColumns = 128;
    Mesh mesh;
    for (int row = 0; row <= kRows; ++row)
        for (int column = 0; column < kColumns; ++column) {
            float polar = kPi * float(row) / kRows, angle = 2 * kPi * float(column) / kColumns;
            vec3 p(std::sin(polar) * std::cos(angle), std::cos(polar),
                   std::sin(polar) * std::sin(angle));
            mesh.positions.push_back(p);
            mesh.normals.push_back(p);
        }
    for (std::uint32_t row = 0; row < kRows; ++row)
        for (std::uint32_t column = 0; column < kColumns; ++column) {
            std::uint32_t next = (column + 1) % kColumns, up = row * kColumns, down = up + kColumns;
            add_quad(mesh, up + column, up + next, down + next, down + column, material);
        }
    return mesh;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(PhotonBeams, ThroughAGlassSphereAreAsNarrowAsOpticsSays) {
    for (bool triangles : {false, true}) {
        Scene scene;
        Material glass;
        glass.kind = MaterialKind::dielectric;
        glass.specular = vec3(0);
        scene.materials = {test::diffuse(0.5f), glass};
        scene.meshes.emplace_back();
        test::add_parallelogram(scene.meshes[0], {-4, -float(SphereRay::kFloor), -4}, {0, 0, 8},
                                {8, 0, 0}, 0);
        if (triangles)
            scene.meshes.push_back(smooth_sphere(1));
        else
            scene.spheres = {{{0, 0, 0}, 1, 1}};
        scene.lights = {distant_light({0, -1, 0})};
        int n = 0;
        double sum = 0;
        for (const FootprintPhoton& photon : footprints_of(scratch, scene, true)) {
            vec3 direction = unpack_direction<16>(photon.direction);
            double h = SphereRay::h_of(std::acos(double(-direction.y)));
            if (photon.n_met() != 3 || h < 0.1 || h > 0.8) continue;
            constexpr double kStep = 1e-4;
            const SphereRay ray(h);
            double slope =
                (SphereRay(h + kStep).radius - SphereRay(h - kStep).radius) / (2 * kStep);
            // Near the fold, triangles are too coarse.
            if (std::abs(slope) < 0.1) continue;
            double expected = ray.passed * h / std::abs(ray.radius * slope);
            if (!triangles) {
                ASSERT_NEAR(photon.irradiance() / expected, 1, 0.02) << "h " << h;
            }
            sum += photon.irradiance() / expected;
            ++n;
        }
        ASSERT_GT(n, 100);
        EXPECT_NEAR(sum / n, 1, triangles ? 0.03 : 0.003) << "on the mean";
    }
}

namespace tl::TL_DEVICE_NAME {
namespace {

/// The half x > 0 of a cylinder of radius 1 around the y axis, from y = 0.1 to 0.8, as two rational
/// patches.
PatchSet half_cylinder(int material) {
    const float k = 0.5857864f, weight = 0.8047379f;
    PatchSet set;
    for (float side : {-1.0f, 1.0f})
        for (int i = 0; i < 4; ++i) {
            const vec2 arc[4] = {{1, 0}, {1, k}, {k, 1}, {0, 1}};
            for (int j = 0; j < 4; ++j) {
                set.points.emplace_back(arc[i].x, 0.1f + 0.7f * float(j) / 3, side * arc[i].y);
                set.weights.push_back(i == 1 || i == 2 ? weight : 1.0f);
            }
        }
    set.material_of_patch = {material, material};
    return set;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(PhotonBeams, OfACylinderOfPatchesNarrowInOneDirectionAlone) {
    // Light along x hits the inside at the angle a to its normal. Its focus, seen from above, is at
    // the distance cos a / 2 from the hit. Beyond the focus it diverges as it has converged.
    const vec3 down = glm::normalize(vec3(1, -0.7f, 0));
    Scene scene;
    Material mirror;
    mirror.kind = MaterialKind::mirror;
    mirror.specular = vec3(1);
    scene.materials = {test::diffuse(0.5f), mirror};
    scene.meshes.emplace_back();
    test::add_parallelogram(scene.meshes[0], {-4, 0, -4}, {0, 0, 8}, {8, 0, 0}, 0);
    scene.patches = {half_cylinder(1)};
    scene.lights = {distant_light(down)};
    int n_before = 0, n_beyond = 0;
    for (const FootprintPhoton& photon : footprints_of(scratch, scene, true)) {
        glm::dvec3 d(unpack_direction<16>(photon.direction)), p(photon.position);
        glm::dvec2 flat = glm::normalize(glm::dvec2(d.x, d.z)), at(p.x, p.z);
        double square = glm::dot(at, at), along = glm::dot(at, flat);
        if (photon.n_met() != 2 || square > 0.8) continue;  // photons beside the mirror
        double way = along + std::sqrt(along * along + 1 - square);
        double spread = 1 - way / ((at - way * flat).x / 2);
        if (std::abs(spread) < 0.2) continue;
        ++(spread > 0 ? n_before : n_beyond);
        ASSERT_NEAR(photon.irradiance() * std::abs(spread) / double(-down.y), 1, 0.02)
            << "at " << p.x << ", " << p.z;
    }
    EXPECT_GT(n_before, 100);
    EXPECT_GT(n_beyond, 100);
}

TL_DEVICE_TEST(PhotonBeams, EndWhereTheMirrorThatTheyComeFromStands) {
    // A mirror that stands on the floor at x = 0 and faces +x, and the sun before it.
    Scene scene;
    Material mirror;
    mirror.kind = MaterialKind::mirror;
    mirror.specular = vec3(1);
    scene.materials = {test::diffuse(0.5f), mirror};
    scene.meshes.emplace_back();
    test::add_parallelogram(scene.meshes[0], {0, 0, -1}, {0, 1, 0}, {0, 0, 2}, 1);
    test::add_parallelogram(scene.meshes[0], {-4, 0, -4}, {0, 0, 8}, {8, 0, 0}, 0);
    scene.lights = {distant_light({-1, -1, 0.2f})};
    int n_narrow = 0;
    for (const FootprintPhoton& photon : footprints_of(scratch, scene, true)) {
        const PhotonShape& s = photon.shape;
        double u = double(s.u.x) / double(glm::dot(s.u, s.u)),
               v = double(s.v.x) / double(glm::dot(s.v, s.v));
        double reach = std::sqrt(u * u + v * v), distance = double(photon.position.x);
        ASSERT_GT(distance, 0);
        ASSERT_LE(reach, distance * 1.001 + 1e-6);
        // Rays start a little before the mirror.
        if (reach > 0.9 * distance)
            ++n_narrow;
        else  // nothing is lost elsewhere
            ASSERT_NEAR(photon.irradiance(), 1 / std::sqrt(2.04), 0.002);
    }
    EXPECT_GT(n_narrow, 10);
}

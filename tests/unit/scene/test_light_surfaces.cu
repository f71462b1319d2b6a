// Kind of surface at a hit and the light it belongs to; and samples of light sources at a point,
// with the solid angles that they represent.
#include <cmath>

#include "accel/bvh/traversal/any_tracer.h"
#include "accel/tree_builder.h"
#include "core/device/parallel_for.h"
#include "renderer/scene/live/live_scene.h"
#include "renderer/shading/direct_light.h"
#include "renderer/shading/light_choice.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {

/// The surface that a ray hit.
struct Met {
    PrimitiveKind kind;
    std::int32_t light;
    vec3 emission;
    bool may_glow = false;  ///< by the light tree
};

/// Rays straight down from y = 10.
struct LookDown {
    Stream& stream;
    SceneView scene;
    View<const vec2> places;
    View<Met> met;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        SceneView scene = this->scene;
        auto places = this->places;
        auto met = this->met;
        parallel_for(
            stream, "look down", static_cast<std::uint32_t>(places.size),
            TL_LAMBDA(std::uint32_t i) {
                Ray ray;
                ray.origin = vec3(places[i].x, 10, places[i].y);
                ray.direction = vec3(0, -1, 0);
                SceneView seen = seen_by<Tracer>(scene);
                Hit hit = tracer.closest(ray);
                Surface s = surface_at(seen, ray, hit);
                met[i] = {kind_of(seen, hit), light_of(seen, s), material_at(seen, hit).emission,
                          may_meet_light(seen, ray.origin, ray.direction)};
            });
    }
};

Mesh square(std::int32_t material) {
    Mesh mesh;
    mesh.positions = {{-1, 0, -1}, {-1, 0, 1}, {1, 0, 1}, {1, 0, -1}};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    mesh.material_of_triangle = {material, material};
    return mesh;
}

/// A flat patch over [-1, 1] x [-1, 1] beside x = `x`.
PatchSet flat_patch(float x, std::int32_t material) {
    PatchSet set;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            set.points.emplace_back(x - 1 + float(j) * 2 / 3, 0, -1 + float(i) * 2 / 3);
    set.material_of_patch = {material};
    return set;
}

constexpr float kPoint = 10, kRectangle = 20, kSphere = 30;

/// A row along x with 4 m spacing: a square, an emissive one that is not a light, an instance of
/// one with another material, a sphere, optionally a patch; lights: a point, a rectangle facing up,
/// a sphere.
Scene row_of_surfaces(bool with_patch) {
    Scene scene;
    Material plain, glowing, blue;
    glowing.emission = vec3(1);
    blue.emission = vec3(2);
    scene.materials = {plain, glowing, blue};
    Mesh glow = square(1), copied = square(0);
    for (vec3& p : glow.positions) p.x += 4;
    copied.instanced = true;
    scene.meshes = {square(0), glow, copied};
    Instance instance{.mesh = 2, .material = 2};
    instance.transform[3] = vec4(8, 0, 0, 1);
    scene.instances = {instance};
    scene.spheres = {{{12, 0, 0}, 1, 1}};
    if (with_patch) scene.patches = {flat_patch(16, 2)};
    Light point, rectangle, sphere;
    point.radiance = vec3(kPoint);
    point.position = {0, 5, 50};
    rectangle.kind = LightKind::rectangle;
    rectangle.position = {19, 0, -1};
    rectangle.edge_u = {0, 0, 2};
    rectangle.edge_v = {2, 0, 0};
    rectangle.radiance = vec3(kRectangle);
    sphere.kind = LightKind::sphere;
    sphere.position = {24, 0, 0};
    sphere.radiance = vec3(kSphere);
    scene.lights = {point, rectangle, sphere};
    return scene;
}

/// Sums over the samples of a light at the origin: their solid angles, and their radiance.
struct LightSums {
    float solid_angle = 0;
    vec3 irradiance{0};
};

LightSums sample_sums(Stream& stream, const LightData& light, vec3 p, std::uint32_t n) {
    DeviceArray<LightSample> out(stream, n);
    auto samples = out.view();
    LightData given = light;
    parallel_for(
        stream, "sample", n, TL_LAMBDA(std::uint32_t i) {
            vec2 r = SamplePair(SamplePattern::sobol, 1, 0, 0).point(i);
            LightSample sample;
            if (!sample_light(given, p, r.x, r.y, sample)) sample = {};
            samples[i] = sample;
        });
    LightSums sums;
    for (const LightSample& s : out.download(stream)) {
        sums.solid_angle += s.inverse_density / static_cast<float>(n);
        sums.irradiance += s.radiance * s.inverse_density / static_cast<float>(n);
    }
    return sums;
}

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(LightSurfaces, AHitKnowsItsKindAndItsLight) {
    for (bool with_patch : {false, true}) {
        LiveScene live(stream, std::make_shared<Scene>(row_of_surfaces(with_patch)));
        live.set_builder(make_tree_builder("hploc", stream.device()));
        StageTimer timer(stream);
        live.update(scratch, timer);
        std::vector<vec2> places{{0, 0}, {4, 0}, {8, 0}, {12, 0}, {20, 0}, {24, 0}};
        std::vector<Met> expected{{PrimitiveKind::triangle, -1, vec3(0)},
                                  {PrimitiveKind::triangle, -1, vec3(1)},
                                  {PrimitiveKind::instance, -1, vec3(2)},
                                  {PrimitiveKind::sphere, -1, vec3(1)},
                                  {PrimitiveKind::triangle, 1, vec3(kRectangle)},
                                  {PrimitiveKind::sphere, 2, vec3(kSphere)}};
        if (with_patch) {
            places.emplace_back(16, 0);
            expected.push_back({PrimitiveKind::patch, -1, vec3(2)});
        }
        DeviceArray<vec2> in(stream, places);
        DeviceArray<Met> out(stream, places.size());
        visit_any_tracer(live.view().tree, LookDown{stream, live.view(), in.view(), out.view()});
        auto met = out.download(stream);
        for (std::size_t i = 0; i < met.size(); ++i) {
            EXPECT_EQ(met[i].kind, expected[i].kind) << i;
            EXPECT_EQ(met[i].light, expected[i].light) << i;
            EXPECT_EQ(met[i].emission, expected[i].emission) << i;
            EXPECT_TRUE(met[i].may_glow || met[i].emission == vec3(0)) << i;
        }
    }
}

TL_DEVICE_TEST(LightSurfaces, TheTreeHasAllThatGlowsOrItIsSaid) {
    auto has_all = [&](const Scene& scene) {
        return LiveScene(stream, std::make_shared<Scene>(scene)).view().search.has_all_in_tree;
    };
    const Scene scene = row_of_surfaces(true);
    EXPECT_TRUE(has_all(scene));
    Scene sky = scene, splat = scene, picture = scene, dark_splat = scene;
    sky.background = vec3(0, 0, 1e-3f);
    splat.splats = {{vec3(0, 8, 0), 1, vec3(0, 1, 0)}};
    picture.textures = {{"one", 1, 1, {255, 255, 255, 255}}};
    picture.materials[1].emission_texture = 0;
    EXPECT_FALSE(has_all(sky));
    EXPECT_TRUE(has_all(splat));
    EXPECT_FALSE(has_all(picture));
    for (auto& material : dark_splat.materials) material.emission = vec3(0);
    dark_splat.splats = splat.splats;
    EXPECT_TRUE(has_all(dark_splat));
}

TL_DEVICE_TEST(LightSurfaces, AnOnlyLightIsChosenAtOnce) {
    auto chosen = [&](const Scene& scene) {
        LiveScene live(stream, std::make_shared<Scene>(scene));
        DeviceArray<ChosenLight> out(stream, 2);
        auto to = out.view();
        SceneView view = live.view();
        parallel_for(
            stream, "choose lights", 1, TL_LAMBDA(std::uint32_t) {
                vec3 p(1, 2, 3), normal(0, 1, 0);
                to[0] = choose_any_light(view.search, p, normal, false, 0.3f);
                to[1] = {0, probability_of_any_light(view, to[0].index, p, normal, false)};
            });
        auto both = out.download(stream);
        EXPECT_EQ(view.search.has_one_light(), both[0].probability == 1);
        EXPECT_NEAR(both[0].probability, both[1].probability, 1e-6);
        return both[0];
    };
    Light dark, above, sun;
    dark.radiance = vec3(0);
    above.position = vec3(1, 9, 3);
    sun.kind = LightKind::directional;
    Scene scene;
    Light turned_away;
    turned_away.kind = LightKind::rectangle;
    turned_away.position = vec3(0, 9, 0);
    turned_away.edge_u = vec3(0, 0, 1);
    turned_away.edge_v = vec3(1, 0, 0);
    for (const Light& light : {above, sun, turned_away}) {
        scene.lights = {dark, light};
        EXPECT_EQ(chosen(scene).index, 1u);
        EXPECT_EQ(chosen(scene).probability, 1);
    }
    scene.lights = {above, sun};
    EXPECT_NEAR(chosen(scene).probability, 0.5, 1e-6);
    scene.lights = {above, above};
    EXPECT_NEAR(chosen(scene).probability, 0.5, 1e-6);
}

TL_DEVICE_TEST(LightSurfaces, DensitiesOfDirectionsIntegrateToTheSolidAngleOfTheLight) {
    LightData sphere{};
    sphere.kind = LightKind::sphere;
    sphere.position = {0, 2, 0};
    sphere.radius = 1;
    sphere.radiance = vec3(3);
    LightSums cap = sample_sums(stream, sphere, vec3(0), 256);
    float angle = 2 * kPi * (1 - std::sqrt(0.75f));
    EXPECT_NEAR(cap.solid_angle, angle, 1e-4f * angle);
    EXPECT_NEAR(cap.irradiance.x, 3 * angle, 3e-4f * angle);

    // A face of a cube, seen from its centre, is a sixth of all directions.
    LightData face{};
    face.kind = LightKind::rectangle;
    face.position = {-1, 1, -1};
    face.edge_u = {2, 0, 0};
    face.edge_v = {0, 0, 2};
    face.area = 4;
    face.normal = {0, -1, 0};
    face.radiance = vec3(5);
    LightSums sixth = sample_sums(stream, face, vec3(0), 4096);
    EXPECT_NEAR(sixth.solid_angle, 4 * kPi / 6, 2e-3f);
    EXPECT_NEAR(sixth.irradiance.x, 5 * 4 * kPi / 6, 1e-2f);

    // A single direction: the incident light itself.
    LightData point{};
    point.kind = LightKind::point;
    point.position = {0, 2, 0};
    point.radiance = vec3(8);
    LightSums one = sample_sums(stream, point, vec3(0), 1);
    EXPECT_EQ(one.solid_angle, 1);
    EXPECT_FLOAT_EQ(one.irradiance.x, 2);
}

TL_DEVICE_TEST(LightSurfaces, EveryLightIsAskedForItsSamplesInTurn) {
    LightData point{}, sphere{};
    point.kind = LightKind::point;
    point.position = {0, 2, 0};
    point.radiance = vec3(8);
    sphere.kind = LightKind::sphere;
    sphere.position = {3, 3, 0};
    sphere.radius = 1;
    sphere.radiance = vec3(1);
    DeviceArray<LightData> lights(stream, std::vector<LightData>{point, sphere, point});
    MaterialData white{};
    white.diffuse = vec3(1);
    DeviceArray<MaterialData> materials(stream, std::vector<MaterialData>{white});
    SceneView scene;
    scene.lights = lights.data();
    scene.n_lights = 3;
    scene.materials = materials.data();
    constexpr std::uint32_t kRays = 6;  // one, four and one
    DeviceArray<Ray> rays(stream, kRays);
    DeviceArray<vec3> radiances(stream, kRays + 1);
    auto rays_out = rays.view();
    auto radiances_out = radiances.view();
    parallel_for(
        stream, "ask", 1, TL_LAMBDA(std::uint32_t) {
            ShadingContext place{scene.materials, vec3(1),       vec3(0),      vec3(0),
                                 vec3(0, 1, 0),   vec3(0, 1, 0), vec3(0, 1, 0)};
            Sampler sampler(SamplePattern::sobol, 1, 7, 2);
            std::uint32_t n = 0;
            for (LightCursor at; !at.done(scene); ++n) {
                Ray ray;
                vec3 radiance(0);
                next_shadow_ray(at, scene, place, 4, sampler, ray, radiance);
                if (n < kRays) rays_out[n] = ray, radiances_out[n] = radiance;
            }
            radiances_out[kRays] = vec3(static_cast<float>(n));
        });
    auto found = rays.download(stream);
    auto radiance = radiances.download(stream);
    EXPECT_EQ(radiance[kRays].x, kRays);
    for (std::uint32_t i : {0u, kRays - 1}) {
        EXPECT_EQ(found[i].direction, vec3(0, 1, 0));
        EXPECT_LT(found[i].t_max, 2);
        EXPECT_FLOAT_EQ(radiance[i].x, 2 / kPi);
    }
    vec3 towards = glm::normalize(sphere.position);
    for (std::uint32_t i = 1; i < kRays - 1; ++i) {
        EXPECT_GT(glm::dot(found[i].direction, towards), std::sqrt(1 - 1.0f / 18) - 1e-4f);
        for (std::uint32_t k = 1; k < i; ++k) EXPECT_NE(found[i].direction, found[k].direction);
    }
}

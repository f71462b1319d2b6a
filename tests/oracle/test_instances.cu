// Rays through instanced scenes have the same hits as in the flattened scene, on both devices. The
// references are brute force and the flat scene's own tree. The pictures are the same as well.
#include "tests/oracle/instanced_scenes.h"

TL_DEVICE_TEST(Instances, HitsEqualBruteForceOverTheFlattenedScene) {
    check_against_brute_force(device, stream, scratch, mixed_scene(150), 4000);
    check_against_brute_force(device, stream, scratch, mixed_scene(150), 1000, true);
}

TL_DEVICE_TEST(Instances, NoneAndOneAreEnough) {
    check_against_brute_force(device, stream, scratch, mixed_scene(0), 1000);
    for (std::uint32_t mesh : {0u, 2u, 3u}) {
        Scene scene = mixed_scene(0);
        scene.spheres.clear();
        scene.meshes[1].instanced = true;  // only instances remain
        auto engine = engine_of(mesh);
        scene.instances = {{mesh, random_transform(engine, 3, 1), -1, {}}};
        Box bounds = bounds_of(scene);
        auto rays = random_rays(bounds, 2000, 6);
        auto one = trace(device, stream, scratch, scene, rays);
        auto flat = trace(device, stream, scratch, flattened(scene), rays);
        std::size_t n_different = 0;
        for (std::size_t i = 0; i < rays.size(); ++i)
            n_different += !same_hit(one.answers[i].hit, flat.answers[i].hit,
                                     glm::length(bounds.hi - bounds.lo));
        EXPECT_LE(n_different, 2u) << "mesh " << mesh;
    }
    // A mesh without triangles, and one without instances.
    Scene scene = mixed_scene(6);
    scene.meshes[3] = Mesh{};
    scene.meshes[3].instanced = true;
    check_against_brute_force(device, stream, scratch, scene, 1000);
    Scene nothing = empty_scene();
    nothing.meshes = {cube()};
    nothing.meshes[0].instanced = true;
    Ray ray;
    ray.direction = vec3(1, 2, 3);
    EXPECT_FALSE(trace(device, stream, scratch, nothing, {ray}).answers[0].hit.found());
}

TL_DEVICE_TEST(Instances, AMissingChildIsMetByNoRay) {
    // The tree of one primitive has a missing child; rays in every octant.
    Scene scene = empty_scene();
    scene.spheres = {{vec3(0, 50, 0), 0.01f, 0}};
    std::vector<Ray> rays;
    for (int octant = 0; octant < 8; ++octant) {
        Ray ray;
        ray.direction = vec3(octant & 1 ? 1 : -1, octant & 2 ? 2 : -2, octant & 4 ? 0.5f : -0.5f);
        rays.push_back(ray);
    }
    for (bool robust : {false, true})
        for (auto& answer : trace(device, stream, scratch, scene, rays, robust).answers) {
            EXPECT_FALSE(answer.hit.found());
            EXPECT_EQ(answer.n_primitives, 0u);
        }
}

TL_DEVICE_TEST(Instances, RaysThatAreNotFiniteMissAtOnce) {
    auto engine = engine_of(9);
    Scene scene = empty_scene();
    scene.meshes = {soup(engine, 200, 0.3f)};
    scene.meshes[0].instanced = true;
    scene.instances.push_back({0});
    auto rays = random_rays(bounds_of(scene), 60, 10);
    for (std::size_t i = 0; i < rays.size(); ++i) {
        float bad = i % 2 ? std::numeric_limits<float>::quiet_NaN() : kInfinity;
        (i % 3 ? rays[i].direction : rays[i].origin)[int(i / 6) % 3] = bad;
    }
    for (auto& answer : trace(device, stream, scratch, scene, rays).answers) {
        EXPECT_FALSE(answer.hit.found());
        EXPECT_EQ(answer.n_nodes, 0u);
        EXPECT_FALSE(answer.occluded);
    }
}

TL_DEVICE_TEST(Instances, TenThousandTrace) {
    auto engine = engine_of(9);
    Scene scene = empty_scene();
    scene.meshes = {cube()};
    scene.meshes[0].instanced = true;
    for (int i = 0; i < 10000; ++i)
        scene.instances.push_back({0, random_transform(engine, 50, 1), -1, {}});
    auto rays = random_rays(bounds_of(scene), 20000, 8);
    auto traced = trace(device, stream, scratch, scene, rays);
    auto flat = trace(device, stream, scratch, flattened(scene), rays);
    std::size_t n_hits = 0, n_different = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        auto &a = traced.answers[i], &b = flat.answers[i];
        n_hits += b.hit.found();
        n_different += !same_hit(a.hit, b.hit, 100);
        n_different += a.occluded != b.occluded;
    }
    EXPECT_GT(n_hits, rays.size() / 4);
    EXPECT_LE(n_different, 20u);
}

TL_DEVICE_TEST(Instances, StatisticsCountBothLevels) {
    auto engine = engine_of(4);
    Scene scene = empty_scene();
    scene.meshes = {soup(engine, 500, 0.3f)};
    Scene instanced = scene;
    instanced.meshes[0].instanced = true;
    instanced.instances.push_back({0});
    auto rays = random_rays(bounds_of(scene), 2000, 12);
    auto flat = trace(device, stream, scratch, scene, rays);
    auto two = trace(device, stream, scratch, instanced, rays);
    std::size_t n_entered = 0, n_different = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        auto &a = two.answers[i], &b = flat.answers[i];
        // One top-level node, and one top-level primitive if the ray hits the instance's box.
        bool entered = a.n_primitives > 0;
        n_entered += entered;
        n_different += a.n_nodes != (entered ? b.n_nodes + 1 : 1) ||
                       a.n_primitives != (entered ? b.n_primitives + 1 : 0) || a.hit.t != b.hit.t;
        EXPECT_EQ(a.hit.instance, a.hit.found() ? 0 : Hit::kNone);
    }
    EXPECT_LE(n_different, rounding_differences(device));
    EXPECT_GT(n_entered, rays.size() / 4);
}

TL_DEVICE_TEST(Instances, PicturesEqualThoseOfTheFlattenedScene) {
    Scene scene = picture_scene();
    ImageF a = picture(device, stream, scratch, scene);
    ImageF b = picture(device, stream, scratch, flattened(scene));
    double sum = 0, brightness = 0;
    std::size_t n_off = 0;
    for (std::size_t i = 0; i < a.rgb.size(); ++i) {
        vec3 d = glm::abs(a.rgb[i] - b.rgb[i]);
        sum += d.x + d.y + d.z;
        brightness += b.rgb[i].x + b.rgb[i].y + b.rgb[i].z;
        n_off += std::max({d.x, d.y, d.z}) > 0.02f;
    }
    EXPECT_GT(brightness / double(a.rgb.size()), 0.2);
    // Rays at an edge may take the other path.
    EXPECT_LT(sum, 2e-3 * brightness);
    EXPECT_LE(n_off, a.rgb.size() / 100);
}

// Moving instances of moving meshes, frame by frame, and the memory that frames need.
#include "tests/oracle/instanced_scenes.h"

TL_DEVICE_TEST(MovingInstances, WalkersAreWhereTheirCirclesPutThem) {
    auto engine = engine_of(21);
    Scene scene = empty_scene();
    scene.duration = 8;
    scene.meshes = {cube()};
    scene.meshes[0].instanced = true;
    for (int i = 0; i < 40; ++i) {
        mat4 m = glm::translate(mat4(1), point_in(engine, -7, 7));
        m = glm::rotate(m, uniform(engine, 0, 2 * kPi), {0, 1, 0});
        m = glm::scale(m, point_in(engine, 0.5f, 1.5f) * vec3(1, 1, i % 3 ? 1 : -1));
        float radius = (i & 1 ? -1.0f : 1.0f) * uniform(engine, 1, 5);
        float around = 2 * kPi * std::abs(radius);
        // Two circles of four steps each, with the centre to the left or to the right.
        scene.instances.push_back({0, m, -1, {radius, 2 * around / 8, around / 4, 0.75f}});
    }
    scene.instances.push_back({0, mat4(1), -1, {}});  // stands still
    auto rays = random_rays(bounds_of(scene), 4000, 31);

    // A sixteenth of the duration: an eighth of a circle, half a step.
    Scene then = scene;
    for (auto& instance : then.instances) {
        if (instance.walk.radius == 0) continue;
        mat4& m = instance.transform;
        vec3 ahead = glm::normalize(vec3(m[2]));
        vec3 center = vec3(m[3]) + instance.walk.radius * glm::cross(vec3(0, 1, 0), ahead);
        float angle = instance.walk.radius > 0 ? kPi / 4 : -kPi / 4;
        mat4 around = glm::rotate(glm::translate(mat4(1), center), angle, {0, 1, 0});
        m = glm::translate(mat4(1), vec3(0, 0.75f, 0)) * glm::translate(around, -center) * m;
        instance.walk = {};
    }
    auto moved = trace(device, stream, scratch, scene, rays, false, 0.5f);
    auto expected = trace(device, stream, scratch, flattened(then), rays);
    auto rest = trace(device, stream, scratch, scene, rays);
    auto again = trace(device, stream, scratch, scene, rays, false, -3 * scene.duration);
    std::size_t n_hits = 0, n_different = 0, n_moved = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        n_hits += expected.answers[i].hit.found();
        n_different += !same_hit(moved.answers[i].hit, expected.answers[i].hit, 50);
        n_moved += !same_hit(moved.answers[i].hit, rest.answers[i].hit, 50);
        EXPECT_EQ(rest.answers[i].hit.t, again.answers[i].hit.t);  // bit for bit
    }
    EXPECT_GT(n_hits, rays.size() / 20);
    EXPECT_GT(n_moved, n_hits / 4);
    EXPECT_LE(n_different, 4u);
}

TL_DEVICE_TEST(MovingInstances, MeshesThatMoveAreBuiltAnewForEveryFrame) {
    auto engine = engine_of(41);
    Scene flat = empty_scene();
    flat.duration = 2;
    flat.meshes = {soup(engine, 80, 0.4f)};
    flat.meshes[0].animation.kind = AnimationKind::explode;
    flat.meshes[0].animation.distance = 2;
    Scene scene = flat;
    scene.meshes[0].instanced = true;
    scene.instances.push_back({0});
    auto rays = random_rays(bounds_of(flat), 3000, 42);
    auto rest = trace(device, stream, scratch, flat, rays);
    std::size_t n_moved = 0, n_different = 0;
    for (float time : {0.0f, 1.0f}) {
        auto expected = trace(device, stream, scratch, flat, rays, false, time);
        auto met = trace(device, stream, scratch, scene, rays, false, time);
        for (std::size_t i = 0; i < rays.size(); ++i) {
            n_different += met.answers[i].hit.t != expected.answers[i].hit.t;
            n_moved += met.answers[i].hit.t != rest.answers[i].hit.t;
        }
    }
    EXPECT_GT(n_moved, rays.size() / 20);

    // One LiveScene for both times; static trees are built once.
    LiveScene live(stream, std::make_shared<Scene>(scene));
    live.set_builder(make_tree_builder("lbvh", device));
    StageTimer timer(stream);
    for (float time : {0.0f, 1.0f}) {
        timer.begin_frame();
        live.update(scratch, timer, time);
        timer.end_frame();
    }
    DeviceArray<Ray> on_device(stream, std::span<const Ray>(rays));
    DeviceArray<Answer> answers(stream, rays.size());
    visit_any_tracer(live.view().tree, TracePass{stream, on_device.view(), answers.view()});
    auto second = answers.download(stream);
    auto expected = trace(device, stream, scratch, flat, rays, false, 1.0f);
    for (std::size_t i = 0; i < rays.size(); ++i)
        n_different += second[i].hit.t != expected.answers[i].hit.t;
    EXPECT_LE(n_different, rounding_differences(device));
}

TL_DEVICE_TEST(MovingInstances, FramesAllocateNothingAndBuildTheMeshesTreesOnce) {
    LiveScene live(stream, std::make_shared<Scene>(mixed_scene(300)));
    live.set_builder(make_tree_builder("lbvh", device));
    live.tree_config().update = UpdatePolicy::rebuild;
    StageTimer timer(stream);
    auto stages_of_frame = [&] {
        timer.begin_frame();
        live.update(scratch, timer);
        timer.end_frame();
        timer.flush();
        std::vector<std::string> names;
        for (auto& stage : timer.latest()) {
            EXPECT_NE(is_of_scene(stage.kind), stage.kind == StageKind::frame) << stage.name;
            names.push_back(stage.name);
        }
        return names;
    };
    auto has = [](const std::vector<std::string>& names, const char* name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    const char* kMeshes = "build instanced trees";
    EXPECT_TRUE(has(stages_of_frame(), kMeshes));
    EXPECT_TRUE(has(stages_of_frame(), "instance boxes"));
    auto before = device.memory_stats().allocation_count;
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(has(stages_of_frame(), kMeshes));
    EXPECT_EQ(device.memory_stats().allocation_count, before);
    // Another builder or leaf size rebuilds them.
    live.set_builder(make_tree_builder("lbvh", device));
    EXPECT_TRUE(has(stages_of_frame(), kMeshes));
    live.tree_config().max_leaf_size = 2;
    EXPECT_TRUE(has(stages_of_frame(), kMeshes));
    EXPECT_FALSE(has(stages_of_frame(), kMeshes));
}

TL_DEVICE_TEST(MovingInstances, BytesCountTheMeshesTreesAndTheInstances) {
    auto bytes = [&](std::uint32_t n) {
        LiveScene live(stream, std::make_shared<Scene>(mixed_scene(n)));
        live.set_builder(make_tree_builder("lbvh", device));
        StageTimer timer(stream);
        timer.begin_frame();
        live.update(scratch, timer);
        timer.end_frame();
        return live.bytes();
    };
    // Each: InstanceData 80, shading 64, its source at least as much, box 24, primitive 48.
    EXPECT_GE(bytes(2000) - bytes(1000), 1000u * (80 + 64 + 64 + 24 + 48));
}

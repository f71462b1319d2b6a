// Moving meshes: they return to rest, have matching normals and depend only on the time; and trees
// that are updated with them.
#include <gtest/gtest.h>

#include <cmath>

#include "renderer/scene/generators/generators.h"
#include "renderer/scene/live/animation.h"
#include "renderer/scene/loaders/loader.h"
#include "session/session.h"
#include "tests/long_test.h"
#include "tests/unit/temp_folder.h"

namespace tl::animation_tests {
namespace {

std::shared_ptr<Scene> scene_of(const std::string& path) {
    return std::make_shared<Scene>(load_scene(path));
}

/// Two samples of a session's scene at a time.
std::vector<vec3> picture_at(Session& session, float time) {
    session.time = time;
    session.restart();
    for (int i = 0; i < 2; ++i) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
    }
    return session.film().radiance(session.stream()).rgb;
}

std::vector<vec3> picture_of(Device& device, std::shared_ptr<const Scene> scene, float time) {
    Session session(device);
    session.set_scene(std::move(scene));
    session.resize({48, 36});
    return picture_at(session, time);
}

const char* const kExplosion = "generate:explosion,triangles=2000,duration=4";
const char* const kWaves = "generate:waves,triangles=5000,duration=4";
const char* const kRigid = "generate:toasters,count=1,duration=4";
const char* const kFrames = "generate:cloth,triangles=5000,duration=4";

TEST(Animation, AnExplosionStartsAndEndsAtRest) {
    auto scene = scene_of(kExplosion);
    auto still = std::make_shared<Scene>(*scene);
    for (auto& mesh : still->meshes) mesh.animation = {};
    for (Device* device : devices()) {
        auto at_rest = picture_of(*device, still, 0);
        EXPECT_EQ(picture_of(*device, scene, 0), at_rest) << device->name();
        EXPECT_EQ(picture_of(*device, scene, 4), at_rest) << device->name();
        EXPECT_NE(picture_of(*device, scene, 1), at_rest) << device->name();
    }
}

TEST(Animation, TheSameTimeGivesTheSamePicture) {
    for (Device* device : devices())
        for (const char* path : {kExplosion, kWaves, kRigid, kFrames}) {
            Session session(*device);
            session.set_scene(scene_of(path));
            session.resize({48, 36});
            auto first = picture_at(session, 1.25f);
            EXPECT_NE(picture_at(session, 2.0f), first);
            EXPECT_EQ(picture_at(session, 1.25f), first);
            EXPECT_EQ(picture_at(session, 1.25f + 4), first);  // motion repeats
            EXPECT_EQ(picture_at(session, 1.25f - 4), first);
        }
}

TEST(Animation, ExplosionsMayStartLate) {
    Animation animation;
    animation.start = 0.5f;
    EXPECT_EQ(explosion_at(animation, 0.3).distance, 0);
    EXPECT_EQ(explosion_at(animation, 0.5).angle, 0);
    EXPECT_EQ(explosion_at(animation, 0.75).distance, animation.distance);
    EXPECT_NEAR(explosion_at(animation, 1 - 1e-6).distance, 0, 1e-6f);
}

TEST(Animation, PhasesRepeatAndStandStillWithoutADuration) {
    EXPECT_EQ(phase_of(0, 4), 0.0);
    EXPECT_EQ(phase_of(1, 4), 0.25);
    EXPECT_EQ(phase_of(4, 4), 0.0);
    EXPECT_EQ(phase_of(9, 4), 0.25);
    EXPECT_EQ(phase_of(-1, 4), 0.75);
    EXPECT_EQ(phase_of(3, 0), 0.0);
    EXPECT_EQ(phase_of(NAN, 4), 0.0);
}

TEST(Animation, ExplodedTrianglesKeepTheirShapeAndFlyAsFarAsTheyMay) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        auto scene = scene_of("generate:soup,triangles=500,size=0.1");
        auto& mesh = scene->meshes[0];
        Animation animation;
        animation.kind = AnimationKind::explode;
        animation.center = vec3(0.5f);
        animation.distance = 3;
        std::vector<vec3> normals(mesh.positions.size(), vec3(0, 1, 0));
        Animator animator;
        animator.set(*stream, {{animation, 0, mesh.positions.size()}}, mesh.positions, normals);
        DeviceArray<vec3> moved(*stream, mesh.positions.size()), turned(*stream, normals.size());
        animator.run(*stream, 0.5, 6, moved.view(), turned.view());
        auto p = moved.download(*stream), n = turned.download(*stream);
        float farthest = 0;
        for (std::size_t t = 0; t < p.size(); t += 3) {
            vec3 from(0), to(0);
            for (std::size_t k = 0; k < 3; ++k) {
                std::size_t a = t + k, b = t + (k + 1) % 3;
                float before = glm::distance(mesh.positions[a], mesh.positions[b]);
                ASSERT_NEAR(glm::distance(p[a], p[b]), before, 1e-5f);
                ASSERT_NEAR(glm::length(n[a]), 1, 1e-5f);
                from += mesh.positions[a] / 3.0f;
                to += p[a] / 3.0f;
            }
            farthest = std::max(farthest, glm::distance(from, to));
            ASSERT_LT(farthest, 3.0001f);
        }
        EXPECT_GT(farthest, 2.9f);
    }
}

TEST(Animation, NormalsOfWavesAreThoseOfTheirFaces) {
    auto scene = scene_of("generate:waves,triangles=200000,size=4,height=0.3,wavelength=2");
    auto& mesh = scene->meshes[0];
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        Animator animator;
        animator.set(*stream, {{mesh.animation, 0, mesh.positions.size()}}, mesh.positions,
                     mesh.normals);
        DeviceArray<vec3> moved(*stream, mesh.positions.size());
        DeviceArray<vec3> tilted(*stream, mesh.positions.size());
        animator.run(*stream, 0.3, 6, moved.view(), tilted.view());
        auto p = moved.download(*stream), n = tilted.download(*stream);
        float highest = 0, steepest = 1;
        for (auto& t : mesh.triangles) {
            vec3 face = glm::normalize(glm::cross(p[t.y] - p[t.x], p[t.z] - p[t.x]));
            // Cells of 0.013 on waves of 0.54 and more: a normal turns little across a face.
            for (int k = 0; k < 3; ++k) ASSERT_GT(glm::dot(face, n[t[k]]), 0.99f);
            highest = std::max(highest, std::abs(p[t.x].y));
            steepest = std::min(steepest, face.y);
        }
        EXPECT_LE(highest, 0.3f);
        EXPECT_GT(highest, 0.15f);
        EXPECT_LT(steepest, 0.9f);
    }
}

TEST(Animation, RefittedTreesGiveThePictureOfRebuiltOnes) {
    for (Device* device : devices())
        for (const char* path :
             {kExplosion, kWaves, kRigid, kFrames, "generate:crowd,count=60,detail=0.25"}) {
            Session session(*device);
            session.set_scene(scene_of(path));
            session.resize({48, 36});
            session.settings().set("tree", "update", "rebuild");
            auto rebuilt = picture_at(session, 1.5f);
            EXPECT_EQ(session.live_scene().update_kind(), UpdateKind::rebuild);
            session.settings().set("tree", "update", "refit");
            picture_at(session, 0.2f);
            auto refitted = picture_at(session, 1.5f);
            EXPECT_EQ(session.live_scene().update_kind(), UpdateKind::refit);
            ASSERT_EQ(refitted.size(), rebuilt.size());
            // At touching surfaces, the tree's order decides which one is hit.
            std::size_t n_differing = 0;
            for (std::size_t i = 0; i < rebuilt.size(); ++i)
                n_differing += refitted[i] != rebuilt[i];
            EXPECT_LE(n_differing, rebuilt.size() / 200) << path << " " << device->name();
        }
}

TEST(Animation, StaticTreesFreezeTheScene) {
    Session session(find_device("cpu"));
    session.set_scene(scene_of(kExplosion));
    session.resize({48, 36});
    session.settings().set("tree", "update", "static");
    auto first = picture_at(session, 0);
    EXPECT_EQ(picture_at(session, 2), first);
    EXPECT_EQ(session.live_scene().update_kind(), UpdateKind::none);
    // A changed builder setting causes a rebuild at the current time.
    session.settings().set("hploc", "code-bits", "63");
    EXPECT_NE(picture_at(session, 2), first);
}

TEST(Animation, TreesAreBuiltOnChangeWhereSomethingHasMoved) {
    for (const char* path : {kExplosion, kRigid, "generate:crowd,count=60,detail=0.25"}) {
        Session session(find_device("cpu"));
        session.set_scene(scene_of(path));
        session.resize({48, 36});
        auto expect = [&](float time, UpdateKind kind, const char* what) {
            session.time = time;
            session.restart();
            session.begin_frame();
            session.render_frame();
            session.end_frame();
            EXPECT_EQ(session.live_scene().update_kind(), kind) << what << path;
            return session.film().radiance(session.stream()).rgb;
        };
        session.settings().set("tree", "update", "on-change");
        auto first = expect(0, UpdateKind::rebuild, "first ");
        EXPECT_EQ(expect(0, UpdateKind::none, "still "), first);
        auto later = expect(1.5f, UpdateKind::rebuild, "moved ");
        EXPECT_EQ(expect(1.5f, UpdateKind::none, "still again "), later);
        session.settings().set("hploc", "code-bits", "63");
        expect(1.5f, UpdateKind::rebuild, "setting ");
        session.settings().set("tree", "update", "default");
        expect(1.5f, UpdateKind::rebuild, "policy ");
        expect(1.5f, UpdateKind::none, "the CPU's default ");
        session.settings().set("tree", "update", "rebuild");
        expect(0, UpdateKind::rebuild, "rebuild ");
        EXPECT_EQ(expect(0, UpdateKind::rebuild, "rebuild, still "), first);
    }
}

TEST(Animation, AutoRebuildsExplosionsAndRefitsWaves) {
    for (auto [path, rebuilds] : {std::pair{kExplosion, true}, std::pair{kWaves, false}}) {
        Session session(find_device("cpu"));
        session.set_scene(scene_of(path));
        session.resize({8, 6});
        session.settings().set("tree", "update", "auto");
        picture_at(session, 0);
        int n_rebuilt = 0;
        for (int i = 0; i < 60; ++i) {
            picture_at(session, static_cast<float>(i) / 15);
            n_rebuilt += session.live_scene().update_kind() == UpdateKind::rebuild;
        }
        EXPECT_EQ(n_rebuilt > 0, rebuilds) << path;
        EXPECT_LT(n_rebuilt, 60);
    }
}

TEST(Animation, MovingFramesAllocateNothing) {
    TL_LONG_TEST();
    auto scene = scene_of("generate:bunny-dragon,triangles=20000");  // explodes, moves as a whole
    auto cloth = scene_of(kFrames);
    for (auto& mesh : cloth->meshes) scene->meshes.push_back(mesh);
    scene->materials.insert(scene->materials.end(), cloth->materials.begin(),
                            cloth->materials.end());
    for (Device* device : devices())
        for (const char* policy : {"refit", "rebuild", "auto"}) {
            Session session(*device);
            session.set_scene(scene);
            session.resize({16, 12});
            session.settings().set("tree", "update", policy);
            auto run = [&](int n) {
                for (int i = 0; i < n; ++i) {
                    session.time += 0.1f;
                    session.begin_frame();
                    session.render_frame();
                    session.end_frame();
                }
                session.timer().flush();
            };
            run(10);
            auto before = device->memory_stats().allocation_count;
            run(30);
            EXPECT_EQ(device->memory_stats().allocation_count, before) << policy;
        }
}

TEST(Animation, PrimitivesThatTheTreeLeavesOutAreToldOnce) {
    for (Device* device : devices()) {
        auto scene = scene_of(kExplosion);
        Session session(*device);
        session.set_scene(scene);
        session.resize({8, 6});
        picture_at(session, 0);
        EXPECT_EQ(session.inspection().take_warning(true), "");
        auto& mesh = scene->meshes[0];
        mesh.positions[mesh.triangles[7].y].x = NAN;
        std::uint32_t broken = 0;
        for (auto& t : mesh.triangles)
            for (int k = 0; k < 3; ++k) broken += t[k] == mesh.triangles[7].y;
        auto changed = std::make_shared<Scene>(*scene);
        session.set_scene(changed);
        for (int i = 0; i < 3; ++i) picture_at(session, 0);
        auto told = session.inspection().take_warning();
        EXPECT_TRUE(told.starts_with(std::to_string(broken) + " primitives were left out")) << told;
        EXPECT_EQ(session.inspection().take_warning(), "");
        session.set_scene(changed);
        picture_at(session, 0);
        EXPECT_NE(session.inspection().take_warning(true), "");
    }
}

TEST(Animation, SceneFilesSayWhatMoves) {
    test::TempFolder folder;
    auto load = [&](const std::string& text) {
        return load_scene(folder.write("scene.toml", text));
    };
    const std::string quad =
        "[[mesh]]\npositions = [[0, 0, 0], [4, 0, 0], [4, 0, 3], [0, 0, 3]]\n"
        "quads = [[3, 2, 1, 0]]\n";
    EXPECT_EQ(load("duration = 3\n" + quad).duration, 0.0f);
    const std::string walkers = "[[generate]]\nkind = \"crowd\"\ncount = 2\n";
    EXPECT_EQ(load("duration = 3\n" + walkers).duration, 3.0f);
    EXPECT_EQ(load(walkers).duration, 20.0f);
    auto exploding = load(quad + "animation = { kind = \"explode\", turns = 2 }\n");
    EXPECT_EQ(exploding.duration, 6.0f);
    auto& e = exploding.meshes[0].animation;
    EXPECT_EQ(e.kind, AnimationKind::explode);
    EXPECT_EQ(e.center, vec3(2, 0, 1.5f));
    EXPECT_FLOAT_EQ(e.distance, 2.5f);
    EXPECT_EQ(e.turns, 2.0f);
    auto waving = load("duration = 3\n" + quad +
                       "animation = { kind = \"wave\", height = 0.5, lift = [0, 0, 2] }\n");
    EXPECT_EQ(waving.duration, 3.0f);
    EXPECT_EQ(waving.meshes[0].animation.lift, vec3(0, 0, 1));
    EXPECT_EQ(waving.meshes[0].animation.height, 0.5f);
    // The motion of a generator scales with its geometry.
    auto large = load("[[generate]]\nkind = \"waves\"\ntriangles = 8\nheight = 0.25\nscale = 2\n");
    EXPECT_FLOAT_EQ(large.meshes[0].animation.height, 0.5f);
    EXPECT_FLOAT_EQ(large.meshes[0].animation.wavelength, 6.0f);
    EXPECT_EQ(large.duration, 6.0f);
    for (auto [text, part] :
         {std::pair{"animation = { kind = \"fly\" }", "known: explode, wave, rigid"},
          std::pair{"animation = 3", "wants a table"},
          std::pair{"animation = { kind = \"wave\", wavelength = 0 }", "wavelength"}}) {
        try {
            (void)load(quad + text);
            ADD_FAILURE() << text;
        } catch (const std::exception& error) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    }
}

}  // namespace
}  // namespace tl::animation_tests

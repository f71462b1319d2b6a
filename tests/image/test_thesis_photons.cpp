// Photon mapping after Zeidan's thesis against closed formulas and the path tracer.
#include <gtest/gtest.h>

#include <set>

#include "renderer/scene/loaders/loader.h"
#include "tests/image/light_scenes.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"

namespace tl::thesis_photons_tests {
namespace {

using test::diffuse;
using test::mean_of;
using test::point_light;

constexpr double kPiD = 3.14159265358979323846;

/// Factor for tolerances under sanitizers, where only one or few frames are rendered.
constexpr double kWider = test::kSanitized ? 100 : 1;

struct Given {
    const char* photons;
    const char* max_depth = "64";
    const char* seeds = "256";
    const char* show = "picture";
};

ImageF render(Device& device, Scene scene, const Given& given, Extent extent, int spp) {
    scene.settings["render"]["renderer"] = "photon";
    auto& photon = scene.settings["photon"];
    photon["mode"] = "thesis";
    photon["photons"] = test::kSanitized ? "1000" : given.photons;
    photon["max-depth"] = given.max_depth;
    photon["thesis-seeds"] = test::kSanitized ? "16" : given.seeds;
    photon["show"] = given.show;
    if (test::kSanitized) spp = (spp + 15) / 16;
    return test::render_radiance(device, std::make_shared<Scene>(std::move(scene)), extent, spp);
}

void expect_near(vec3 seen, vec3 expected, double tolerance, const std::string& what) {
    for (int c = 0; c < 3; ++c)
        EXPECT_NEAR(double(seen[c]) / double(expected[c]), 1, tolerance * kWider)
            << what << ", channel " << c;
}

/// The inside of a ball of albedo 1/2.
Scene lit_ball(vec3 lamp) {
    Scene scene;
    scene.materials = {diffuse(0.5f)};
    scene.spheres = {{{0, 0, 0}, 1, 0}};
    scene.lights = {point_light(lamp, float(kPi))};
    scene.camera = {{0.5f, -0.5f, 0.2f}, {1, 1, 1}, {0, 1, 0}, 100};
    return scene;
}

TEST(ThesisPhotons, ASphereFromWithinDoublesTheLightOfItsCentre) {
    TL_LONG_TEST();
    for (Device* device : devices())
        expect_near(mean_of(render(*device, lit_ball(vec3(0)), {"40000"}, {48, 48}, 8)), vec3(1),
                    0.005, device->name());
}

TEST(ThesisPhotons, ManyPhotonsLoseNoLight) {
    TL_LONG_TEST();
    // Many photons give a small search radius, but the number of irradiance seeds stays the same.
    // Their spacing exceeds the radius: 2.6 % of the light lies farther from all seeds than twice
    // the radius.
    if (test::kSanitized) GTEST_SKIP() << "takes many photons";
    for (Device* device : devices()) {
        Scene scene = lit_ball(vec3(0));
        scene.settings["photon"]["thesis-neighbors"] = "20";
        expect_near(mean_of(render(*device, scene, {"500000"}, {32, 32}, 1)), vec3(1), 0.01,
                    device->name());
    }
}

TEST(ThesisPhotons, AGlowingSphereFromWithinAddsUpAllItsReflections) {
    TL_LONG_TEST();
    for (Device* device : devices())
        expect_near(
            mean_of(render(*device, *test::sphere_from_within(0.5f), {"40000"}, {48, 48}, 16)),
            vec3(1), 0.005, device->name());
}

TEST(ThesisPhotons, LightReflectedWithinASphereIsTheSameEverywhere) {
    TL_LONG_TEST();
    // rho^2 Phi / (4 pi^2 R^2 (1 - rho)), Phi = 4 pi I, wherever the source is.
    for (Device* device : devices()) {
        Scene scene = lit_ball({0.45f, 0.3f, -0.2f});
        scene.camera = {{-0.1f, 0.1f, 0.2f}, {0.3f, 1, -1}, {0, 1, 0}, 100};
        auto image = render(*device, scene, {"40000", "64", "256", "indirect"}, {48, 48}, 8);
        double sum = 0, squares = 0;
        for (int block = 0; block < 16; ++block) {
            double mean = 0;
            for (int i = 0; i < 144; ++i)
                mean += double(image
                                   .rgb[std::size_t((block / 4 * 12 + i / 12) * 48 +
                                                    block % 4 * 12 + i % 12)]
                                   .x) /
                        144;
            sum += mean / 16;
            squares += mean * mean / 16;
        }
        EXPECT_NEAR(sum, 0.5, 0.5 * 0.003 * kWider) << device->name();
        EXPECT_LT(std::sqrt(std::max(0.0, squares - sum * sum)) / sum, 0.005 * kWider)
            << device->name();
    }
}

TEST(ThesisPhotons, ALitCubeHasTheIlluminanceThatIsKnown) {
    TL_LONG_TEST();
    struct Known {
        vec2 place;
        double lux;
    };
    for (Device* device : devices())
        for (auto [place, lux] : {Known{{0, 0}, 4207.4}, Known{{0.5f, 0.5f}, 3236.2}}) {
            auto image =
                render(*device, *test::keldysh_cube(place), {"100000", "64", "64"}, {16, 16}, 6);
            EXPECT_NEAR(double(mean_of(image).x) * kPiD * 1.5 / lux, 1, 0.005 * kWider)
                << place.x << ", " << place.y << " on " << device->name();
        }
}

TEST(ThesisPhotons, FacesOfAClosedBoxAbsorbWhatItsLightEmits) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        glm::dvec3 absorbed(0);
        for (int face = 0; face < 6; ++face) {
            auto scene = test::colored_cube(face);
            glm::dvec3 seen = mean_of(render(*device, *scene, {"100000"}, {48, 48}, 2));
            glm::dvec3 albedo = scene->materials[std::size_t(face)].diffuse;
            absorbed += 4.0 * (1.0 - albedo) * seen * kPiD / albedo;
        }
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(absorbed[c] / (4 * kPiD * (c + 1)), 1, 0.01 * kWider) << device->name();
    }
}

/// A small lamp in a room with a ball of glass and a ball of metal.
Scene room_with_balls() {
    Scene scene;
    scene.materials = {diffuse(0.7f), diffuse(0.7f), {}, {}};
    scene.materials[1].diffuse = vec3(0.7f, 0.2f, 0.1f);
    scene.materials[2].kind = MaterialKind::dielectric;
    scene.materials[3].kind = MaterialKind::mirror;
    scene.materials[3].specular = vec3(0.9f);
    Mesh room;
    add_box(room, {-1, 0, -1}, {1, 2, 1}, 0);
    room.material_of_triangle[0] = room.material_of_triangle[1] = 1;
    scene.meshes = {room};
    scene.spheres = {{{-0.4f, 0.4f, 0}, 0.35f, 2}, {{0.5f, 0.35f, -0.4f}, 0.35f, 3}};
    scene.lights = {test::lamp_over({-0.2f, 1.9f, -0.2f}, 0.4f, 0.4f, vec3(8))};
    scene.camera = {{0, 1, 0.95f}, {0, 0.7f, 0}, {0, 1, 0}, 75};
    return scene;
}

/// The path tracer's picture.
ImageF by_paths(Device& device, Scene scene) {
    scene.settings["render"]["renderer"] = "path";
    scene.settings["path"]["max-depth"] = "32";
    return test::render_radiance(device, std::make_shared<Scene>(std::move(scene)), {48, 48},
                                 test::kSanitized ? 16 : 1536);
}

/// Compares tiles of 8 x 8 pixels of pictures of 48 x 48, in which the noise of both is small.
/// Tiles in `focused` may differ by a quarter.
void expect_near_in_tiles(const ImageF& photons, const ImageF& paths, double tolerance,
                          const std::set<int>& focused, const std::string& what) {
    if (test::kSanitized) return;
    for (int tile = 0; tile < 36; ++tile) {
        double a = 0, b = 0;
        for (int i = 0; i < 64; ++i) {
            auto at = std::size_t((tile / 6 * 8 + i / 8) * 48 + tile % 6 * 8 + i % 8);
            a += double(photons.rgb[at].y);
            b += double(paths.rgb[at].y);
        }
        EXPECT_NEAR(a / b, 1, focused.contains(tile) ? 0.25 : tolerance)
            << "tile " << tile << " of " << what;
    }
}

TEST(ThesisPhotons, ARoomLooksLikeInThePathTracer) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        Scene scene = room_with_balls();
        // The depth limit is so large that the number of mirror and glass surfaces, which this mode
        // cannot count as others do, matters little.
        auto photons = render(*device, scene, {"50000", "32", "1024"}, {48, 48}, 16);
        auto paths = by_paths(*device, scene);
        expect_near(mean_of(photons), mean_of(paths), 0.01, device->name());
        // The nearest photons of a query point beside the focus of the ball are those of the focus:
        // around it the estimate is too bright.
        expect_near_in_tiles(photons, paths, 0.06, {30, 31}, device->name());
    }
}

TEST(ThesisPhotons, ARoomWithAGlossyFloorLooksLikeInThePathTracer) {
    TL_LONG_TEST();
    // Gather rays follow the floor's specular reflections, and its specular reflections of the
    // light come as caustics. If all of it were treated as diffuse, the picture would be 0.9 % too
    // dark, and tiles up to 3.3 %.
    for (Device* device : devices()) {
        Scene scene = room_with_balls();
        Material& floor = scene.materials[1];
        floor.kind = MaterialKind::phong;
        floor.diffuse = vec3(0.25f);
        floor.specular = vec3(0.55f);
        floor.exponent = 200;
        auto& material_of = scene.meshes[0].material_of_triangle;
        material_of[0] = material_of[1] = 0;
        material_of[4] = material_of[5] = 1;
        scene.spheres.clear();
        scene.lights = {point_light({0.3f, 1.6f, 0.2f}, 3)};
        auto photons = render(*device, scene, {"100000", "32", "1024"}, {48, 48}, 16);
        auto paths = by_paths(*device, scene);
        expect_near(mean_of(photons), mean_of(paths), 0.005, device->name());
        expect_near_in_tiles(photons, paths, 0.03, {}, device->name());
    }
}

TEST(ThesisPhotons, PartsAddUpToThePicture) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        Scene scene = room_with_balls();
        auto mean_shown = [&](const char* show) {
            return mean_of(render(*device, scene, {"20000", "10", "128", show}, {48, 48}, 8));
        };
        vec3 sum(0);
        for (const char* part : {"direct", "specular", "caustics", "indirect"}) {
            vec3 mean = mean_shown(part);
            EXPECT_GT(mean.y, 0.0f) << part;
            sum += mean;
        }
        expect_near(sum, mean_shown("picture"), 0.004, device->name());
    }
}

TEST(ThesisPhotons, ASeedGivesTheSameBits) {
    TL_LONG_TEST();
    for (Device* device : devices())
        for (const char* search : {"nearest", "histogram", "octree", "hash"}) {
            Scene scene = room_with_balls();
            scene.settings["photon"]["thesis-search"] = search;
            auto once = render(*device, scene, {"10000", "6", "64"}, {32, 32}, 2);
            auto again = render(*device, scene, {"10000", "6", "64"}, {32, 32}, 2);
            EXPECT_TRUE(once.rgb == again.rgb) << search << " on " << device->name();
        }
}

TEST(ThesisPhotons, BothSearchesGiveTheSameLight) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        Scene scene = room_with_balls();
        auto nearest = mean_of(render(*device, scene, {"20000", "6", "128"}, {32, 32}, 6));
        scene.settings["photon"]["thesis-search"] = "histogram";
        expect_near(mean_of(render(*device, scene, {"20000", "6", "128"}, {32, 32}, 6)), nearest,
                    0.01, device->name());
    }
}

TEST(ThesisPhotons, CausticsAreFoundByEveryStructure) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        Scene scene = room_with_balls();
        auto& photon = scene.settings["photon"];
        auto caustics = [&](const char* search) {
            photon["thesis-search"] = search;
            return render(*device, scene, {"40000", "6", "16", "caustics"}, {32, 32}, 4);
        };
        auto nearest = mean_of(caustics("nearest"));
        auto by_tree = caustics("kd-tree");
        // The k nearest of any orientation reach less far than those of the surface's, with less
        // bias along edges.
        expect_near(mean_of(by_tree), nearest, 0.03, device->name() + " kd-tree");
        // Exact searches find the same photons, and add them up in another order.
        for (const char* search : {"octree", "windows", "cells"})
            expect_near(mean_of(caustics(search)), mean_of(by_tree), 1e-4,
                        device->name() + " " + search);
        // Hash tables miss photons. Where they find fewer than k, the light of those is lost.
        expect_near(mean_of(caustics("hash")), mean_of(by_tree), 0.1, device->name() + " hash");
    }
}

TEST(ThesisPhotons, RecallIsThatOfTheStructure) {
    for (Device* device : devices())
        for (const char* search : {"kd-tree", "octree", "hash", "nearest"}) {
            Scene scene = room_with_balls();
            scene.settings["render"]["renderer"] = "photon";
            scene.settings["photon"] = {{"mode", "thesis"},
                                        {"photons", "5000"},
                                        {"thesis-search", search},
                                        {"thesis-seeds", "16"},
                                        {"thesis-gather-rays", "4"}};
            Session session(*device);
            session.set_scene(std::make_shared<Scene>(std::move(scene)));
            session.resize({24, 24});
            session.begin_frame();
            session.render_frame();
            session.end_frame();
            auto figures = session.inspection().picture_figures();
            if (std::string(search) == "nearest") {
                EXPECT_TRUE(figures.empty());
                continue;
            }
            ASSERT_EQ(figures.size(), 1u) << search;
            EXPECT_EQ(figures[0].name, "nearest photons found");
            if (std::string(search) == "hash") {
                EXPECT_GT(figures[0].share, 0.3);
                EXPECT_LT(figures[0].share, 1);
            } else {
                EXPECT_EQ(figures[0].share, 1) << search;
            }
        }
}

}  // namespace
}  // namespace tl::thesis_photons_tests

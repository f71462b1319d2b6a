#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "renderer/scene/generators/generators.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/normals.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"
#include "tests/unit/temp_folder.h"

namespace tl::generators_tests {
namespace {

using test::refusal;

Scene generated(const std::string& id, const GeneratorParameters& parameters = {}) {
    Scene scene;
    generate(scene, id, parameters);
    return scene;
}

vec3 area_vector(const Mesh& mesh, glm::uvec3 t) {
    vec3 a = mesh.positions[t.x];
    return glm::cross(mesh.positions[t.y] - a, mesh.positions[t.z] - a);
}

/// Six times the enclosed volume; positive where triangles face outwards.
double signed_volume(const Mesh& mesh) {
    double sum = 0;
    glm::dvec3 origin = mesh.positions[0];  // near, for precision
    for (auto& t : mesh.triangles)
        sum += glm::dot(glm::dvec3(mesh.positions[t.x]) - origin,
                        glm::cross(glm::dvec3(mesh.positions[t.y]) - origin,
                                   glm::dvec3(mesh.positions[t.z]) - origin));
    return sum;
}

/// Number of edges, identified by their end positions, without exactly one opposite edge.
std::size_t open_edges(const Mesh& mesh) {
    using Place = std::array<float, 3>;
    std::map<std::pair<Place, Place>, int> balance;
    auto place = [&](std::uint32_t v) {
        vec3 p = mesh.positions[v];
        return Place{p.x, p.y, p.z};
    };
    for (auto& t : mesh.triangles)
        for (int k = 0; k < 3; ++k) {
            Place a = place(t[k]), b = place(t[(k + 1) % 3]);
            if (a == b) continue;
            if (a < b)
                ++balance[{a, b}];
            else
                --balance[{b, a}];
        }
    return static_cast<std::size_t>(
        std::count_if(balance.begin(), balance.end(), [](auto& e) { return e.second != 0; }));
}

/// Checks the invariants of every mesh: sizes, indices, finite positions, normals on the side of
/// the faces.
void expect_well_formed(const Scene& scene) {
    ASSERT_FALSE(scene.materials.empty());
    auto n_materials = static_cast<std::int32_t>(scene.materials.size());
    for (auto& mesh : scene.meshes) {
        ASSERT_EQ(mesh.material_of_triangle.size(), mesh.triangles.size()) << mesh.name;
        ASSERT_TRUE(mesh.normals.empty() || mesh.normals.size() == mesh.positions.size());
        std::size_t against = 0, bad_index = 0, not_unit = 0;
        for (auto& t : mesh.triangles) {
            for (int k = 0; k < 3; ++k) bad_index += t[k] >= mesh.positions.size();
            if (bad_index) break;
            if (mesh.normals.empty()) continue;
            vec3 face = area_vector(mesh, t);
            for (int k = 0; k < 3; ++k) against += !(glm::dot(face, mesh.normals[t[k]]) >= 0);
        }
        for (auto& normal : mesh.normals) not_unit += !(std::abs(glm::length(normal) - 1) < 1e-4f);
        EXPECT_EQ(bad_index, 0u) << mesh.name;
        EXPECT_EQ(against, 0u) << mesh.name;
        EXPECT_EQ(not_unit, 0u) << mesh.name;
        for (auto m : mesh.material_of_triangle) ASSERT_TRUE(m >= 0 && m < n_materials);
    }
    for (auto& sphere : scene.spheres) {
        ASSERT_TRUE(sphere.material >= 0 && sphere.material < n_materials);
        ASSERT_GT(sphere.radius, 0);
    }
}

TEST(Generators, EveryOneIsWellFormedLitAndSeen) {
    TL_LONG_TEST();
    for (auto& row : generators()) {
        SCOPED_TRACE(row.id);
        // Millions of triangles take long under sanitizers.
        if (test::kSanitized && (row.id == "terrain" || row.id == "waves")) continue;
        Scene scene = generated(row.id);
        expect_well_formed(scene);
        EXPECT_FALSE(scene.lights.empty());
        EXPECT_NE(scene.camera.eye, Camera{}.eye);
        EXPECT_FALSE(row.help.empty());
        Box bounds = bounds_of(scene);
        EXPECT_FALSE(bounds.empty());
        EXPECT_TRUE(std::isfinite(glm::length(bounds.hi - bounds.lo)));
    }
}

TEST(Generators, UnknownNamesAndKeysListTheKnownOnes) {
    std::string message = refusal([] { (void)generated("mountain"); });
    TL_EXPECT_CONTAINS(message, "mountain");
    TL_EXPECT_CONTAINS(message, "cornell-box, sphere-flake, terrain, atrium, soup");
    message = refusal([] { (void)generated("soup", {{"count", "5"}}); });
    TL_EXPECT_CONTAINS(message, "takes no 'count'; known: triangles, size, seed");
}

TEST(Generators, ValuesOutOfRangeNameTheRange) {
    for (auto* value : {"0", "200000001", "-5", "many", "1.5", "", "nan", "inf", "1e99"}) {
        std::string message = refusal([&] { (void)generated("terrain", {{"triangles", value}}); });
        TL_EXPECT_CONTAINS(message,
                           "generator 'terrain': triangles = '" + std::string(value) + "'");
        TL_EXPECT_CONTAINS(message, "1 to 200000000");
    }
    EXPECT_NE(refusal([] { (void)generated("sphere-flake", {{"depth", "8"}}); }), "");
    EXPECT_NE(refusal([] { (void)generated("atrium", {{"detail", "0"}}); }), "");
    EXPECT_NE(refusal([] { (void)generated("cornell-box", {{"blocks", "yes"}}); }), "");
}

TEST(Terrain, HasExactlyTheTrianglesAskedFor) {
    for (std::size_t count : {1, 2, 3, 5, 7, 100, 1001, 12345}) {
        Scene scene = generated("terrain", {{"triangles", std::to_string(count)}});
        EXPECT_EQ(scene.triangle_count(), count);
        expect_well_formed(scene);
    }
    EXPECT_EQ(generated("terrain").triangle_count(), 1'000'000u);
    EXPECT_EQ(generated("terrain", {{"triangles", "1e3"}}).triangle_count(), 1000u);
}

TEST(Terrain, FacesUpAndCoversItsSquare) {
    Scene scene = generated("terrain", {{"triangles", "20000"}, {"size", "6"}, {"height", "2"}});
    auto& mesh = scene.meshes[0];
    double area_from_above = 0;
    for (auto& t : mesh.triangles) {
        float up = 0.5f * area_vector(mesh, t).y;
        EXPECT_GT(up, 0);
        area_from_above += up;
    }
    EXPECT_NEAR(area_from_above, 36, 1e-3);
    Box bounds = bounds_of(scene);
    EXPECT_NEAR(bounds.lo.x, -3, 1e-5);
    EXPECT_NEAR(bounds.hi.z, 3, 1e-5);
    EXPECT_GE(bounds.lo.y, 0);
    EXPECT_LE(bounds.hi.y, 2.2);
    EXPECT_GT(bounds.hi.y - bounds.lo.y, 1);  // it is not flat
}

TEST(Terrain, SeedDecidesAndRepeats) {
    GeneratorParameters one{{"triangles", "5000"}, {"seed", "1"}}, two = one;
    two["seed"] = "2";
    auto first = generated("terrain", one).meshes[0].positions;
    EXPECT_EQ(first, generated("terrain", one).meshes[0].positions);
    EXPECT_NE(first, generated("terrain", two).meshes[0].positions);
}

TEST(Soup, LiesInTheUnitCubeAndRepeats) {
    GeneratorParameters parameters{{"triangles", "2000"}, {"size", "0.1"}, {"seed", "7"}};
    Scene scene = generated("soup", parameters);
    auto& mesh = scene.meshes[0];
    EXPECT_EQ(mesh.triangles.size(), 2000u);
    EXPECT_EQ(mesh.positions.size(), 6000u);
    Box bounds = bounds_of(scene);
    for (int k = 0; k < 3; ++k) {
        EXPECT_GE(bounds.lo[k], 0);
        EXPECT_LE(bounds.hi[k], 1);
        EXPECT_LT(bounds.lo[k], 0.1f);
        EXPECT_GT(bounds.hi[k], 0.9f);
    }
    for (auto& t : mesh.triangles)
        for (int k = 0; k < 3; ++k) {
            vec3 edge = glm::abs(mesh.positions[t[k]] - mesh.positions[t[(k + 1) % 3]]);
            EXPECT_LE(std::max({edge.x, edge.y, edge.z}), 0.1f);
        }
    EXPECT_EQ(mesh.positions, generated("soup", parameters).meshes[0].positions);
    parameters["seed"] = "8";
    EXPECT_NE(mesh.positions, generated("soup", parameters).meshes[0].positions);
}

TEST(SphereFlake, HasNineChildrenForEachSphereWhichTouchIt) {
    EXPECT_EQ(generated("sphere-flake", {{"depth", "0"}}).spheres.size(), 1u);
    EXPECT_EQ(generated("sphere-flake").spheres.size(), 7381u);
    auto spheres = generated("sphere-flake", {{"depth", "1"}}).spheres;
    ASSERT_EQ(spheres.size(), 10u);
    for (std::size_t i = 1; i < spheres.size(); ++i) {
        EXPECT_FLOAT_EQ(spheres[i].radius, 1.0f / 3);
        EXPECT_NEAR(glm::length(spheres[i].center), 4.0f / 3, 1e-5);
        for (std::size_t j = i + 1; j < spheres.size(); ++j)
            EXPECT_GE(glm::length(spheres[i].center - spheres[j].center), 2.0f / 3 - 1e-4f);
    }
}

TEST(SphereFlake, StandsOnItsGround) {
    Scene scene = generated("sphere-flake", {{"depth", "4"}});
    for (auto& sphere : scene.spheres) ASSERT_GE(sphere.center.y - sphere.radius, -1.0f - 1e-5f);
    for (auto& t : scene.meshes[0].triangles) EXPECT_GT(area_vector(scene.meshes[0], t).y, 0);
    EXPECT_TRUE(generated("sphere-flake", {{"ground", "false"}}).meshes.empty());
}

TEST(CornellBox, FacesLookIntoTheRoomAndOutOfTheBlocks) {
    Scene scene = generated("cornell-box", {{"blocks", "true"}});
    ASSERT_EQ(scene.meshes.size(), 3u);
    EXPECT_EQ(scene.triangle_count(), 30u);
    EXPECT_TRUE(scene.spheres.empty());
    const vec3 inside[3] = {vec3(0.278f, 0.274f, 0.28f), vec3(0.186f, 0.08f, 0.169f),
                            vec3(0.368f, 0.16f, 0.351f)};
    for (int m = 0; m < 3; ++m)
        for (auto& t : scene.meshes[m].triangles) {
            vec3 out = scene.meshes[m].positions[t.x] - inside[m];
            float side = glm::dot(area_vector(scene.meshes[m], t), out);
            if (m == 0)
                EXPECT_LT(side, 0);
            else
                EXPECT_GT(side, 0);
        }
    Box bounds = bounds_of(scene);
    EXPECT_EQ(bounds.lo, vec3(0));
    EXPECT_NEAR(bounds.hi.x, 0.556, 1e-6);
    EXPECT_NEAR(bounds.hi.y, 0.5488, 1e-6);
    EXPECT_NEAR(bounds.hi.z, 0.5592, 1e-6);
}

TEST(CornellBox, LightShinesDownFromBelowTheCeiling) {
    Scene scene = generated("cornell-box");
    ASSERT_EQ(scene.lights.size(), 1u);
    auto& light = scene.lights[0];
    vec3 emits = glm::cross(light.edge_u, light.edge_v);
    EXPECT_LT(emits.y, 0);
    EXPECT_NEAR(glm::length(emits), 0.105 * 0.130, 1e-6);
    EXPECT_LT(light.position.y, 0.5488f);
    EXPECT_EQ(scene.spheres.size(), 2u);
}

TEST(Atrium, HasItsTrianglesAndClosedSolids) {
    Scene scene = generated("atrium");
    EXPECT_EQ(scene.triangle_count(), 265'192u);
    EXPECT_EQ(scene.spheres.size(), 2u);
    std::set<std::string> checked;
    for (auto& mesh : scene.meshes) {
        if (mesh.name == "floor") continue;
        EXPECT_GT(signed_volume(mesh), 0) << mesh.name;
        if (!checked.insert(mesh.name).second) continue;
        EXPECT_EQ(open_edges(mesh), 0u) << mesh.name;
    }
    EXPECT_EQ(checked, (std::set<std::string>{"wall", "ceiling", "column", "arch", "gallery",
                                              "rail", "baluster", "pedestal", "bronze sphere"}));
}

TEST(Atrium, GrowsWithDetail) {
    auto count = [](const char* detail) {
        return generated("atrium", {{"detail", detail}}).triangle_count();
    };
    EXPECT_LT(count("0.25"), 40'000u);
    EXPECT_GT(count("2"), 900'000u);
}

/// Largest distance of vertices at the end of the scene's duration from their start positions.
double gap_in_motion(const Scene& scene) {
    double widest = 0;
    for (auto& mesh : scene.meshes) {
        if (mesh.animation.kind != AnimationKind::rigid) continue;
        EXPECT_EQ(mesh.animation.period, scene.duration) << mesh.name;
        for (auto& position : mesh.positions) {
            glm::dvec4 p(glm::dvec3(position), 1);
            for (double time : {0.0, double(scene.duration)})
                widest = std::max(widest, glm::distance(mesh.animation.rigid.at(time) * p, p));
        }
    }
    return widest;
}

TEST(Toasters, MarchInThreeSurfacesAndEndWhereTheyStarted) {
    for (auto [surface, kind] : {std::pair{"plain", MaterialKind::phong},
                                 {"mirror", MaterialKind::mirror},
                                 {"glass", MaterialKind::dielectric}}) {
        Scene scene = generated("toasters", {{"surface", surface}});
        EXPECT_EQ(scene.triangle_count(), 11'240u);
        for (auto& mesh : scene.meshes) {
            if (mesh.name == "floor") continue;
            EXPECT_EQ(open_edges(mesh), 0u) << mesh.name;
            EXPECT_GT(signed_volume(mesh), 0) << mesh.name;
            if (mesh.name == "toaster") {
                auto material = static_cast<std::size_t>(mesh.material_of_triangle[0]);
                EXPECT_EQ(scene.materials[material].kind, kind);
            }
            if (mesh.animation.kind == AnimationKind::none) continue;
            auto& motion = mesh.animation.rigid;
            for (auto& p : mesh.positions)
                for (double time : {0.3, 1.7, 20.0})  // no foot penetrates the floor
                    ASSERT_GT((motion.at(time) * glm::dvec4(glm::dvec3(p), 1)).y, -0.02);
        }
        EXPECT_LT(gap_in_motion(scene), 1e-4);
    }
    EXPECT_EQ(generated("toasters", {{"count", "1"}}).triangle_count(), 4984u);
    TL_EXPECT_CONTAINS(refusal([] {
                           (void)generated("toasters", {{"surface", "gold"}});
                       }),
                       "surface = 'gold'; it wants plain, mirror or glass");
}

TEST(Forest, HasTheTrianglesAskedForAndEndsWhereItStarted) {
    for (const char* surface : {"plain", "glass"}) {
        Scene scene = generated("forest", {{"surface", surface}});
        EXPECT_NEAR(double(scene.triangle_count()), 178'000, 3);
        EXPECT_LT(gap_in_motion(scene), 1e-4);
        std::set<MaterialKind> kinds;
        for (auto& material : scene.materials) kinds.insert(material.kind);
        EXPECT_EQ(kinds.contains(MaterialKind::dielectric), surface == std::string("glass"));
        std::size_t n_closed = 0;
        for (auto& mesh : scene.meshes) {
            bool is_open = mesh.name == "ground" || mesh.name == "leaves" || mesh.name == "grass" ||
                           mesh.name.ends_with("wing");
            if (is_open) continue;
            EXPECT_EQ(open_edges(mesh), 0u) << mesh.name;
            EXPECT_GT(signed_volume(mesh), 0) << mesh.name;
            ++n_closed;
        }
        EXPECT_GE(n_closed, 6u);
    }
    EXPECT_NEAR(double(generated("forest", {{"triangles", "300000"}}).triangle_count()), 3e5, 3);
}

TEST(Cloth, FallsOnTheBallWithoutPassingIntoItOrStretching) {
    TL_LONG_TEST();
    Scene scene = generated("cloth");
    EXPECT_NEAR(double(scene.triangle_count()), 92'000, 0.01 * 92'000);
    auto& mesh = scene.meshes[0];
    EXPECT_EQ(mesh.animation.kind, AnimationKind::frames);
    EXPECT_TRUE(mesh.animation.returns);
    EXPECT_EQ(mesh.frames[0].positions, mesh.positions);
    double at_rest = glm::distance(mesh.positions[0], mesh.positions[1]);
    for (auto& frame : mesh.frames) {
        ASSERT_EQ(frame.positions.size(), mesh.positions.size());
        ASSERT_EQ(frame.normals.size(), mesh.positions.size());
        double nearest = 9, longest = 0, oblique = 0;
        for (auto& p : frame.positions)
            nearest = std::min(nearest, double(glm::distance(p, vec3(0, 1, 0))));
        for (auto& t : mesh.triangles)
            longest = std::max(longest,
                               double(glm::distance(frame.positions[t.y], frame.positions[t.z])));
        for (auto& n : frame.normals)
            oblique = std::max(oblique, std::abs(double(glm::length(n)) - 1));
        EXPECT_GT(nearest, 1);
        EXPECT_LT(longest, 1.5 * at_rest);
        EXPECT_LT(oblique, 1e-4);
    }
    auto lowest = [](const MeshFrame& frame) {
        float y = kInfinity;
        for (auto& p : frame.positions) y = std::min(y, p.y);
        return y;
    };
    EXPECT_GT(lowest(mesh.frames.front()), 2);
    EXPECT_LT(lowest(mesh.frames.back()), 1);
    EXPECT_GT(lowest(mesh.frames.back()), 0);
}

TEST(Dragon, IsOneClosedSurfaceOfAboutTheTrianglesAskedFor) {
    TL_LONG_TEST();
    for (double wanted : {100e3, 30e3}) {
        Scene scene = generated("dragon", {{"triangles", std::to_string(int(wanted))}});
        EXPECT_NEAR(double(scene.triangle_count()), wanted, 0.02 * wanted);
        EXPECT_EQ(open_edges(scene.meshes[0]), 0u);
        EXPECT_GT(signed_volume(scene.meshes[0]), 0);
        EXPECT_NEAR(bounds_of(scene).lo.y, 0, 0.01);  // claws rest on the ground
    }
}

TEST(BunnyDragon, BurstsWhenItIsHitAndEndsAsItStarted) {
    TL_LONG_TEST();
    Scene scene = generated("bunny-dragon");
    EXPECT_NEAR(double(scene.triangle_count()), 92'000, 0.02 * 92'000);
    EXPECT_LT(gap_in_motion(scene), 1e-4);
    auto &dragon = scene.meshes[0], &bunny = scene.meshes[1];
    for (auto* mesh : {&dragon, &bunny}) {
        EXPECT_EQ(open_edges(*mesh), 0u) << mesh->name;
        EXPECT_GT(signed_volume(*mesh), 0) << mesh->name;
    }
    ASSERT_EQ(dragon.animation.kind, AnimationKind::explode);
    ASSERT_GT(dragon.animation.start, 0);
    // When the dragon begins to burst, the bunny is nearest to the centre of the burst.
    auto distance = [&](double time) {
        double nearest = 9;
        for (auto& p : bunny.positions) {
            auto at = glm::dvec3(bunny.animation.rigid.at(time) * glm::dvec4(glm::dvec3(p), 1));
            nearest = std::min(nearest, glm::distance(at, glm::dvec3(dragon.animation.center)));
        }
        return nearest;
    };
    double impact = double(dragon.animation.start * scene.duration);
    EXPECT_LT(distance(impact), 0.2);
    EXPECT_GT(distance(impact - 0.4), 0.3);
    EXPECT_GT(distance(impact + 0.4), 0.3);
}

TEST(Generators, AreScenesByThemselves) {
    Scene scene = load_scene("generate:soup, triangles=10 ,seed=3");
    EXPECT_EQ(scene.triangle_count(), 10u);
    EXPECT_EQ(scene.name, "soup");
    EXPECT_EQ(scene.path, "");
    EXPECT_EQ(scene.materials[0].name, "default");
    TL_EXPECT_CONTAINS(refusal([] { (void)load_scene("generate:soup,triangles"); }),
                       "'triangles' is not of the form key=value");
    TL_EXPECT_CONTAINS(refusal([] { (void)load_scene("generate:"); }), "unknown generator ''");
}

TEST(Normals, OfACubeAreFlatAndOfASphereSmooth) {
    Mesh cube;
    for (int i = 0; i < 8; ++i) cube.positions.emplace_back(i & 1, i >> 1 & 1, i >> 2);
    for (auto [a, b, c, d] : {std::tuple{0, 2, 3, 1},
                              {4, 5, 7, 6},
                              {0, 1, 5, 4},
                              {2, 6, 7, 3},
                              {0, 4, 6, 2},
                              {1, 3, 7, 5}}) {
        cube.triangles.emplace_back(a, b, c);
        cube.triangles.emplace_back(a, c, d);
    }
    EXPECT_GT(signed_volume(cube), 0);
    add_normals(cube);
    EXPECT_EQ(cube.positions.size(), 24u);
    for (auto& t : cube.triangles) {
        vec3 face = glm::normalize(area_vector(cube, t));
        for (int k = 0; k < 3; ++k) EXPECT_EQ(cube.normals[t[k]], face);
    }

    Scene atrium = generated("atrium");
    for (auto& mesh : atrium.meshes) {
        if (mesh.name != "bronze sphere") continue;
        Box bounds;
        for (auto& p : mesh.positions) bounds.extend(p);
        vec3 center = 0.5f * (bounds.lo + bounds.hi);
        for (std::size_t i = 0; i < mesh.positions.size(); ++i)
            ASSERT_GT(glm::dot(mesh.normals[i], glm::normalize(mesh.positions[i] - center)), 0.99f);
    }
}

TEST(Normals, DegenerateTrianglesGetSomeUnitNormal) {
    Mesh mesh;
    mesh.positions = {vec3(0), vec3(0), vec3(1, 0, 0)};
    mesh.triangles = {{0, 1, 2}, {2, 2, 2}};
    add_normals(mesh);
    EXPECT_EQ(mesh.triangles.size(), 2u);
    for (auto& normal : mesh.normals) EXPECT_NEAR(glm::length(normal), 1, 1e-5);
}

}  // namespace
}  // namespace tl::generators_tests

// Options of generators that the gallery uses: trees of Gaussians, houses, a dragon without ground.
#include <gtest/gtest.h>

#include <algorithm>
#include <glm/gtc/packing.hpp>

#include "renderer/scene/generators/generators.h"

namespace tl::gallery_generators_tests {
namespace {

Scene generated(const std::string& id, const GeneratorParameters& parameters) {
    Scene scene;
    generate(scene, id, parameters);
    return scene;
}

TEST(GalleryGenerators, ATreeOfGaussiansHasAsManyAsAskedForWithValidColors) {
    constexpr float kFirstHarmonic = 0.28209479f;
    auto scene = generated("gaussian-tree", {{"gaussians", "5000"}});
    ASSERT_EQ(scene.gaussians.size(), 1u);
    auto& set = scene.gaussians[0];
    ASSERT_EQ(set.size(), 5000u);
    ASSERT_EQ(set.covariances.size(), set.size());
    ASSERT_EQ(set.harmonics.size(), 3 * set.size());
    for (std::size_t i = 0; i < set.size(); ++i) {
        EXPECT_GT(set.opacities[i], kFaintest);
        EXPECT_LE(set.opacities[i], 1);
        EXPECT_GT(set.covariances[i].shape().xx, 0);
        for (std::size_t c = 0; c < 3; ++c) {
            float color = 0.5f + kFirstHarmonic * glm::unpackHalf1x16(set.harmonics[3 * i + c]);
            EXPECT_GE(color, -1e-3f);
            EXPECT_LE(color, 1 + 1e-3f);
        }
    }
    EXPECT_EQ(scene.settings["render"]["renderer"], "path");
    auto again = generated("gaussian-tree", {{"gaussians", "5000"}});
    EXPECT_EQ(again.gaussians[0].harmonics, set.harmonics);
    EXPECT_NE(
        generated("gaussian-tree", {{"gaussians", "5000"}, {"seed", "2"}}).gaussians[0].centers,
        set.centers);
    EXPECT_TRUE(
        generated("gaussian-tree", {{"gaussians", "5000"}, {"ground", "false"}}).meshes.empty());
}

/// Vertical component of a triangle's area vector.
float upwards(const Mesh& mesh, glm::uvec3 t) {
    vec3 a = mesh.positions[t.x];
    return glm::cross(mesh.positions[t.y] - a, mesh.positions[t.z] - a).y;
}

TEST(GalleryGenerators, HousesAreBlocksWithRoofsAndWindowsUnderTheSameLanterns) {
    auto town = generated("lanterns", {{"lights", "800"}});
    auto houses = generated("lanterns", {{"lights", "800"}, {"houses", "true"}});
    ASSERT_EQ(houses.meshes.size(), town.meshes.size() + 1);
    auto mesh_of = [](const Scene& scene, const char* name) {
        return *std::ranges::find(scene.meshes, name, &Mesh::name);
    };
    EXPECT_EQ(mesh_of(houses, "lanterns").positions, mesh_of(town, "lanterns").positions);
    EXPECT_EQ(mesh_of(houses, "town").positions, mesh_of(town, "town").positions);
    auto added = mesh_of(houses, "roofs and windows");
    Box bounds;
    for (vec3 p : added.positions) bounds.extend(p);
    EXPECT_GT(bounds.hi.y, 4);
    // Roofs face up, gables and windows to the side.
    for (auto& t : added.triangles) EXPECT_GE(upwards(added, t), -1e-5f);
}

TEST(GalleryGenerators, ADragonStandsAloneWithoutGround) {
    auto dragon = generated("dragon", {{"triangles", "20000"}, {"ground", "false"}});
    EXPECT_EQ(dragon.meshes.size(), 1u);
    EXPECT_EQ(generated("dragon", {{"triangles", "20000"}}).meshes.size(), 2u);
}

}  // namespace
}  // namespace tl::gallery_generators_tests

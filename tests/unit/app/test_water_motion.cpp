// Scenes with simulated water: a frame depends only on the scene's time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "renderer/scene/generators/generators.h"
#include "renderer/scene/live/animation.h"
#include "renderer/scene/scene.h"
#include "session/water/water_motion.h"
#include "session/water/water_scenes.h"

namespace tl::water_motion_tests {

/// A pool of few cells, with its water's mesh.
struct Pool {
    Scene scene;
    const Mesh* mesh = nullptr;
    std::shared_ptr<const WaterSurface> water;

    Pool() {
        static const bool added = (add_water_generators(), true);
        (void)added;
        generate(scene, "water-pool", {{"cells", "24"}});
        mesh = &*std::ranges::find(scene.meshes, "water", &Mesh::name);
        water = water_of(scene);
    }
};

/// Heights of the vertices at the given times, which are requested one after the other.
class Heights {
  public:
    explicit Heights(const Pool& pool)
        : stream_(devices()[0]->create_stream()),
          n_(pool.mesh->positions.size()),
          motion_(pool.water->start(*stream_)),
          positions_(*stream_, n_),
          normals_(*stream_, n_) {}

    std::vector<float> at(double time) {
        motion_->run(*stream_, time, positions_.view(), normals_.view());
        for (vec3 normal : normals_.download(*stream_)) {
            EXPECT_NEAR(glm::length(normal), 1, 1e-6f);
            EXPECT_GT(normal.y, 0);
        }
        std::vector<float> heights;
        for (vec3 p : positions_.download(*stream_)) heights.push_back(p.y);
        return heights;
    }

  private:
    std::unique_ptr<Stream> stream_;
    std::size_t n_;
    std::unique_ptr<SurfaceMotion> motion_;
    DeviceArray<vec3> positions_, normals_;
};

TEST(WaterMotion, IsAFunctionOfTheTime) {
    Pool pool;
    ASSERT_TRUE(pool.water);
    Heights heights(pool);
    auto start = heights.at(0), later = heights.at(0.5), latest = heights.at(0.8);
    EXPECT_NE(start, later);
    EXPECT_NE(later, latest);
    EXPECT_EQ(heights.at(0), start);
    EXPECT_EQ(heights.at(0.5), later);
    Heights others(pool);
    EXPECT_EQ(others.at(0.8), latest);
}

TEST(WaterMotion, IsInterpolatedBetweenSteps) {
    Pool pool;
    double step = double(pool.water->config().time_step);
    Heights heights(pool);
    auto before = heights.at(40 * step), between = heights.at(40.25 * step),
         after = heights.at(41 * step);
    ASSERT_NE(before, after);
    for (std::size_t i = 0; i < before.size(); ++i)
        EXPECT_NEAR(between[i], 0.75f * before[i] + 0.25f * after[i], 1e-6f);
}

TEST(WaterMotion, GoesBackToTheMomentsOfAShutter) {
    Pool pool;
    Heights heights(pool), others(pool);
    auto early = others.at(0.4), late = others.at(0.403);
    (void)heights.at(0.42);
    EXPECT_EQ(heights.at(0.403), late);
    EXPECT_EQ(heights.at(0.4), early);
}

TEST(WaterMotion, MovesTheMeshOfTheScene) {
    Pool pool;
    auto stream = devices()[0]->create_stream();
    auto n = pool.mesh->positions.size();
    Animator animator;
    std::vector<MovingMesh> moving{{pool.mesh->animation, 0, n, {}, pool.mesh->simulation.get()}};
    animator.set(*stream, std::move(moving), pool.mesh->positions, pool.mesh->normals);
    EXPECT_GT(animator.bytes(), 0);
    DeviceArray<vec3> positions(*stream, n), normals(*stream, n);
    animator.run(*stream, 0.1, pool.scene.duration, positions.view(), normals.view());
    auto expected = Heights(pool).at(0.1 * double(pool.scene.duration));
    auto found = positions.download(*stream);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(found[i].y, expected[i]);
}

TEST(WaterMotion, TakesUpAnotherConfigFromTheNextFrameOn) {
    Pool pool;
    Heights heights(pool);
    auto calm = heights.at(0.6);
    (void)heights.at(0.3);
    auto config = pool.water->config();
    config.rain = 36000;  // 0.3 s of a centimetre a second
    pool.water->set_config(config);
    auto risen = heights.at(0.6);
    double mean = 0;
    for (std::size_t i = 0; i < calm.size(); ++i) mean += double(risen[i]) - double(calm[i]);
    EXPECT_NEAR(mean / static_cast<double>(calm.size()), 0.003, 5e-5);
    config.mode = WaterMode::plu;
    EXPECT_NO_THROW(pool.water->set_config(config));
}

TEST(WaterMotion, TheThesisHasItsWaveFortyTimesAsHigh) {
    Pool pool;  // whose generators are there
    Scene scene;
    generate(scene, "water-thesis", {});
    auto& mesh = *std::ranges::find(scene.meshes, "water", &Mesh::name);
    ASSERT_EQ(mesh.positions.size(), 122u * 122u);
    auto [low, high] = std::ranges::minmax_element(mesh.positions, {}, &vec3::y);
    EXPECT_NEAR(low->y, 0, 1e-6);
    EXPECT_NEAR(high->y, 0.99 * 0.01 * 40, 1e-3);  // the mean of the top and three beside
    EXPECT_NEAR(high->x, 0, 0.06);
    auto& bed = std::ranges::find(scene.meshes, "bed", &Mesh::name)->positions;
    auto [deepest, highest] = std::ranges::minmax_element(bed, {}, &vec3::y);
    EXPECT_NEAR(deepest->y, -0.12 * 40, 1e-3);
    EXPECT_NEAR(highest->y, -0.08 * 40, 1e-3);
}

TEST(WaterMotion, DropsFallAgainUntilTheyAreTakenBack) {
    Pool pool;
    Heights heights(pool);
    auto calm = heights.at(0.6);
    (void)heights.at(0.2);
    pool.water->disturb(vec3(0.5f, 0, -0.4f), 0.2);
    auto disturbed = heights.at(0.6);
    EXPECT_NE(disturbed, calm);
    (void)heights.at(0);
    EXPECT_EQ(heights.at(0.6), disturbed);
    EXPECT_EQ(pool.water->drop_count(), 1u);
    pool.water->clear_drops();
    (void)heights.at(0);
    EXPECT_EQ(heights.at(0.6), calm);
    pool.water->disturb(vec3(0.5f, 0, -0.4f), 0.7);
    auto later = heights.at(1);
    pool.water->clear_drops();
    (void)heights.at(0);
    EXPECT_NE(heights.at(1), later);
}

}  // namespace tl::water_motion_tests

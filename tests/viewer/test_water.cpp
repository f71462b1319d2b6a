// Water section of the panel, and clicks on the water: displayed values are correct, and changes
// take effect.
#include <chrono>
#include <cmath>
#include <numbers>

#include "app/solve/water/water_view.h"
#include "app/viewer/actions/viewer_actions.h"
#include "session/water/water_motion.h"
#include "session/water/water_scenes.h"
#include "tests/long_test.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::water_tests {
namespace {

class ViewerWater : public OffscreenViewer {
  protected:
    /// Shows a scene with the water's section.
    void show(const std::string& scene) {
        add_water_generators();
        session_->set_scene(std::make_shared<Scene>(load_scene(scene)));
        context_->resize(window_for({260, 500}, 1, true));
        model_ = &start().model();
        water_ = water_of(session_->scene());
        ASSERT_TRUE(water_);
        steps(3);
        reveal_section(*model_, "water");
    }
    /// Plays its motion, too.
    void play(const std::string& scene) {
        show(scene);
        toggle_motion(*model_);
        measure();
    }
    /// Waits for the next totals.
    WaterStatus measure() {
        auto before = water_->status().measured;
        step_until([&] { return water_->status().measured > before; });
        return water_->status();
    }
    /// Totals at least `seconds` of the water's time later.
    WaterStatus measure_after(double seconds) {
        double end = water_->status().time + seconds;
        step_until([&] { return water_->status().measured >= end; });
        return water_->status();
    }
    void change(const char* id, const char* value) { change_water(*model_, "water", id, value); }

    ViewerModel* model_ = nullptr;
    std::shared_ptr<const WaterSurface> water_;
};

/// Initial volume of the water, m^3.
double volume_of(const Basin& basin) {
    double sum = 0;
    for (std::size_t i = 0; i < basin.size(); ++i) sum += basin.level[i] - basin.bed[i];
    return sum * basin.dx * basin.dy;
}

TEST_F(ViewerWater, FiguresAreThoseOfTheWater) {
    play("generate:water-pool,cells=24");
    double expected = volume_of(water_->case_of().basin);
    auto first = water_->status();
    auto later = measure_after(1.5);
    EXPECT_NEAR(first.totals.volume / expected, 1, 1e-12);
    EXPECT_NEAR(later.totals.volume / expected, 1, 1e-12);
    // Waves lose energy to the scheme, and gain none.
    EXPECT_LE(later.totals.energy, first.totals.energy);
    EXPECT_GT(later.totals.highest_speed, 0);
    // Over a second, of which the newest half second is shown.
    auto start = std::chrono::steady_clock::now();
    auto seconds = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    auto before = water_->status().steps;
    step_until([&] { return seconds() > 1.2; });
    double per_second = static_cast<double>(water_->status().steps - before) / seconds();
    EXPECT_NEAR(model_->state<WaterView>().steps_per_second / per_second, 1, 0.5);
}

TEST_F(ViewerWater, SlowFramesMakeTheWaterSlow) {
    play("generate:water-pool,cells=24");
    auto advanced = [&] {
        float before = session_->time;
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        viewer_->step();
        return session_->time - before;
    };
    // Nothing else limits the time between two frames.
    float most = 0;
    for (int i = 0; i < 4; ++i) most = std::max(most, advanced());
    EXPECT_LE(most, 0.101f);
    EXPECT_GT(most, 0.05f);
}

TEST_F(ViewerWater, AClickLetsADropFall) {
    play("generate:water-pool,cells=24");
    auto before = measure();
    auto& picture = model_->view.layout.picture;
    vec2 middle(float(picture.x) + 0.5f * float(picture.width),
                float(picture.y) + 0.5f * float(picture.height));
    drag(middle, middle);
    step_until([&] { return water_->drop_count() > 0; });
    EXPECT_EQ(water_->drop_count(), 1u);
    auto after = measure_after(0.5);
    double radius = water_->drop_radius();
    double drop = water_->drop_height() * std::numbers::pi * radius * radius;
    // A hump of three cells' radius is summed cell by cell, and its foot may lie beyond a wall.
    EXPECT_NEAR((after.totals.volume - before.totals.volume) / drop, 1, 0.05);
    EXPECT_GT(after.totals.energy, before.totals.energy);
    water_->clear_drops();
    EXPECT_EQ(water_->drop_count(), 0u);
}

TEST_F(ViewerWater, RainFillsThePool) {
    play("generate:water-pool,cells=24");
    change("rain", "36000");  // a centimetre a second
    auto first = measure_after(0.1);
    auto later = measure_after(1);
    auto& basin = water_->case_of().basin;
    double area = basin.dx * basin.nx * basin.dy * basin.ny;
    EXPECT_NEAR(later.totals.volume - first.totals.volume,
                0.01 * area * (later.measured - first.measured), 1e-9);
    change("rain", "");
    EXPECT_EQ(water_->config().rain, 0);
    auto dry = measure_after(0.1), same = measure_after(1);
    EXPECT_NEAR(same.totals.volume / dry.totals.volume, 1, 1e-12);
}

TEST_F(ViewerWater, BordersAndModesAct) {
    TL_LONG_TEST();
    play("generate:water-pool,cells=24");
    double start = water_->status().totals.volume;
    for (const char* mode : {"pcg", "adi"}) {
        change("mode", mode);
        auto moved = measure_after(0.3);
        EXPECT_NEAR(moved.totals.volume / start, 1, 1e-12) << mode;
        EXPECT_GT(moved.totals.highest_speed, 0) << mode;
    }
    change("border-x", "periodic");
    EXPECT_NEAR(measure_after(0.3).totals.volume / start, 1, 1e-12);
    change("border-x", "wall");
    EXPECT_NEAR(measure_after(0.3).totals.volume / start, 1, 1e-12);
    // Its factorisations are of floats.
    change("mode", "plu");
    EXPECT_NEAR(measure_after(0.3).totals.volume / start, 1, 1e-8);
    change("share", "true");
    if (devices().size() > 1) {
        EXPECT_NEAR(measure_after(0.3).totals.volume / start, 1, 1e-8);
        EXPECT_EQ(water_->status().shares.size(), devices().size());
    } else {
        TL_EXPECT_CONTAINS(model_->status.messages.dialog_text(), "needs the CPU and a GPU");
        EXPECT_FALSE(water_->config().share);
        model_->status.messages.close_dialog();
    }
    change("mode", "");
    EXPECT_EQ(water_->config().mode, WaterMode::adi);
    // Water leaves where rain has raised it above the level beyond the border.
    change("rain", "36000");
    auto raised = measure_after(2);
    change("rain", "");
    change("border-y", "open");
    EXPECT_LT(measure_after(2).totals.volume, raised.totals.volume - 1e-3);
    EXPECT_EQ(model_->status.messages.dialog_title(), "");
}

// Over a ring nothing stops it: 0.056 m/s^2 in 0.1 m of water, half of them where that is deepest.
TEST_F(ViewerWater, WindDrivesTheWater) {
    TL_LONG_TEST();
    play("generate:water-thesis,cells=24");
    change("border-x", "periodic");
    auto calm = measure_after(0.3);
    change("wind-x", "60");
    EXPECT_GT(measure_after(3).totals.highest_speed, calm.totals.highest_speed + 0.05);
}

TEST_F(ViewerWater, WhatCannotBeIsRefused) {
    show("generate:water-pool,cells=520");
    change("mode", "plu");
    TL_EXPECT_CONTAINS(model_->status.messages.dialog_text(), "use mode adi or pcg");
    EXPECT_EQ(water_->config().mode, WaterMode::adi);
    model_->status.messages.close_dialog();
    change("rain", "-1");
    TL_EXPECT_CONTAINS(model_->status.messages.dialog_text(), "rain");
    EXPECT_EQ(water_->config().rain, 0);
}

TEST_F(ViewerWater, SlidersOfThePanelChangeIt) {
    TL_LONG_TEST();
    show("generate:water-pool,cells=16");
    steps(8);  // until it has been scrolled to
    auto x = static_cast<float>(model_->view.layout.panel.x) + 60;
    // Below the tabs and the section's title.
    for (int y = 115; y < 500 && water_->config().rain == 0; y += 9)
        drag(vec2(x, float(y)), vec2(x, float(y)));
    EXPECT_GT(water_->config().rain, 0);
    EXPECT_LE(water_->config().rain, 36000);
}

}  // namespace
}  // namespace tl::water_tests

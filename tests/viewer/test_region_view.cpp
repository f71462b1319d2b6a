// The render region in the viewer: drawn with the mouse, kept and cleared.
#include "app/viewer/actions/region_actions.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/viewer_actions.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::region_view_tests {
namespace {

class RenderRegion : public OffscreenViewer {
  protected:
    static constexpr FilmRegion kDrawn{10, 8, 40, 32};

    ViewerModel& start_done(std::uint32_t samples = 2) {
        ViewerOptions options;
        options.stop_at = samples;
        auto& model = start(options).model();
        finish(model);
        return model;
    }
    void finish(ViewerModel& model) {
        steps(2);
        step_until([&] { return model.gate.open() && !model.accumulating(); });
        steps(2);
    }
    /// Draws kDrawn, from its lower right corner.
    void draw(ViewerModel& model) {
        press(Key::b, {.shift = true, .alt = true});
        steps(4);
        EXPECT_TRUE(model.view.region.awaits_drag);
        drag({kDrawn.right, kTop + static_cast<float>(kDrawn.bottom)},
             {kDrawn.left, kTop + static_cast<float>(kDrawn.top)});
        finish(model);
    }
    std::vector<vec3> pixels() { return session_->film().radiance(session_->stream()).rgb; }
    static bool holds(std::size_t i) {
        auto width = static_cast<std::size_t>(kPicture.width);
        return kDrawn.holds(static_cast<std::uint32_t>(i % width),
                            static_cast<std::uint32_t>(i / width));
    }
};

TEST_F(RenderRegion, ADragDrawsItAndTheRestStays) {
    // Its pixels are equal to the bit; those of packets of rays are not.
    session_->set_renderer("path");
    auto& model = start_done();
    auto camera = model.view.camera.camera();
    auto before = pixels();
    draw(model);
    EXPECT_EQ(model.view.camera.camera(), camera) << "the drag does not turn the view";
    EXPECT_EQ(session_->share().region, kDrawn);
    EXPECT_EQ(pixels(), before) << "its samples are those of the whole picture";
    choose_renderer(model, "whitted");
    finish(model);
    EXPECT_EQ(session_->share().region, kDrawn);
    auto after = pixels();
    std::size_t n_changed = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
        n_changed += after[i] != before[i] ? 1 : 0;
        if (holds(i)) continue;
        ASSERT_EQ(after[i], before[i]) << "pixel " << i;
    }
    EXPECT_GT(n_changed, 100u);
    press(Key::b, {.control = true, .alt = true});
    finish(model);
    EXPECT_TRUE(session_->share().is_whole());
    EXPECT_EQ(session_->samples(), 2u);
}

TEST_F(RenderRegion, StaysInAWindowOfAnotherSize) {
    auto& model = start_done();
    draw(model);
    context_->resize(window_for({2 * kPicture.width, 2 * kPicture.height}, 1, true));
    finish(model);
    FilmRegion twice{2 * kDrawn.left, 2 * kDrawn.top, 2 * kDrawn.right, 2 * kDrawn.bottom};
    EXPECT_EQ(session_->share().region, twice);
    std::size_t beside = 2 * 20 * 2 * kPicture.width + 2 * kDrawn.right + 4;
    EXPECT_GT(pixels()[beside].x, 0) << "the pixels around are sampled once";
}

TEST_F(RenderRegion, EscAndAClickLeaveItAsItWas) {
    auto& model = start_done();
    draw_region(model);
    press(Key::escape);
    steps(4);
    EXPECT_FALSE(model.view.region.awaits_drag);
    drag({20, kTop + 20}, {30, kTop + 30});
    EXPECT_FALSE(model.view.region.chosen);
    draw_region(model);
    drag({20, kTop + 20}, {21, kTop + 21});
    EXPECT_FALSE(model.view.region.chosen);
    TL_EXPECT_CONTAINS(model.status.messages.current(), "too small");
}

TEST_F(RenderRegion, RenderersOfNumbersHaveNone) {
    auto& model = start_done();
    draw(model);
    choose_renderer(model, "heat-map");
    finish(model);
    EXPECT_TRUE(session_->share().is_whole());
    draw_region(model);
    EXPECT_FALSE(model.view.region.awaits_drag);
    TL_EXPECT_CONTAINS(model.status.messages.current(), "heat-map");
    choose_renderer(model, "whitted");
    finish(model);
    EXPECT_EQ(session_->share().region, kDrawn);
}

TEST_F(RenderRegion, EndsWithItsScene) {
    auto& model = start_done();
    draw(model);
    open_scene(model, source_path("scenes/furnace.toml"));
    step_until([&] { return viewer_->idle() && !model.document.loading.busy(); });
    EXPECT_FALSE(model.view.region.chosen);
}

TEST_F(RenderRegion, SideBHasItToo) {
    ViewerOptions options;
    options.stop_at = 2;
    options.compare_with = parse_side_choices("renderer=path");
    auto& model = start(options).model();
    finish(model);
    draw(model);
    ASSERT_TRUE(model.view.compare.second);
    EXPECT_EQ(model.view.compare.second->session().share().region, kDrawn);
}

}  // namespace
}  // namespace tl::region_view_tests

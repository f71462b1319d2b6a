// A picture from a file as side B of a comparison.
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/save_actions.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/viewer_actions.h"
#include "renderer/film/deep_picture.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::picture_side_tests {
namespace {

class PictureSide : public OffscreenViewer {
  protected:
    ViewerModel& start_done(std::uint32_t samples = 3) {
        ViewerOptions options;
        options.stop_at = samples;
        options.screenshot_folder = folder_.path("");
        auto& model = start(options).model();
        finish(model);
        return model;
    }
    void finish(ViewerModel& model) {
        steps(2);
        step_until(
            [&] { return model.gate.open() && !model.gate.busy() && !model.accumulating(); });
        steps(2);
    }
    std::string save(const std::string& name) {
        auto path = folder_.path(name);
        save_film(*session_, path);
        return path;
    }
    void compare(ViewerModel& model, const std::string& path) {
        SideChoices choices;
        choices.picture = path;
        compare_with(model, choices);
        finish(model);
    }
    const FilmFigures& figures(ViewerModel& model) {
        auto& found = model.view.compare.figures;
        step_until([&] {
            return found.figures() && found.flip() &&
                   found.figures()->stamp == stamp_of(*session_, second(model)) &&
                   found.flip()->stamp == found.figures()->stamp;
        });
        return *found.figures();
    }
    static Session& second(ViewerModel& model) { return model.view.compare.second->session(); }
};

TEST_F(PictureSide, RadianceEqualsThatOfTheFile) {
    auto& model = start_done();
    auto path = save("own.exr");
    compare(model, path);
    ASSERT_TRUE(model.view.compare.second) << model.status.messages.dialog_text();
    EXPECT_EQ(second(model).film().radiance(second(model).stream()).rgb, read_image(path).rgb);
    EXPECT_EQ(figures(model).n_differing, 0u);
    EXPECT_EQ(model.view.compare.figures.flip()->mean, 0);
    EXPECT_EQ(peculiarities(second(model), *session_), std::vector<std::string>{"own.exr"});
    // Exposure applies to radiance of both sides.
    change_setting(model, "film", "exposure", "1");
    finish(model);
    EXPECT_EQ(second(model).display().picture().rgba, session_->display().picture().rgba);
}

TEST_F(PictureSide, DisplayedPicturesAreComparedWithWhatIsDisplayed) {
    auto& model = start_done();
    change_setting(model, "film", "tone", "aces");
    finish(model);
    auto path = save("own.png");
    compare(model, path);
    ASSERT_TRUE(model.view.compare.second) << model.status.messages.dialog_text();
    EXPECT_EQ(second(model).display().picture().rgba, read_image8(path).rgba);
    // Levels of the host and of the device may round differently.
    EXPECT_LT(figures(model).largest, 0.01f);
    EXPECT_LT(model.view.compare.figures.flip()->mean, 0.01);
    // Another exposure changes side A alone, and the figures.
    change_setting(model, "film", "exposure", "1");
    finish(model);
    EXPECT_EQ(second(model).display().picture().rgba, read_image8(path).rgba);
    EXPECT_GT(figures(model).largest, 0.05f);
}

TEST_F(PictureSide, StaysWhenViewSceneAndSettingsChange) {
    auto& model = start_done();
    auto path = save("own.exr");
    auto pixels = read_image(path).rgb;
    compare(model, path);
    auto shown = [&] { return second(model).film().radiance(second(model).stream()).rgb; };
    drag({20, kTop + 20}, {40, kTop + 25});
    choose_renderer(model, "path");
    finish(model);
    ASSERT_TRUE(model.view.compare.second) << model.status.messages.dialog_text();
    EXPECT_EQ(shown(), pixels);
    EXPECT_GT(figures(model).n_differing, 0u);
    open_scene(model, source_path("scenes/furnace.toml"));
    step_until([&] { return !model.document.loading.busy(); });
    finish(model);
    ASSERT_TRUE(model.view.compare.second) << model.status.messages.dialog_text();
    EXPECT_EQ(shown(), pixels);
    model.view.boxes.shown = model.view.boxes.stale = true;
    restart_all(model);
    finish(model);
    EXPECT_EQ(shown(), pixels);
    // Rendered sides follow it, and undo brings it back.
    compare_with(model, parse_side_choices("renderer=whitted"));
    finish(model);
    EXPECT_FALSE(model.view.compare.second->picture());
    undo(model);
    finish(model);
    ASSERT_TRUE(model.view.compare.second && model.view.compare.second->picture());
    EXPECT_EQ(shown(), pixels);
}

TEST_F(PictureSide, SizesThatDifferAreOneMessage) {
    auto& model = start_done();
    auto path = folder_.path("small.png");
    write_png(path, {{2, 1}, {255, 0, 0, 255, 0, 0, 255, 255}});
    compare(model, path);
    EXPECT_FALSE(model.view.compare.second);
    EXPECT_EQ(model.status.messages.dialog_title(), "Cannot compare");
    TL_EXPECT_CONTAINS(model.status.messages.dialog_text(),
                       "small.png has 2x1 pixels, and this picture 64x48");
    EXPECT_EQ(model.status.messages.n_errors(), 1u);
    model.status.messages.close_dialog();
    compare(model, folder_.path("none.exr"));
    EXPECT_FALSE(model.view.compare.second);
    EXPECT_EQ(model.status.messages.n_errors(), 2u);
    model.status.messages.close_dialog();
    // A window of another size ends the comparison.
    compare(model, save("own.exr"));
    EXPECT_TRUE(model.view.compare.second);
    context_->resize(window_for({90, 70}, 1, true));
    finish(model);
    EXPECT_FALSE(model.view.compare.second);
    EXPECT_EQ(model.status.messages.n_errors(), 3u);
}

TEST_F(PictureSide, ChosenInTheDialog) {
    auto& model = start_done();
    auto path = save("reference.hdr");
    press(Key::o, {.shift = true, .control = true});
    steps(4);
    auto& browser = model.view.browser;
    ASSERT_TRUE(browser.open);
    EXPECT_EQ(browser.request.title, "Open a picture for comparison");
    browser.typed = "reference.hdr";
    choose_typed(model);
    finish(model);
    ASSERT_TRUE(model.view.compare.second);
    EXPECT_EQ(model.view.compare.second->picture()->path, path);
    model.view.panel.tab = PanelTab::compare;
    steps(4);
}

}  // namespace
}  // namespace tl::picture_side_tests

// Comparison of two sides: their views and figures, in the viewer's loop without a window.
#include "app/viewer/actions/compare_actions.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/tree_views.h"
#include "app/viewer/actions/viewer_actions.h"
#include "core/base/files.h"
#include "tests/long_test.h"
#include "tests/source_path.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::compare_tests {
namespace {

class Compare : public OffscreenViewer {
  protected:
    static constexpr int kWidth = 420, kHeight = 360;
    // Rows between the labels and the figures or the legend; labels have three lines each where
    // frames take long.
    static constexpr int kFirstRow = 144, kLastRow = 186;
    /// A picture with enough room between labels and legend, without the interface.
    ViewerModel& start_large() {
        context_->resize({kWidth, kHeight});
        auto& model = start().model();
        model.view.interface_visible = false;
        return model;
    }
    /// A comparison that stops at this number of samples a side.
    ViewerModel& start_with(const std::string& choices, std::uint32_t samples) {
        ViewerOptions options;
        options.stop_at = samples;
        options.compare_with = parse_side_choices(choices);
        auto& model = start(options).model();
        model.view.interface_visible = false;
        return model;
    }
    /// Runs until the figures are those of films with all samples.
    void await_figures(ViewerModel& model) {
        step_until([&] {
            auto& found = model.view.compare.figures;
            auto now = stamp_of(model.session, second(model));
            return !model.accumulating() && found.figures() && found.flip() &&
                   found.figures()->films->stamp == now && found.flip()->stamp == now;
        });
    }
    static Session& second(ViewerModel& model) { return model.view.compare.second->session(); }
    /// The channels of the window's rows between labels and legend that differ from `expected`.
    static int count_wrong(const Image8& shown, const Image8& expected) {
        EXPECT_EQ(shown.extent, expected.extent);
        int wrong = 0;
        for (std::size_t y = kFirstRow; y < kLastRow; ++y)
            for (std::size_t i = 4 * y * kWidth; i < 4 * (y + 1) * kWidth; ++i) {
                // Not near the split and its handle.
                bool near = std::abs(static_cast<int>(i / 4 % kWidth) - kWidth / 4) < 16;
                wrong += !near && shown.rgba[i] != expected.rgba[i];
            }
        return wrong;
    }
};

TEST_F(Compare, EachSideOfTheSplitShowsItsOwnSettings) {
    auto& model = start_large();
    steps(2);
    press(Key::h);
    press(Key::c);
    steps(3);
    ASSERT_TRUE(model.view.compare.second);
    auto& b_session = second(model);
    change_second_setting(model, "tree", "layout", "bvh2");
    change_second_setting(model, "tree", "max-leaf-size", "1");
    change_setting(model, "tree", "layout", "bvh2");
    change_setting(model, "tree", "max-leaf-size", "8");
    model.view.compare.split = 0.25f;
    press(Key::space);  // pauses sampling
    auto shown = window();
    auto a = session_->film().picture(session_->scratch(), ToneMap{});
    auto b = b_session.film().picture(b_session.scratch(), ToneMap{});
    EXPECT_EQ(b_session.renderer_id(), "heat-map");
    auto split = split_picture(a, b, 0.25f);
    EXPECT_EQ(count_wrong(shown, split), 0);
    EXPECT_GT(count_wrong(shown, a), 0);
    EXPECT_GT(count_wrong(shown, b), 0);
    EXPECT_EQ(displayed_picture(collect_picture(model, PictureFormat::png)).rgba, split.rgba);

    press(Key::x);
    shown = window();
    ASSERT_EQ(model.view.compare.mode, CompareMode::difference);
    auto apart = difference_picture(a, b, 16);
    EXPECT_EQ(count_wrong(shown, apart), 0);
    int covered = 0;  // by the legend, at the lower left
    for (int y = kHeight - 45; y < kHeight - 12; ++y)
        for (int x = 12; x < 112; ++x) {
            auto red = static_cast<std::size_t>(4 * (y * kWidth + x));
            covered += shown.rgba[red] != apart.rgba[red];
        }
    EXPECT_GT(covered, 300) << "the legend names the gain";
    auto at = static_cast<std::size_t>(4 * (130 * kWidth + 200));
    for (std::size_t c = at; c < at + 3; ++c)
        EXPECT_EQ(apart.rgba[c], std::min(16 * std::abs(int(a.rgba[c]) - int(b.rgba[c])), 255));
    EXPECT_EQ(displayed_picture(collect_picture(model, PictureFormat::png)).rgba, apart.rgba);
}

TEST_F(Compare, TheOtherSideIsThePathTracerUnlessThatTellsNothing) {
    auto& model = start().model();
    press(Key::c);
    step_until([&] { return model.view.compare.second != nullptr; });
    EXPECT_EQ(second(model).renderer_id(), "path");
    EXPECT_EQ(second(model).builder_id(), session_->builder_id());
    press(Key::c);
    steps(3);
    model.view.compare.choices = {};
    choose_renderer(model, "path");
    steps(2);
    press(Key::c);
    step_until([&] { return model.view.compare.second != nullptr; });
    EXPECT_EQ(second(model).renderer_id(), "path");
    EXPECT_NE(second(model).builder_id(), session_->builder_id());
}

TEST_F(Compare, FlipIsShownInItsPlaceOfTheSplit) {
    TL_LONG_TEST();
    auto& model = start_large();
    model.options.stop_at = 2;
    steps(2);
    compare_with(model, parse_side_choices("renderer=path"));
    press(Key::x, {.shift = true});
    steps(2);
    EXPECT_EQ(model.view.compare.mode, CompareMode::flip);
    await_figures(model);
    ASSERT_TRUE(model.view.compare.flip_of(model.session));
    auto flip = model.view.compare.flip_of(model.session)->picture;
    EXPECT_EQ(count_wrong(window(), flip), 0);
    EXPECT_EQ(displayed_picture(collect_picture(model, PictureFormat::png)).rgba, flip.rgba);
    // Another picture has no FLIP yet: the split is shown meanwhile, and can be dragged.
    restart_all(model);
    steps(1);
    EXPECT_EQ(model.view.compare.shown_mode(model.session), CompareMode::split);
}

TEST_F(Compare, DraggingTheSplitLeavesTheCamera) {
    auto& model = start().model();
    press(Key::c);
    steps(3);
    auto eye = model.view.camera.camera().eye;
    drag({32, kTop + 20}, {48, kTop + 24});
    EXPECT_FLOAT_EQ(model.view.compare.split, 0.75f);
    EXPECT_EQ(model.view.camera.camera().eye, eye);
    drag({10, kTop + 20}, {20, kTop + 20});
    EXPECT_FLOAT_EQ(model.view.compare.split, 0.75f);
    EXPECT_NE(model.view.camera.camera().eye, eye);
    steps(2);
    EXPECT_EQ(second(model).camera.eye, session_->camera.eye);
    EXPECT_EQ(second(model).samples(), session_->samples());
}

TEST_F(Compare, TheSecondSideGoesWhenComparingEnds) {
    auto& model = start().model();
    // Otherwise the first session would have a second copy of its tree, except while comparing.
    session_->settings().set("tree", "build-ahead", "false");
    steps(3);
    auto before = session_->device().memory_stats().bytes_in_use;
    press(Key::c);
    step_until([&] { return model.view.compare.figures.figures().has_value(); });
    auto during = session_->device().memory_stats().bytes_in_use;
    EXPECT_GE(during, before + session_->live_scene().bytes());
    press(Key::c);
    steps(3);
    EXPECT_FALSE(model.view.compare.second);
    EXPECT_FALSE(model.view.compare.figures.figures());
    EXPECT_LT(session_->device().memory_stats().bytes_in_use,
              during - session_->live_scene().bytes() / 2);
}

TEST_F(Compare, GoesOnWithAnotherScene) {
    auto& model = start().model();
    compare_trees(model);
    steps(3);
    auto builder = second(model).builder_id();
    EXPECT_NE(builder, session_->builder_id());
    open_scene(model, source_path("scenes/sphere-flake.toml"));
    step_until([&] { return !model.document.loading.busy(); });
    steps(3);
    ASSERT_TRUE(model.view.compare.second);
    EXPECT_EQ(&second(model).scene(), &session_->scene());
    EXPECT_EQ(second(model).builder_id(), builder);
    EXPECT_EQ(second(model).samples(), session_->samples());
}

TEST_F(Compare, AWrongSecondSideIsOneMessageAndLeavesTheFirst) {
    auto& model = start().model();
    steps(2);
    SideChoices wrong;
    wrong.builder = "no-such-builder";
    compare_with(model, wrong);
    EXPECT_FALSE(model.view.compare.second);
    EXPECT_NE(model.status.messages.dialog_text().find("lbvh"), std::string::npos);
    auto samples = session_->samples();
    steps(2);
    EXPECT_EQ(session_->samples(), samples + 2);
    // A running comparison keeps its choices when a new one is refused.
    model.status.messages.close_dialog();
    compare_with(model, parse_side_choices("renderer=path"));
    steps(2);
    samples = second(model).samples();
    change_second_setting(model, "tree", "max-leaf-size", "no number");
    EXPECT_NE(model.status.messages.dialog_text().find("max-leaf-size"), std::string::npos);
    choose_second_renderer(model, "no-such-renderer");
    choose_second_device(model, "tpu");
    steps(2);
    ASSERT_TRUE(model.view.compare.second);
    EXPECT_EQ(second(model).renderer_id(), "path");
    EXPECT_EQ(second(model).samples(), samples + 2);
    EXPECT_EQ(text_of(model.view.compare.choices), "renderer=path");
}

TEST_F(Compare, ModesAreShownByOneKeyEvenIfTheyWereOnBefore) {
    auto& model = start().model();
    for (int round = 0; round < 2; ++round) {
        press(Key::x);
        steps(2);
        EXPECT_TRUE(model.view.compare.second);
        EXPECT_EQ(model.view.compare.mode, CompareMode::difference);
        press(Key::c);
        steps(2);
        EXPECT_FALSE(model.view.compare.second);
    }
    press(Key::x, {.shift = true});
    steps(2);
    EXPECT_EQ(model.view.compare.mode, CompareMode::flip);
    press(Key::x, {.shift = true});
    steps(2);
    EXPECT_TRUE(model.view.compare.second);
    EXPECT_EQ(model.view.compare.mode, CompareMode::split);
}

TEST_F(Compare, AChangeOfASideStartsOnlyItsOwnSamplesAnew) {
    auto& model = start().model();
    compare_with(model, parse_side_choices("renderer=path"));
    steps(4);
    auto samples = session_->samples();
    change_second_setting(model, "path", "max-depth", "2");
    steps(2);
    EXPECT_EQ(second(model).samples(), 2u);
    EXPECT_EQ(session_->samples(), samples + 2);
    choose_second_renderer(model, "aov");
    steps(2);
    EXPECT_EQ(second(model).renderer_id(), "aov");
    EXPECT_EQ(second(model).samples(), 2u);
    EXPECT_EQ(session_->samples(), samples + 4);
    change_setting(model, "whitted", "max-depth", "2");
    steps(2);
    EXPECT_EQ(session_->samples(), 2u);
    EXPECT_EQ(second(model).samples(), 4u);
    press(Key::r);
    steps(1);
    EXPECT_EQ(session_->samples(), second(model).samples());
    drag({10, kTop + 20}, {20, kTop + 20});
    EXPECT_EQ(session_->samples(), second(model).samples());
}

TEST_F(Compare, EachSideStopsAtTheWantedSamples) {
    auto& model = start_with("renderer=path", 4);
    step_until([&] { return !model.accumulating(); });
    EXPECT_EQ(session_->samples(), 4u);
    EXPECT_EQ(second(model).samples(), 4u);
    change_second_setting(model, "path", "max-depth", "2");
    EXPECT_TRUE(model.accumulating());
    step_until([&] { return !model.accumulating(); });
    EXPECT_EQ(session_->samples(), 4u);
    EXPECT_EQ(second(model).samples(), 4u);
}

TEST_F(Compare, TheSecondSideFollowsWhatWasNotChosenForIt) {
    auto& model = start().model();
    compare_with(model, parse_side_choices("builder=lbvh"));
    steps(2);
    choose_renderer(model, "path");
    change_setting(model, "path", "max-depth", "3");
    change_setting(model, "tree", "layout", "bvh2");
    change_exposure(model, 1);
    steps(2);
    auto& b = second(model);
    auto text = [&](SectionKind kind, const char* id) {
        auto section = b.settings().section(kind);
        return find_setting(section.settings, id, section.id).text();
    };
    EXPECT_EQ(b.renderer_id(), "path");
    EXPECT_EQ(b.builder_id(), "lbvh");
    EXPECT_EQ(text(SectionKind::renderer, "max-depth"), "3");
    EXPECT_EQ(text(SectionKind::tree, "layout"), "bvh2");
    EXPECT_EQ(b.display().config().tone_map.exposure, 1);
    EXPECT_EQ(peculiarities(b, *session_), std::vector<std::string>{"LBVH"});
    // Held, side B is independent; after "all as A" it follows in everything.
    hold_second(model);
    change_setting(model, "path", "max-depth", "4");
    choose_renderer(model, "whitted");
    steps(2);
    EXPECT_EQ(b.renderer_id(), "path");
    EXPECT_EQ(text(SectionKind::renderer, "max-depth"), "3");
    compare_with(model, {});
    steps(2);
    EXPECT_EQ(b.renderer_id(), "whitted");
    EXPECT_EQ(b.builder_id(), session_->builder_id());
    EXPECT_TRUE(peculiarities(b, *session_).empty());
    // Side B takes what was chosen on side A for a renderer that side A does not use.
    choose_second_renderer(model, "path");
    steps(1);
    EXPECT_EQ(text(SectionKind::renderer, "max-depth"), "4");
}

TEST_F(Compare, WhittedAndPathAreNearInASceneThatBothCanRender) {
    TL_LONG_TEST();
    if (test::kSanitized) GTEST_SKIP() << "compares noise, which takes many samples";
    // Without bounces both have the light of the lamps and of nothing else.
    session_->settings().set("whitted", "max-depth", "0");
    session_->settings().set("whitted", "ambient", "0");
    session_->settings().set("whitted", "light-samples", "16");
    auto scene = std::make_shared<Scene>(load_scene(source_path("scenes/cornell-box.toml")));
    scene->spheres.clear();
    session_->set_scene(scene);
    auto& model = start_with("renderer=path,path-max-depth=1", 96);
    await_figures(model);
    auto& figures = *model.view.compare.figures.figures();
    EXPECT_EQ(figures.fault, "");
    EXPECT_GT(figures.relative_mse, 0);
    EXPECT_LT(figures.relative_mse, 0.002);
    EXPECT_GT(figures.psnr, 30);
    EXPECT_LT(model.view.compare.figures.flip()->mean, 0.1);
    EXPECT_GT(figures.n_differing, 0u);
    // More bounces are further away, so that the bounds mean something.
    double near = model.view.compare.figures.flip()->mean;
    change_second_setting(model, "path", "max-depth", "8");
    await_figures(model);
    EXPECT_GT(model.view.compare.figures.figures()->relative_mse, 0.006);
    EXPECT_GT(model.view.compare.figures.flip()->mean, 2 * near);
}

TEST_F(Compare, ARendererIsNotApartFromItself) {
    TL_LONG_TEST();
    auto& model = start_with("renderer=path,device=cpu", 3);
    session_->set_renderer("path");
    await_figures(model);
    EXPECT_EQ(&second(model).device(), &session_->device());
    auto& figures = *model.view.compare.figures.figures();
    EXPECT_EQ(figures.relative_mse, 0);
    EXPECT_TRUE(std::isinf(figures.psnr));
    EXPECT_EQ(psnr_text(figures.psnr), "infinite: equal colours");
    EXPECT_EQ(figures.n_differing, 0u);
    EXPECT_EQ(figures.largest, 0);
    EXPECT_EQ(model.view.compare.figures.flip()->mean, 0);
    // Other random numbers make another picture.
    toggle_second_seed(model);
    await_figures(model);
    EXPECT_EQ(second(model).seed, session_->seed + 1);
    EXPECT_GT(model.view.compare.figures.figures()->relative_mse, 0);
    EXPECT_GT(model.view.compare.figures.flip()->mean, 0);
}

TEST_F(Compare, NoFigureIsShownOfOtherPicturesThanThoseOnShow) {
    auto& model = start_with("renderer=path,device=cpu", 3);
    session_->set_renderer("path");
    await_figures(model);
    auto shown = model.view.compare.figures_of(model.session);
    ASSERT_TRUE(shown.figures && shown.flip);
    EXPECT_TRUE(std::isinf(shown.figures->psnr)) << "both sides are alike";
    change_second_setting(model, "path", "max-depth", "1");
    // Each figure is then of the new pair of pictures, and FLIP has the stamp of the others.
    auto now = [&] { return stamp_of(model.session, second(model)); };
    bool measuring = false;
    step_until([&] {
        auto [figures, flip] = model.view.compare.figures_of(model.session);
        measuring = measuring || !figures;
        if (figures) {
            EXPECT_TRUE(figures->stamp.same_pictures(now()));
            EXPECT_FALSE(std::isinf(figures->psnr));
            EXPECT_GT(figures->relative_mse, 0);
        }
        if (flip) {
            EXPECT_EQ(flip->stamp, figures->stamp);
            EXPECT_GT(flip->mean, 0);
        }
        return flip != nullptr && flip->stamp == now();
    });
    EXPECT_TRUE(measuring);
    await_figures(model);
}

TEST_F(Compare, FiguresOfFewerSamplesStayTogetherUntilTheNextOnesAre) {
    auto& model = start_with("renderer=path", 2);
    await_figures(model);
    auto first = stamp_of(model.session, second(model));
    model.options.stop_at = 3;
    step_until([&] { return !model.accumulating(); });
    // The pictures stay the same: FLIP and the other figures always have equal numbers of samples.
    step_until([&] {
        auto [figures, flip] = model.view.compare.figures_of(model.session);
        EXPECT_TRUE(figures);
        if (!figures) return true;
        bool newest = figures->stamp == stamp_of(model.session, second(model));
        if (!newest) {
            EXPECT_EQ(figures->stamp, first);
            EXPECT_TRUE(flip);
        }
        if (flip) {
            EXPECT_EQ(flip->stamp, figures->stamp);
        }
        return newest && flip;
    });
    EXPECT_EQ(samples_text(first), "2 samples");
    EXPECT_EQ(samples_text({1, 1, 12, 40}), "A 12 and B 40 samples");
}

TEST_F(Compare, FiguresAreThoseOfTheFilmsInFiles) {
    auto& model = start_with("renderer=path,builder=lbvh", 4);
    await_figures(model);
    auto path = folder_.path("a.exr");
    save_pictures(model, path);
    auto a = read_image(path), b = read_image(second_path(path));
    auto& figures = *model.view.compare.figures.figures();
    EXPECT_NEAR(figures.relative_mse, relative_squared_errors(b, a).mean(), 1e-9);
    EXPECT_NEAR(figures.psnr, peak_signal_to_noise(b, a), 1e-6);
    EXPECT_NEAR(model.view.compare.figures.flip()->mean, flip_errors(b, a).mean(), 1e-6);
    // The reference is side B.
    EXPECT_GT(std::abs(figures.relative_mse - relative_squared_errors(a, b).mean()), 1e-6);
    std::size_t n_differing = 0;
    float largest = 0;
    for (std::size_t i = 0; i < a.rgb.size(); ++i) {
        vec3 d = glm::abs(a.rgb[i] - b.rgb[i]);
        n_differing += a.rgb[i] != b.rgb[i];
        largest = std::max({largest, d.x, d.y, d.z});
    }
    EXPECT_EQ(figures.n_differing, n_differing);
    EXPECT_EQ(figures.largest, largest);
}

TEST_F(Compare, FramesGoOnWhileFiguresAreFoundAtMostOnceASecond) {
    auto& model = start().model();
    compare_with(model, parse_side_choices("renderer=path"));
    step_until([&] { return model.view.compare.figures.figures().has_value(); });
    auto first = model.view.compare.figures.figures()->films;
    auto begin = std::chrono::steady_clock::now();
    auto samples = session_->samples();
    step_until([&] { return model.view.compare.figures.figures()->films != first; });
    auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_GT(took, CompareFigures::kEvery / 2);
    EXPECT_GT(session_->samples(), samples);
    EXPECT_GT(model.view.compare.figures.figures()->films->stamp.samples_a, first->stamp.samples_a);
}

TEST_F(Compare, ReportAndPicturesHaveBothSides) {
    ViewerOptions options;
    options.frames = 3;
    options.compare_with = parse_side_choices("renderer=path,path-max-depth=2");
    options.compare_mode = CompareMode::flip;
    options.report = folder_.path("report.json");
    options.screenshot = folder_.path("shown.png");
    start(options).run();
    auto report = nlohmann::json::parse(read_file(options.report)).at("comparison");
    EXPECT_EQ(report.at("choices"), "renderer=path,path-max-depth=2");
    EXPECT_EQ(report.at("view"), "flip");
    EXPECT_EQ(report.at("reference"), "B");
    EXPECT_EQ(report.at("samples").at("a"), 3);
    EXPECT_EQ(report.at("samples").at("b"), 3);
    EXPECT_EQ(report.at("second").at("renderer"), "path");
    EXPECT_EQ(report.at("second").at("settings").at("path").at("max-depth"), "2");
    EXPECT_GT(report.at("relmse"), 0);
    EXPECT_GT(report.at("psnr"), 0);
    auto& model = viewer_->model();
    ASSERT_TRUE(model.view.compare.figures.flip());
    EXPECT_EQ(report.at("flip"), model.view.compare.figures.flip()->mean);
    EXPECT_EQ(read_image8(options.screenshot).rgba,
              model.view.compare.figures.flip()->picture.rgba);
}

TEST_F(Compare, ASideWithoutFalseColoursLeavesTheLegendToTheOther) {
    auto& model = start_with("renderer=heat-map", 2);
    step_until([&] { return !model.accumulating(); });
    steps(4);
    EXPECT_FALSE(model.view.legend.sides[0].known);
    EXPECT_TRUE(model.view.legend.sides[1].known);
    EXPECT_GT(model.view.legend.sides[1].scale.top, 0);
}

}  // namespace
}  // namespace tl::compare_tests

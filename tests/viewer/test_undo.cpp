// Undo and redo of settings and choices.
#include <random>

#include "app/viewer/actions/camera_actions.h"
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/viewer_actions.h"
#include "core/base/text.h"
#include "core/device/registry.h"
#include "tests/long_test.h"
#include "tests/source_path.h"
#include "tests/viewer/offscreen_viewer.h"
#include "tests/viewer/sleeping_renderer.h"

namespace tl::undo_tests {
namespace {

class Undo : public OffscreenViewer {
  protected:
    static constexpr std::uint32_t kSamples = 2;

    void SetUp() override {
        OffscreenViewer::SetUp();
        if (session_) start({.stop_at = kSamples});
    }
    ViewerModel& model() { return viewer_->model(); }
    /// Starts frames in a thread of their own, so slow that a new picture is coarse first. Returns
    /// once there are samples at full resolution.
    ViewerModel& start_slow() {
        start({.frames_apart = true, .coarse_motion = true});
        // Steps go back to the renderer of this id, whose settings the scene leaves open.
        session_->set_renderer("aov", std::make_unique<SleepingRenderer>(0.06, kPicture));
        auto& m = model();
        step_until([&] { return !m.view.resolution.settling() && session_->samples() >= 2; });
        clear_history(m);
        return m;
    }
    std::string setting(const std::string& section, const std::string& id) {
        auto sections = session_->settings().sections();
        return find_setting(find_section(sections, section)->settings, id, section).text();
    }
    /// Everything that the panel can set, as text.
    std::string all_settings() {
        std::string text = session_->renderer_id() + " " + session_->builder_id();
        for (auto& section : session_->settings().sections())
            for (auto& setting : section.settings)
                text += "\n" + section.id + "." + setting->id + " = " + setting.text();
        if (auto& second = model().view.compare.second) text += "\n" + text_of(second->choices());
        return text;
    }
    /// The radiance of the whole picture, once it is finished.
    std::vector<vec3> finished_picture() {
        step_until([&] { return session_->samples() == kSamples; });
        return radiance_of(session_->stream(), session_->film().view()).rgb;
    }
    void go_back(std::size_t most) {
        for (std::size_t i = 0; i < most && model().document.history.undo_name(); ++i)
            undo(model());
    }
    void go_on() {
        while (model().document.history.redo_name()) redo(model());
    }

    std::mt19937 random_{7};
    std::size_t below(std::size_t n) { return random_() % n; }

    std::string random_value(const SettingDeclaration& setting) {
        if (setting.type == SettingType::flag) return below(2) ? "true" : "false";
        if (!setting.choices.empty()) return setting.choices[below(setting.choices.size())];
        double share = static_cast<double>(random_()) / 0x1p32;
        double value = setting.minimum + share * (setting.maximum - setting.minimum);
        if (setting.type == SettingType::real) return number_text(static_cast<float>(value));
        return number_text(static_cast<std::int64_t>(value));
    }
    void edit_something() {
        switch (below(8)) {
            case 0: {
                auto ids = ids_on(DeviceKind::cpu, renderers());
                return choose_renderer(model(), ids[below(ids.size())]);
            }
            case 1: {
                auto ids = ids_on(DeviceKind::cpu, tree_builders());
                return choose_builder(model(), ids[below(ids.size())]);
            }
            case 2:
                return choose_device(model(), "cpu");
            case 3:
                if (below(8) == 0) toggle_comparison(model());
                return choose_second_builder(model(), "lbvh");
            default: {
                auto sections = session_->settings().sections();
                auto& section = sections[below(sections.size())];
                if (section.settings.empty()) return;
                auto& setting = section.settings[below(section.settings.size())];
                bool resets = below(8) == 0;
                change_setting(model(), section.id, setting->id,
                               resets ? "" : random_value(setting.declaration()));
            }
        }
    }
};

TEST_F(Undo, AThousandEditsLeadBackToTheFirstStateBitForBit) {
    TL_LONG_TEST();
    auto first = all_settings();
    auto first_picture = finished_picture();
    for (int i = 0; i < 1000; ++i) edit_something();
    auto last = all_settings();
    EXPECT_NE(last, first);
    go_back(1000);
    EXPECT_EQ(model().document.history.undo_name(), nullptr);
    EXPECT_EQ(all_settings(), first);
    EXPECT_EQ(finished_picture(), first_picture);
    go_on();
    EXPECT_EQ(all_settings(), last);
}

TEST_F(Undo, KeysGoBackAndOn) {
    auto depth = setting("whitted", "max-depth");
    change_setting(model(), "whitted", "max-depth", "3");
    ASSERT_NE(model().document.history.undo_name(), nullptr);
    EXPECT_EQ(*model().document.history.undo_name(), "max depth");
    press(Key::z, {.control = true});
    steps(2);
    EXPECT_EQ(setting("whitted", "max-depth"), depth);
    EXPECT_EQ(model().document.history.undo_name(), nullptr);
    press(Key::y, {.control = true});
    steps(2);
    EXPECT_EQ(setting("whitted", "max-depth"), "3");
    press(Key::z, {.control = true});
    steps(2);
    press(Key::z, {.shift = true, .control = true});
    steps(2);
    EXPECT_EQ(setting("whitted", "max-depth"), "3");
}

TEST_F(Undo, ADragIsOneStepAndClicksAreSeveral) {
    auto change = [&](const char* exposure) {
        change_setting(model(), "film", "exposure", exposure);
    };
    model().document.history.hold(true);
    for (auto* exposure : {"1", "2", "3"}) change(exposure);
    model().document.history.hold(false);
    change("4");
    change("5");
    undo(model());
    EXPECT_EQ(setting("film", "exposure"), "4");
    undo(model());
    EXPECT_EQ(setting("film", "exposure"), "3");
    undo(model());
    EXPECT_EQ(setting("film", "exposure"), "0");
}

TEST_F(Undo, ANewEditForgetsWhatWasUndone) {
    choose_renderer(model(), "path");
    undo(model());
    EXPECT_NE(model().document.history.redo_name(), nullptr);
    choose_builder(model(), "lbvh");
    EXPECT_EQ(model().document.history.redo_name(), nullptr);
    redo(model());
    EXPECT_EQ(session_->renderer_id(), "whitted");
}

TEST_F(Undo, WhatChangesNothingIsNoStep) {
    choose_renderer(model(), session_->renderer_id());
    choose_builder(model(), session_->builder_id());
    EXPECT_EQ(model().document.history.undo_name(), nullptr);
    change_setting(model(), "whitted", "max-depth", "no number");
    EXPECT_EQ(model().document.history.undo_name(), nullptr);
}

TEST_F(Undo, ExposureKeepsTheSamples) {
    (void)finished_picture();
    change_setting(model(), "film", "exposure", "2");
    undo(model());
    EXPECT_EQ(session_->samples(), kSamples);
}

TEST_F(Undo, WhatOnlyChangesTheDisplayHasTheEffectOfSettingIt) {
    auto& m = start_slow();
    auto pictures = session_->pictures();
    for (auto& declared : find_declared_section("film")->settings->all()) {
        auto before = setting("film", declared.id);
        std::string value;
        while (value.empty() || value == before) value = random_value(declared);
        auto shows = [&](auto&& act, const std::string& wanted) {
            step_until([&] { return !m.gate.open(); });
            act();
            EXPECT_EQ(m.gate.asked(), Cancellation::nothing)
                << declared.id << ": the frame goes on";
            EXPECT_EQ(setting("film", declared.id), wanted) << declared.id;
        };
        shows([&] { change_setting(m, "film", declared.id, value); }, value);
        shows([&] { undo(m); }, before);
        shows([&] { redo(m); }, value);
        shows([&] { undo(m); }, before);
        auto samples = session_->samples();
        step_until([&] { return session_->samples() != samples; });
        EXPECT_EQ(session_->pictures(), pictures) << declared.id;
    }
    // Other settings restart the picture.
    change_setting(m, "tree", "max-leaf-size", "3");
    pictures = session_->pictures();
    step_until([&] { return session_->pictures() > pictures; });
    pictures = session_->pictures();
    undo(m);
    step_until([&] { return session_->pictures() > pictures; });
}

TEST_F(Undo, BookmarksKeepTheSamples) {
    auto& m = start_slow();
    auto pictures = session_->pictures();
    store_bookmark(m, 3);
    step_until([&] { return !m.gate.open(); });
    undo(m);
    EXPECT_TRUE(m.document.scene.bookmarks.empty());
    redo(m);
    EXPECT_EQ(m.document.scene.bookmarks.size(), 1u);
    auto samples = session_->samples();
    step_until([&] { return session_->samples() > samples; });
    EXPECT_EQ(session_->pictures(), pictures);
}

TEST_F(Undo, AComparisonComesBackWithItsChoices) {
    compare_with(model(), parse_side_choices("builder=lbvh,whitted-max-depth=1"));
    toggle_comparison(model());
    EXPECT_EQ(model().view.compare.second, nullptr);
    undo(model());
    ASSERT_NE(model().view.compare.second, nullptr);
    EXPECT_EQ(text_of(model().view.compare.second->choices()), "builder=lbvh,whitted-max-depth=1");
    undo(model());
    EXPECT_EQ(model().view.compare.second, nullptr);
}

TEST_F(Undo, AnotherSceneStartsAnew) {
    choose_renderer(model(), "path");
    open_scene(model(), source_path("scenes/teapot.toml"));
    step_until([&] { return session_->scene().name != "Cornell box"; });
    step_until([&] { return model().gate.open() && !model().document.loading.busy(); });
    EXPECT_EQ(model().document.history.undo_name(), nullptr);
}

}  // namespace
}  // namespace tl::undo_tests

// The panel, its lists and the texts over the picture by keys alone.
#include <imgui/imgui.h>
#include <imgui/imgui_internal.h>

#include <set>

#include "app/panels/panels.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/viewer_actions.h"
#include "tests/source_path.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::keyboard_tests {
namespace {

constexpr Modifiers kControl{.control = true}, kShift{.shift = true};

class Keyboard : public OffscreenViewer {
  protected:
    void tap(Key key, Modifiers modifiers = {}) {
        press(key, modifiers);
        steps(2);
    }
    void type(const std::string& text) {
        for (char c : text) context_->push(TextEvent{static_cast<char32_t>(c)});
        steps(4);
    }
    ViewerModel& start_in(PanelTab tab, Extent picture) {
        context_->resize(window_for(picture, 1, true));
        auto& model = start().model();
        model.view.paused = true;
        steps(4);
        open_tab(model, tab);
        steps(4);
        return model;
    }
    /// Searches the panel and moves to the first widget that is found.
    ViewerModel& start_at(const std::string& search) {
        auto& model = start_in(PanelTab::scene, {500, 500});
        tap(Key::f, kControl);
        type(search);
        tap(Key::down);
        steps(2);
        return model;
    }
    std::string film_setting(const char* id) {
        auto settings = session_->settings().film();
        return find_setting(settings, id, "film").text();
    }
    static ImGuiContext& imgui() { return *ImGui::GetCurrentContext(); }
    /// The items that Tab reaches, in order, until the first one comes again.
    std::vector<ImGuiID> tab_through(Modifiers modifiers = {}) {
        std::vector<ImGuiID> reached;
        for (int i = 0; i < 200; ++i) {
            tap(Key::tab, modifiers);
            if (!reached.empty() && imgui().NavId == reached.front()) return reached;
            reached.push_back(imgui().NavId);
        }
        ADD_FAILURE() << "Tab does not come back to the first item";
        return reached;
    }
};

TEST_F(Keyboard, TabReachesWhateverTheMouseReaches) {
    for (auto tab : {PanelTab::scene, PanelTab::trees}) {
        auto& model = start_in(tab, {60, 1000});
        tap(Key::f6);
        auto in_order = tab_through();
        std::set<ImGuiID> reached(in_order.begin(), in_order.end());
        EXPECT_GT(reached.size(), 20u);
        tap(Key::escape);
        tap(Key::escape);
        ASSERT_FALSE(model.view.panel.keyboard);
        for (int x : {14, 140, 300})
            for (int y = 28; y < model.view.layout.panel.height; y += 14) {
                vec2 at(static_cast<float>(model.view.layout.panel.x + x), static_cast<float>(y));
                context_->push(CursorEvent{at});
                steps(1);
                auto hovered = imgui().HoveredId;
                EXPECT_TRUE(hovered == 0 || reached.contains(hovered)) << x << ", " << y;
            }
    }
}

TEST_F(Keyboard, TabReachesTheGraphOfFrameTimesAndNoNamesOfColumns) {
    auto& model = start_in(PanelTab::render, {60, 700});
    std::set<ImGuiID> not_reached;
    for (int y = 28; y < 500; y += 4) {
        context_->push(CursorEvent{vec2(model.view.layout.panel.x + 140, y)});
        steps(1);
        not_reached.insert(imgui().HoveredId);
    }
    EXPECT_GT(not_reached.size(), 5u);
    not_reached.erase(0);
    tap(Key::f6);
    for (auto id : tab_through()) not_reached.erase(id);
    EXPECT_EQ(not_reached.size(), 1u);  // the name of the stages' column
}

TEST_F(Keyboard, ShiftTabGoesBackTheSameWay) {
    start_in(PanelTab::scene, {60, 700});
    tap(Key::f6);
    auto forth = tab_through();
    auto back = tab_through(kShift);  // begins with the last one, from the first one
    std::ranges::reverse(back);
    EXPECT_EQ(back, forth);
}

TEST_F(Keyboard, WhatTabReachesIsInSightAndMarked) {
    start_in(PanelTab::film, {60, 260});
    tap(Key::f6);
    bool scrolled = false;
    for (int i = 0; i < 40; ++i) {
        tap(Key::tab);
        auto& window = *imgui().NavWindow;
        auto place = ImGui::WindowRectRelToAbs(&window, window.NavRectRel[imgui().NavLayer]);
        EXPECT_TRUE(window.InnerRect.Contains(place)) << i;
        EXPECT_TRUE(ImGui::GetIO().NavVisible);
        scrolled |= window.Scroll.y > 0;
    }
    EXPECT_TRUE(scrolled);
}

TEST_F(Keyboard, TabGoesOnWhereTheItemReachedIsGone) {
    start_in(PanelTab::scene, {60, 700});
    tap(Key::f6);
    for (int i = 0; i < 10; ++i) tap(Key::tab);  // into the section of the camera
    auto gone = imgui().NavId;
    preferences_.collapsed_sections.emplace_back("camera");
    steps(2);
    ASSERT_FALSE(imgui().NavIdIsAlive);
    tap(Key::tab);
    EXPECT_NE(imgui().NavId, gone);
    EXPECT_TRUE(imgui().NavIdIsAlive);
}

TEST_F(Keyboard, KeysOfTheCameraAreThePanelsWhileItHasTheKeyboard) {
    auto& model = start_in(PanelTab::trees, {200, 300});
    auto before = model.view.camera.camera().eye;
    auto fly = [&] {
        context_->push(KeyEvent{Key::w, Key::w, true, false, {}});
        for (int i = 0; i < 4; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            steps(1);
        }
        context_->push(KeyEvent{Key::w, Key::w, false, false, {}});
        steps(1);
    };
    tap(Key::f6);
    fly();
    for (auto key : {Key::up, Key::down, Key::left, Key::right, Key::home}) tap(key);
    EXPECT_EQ(model.view.camera.camera().eye, before);
    tap(Key::escape);
    fly();
    EXPECT_NE(model.view.camera.camera().eye, before);
}

TEST_F(Keyboard, ASliderIsMovedTypedIntoAndReset) {
    auto& model = start_at("film exposure");
    auto before = film_setting("exposure");
    tap(Key::escape);  // from typing, which is where the search goes on to
    tap(Key::space);
    tap(Key::right);
    EXPECT_NE(film_setting("exposure"), before);
    // Esc lets it go, and ends neither search nor navigation.
    tap(Key::escape);
    EXPECT_NE(model.view.panel.search, "");
    EXPECT_FALSE(ImGui::IsAnyItemActive());
    tap(Key::enter);
    type("1.5");
    tap(Key::enter);
    EXPECT_EQ(film_setting("exposure"), "1.5");
    tap(Key::del);
    EXPECT_EQ(film_setting("exposure"), before);
}

TEST_F(Keyboard, AListIsOpenedAndChosenFrom) {
    start_at("film tone curve");
    auto before = film_setting("tone");
    tap(Key::enter);
    tap(Key::down);
    tap(Key::enter);
    EXPECT_NE(film_setting("tone"), before);
}

TEST_F(Keyboard, TheObjectInTheMiddleIsSelected) {
    auto& model = start_at("select refraction emission turn");
    model.view.paused = false;
    open_scene(model, source_path("scenes/cornell-box.toml"));
    step_until([&] { return can_edit(model); });
    ASSERT_TRUE(model.document.selection.empty());
    tap(Key::down);  // from the section's title to its first button
    tap(Key::space);
    step_until([&] { return !model.document.selection.empty(); });
    EXPECT_TRUE(model.document.selection.object);
}

TEST_F(Keyboard, HelpAndMessagesScroll) {
    auto& model = start_in(PanelTab::scene, {300, 300});
    auto exposure = film_setting("exposure");
    tap(Key::f1);
    auto* help = ImGui::FindWindowByName("Keys and mouse");
    ASSERT_NE(help, nullptr);
    for (auto key : {Key::down, Key::page_down}) tap(key);
    EXPECT_GT(help->Scroll.y, 0);
    EXPECT_EQ(film_setting("exposure"), exposure);
    tap(Key::end);
    EXPECT_EQ(help->Scroll.y, help->ScrollMax.y);
    // The other keys that it lists can be tried meanwhile.
    tap(Key::h);
    EXPECT_EQ(model.session.renderer_id(), "heat-map");
    tap(Key::escape);
    for (int i = 0; i < 60; ++i) model.status.messages.info(std::to_string(i));
    tap(Key::l, kControl);
    tap(Key::tab);
    tap(Key::page_down);
    EXPECT_TRUE(model.view.log_open);
    EXPECT_TRUE(model.view.interface_visible) << "Tab is the log's";
    EXPECT_EQ(film_setting("exposure"), exposure);
}

TEST_F(Keyboard, FilesAreOpenedAndSavedWhileAFieldHasTheKeyboard) {
    auto& model = start_in(PanelTab::scene, {300, 300});
    tap(Key::f, kControl);
    type("depth");
    tap(Key::o, kControl);
    EXPECT_TRUE(model.view.browser.open);
    EXPECT_FALSE(model.view.browser.request.saves);
    tap(Key::escape);
    tap(Key::f, kControl);
    tap(Key::s, kControl);
    EXPECT_EQ(model.status.messages.current(),
              "this scene was not opened from a file or a generator");
    EXPECT_EQ(model.view.panel.search, "depth");
}

}  // namespace
}  // namespace tl::keyboard_tests

// Menus, search of commands, help and layout, in a window with room for all of it.
#include <imgui/imgui.h>
#include <imgui/imgui_internal.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/panels/panels.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/viewer_actions.h"
#include "core/base/setting_words.h"
#include "renderer/settings_sections.h"
#include "tests/viewer/wide_viewer.h"

namespace tl::menus_tests {
namespace {

class Menus : public WideViewer {};

TEST_F(Menus, TheSearchFindsCommandsThatEnterRuns) {
    auto& model = start_wide();
    auto run = [&](const char* words) {
        tap(Key::f, {.control = true});
        type(words);
        tap(Key::enter);
    };
    run("keys and mouse");
    EXPECT_TRUE(model.view.help_open);
    EXPECT_EQ(model.view.panel.search, "");
    tap(Key::escape);
    run("save picture");
    EXPECT_TRUE(model.view.browser.open);
    tap(Key::escape);
    // A setting of that name comes first: no command changes it unasked.
    auto before = session_->display().config().tone_map.exposure;
    change_exposure(model, 1);
    run("exposure");
    EXPECT_EQ(session_->display().config().tone_map.exposure, before + 1);
    EXPECT_EQ(model.view.panel.search, "exposure");
    // A click runs a command of the list, too.
    tap(Key::escape);
    tap(Key::escape);
    tap(Key::f, {.control = true});
    type("boxes of all leaves");
    auto x = static_cast<float>(model.view.layout.panel.x + 40);
    EXPECT_TRUE(click_down(x, 60, 200, [&] { return model.view.boxes.leaves; }));
}

TEST_F(Menus, WhatIsTypedAtOnceAfterCtrlFIsSearchedAndRunsNoCommand) {
    auto& model = start_wide();
    auto renderer = session_->renderer_id();
    press(Key::f, {.control = true});
    for (char c : std::string("heat")) {
        auto key = static_cast<Key>(c - 'a' + 'A');
        context_->push(KeyEvent{key, key, true, false, {}});
        context_->push(TextEvent{static_cast<char32_t>(c)});
        context_->push(KeyEvent{key, key, false, false, {}});
    }
    steps(10);
    EXPECT_EQ(model.view.panel.search, "heat");
    EXPECT_EQ(session_->renderer_id(), renderer) << "H shows the heat map";
}

TEST_F(Menus, FileOffersExamplesBesideOtherScenesToOpen) {
    std::vector<std::string> first;
    for (auto& command : viewer_interface().commands)
        if (command.menu == "File" && first.size() < 4) first.push_back(command.title);
    EXPECT_EQ(first, (std::vector<std::string>{"Open...", "Open recent", "Examples", "Generate"}));
}

TEST_F(Menus, AllFitIntoANarrowWindowWithALargeScale) {
    context_->resize({800, 500});
    start({.ui_scale = 2});
    steps(4);
    auto* bar = ImGui::FindWindowByName("Menus");
    ASSERT_NE(bar, nullptr);
    for (float x = 796; x > 700 && !menu_is_open(); x -= 8) click(vec2(x, 14));
    ASSERT_TRUE(menu_is_open());
    auto help = ImHashStr("Help", 0, ImHashStr("##menubar", 0, bar->ID));
    EXPECT_EQ(ImGui::GetCurrentContext()->OpenPopupStack[0].PopupId, help);
}

TEST_F(Menus, TheSearchFindsWidgetsOfSectionsOneByOne) {
    auto& model = start_wide();
    model.view.paused = true;
    tap(Key::f, {.control = true});
    type("lower resolution");
    bool before = model.view.resolution.enabled;
    auto x = static_cast<float>(model.view.layout.panel.x + 18);
    EXPECT_TRUE(click_down(x, 60, 110, [&] { return model.view.resolution.enabled != before; }));
}

TEST_F(Menus, AHiddenInterfaceHasAVisibleWayBack) {
    auto& model = start_wide();
    tap(Key::tab);
    ASSERT_FALSE(model.view.interface_visible);
    EXPECT_EQ(model.view.layout.menu.height, 0);
    auto& picture = model.view.layout.picture;
    vec2 at(static_cast<float>(picture.width) - 8, static_cast<float>(picture.height) / 2);
    context_->push(CursorEvent{at});
    steps(4);
    click(at);
    EXPECT_TRUE(model.view.interface_visible);
}

TEST_F(Menus, MenusListWhatIsInUseAsRadioEntries) {
    auto& model = start_wide();
    auto entries_of = [&](const std::string& title) {
        auto& commands = model.interface.commands;
        auto found = std::ranges::find(commands, title, &ViewerCommand::title);
        EXPECT_NE(found, commands.end()) << title;
        return found->entries(model);
    };
    auto checked = [](const std::vector<MenuEntry>& entries) {
        return std::ranges::count(entries, true, &MenuEntry::checked);
    };
    for (auto* title :
         {"Renderer", "Tree builder", "Device", "Tone curve", "Interface scale", "Theme"})
        EXPECT_EQ(checked(entries_of(title)), 1) << title;
    auto choose = [&](const char* title, const char* entry) {
        auto entries = entries_of(title);
        auto found = std::ranges::find(entries, std::string(entry), &MenuEntry::title);
        ASSERT_NE(found, entries.end()) << entry;
        found->action(model);
        steps(4);
    };
    choose("Renderer", "Path tracer");
    EXPECT_EQ(session_->renderer_id(), "path");
    int height = model.view.layout.status.height;
    choose("Interface scale", "150 %");
    EXPECT_EQ(preferences_.ui_scale, 1.5f);
    EXPECT_EQ(model.view.layout.status.height, height * 3 / 2);
    auto brightness = [&] {
        auto image = window();
        auto& status = model.view.layout.status;
        auto at =
            static_cast<std::size_t>((status.y + 2) * image.extent.width + image.extent.width - 4);
        return int{image.rgba[4 * at]};
    };
    int dark = brightness();
    choose("Theme", "Light");
    EXPECT_EQ(preferences_.theme, "light");
    EXPECT_GT(brightness(), dark + 100);
}

TEST_F(Menus, HelpHasAboutFirstStepsAndTheManual) {
    auto& model = start_wide();
    auto run = [&](const std::string& title) {
        auto& commands = model.interface.commands;
        auto found = std::ranges::find(commands, title, &ViewerCommand::title);
        ASSERT_NE(found, commands.end()) << title;
        EXPECT_EQ(found->menu, "Help");
        run_command(*found, model);
        steps(4);
    };
    run("About Treelight");
    EXPECT_TRUE(model.view.about_open);
    tap(Key::escape);
    EXPECT_FALSE(model.view.about_open);
    run("First steps");
    EXPECT_TRUE(model.view.first_hint);
    run("Manual");
    EXPECT_TRUE(context_->clipboard().ends_with("docs/viewer.md")) << context_->clipboard();
    EXPECT_TRUE(std::filesystem::exists(context_->clipboard()));
}

TEST_F(Menus, TheTimelineLiesBelowThePictureAndIsScrubbed) {
    auto& model = start_wide();
    EXPECT_EQ(model.view.layout.timeline.height, 0);
    open_scene(model, "generate:waves");
    step_until([&] { return viewer_->idle() && model.moves(); });
    steps(4);
    auto& timeline = model.view.layout.timeline;
    EXPECT_GT(timeline.height, 0);
    EXPECT_EQ(session_->extent().height, model.view.layout.picture.height);
    float y = static_cast<float>(timeline.y + timeline.height / 2);
    auto eye = model.view.camera.camera().eye;
    drag(vec2(200, y), vec2(300, y));
    EXPECT_GT(session_->time, 0);
    EXPECT_EQ(model.view.camera.camera().eye, eye);
}

TEST_F(Menus, LabelsOfSettingsAreOfTheirOwnAndShort) {
    for (auto& section : declared_sections()) {
        std::set<std::string> labels;
        for (auto& setting : section.settings->all()) {
            auto label = label_of(setting);
            EXPECT_TRUE(labels.insert(label).second) << section.id << ": " << label;
            EXPECT_LE(std::ranges::count(label, ' '), 4) << label;
        }
    }
    EXPECT_EQ(label_of(find_declared("film", "tone")), "Tone curve");
    EXPECT_EQ(label_of(find_declared("film", "biased-denoise")), "Denoise (preview)");
    EXPECT_EQ(label_of(find_declared("sampling", "error")), "Noise threshold");
    EXPECT_EQ(word_of_zero(find_declared("sampling", "error")), "off");
    change_setting(start_wide(), "sampling", "error", "off");
    auto settings = session_->settings().section(SectionKind::sampling).settings;
    EXPECT_EQ(find_setting(settings, "error", "sampling").text(), "0");
}

}  // namespace
}  // namespace tl::menus_tests

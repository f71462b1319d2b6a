// The file browser, driven by keys: names relative to the shown folder, completion, saving.
#include "app/viewer/actions/viewer_actions.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::file_browser_tests {
namespace {

TEST(BrowserPaths, AreRelativeToTheShownFolderOrTheUsersHome) {
    EXPECT_EQ(path_of("box.toml", "/models"), "/models/box.toml");
    EXPECT_EQ(path_of("../box.toml", "/models/old"), "/models/box.toml");
    EXPECT_EQ(path_of("/box.toml", "/models"), "/box.toml");
    std::string home = std::getenv("HOME");
    EXPECT_EQ(path_of("~/box.toml", "/models"),
              (std::filesystem::path(home) / "box.toml").string());
    EXPECT_EQ(path_of("~box.toml", "/models"), "/models/~box.toml");
    EXPECT_EQ(path_of("generate:terrain", "/models"), "generate:terrain");
}

class FileBrowser : public OffscreenViewer {
  protected:
    /// Opens the browser on a folder with two scenes, an inner folder and a file of another kind.
    BrowserState& open() {
        for (const char* name : {"blue.toml", "blunt.toml", "inner/deep.toml", "notes.txt"})
            folder_.write(name, kScene);
        auto& model = start().model();
        steps(2);
        browse(model, folder_.path(""));
        steps(4);
        return model.view.browser;
    }
    void type(const std::string& text) {
        for (char c : text) context_->push(TextEvent{static_cast<char32_t>(c)});
        steps(4);
    }
    void tap(Key key) {
        press(key);
        steps(4);
    }
    std::string opened() {
        step_until([&] { return viewer_->idle(); });
        return std::filesystem::path(session_->scene().path).filename().string();
    }
    static constexpr const char* kScene = "[[generate]]\nkind = \"terrain\"\ntriangles = 200\n";
};

TEST_F(FileBrowser, ATypedNameIsThatOfTheShownFolder) {
    open();
    type("blue.toml");
    tap(Key::enter);
    EXPECT_EQ(opened(), "blue.toml");
}

TEST_F(FileBrowser, TabGoesOnWhereThereIsNothingToComplete) {
    open();
    type("blue.toml");
    tap(Key::tab);  // to the button Open
    tap(Key::space);
    EXPECT_EQ(opened(), "blue.toml");
}

TEST_F(FileBrowser, TabCompletesAndArrowsSelect) {
    auto& browser = open();
    type("b");
    tap(Key::tab);
    EXPECT_EQ(browser.typed, "blu");
    tap(Key::down);
    EXPECT_EQ(browser.typed, "blunt.toml");
    tap(Key::up);
    EXPECT_EQ(browser.typed, "blue.toml");
    tap(Key::enter);
    EXPECT_EQ(opened(), "blue.toml");
}

TEST_F(FileBrowser, EnterTakesTheMarkedRow) {
    auto& browser = open();
    type("blun");
    tap(Key::enter);
    EXPECT_EQ(opened(), "blunt.toml");
    browse(viewer_->model(), folder_.path(""));
    steps(4);
    type("LUE");  // within a name, in any case
    ASSERT_NE(browser.selected, BrowserState::kNone);
    tap(Key::enter);
    EXPECT_EQ(opened(), "blue.toml");
    browse(viewer_->model(), folder_.path(""));
    steps(4);
    auto outer = browser.listing.path;
    type("inn");
    tap(Key::enter);
    EXPECT_EQ(browser.listing.path, outer + "/inner");
}

TEST_F(FileBrowser, ANameWithTheFolderOnShowMarksItsRow) {
    auto& browser = open();
    type(browser.listing.path + "/blun");
    ASSERT_NE(browser.selected, BrowserState::kNone);
    tap(Key::enter);
    EXPECT_EQ(opened(), "blunt.toml");
    browse(viewer_->model(), folder_.path(""));
    steps(4);
    type("inner/blun");
    EXPECT_EQ(browser.selected, BrowserState::kNone) << "this row is in another folder";
}

TEST_F(FileBrowser, TheFormatFollowsATypedEnding) {
    auto& browser = open();
    close_browser(browser);
    ask_for_file(
        browser,
        {.title = "Save",
         .extensions = {".png", ".exr"},
         .choose = [](ViewerModel&, auto&) {},
         .saves = true,
         .suggested_name = {},
         .formats = {{"PNG", ".png", ""}, {"EXR, half", ".exr", ""}, {"EXR, float", ".exr", ""}}},
        folder_.path(""));
    steps(4);
    type("a.ex");
    EXPECT_EQ(browser.format, 0u);
    type("r");
    EXPECT_EQ(browser.format, 1u);
    choose_format(browser, 2);
    follow_typed(browser);
    EXPECT_EQ(browser.format, 2u) << "has the same ending";
}

TEST_F(FileBrowser, RowsHaveDatesAndTheFolderItsFreeSpace) {
    auto& browser = open();
    EXPECT_GT(browser.listing.bytes_free, 0u);
    for (auto& entry : browser.listing.entries)
        EXPECT_LT(std::abs(std::difftime(std::time(nullptr), entry.changed)), 600) << entry.name;
    EXPECT_EQ(date_text(0), "");
    EXPECT_EQ(date_text(browser.listing.entries[0].changed).size(),
              std::string("2026-11-30 18:23").size());
}

TEST_F(FileBrowser, EnterGoesIntoAFolderAndBackspaceOutOfIt) {
    auto& browser = open();
    auto outer = browser.listing.path;
    tap(Key::down);
    EXPECT_EQ(browser.typed, "inner/");
    tap(Key::enter);
    EXPECT_EQ(browser.listing.path, outer + "/inner");
    tap(Key::backspace);
    EXPECT_EQ(browser.listing.path, outer);
    type("in");
    tap(Key::tab);
    tap(Key::tab);
    EXPECT_EQ(browser.typed, "inner/deep.toml");
    tap(Key::enter);
    EXPECT_EQ(opened(), "deep.toml");
}

TEST_F(FileBrowser, WhatIsNotThereIsToldAndTheBrowserStays) {
    auto& browser = open();
    type("green.toml");
    tap(Key::enter);
    EXPECT_TRUE(browser.open);
    EXPECT_NE(browser.fault.find("green.toml"), std::string::npos);
    type("x");
    EXPECT_EQ(browser.fault, "");
    tap(Key::escape);
    EXPECT_FALSE(browser.open);
}

TEST_F(FileBrowser, NamesOfGeneratorsAreCompleted) {
    auto& browser = open();
    type("generate:ter");
    tap(Key::tab);
    EXPECT_EQ(browser.typed, "generate:terrain");
}

TEST_F(FileBrowser, WhatARequestHoldsIsFreedWhenTheBrowserCloses) {
    auto& browser = open();
    auto held = std::make_shared<int>(1);
    std::weak_ptr<int> seen = held;
    ask_for_file(browser,
                 {.title = "Save",
                  .extensions = {},
                  .choose = [held](ViewerModel&, auto&) {},
                  .suggested_name = {}},
                 folder_.path(""));
    held.reset();
    steps(4);
    EXPECT_FALSE(seen.expired());
    tap(Key::escape);
    EXPECT_FALSE(browser.open);
    EXPECT_TRUE(seen.expired());
}

TEST_F(FileBrowser, SavingAddsTheEndingAndAsksBeforeItReplaces) {
    auto& browser = open();
    static std::vector<std::string> chosen;
    chosen.clear();
    auto ask = [&] {
        close_browser(browser);
        steps(4);
        ask_for_file(browser,
                     {.title = "Save",
                      .extensions = {".toml"},
                      .choose = [](ViewerModel&, auto& path) { chosen.push_back(path); },
                      .saves = true,
                      .suggested_name = "new"},
                     folder_.path(""));
        steps(4);
    };
    ask();
    tap(Key::enter);
    EXPECT_FALSE(browser.open);
    EXPECT_EQ(chosen, std::vector{folder_.path("new.toml")});
    folder_.write("new.toml", "");
    ask();
    tap(Key::enter);
    EXPECT_TRUE(browser.open);
    EXPECT_EQ(chosen.size(), 1u);
    EXPECT_EQ(browser.to_replace, folder_.path("new.toml"));
    tap(Key::enter);
    EXPECT_FALSE(browser.open);
    EXPECT_EQ(chosen.size(), 2u);
}

}  // namespace
}  // namespace tl::file_browser_tests

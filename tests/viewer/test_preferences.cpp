// The viewer's stored preferences, and the handling of damaged files.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/viewer/files/preferences.h"
#include "tests/unit/temp_folder.h"

namespace tl::preferences_tests {
namespace {

namespace fs = std::filesystem;

class PreferencesFile : public testing::Test {
  protected:
    [[nodiscard]] std::string path() const { return folder_.path("treelight/viewer.json"); }
    void write(const std::string& text) const { folder_.write("treelight/viewer.json", text); }
    [[nodiscard]] std::string read() const {
        std::stringstream text;
        text << std::ifstream(path()).rdbuf();
        return text.str();
    }
    test::TempFolder folder_;
};

TEST_F(PreferencesFile, WhatIsWrittenIsRead) {
    Preferences p;
    p.picture = {800, 600};
    p.interface_visible = false;
    p.panel_tab = "trees";
    p.ui_scale = 1.5f;
    p.tone = "aces";
    p.box_level = 9;
    p.difference_gain = 100;
    p.coarse_motion = false;
    p.theme = "light";
    p.picture_folder = "/pictures";
    p.picture_format = "exr-half";
    p.last_folder = "/models";
    p.recent_files = {"/models/a b.obj", "/models/\xc3\xa4.toml"};
    write_preferences(path(), p);
    auto result = read_preferences(path());
    EXPECT_EQ(result.warning, "");
    EXPECT_EQ(result.preferences.picture, p.picture);
    EXPECT_EQ(result.preferences.interface_visible, p.interface_visible);
    EXPECT_EQ(result.preferences.panel_tab, p.panel_tab);
    EXPECT_EQ(result.preferences.ui_scale, p.ui_scale);
    EXPECT_EQ(result.preferences.tone, p.tone);
    EXPECT_EQ(result.preferences.box_level, p.box_level);
    EXPECT_EQ(result.preferences.difference_gain, p.difference_gain);
    EXPECT_FALSE(result.preferences.coarse_motion);
    EXPECT_EQ(result.preferences.theme, p.theme);
    EXPECT_EQ(result.preferences.picture_folder, p.picture_folder);
    EXPECT_EQ(result.preferences.picture_format, p.picture_format);
    EXPECT_EQ(result.preferences.last_folder, p.last_folder);
    EXPECT_EQ(result.preferences.recent_files, p.recent_files);
}

TEST_F(PreferencesFile, AMissingFileGivesDefaultsWithoutAWord) {
    auto result = read_preferences(path());
    EXPECT_EQ(result.warning, "");
    EXPECT_FALSE(result.damaged);
    EXPECT_EQ(result.preferences.picture, Preferences{}.picture);
}

TEST_F(PreferencesFile, ADamagedFileGivesDefaultsAWarningAndStays) {
    std::string deep = "{\"ui-scale\": " + std::string(200'000, '[');
    for (const std::string& text :
         {std::string(), std::string("{\"ui-scale\": 1"), std::string("[1, 2]"),
          std::string("\x01\x02\xff"), std::string("null"), deep}) {
        write(text);
        auto result = read_preferences(path());
        EXPECT_TRUE(result.damaged) << text;
        EXPECT_NE(result.warning.find(path()), std::string::npos);
        EXPECT_NE(result.warning.find("--reset-config"), std::string::npos);
        EXPECT_EQ(result.warning.find('\n'), std::string::npos);
        EXPECT_EQ(result.preferences.ui_scale, 0);
        EXPECT_EQ(read(), text);
    }
}

TEST_F(PreferencesFile, WhatIsNoReadableFileGivesDefaultsAndSaysWhy) {
    fs::create_directories(path());
    auto folder = read_preferences(path());
    EXPECT_TRUE(folder.damaged);
    EXPECT_EQ(folder.warning,
              path() +
                  ": is a folder, so defaults are used and the file stays as it is; "
                  "`treelight view --reset-config` writes a new one");
    fs::remove(path());
    ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
    auto pipe = read_preferences(path());
    EXPECT_TRUE(pipe.damaged);
    EXPECT_NE(pipe.warning.find("a pipe, so defaults are used"), std::string::npos);
    fs::remove(path());
    write("{\"tone\": \"" + std::string(2'000'000, 'x') + "\"}");
    EXPECT_TRUE(read_preferences(path()).damaged);
    write(std::string(500'000, '[') + std::string(500'000, ']'));
    EXPECT_TRUE(read_preferences(path()).damaged);
}

TEST_F(PreferencesFile, ValuesOutOfRangeGiveTheirDefaultOnly) {
    write(R"({"picture-width": 1e9, "picture-height": 480, "ui-scale": "big", "box-level": 99,
              "tone": "sepia", "theme": "pink", "panel": false, "panel-tab": "sofa", "recent-files": [1]})");
    auto result = read_preferences(path());
    EXPECT_FALSE(result.damaged);
    for (const char* name :
         {"picture-width", "ui-scale", "box-level", "tone", "theme", "panel-tab", "recent-files"})
        EXPECT_NE(result.warning.find(name), std::string::npos) << name;
    EXPECT_EQ(result.warning.find("picture-height"), std::string::npos);
    EXPECT_EQ(result.preferences.picture, (Extent{1280, 480}));
    EXPECT_FALSE(result.preferences.interface_visible);
    EXPECT_EQ(result.preferences.tone, "");
}

TEST_F(PreferencesFile, OnlyAToneCurveThatWasChosenIsKeptFromFormat1) {
    // Format 1 always has the tone curve and the exposure of the last scene.
    write(R"({"format": 1, "exposure": 2, "tone": "linear"})");
    EXPECT_EQ(read_preferences(path()).preferences.tone, "");
    EXPECT_EQ(read_preferences(path()).warning, "");
    write(R"({"format": 1, "tone": "aces"})");
    EXPECT_EQ(read_preferences(path()).preferences.tone, "aces");
    write(R"({"format": 2, "tone": "linear"})");
    EXPECT_EQ(read_preferences(path()).preferences.tone, "linear");
}

TEST_F(PreferencesFile, APlaceThatCannotBeWrittenIsAnErrorInWords) {
    write("x");
    EXPECT_THROW(write_preferences(path() + "/below-a-file.json", {}), std::runtime_error);
}

TEST(Preferences, OnlyAnAbsoluteConfigHomeCounts) {
    test::Environment home("HOME", "/home/somebody"), xdg("XDG_CONFIG_HOME", "/somewhere");
    EXPECT_EQ(preferences_path(), "/somewhere/treelight/viewer.json");
    for (const char* unfit : {"relative", ""}) {
        setenv("XDG_CONFIG_HOME", unfit, 1);
        EXPECT_EQ(preferences_path(), "/home/somebody/.config/treelight/viewer.json");
    }
    setenv("HOME", "", 1);
    EXPECT_EQ(preferences_path(), "");
}

TEST_F(PreferencesFile, RecentFilesAreNewestFirstOnceAndTenAtMost) {
    Preferences p;
    for (int i = 0; i < 14; ++i) {
        auto file = folder_.write(std::to_string(i) + ".obj", "v 0 0 0\n");
        p.remember_file(file);
        p.remember_file(file);
    }
    EXPECT_EQ(p.recent_files.size(), 10u);
    EXPECT_EQ(p.recent_files[0], folder_.path("13.obj"));
    EXPECT_EQ(p.recent_files[1], folder_.path("12.obj"));
    EXPECT_EQ(p.last_folder + "/13.obj", folder_.path("13.obj"));
    p.remember_file("generate:soup");
    EXPECT_EQ(p.recent_files[0], folder_.path("13.obj"));
}

}  // namespace
}  // namespace tl::preferences_tests

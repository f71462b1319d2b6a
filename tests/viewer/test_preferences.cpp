// What the viewer remembers, and what it makes of a file that somebody broke.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/viewer/preferences.h"

namespace tl {
namespace {

namespace fs = std::filesystem;

/// A folder that goes with the test.
class PreferencesFile : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() /
                  ("treelight-preferences-" +
                   std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
        fs::remove_all(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    [[nodiscard]] std::string path() const { return (folder_ / "treelight/viewer.json").string(); }
    void write(const std::string& text) const {
        fs::create_directories(fs::path(path()).parent_path());
        std::ofstream(path()) << text;
    }
    [[nodiscard]] std::string read() const {
        std::stringstream text;
        text << std::ifstream(path()).rdbuf();
        return text.str();
    }
    fs::path folder_;
};

TEST_F(PreferencesFile, WhatIsWrittenIsRead) {
    Preferences p;
    p.picture = {800, 600};
    p.interface_visible = false;
    p.ui_scale = 1.5f;
    p.exposure = -2.5f;
    p.tone = "aces";
    p.last_folder = "/models";
    p.recent_files = {"/models/a b.obj", "/models/\xc3\xa4.toml"};
    write_preferences(path(), p);
    auto result = read_preferences(path());
    EXPECT_EQ(result.warning, "");
    EXPECT_EQ(result.preferences.picture, p.picture);
    EXPECT_EQ(result.preferences.interface_visible, p.interface_visible);
    EXPECT_EQ(result.preferences.ui_scale, p.ui_scale);
    EXPECT_EQ(result.preferences.exposure, p.exposure);
    EXPECT_EQ(result.preferences.tone, p.tone);
    EXPECT_EQ(result.preferences.last_folder, p.last_folder);
    EXPECT_EQ(result.preferences.recent_files, p.recent_files);
    EXPECT_FALSE(fs::exists(path() + ".new"));
}

TEST_F(PreferencesFile, AMissingFileGivesDefaultsWithoutAWord) {
    auto result = read_preferences(path());
    EXPECT_EQ(result.warning, "");
    EXPECT_FALSE(result.damaged);
    EXPECT_EQ(result.preferences.picture, Preferences{}.picture);
}

TEST_F(PreferencesFile, ADamagedFileGivesDefaultsAWarningAndStays) {
    for (const char* text : {"", "{\"exposure\": 1", "[1, 2]", "\x01\x02\xff", "null"}) {
        write(text);
        auto result = read_preferences(path());
        EXPECT_TRUE(result.damaged) << text;
        EXPECT_NE(result.warning.find(path()), std::string::npos);
        EXPECT_NE(result.warning.find("--reset-config"), std::string::npos);
        EXPECT_EQ(result.warning.find('\n'), std::string::npos);
        EXPECT_EQ(result.preferences.exposure, 0);
        EXPECT_EQ(read(), text);
    }
}

TEST_F(PreferencesFile, ValuesOutOfRangeGiveTheirDefaultOnly) {
    write(R"({"picture-width": 1e9, "picture-height": 480, "ui-scale": "big", "exposure": 99,
              "tone": "sepia", "panel": false, "recent-files": [1]})");
    auto result = read_preferences(path());
    EXPECT_FALSE(result.damaged);
    for (const char* name : {"picture-width", "ui-scale", "exposure", "tone", "recent-files"})
        EXPECT_NE(result.warning.find(name), std::string::npos) << name;
    EXPECT_EQ(result.warning.find("picture-height"), std::string::npos);
    EXPECT_EQ(result.preferences.picture, (Extent{1280, 480}));
    EXPECT_FALSE(result.preferences.interface_visible);
    EXPECT_EQ(result.preferences.tone, "linear");
}

TEST_F(PreferencesFile, APlaceThatCannotBeWrittenIsAnErrorInWords) {
    write("x");
    EXPECT_THROW(write_preferences(path() + "/below-a-file.json", {}), std::runtime_error);
}

TEST(Preferences, OnlyAnAbsoluteConfigHomeCounts) {
    const char* xdg = std::getenv("XDG_CONFIG_HOME");
    const char* home = std::getenv("HOME");
    std::string old_xdg = xdg ? xdg : "", old_home = home ? home : "";
    setenv("HOME", "/home/somebody", 1);
    setenv("XDG_CONFIG_HOME", "/somewhere", 1);
    EXPECT_EQ(preferences_path(), "/somewhere/treelight/viewer.json");
    setenv("XDG_CONFIG_HOME", "relative", 1);
    EXPECT_EQ(preferences_path(), "/home/somebody/.config/treelight/viewer.json");
    unsetenv("XDG_CONFIG_HOME");
    EXPECT_EQ(preferences_path(), "/home/somebody/.config/treelight/viewer.json");
    unsetenv("HOME");
    EXPECT_EQ(preferences_path(), "");
    if (xdg) setenv("XDG_CONFIG_HOME", old_xdg.c_str(), 1);
    if (home) setenv("HOME", old_home.c_str(), 1);
}

TEST_F(PreferencesFile, RecentFilesAreNewestFirstOnceAndTenAtMost) {
    fs::create_directories(folder_);
    Preferences p;
    for (int i = 0; i < 14; ++i) {
        auto file = folder_ / (std::to_string(i) + ".obj");
        std::ofstream(file) << "v 0 0 0\n";
        p.remember_file(file.string());
        p.remember_file(file.string());
    }
    EXPECT_EQ(p.recent_files.size(), 10u);
    EXPECT_EQ(p.recent_files[0], (folder_ / "13.obj").string());
    EXPECT_EQ(p.recent_files[1], (folder_ / "12.obj").string());
    EXPECT_EQ(p.last_folder, folder_.string());
    p.remember_file("generate:soup");
    EXPECT_EQ(p.recent_files[0], (folder_ / "13.obj").string());
}

}  // namespace
}  // namespace tl

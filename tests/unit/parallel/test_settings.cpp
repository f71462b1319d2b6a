// Declared settings: parsing, ranges, and error messages.
#include <gtest/gtest.h>

#include "accel/parallel/error.h"
#include "accel/parallel/settings.h"
#include "accel/tree_builder.h"
#include "renderer/renderer.h"

namespace tl::settings_tests {
namespace {

enum class Mode { slow, fast, secret };

struct Config {
    bool flag = true;
    int count = 5;
    float scale = 0.25f;
    Mode mode = Mode::fast;
    Settings settings() {
        return {{"flag", flag, "a flag"},
                {"count", count, 0, 32, "bounces", "a count"},
                {"scale", scale, 0.0f, 2.0f, "", "a scale"},
                {"mode", mode, {"slow", "fast"}, "a choice"}};
    }
};

std::string error_of(Setting& setting, const char* text) {
    try {
        setting.set(text);
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

TEST(Settings, TextRoundTrips) {
    Config config;
    auto settings = config.settings();
    const char* texts[] = {"false", "17", "1.5", "slow"};
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(settings[i].text(), settings[i].default_text);
        settings[i].set(texts[i]);
        EXPECT_EQ(settings[i].text(), texts[i]);
    }
    EXPECT_FALSE(config.flag);
    EXPECT_EQ(config.count, 17);
    EXPECT_EQ(config.scale, 1.5f);
    EXPECT_EQ(config.mode, Mode::slow);
}

TEST(Settings, WrongValuesAreRefusedAndChangeNothing) {
    Config config;
    auto settings = config.settings();
    EXPECT_EQ(error_of(settings[1], "33"),
              "setting count does not accept '33': it wants integer 0 to 32 bounces");
    for (const char* bad : {"", "5x", "-1", "1e9", "five"})
        EXPECT_NE(error_of(settings[1], bad), "") << bad;
    for (const char* bad : {"nan", "inf", "2.1", "-0.1", "1.0f"})
        EXPECT_NE(error_of(settings[2], bad), "") << bad;
    EXPECT_EQ(error_of(settings[3], "medium"),
              "setting mode does not accept 'medium': it wants one of slow, fast");
    EXPECT_NE(error_of(settings[3], "secret"), "") << "a value without a name";
    EXPECT_NE(error_of(settings[3], "1"), "");
    EXPECT_NE(error_of(settings[0], "maybe"), "");
    EXPECT_EQ(config.count, 5);
    EXPECT_EQ(config.scale, 0.25f);
    EXPECT_EQ(config.mode, Mode::fast);
}

TEST(Settings, UnknownIdsListTheKnownOnes) {
    Config config;
    auto settings = config.settings();
    EXPECT_EQ(&find_setting(settings, "scale", "test"), &settings[2]);
    try {
        (void)find_setting(settings, "size", "test");
        FAIL();
    } catch (const UserError& error) {
        EXPECT_STREQ(error.what(), "test has no setting 'size'; known: flag, count, scale, mode");
    }
}

TEST(Settings, EveryDeclarationInTheTablesIsSound) {
    auto check = [](const std::string& owner, Settings settings) {
        for (auto& setting : settings) {
            EXPECT_FALSE(setting.help.empty()) << owner << "." << setting.id;
            EXPECT_EQ(error_of(setting, setting.default_text.c_str()), "") << owner;
        }
    };
    for (auto& row : renderers()) check(row.id, row.make_cpu()->settings());
    for (auto& row : tree_builders()) check(row.id, row.make_cpu()->settings());
}

}  // namespace
}  // namespace tl::settings_tests

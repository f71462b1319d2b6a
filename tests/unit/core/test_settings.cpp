// Declared settings: parsing, ranges, and error messages.
#include <gtest/gtest.h>

#include "accel/tree.h"
#include "accel/tree_builder.h"
#include "core/base/error.h"
#include "core/base/setting_words.h"
#include "core/base/settings.h"
#include "renderer/renderer.h"
#include "tests/unit/temp_folder.h"

namespace tl::settings_tests {
namespace {

enum class Mode { slow, fast, secret };
constexpr auto names_of(Mode) {
    return std::to_array<EnumName<Mode>>({{Mode::slow, "slow"}, {Mode::fast, "fast"}});
}

struct Config {
    bool flag = true;
    int count = 5;
    float scale = 0.25f, least = 0;
    Mode mode = Mode::fast;
    static const SettingsOf<Config>& declared_settings() {
        static const SettingsOf<Config> all{
            {"flag", &Config::flag, "a flag"},
            {"count", &Config::count, 0, 32, "bounces", "a count"},
            {"scale", &Config::scale, 0, 2, "", "a scale", kAdvanced},
            SettingEntry<Config>("mode", &Config::mode, "a choice").retired("swift", "fast"),
            {"least", &Config::least, 0, 2, "", "a least value; 0: off"},
        };
        return all;
    }
    Settings settings() { return declared_settings().of(*this); }
};

std::string error_of(const Setting& setting, const char* text) {
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
        EXPECT_EQ(settings[i].text(), settings[i]->default_text);
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

TEST(Settings, AWordMayStandForZeroAndALabelForTheId) {
    static const SettingsOf<Config> all{
        {"scale", &Config::scale, 0, 2, "m", "a scale; 0: off, as it was"},
        {"count", &Config::count, 0, 9, "", "How many: a count; 0: many"},
        {"mode-of-work", &Config::mode, "a choice: one of two"},
    };
    Config config;
    auto settings = all.of(config);
    settings[0].set("off");
    EXPECT_EQ(config.scale, 0);
    EXPECT_EQ(settings[0].text(), "0");
    EXPECT_EQ(settings[0]->accepts(), "number 0 to 2 m, or off");
    EXPECT_EQ(word_of_zero(settings[0].declaration()), "off");
    EXPECT_EQ(word_of_zero(settings[1].declaration()), "");
    EXPECT_NE(error_of(settings[1], "many"), "");
    EXPECT_EQ(label_of(settings[0].declaration()), "Scale");
    EXPECT_EQ(label_of(settings[1].declaration()), "How many");
    EXPECT_EQ(label_of(settings[2].declaration()), "Mode of work");
}

TEST(Settings, UnknownIdsListTheKnownOnes) {
    Config config;
    auto settings = config.settings();
    EXPECT_EQ(&find_setting(settings, "scale", "test"), &settings[2]);
    try {
        (void)find_setting(settings, "size", "test");
        FAIL();
    } catch (const UserError& error) {
        EXPECT_STREQ(error.what(),
                     "test has no setting 'size'; known: flag, count, scale, mode, least");
    }
}

/// A value set before the settings are listed is no default.
TEST(Settings, DefaultsAreThoseOfADefaultConstructedConfig) {
    Config config;
    config.count = 7;
    config.mode = Mode::slow;
    auto settings = config.settings();
    EXPECT_EQ(settings[1]->default_text, "5");
    EXPECT_FALSE(settings[1].is_default());
    EXPECT_EQ(settings[3]->default_text, "fast");
    EXPECT_TRUE(settings[2].is_default());
    EXPECT_TRUE(settings[2]->advanced);
}

struct Whole : Config {
    Config part;
    bool own = false;

    static const SettingsOf<Whole>& declared_settings() {
        static const auto all = SettingsOf<Whole>{{"own", &Whole::own, "a flag"}}
                                    .with(Config::declared_settings())
                                    .with({{"more", &Whole::count, 1, 9, "", "a count"}});
        return all;
    }
};

TEST(Settings, TablesOfBasesAndPartsBindToTheirObject) {
    Whole whole;
    auto settings = Whole::declared_settings().of(whole);
    ASSERT_EQ(settings.size(), 7u);
    find_setting(settings, "scale", "whole").set("2");
    EXPECT_EQ(whole.scale, 2);
    EXPECT_EQ(whole.part.scale, 0.25f);
    const auto of_part = SettingsOf<Whole>{}.with(&Whole::part, Config::declared_settings());
    find_setting(of_part.of(whole), "count", "whole").set("3");
    EXPECT_EQ(whole.part.count, 3);
    EXPECT_EQ(whole.count, 5);
}

TEST(Settings, CanonicalTextsAreThoseOfTheValue) {
    auto& table = Config::declared_settings();
    EXPECT_EQ(table.find("flag")->canonical("on"), "true");
    EXPECT_EQ(table.find("scale")->canonical("1.50"), "1.5");
    EXPECT_THROW((void)table.find("count")->canonical("33"), UserError);
    EXPECT_EQ(table.find("none"), nullptr);
}

TEST(Settings, RetiredNamesOfValuesAreReadWithOneWarning) {
    Config config;
    config.mode = Mode::slow;
    auto settings = config.settings();
    auto& mode = find_setting(settings, "mode", "test");
    testing::internal::CaptureStderr();
    mode.set("swift");
    EXPECT_EQ(mode->canonical("swift"), "fast");
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "treelight: warning: setting mode: 'swift' no longer exists; 'fast' is used "
              "instead\n");
    EXPECT_EQ(config.mode, Mode::fast);
    EXPECT_EQ(mode->accepts(), "one of slow, fast");
    EXPECT_EQ(TreeConfig::declared_settings().find("layout")->canonical("cwbvh"), "auto");
}

TEST(Settings, NumbersHaveWordsForZero) {
    Config config;
    auto settings = config.settings();
    auto& least = find_setting(settings, "least", "test");
    least.set("1.5");
    least.set("off");
    EXPECT_EQ(config.least, 0);
    EXPECT_EQ(least.text(), "0");
    EXPECT_EQ(least->accepts(), "number 0 to 2, or off");
    EXPECT_EQ(default_in_words(least.declaration()), "off");
    auto& scale = find_setting(settings, "scale", "test");
    EXPECT_EQ(default_in_words(scale.declaration()), "0.25");
    TL_EXPECT_CONTAINS(error_of(scale, "off"), "it wants number 0 to 2");
}

TEST(Settings, EveryDeclarationInTheTablesIsSound) {
    auto check = [](const auto& row) {
        for (auto& setting : row.settings->all()) {
            EXPECT_FALSE(setting.help.empty()) << row.id << "." << setting.id;
            EXPECT_EQ(setting.canonical(setting.default_text), setting.default_text) << row.id;
        }
        // The object binds the settings of its row's table.
        auto object = row.make_cpu();
        auto settings = object->settings();
        ASSERT_EQ(settings.size(), row.settings->all().size()) << row.id;
        for (auto& setting : settings) {
            EXPECT_EQ(row.settings->find(setting->id), &setting.declaration()) << row.id;
            EXPECT_TRUE(setting.is_default()) << row.id << "." << setting->id;
        }
    };
    for (auto& row : renderers()) check(row);
    for (auto& row : tree_builders()) check(row);
}

}  // namespace
}  // namespace tl::settings_tests

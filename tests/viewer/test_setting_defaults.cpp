// The default value of a setting is that of a new object, whatever it is set to now.
#include "app/jobs/scene_saving.h"
#include "app/panels/widgets/settings_widgets.h"
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/viewer_actions.h"
#include "core/base/text.h"
#include "core/device/registry.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::setting_defaults_tests {
namespace {

constexpr SettingsOwner kOwner{change_setting, nullptr, "Delete resets it"};

/// Another value than the default.
std::string other_value(const SettingDeclaration& setting) {
    if (setting.type == SettingType::flag) return setting.default_text == "true" ? "false" : "true";
    if (setting.type == SettingType::choice)
        return setting.default_text == setting.choices[0] ? setting.choices[1] : setting.choices[0];
    bool real = setting.type == SettingType::real;
    auto text = [&](double value) {
        return real ? number_text(static_cast<float>(value)) : number_text(std::int64_t(value));
    };
    bool low = setting.default_text == text(setting.minimum);
    return text(!low ? setting.minimum : real ? setting.maximum : setting.minimum + 1);
}

/// Calls check(section, declaration) for all settings of a session's sections.
template <class Check>
void for_all(Session& session, Check check) {
    for (auto& section : session.settings().sections())
        for (auto& setting : section.settings)
            check(section.id, find_declared(section.id, setting->id));
}

Setting setting_of(Session& session, const std::string& section, const std::string& id) {
    auto sections = session.settings().sections();
    return find_setting(find_section(sections, section)->settings, id, section);
}

class SettingDefaults : public OffscreenViewer {
  protected:
    void check_all(ViewerModel& model) {
        auto& session = model.session;
        for_all(session, [&](const std::string& section, const SettingDeclaration& declared) {
            auto value = other_value(declared);
            change_setting(model, section, declared.id, value);
            auto now = setting_of(session, section, declared.id);
            auto name = session.renderer_id() + ": " + section + "." + declared.id;
            EXPECT_EQ(now.text(), value) << name;
            EXPECT_EQ(now->default_text, declared.default_text) << name;
            TL_EXPECT_CONTAINS(setting_tooltip(ShownSetting(now), kOwner),
                               "; default: " + declared.default_text + ".");
        });
        for_all(session, [&](const std::string& section, const SettingDeclaration& declared) {
            change_setting(model, section, declared.id, "");
            EXPECT_EQ(setting_of(session, section, declared.id).text(), declared.default_text)
                << section << "." << declared.id;
        });
    }
};

TEST_F(SettingDefaults, TooltipAndResetKeepTheDefaultOfEveryRenderersSettings) {
    auto& model = start().model();
    for (auto& id : ids_on(DeviceKind::cpu, renderers())) {
        choose_renderer(model, id);
        check_all(model);
    }
}

TEST_F(SettingDefaults, TooltipAndResetKeepTheDefaultOfEveryBuildersSettings) {
    auto& model = start().model();
    for (auto& id : ids_on(DeviceKind::cpu, tree_builders())) {
        choose_builder(model, id);
        check_all(model);
    }
}

TEST_F(SettingDefaults, ASideWithAnotherRendererReturnsToThemAndIsToldByThem) {
    auto& model = start().model();
    compare_with(model, parse_side_choices("renderer=path"));
    steps(1);
    auto& second = model.view.compare.second->session();
    auto usual = setting_of(second, "path", "max-depth").text();
    change_second_setting(model, "path", "max-depth", "2");
    steps(1);
    EXPECT_EQ(setting_of(second, "path", "max-depth").text(), "2");
    auto told = peculiarities(second, model.session);
    EXPECT_EQ(std::ranges::count(told, "max depth 2"), 1) << joined(told);
    // "As side A", which has no such setting in use.
    change_second_setting(model, "path", "max-depth", "");
    steps(1);
    EXPECT_EQ(setting_of(second, "path", "max-depth").text(), usual);
    EXPECT_EQ(peculiarities(second, model.session), std::vector<std::string>{"Path tracer"});
}

TEST_F(SettingDefaults, UndoneChangesAreNotInASavedScene) {
    auto& model = start().model();
    auto saved = [&] { return settings_to_save(model.session, {}); };
    auto before = saved();
    change_setting(model, "whitted", "max-depth", "3");
    EXPECT_EQ(saved().at("whitted").at("max-depth"), "3");
    undo(model);
    EXPECT_EQ(saved(), before);
    change_setting(model, "whitted", "max-depth", "3");
    change_setting(model, "whitted", "max-depth", "");
    EXPECT_EQ(saved(), before);
}

}  // namespace
}  // namespace tl::setting_defaults_tests
